/* Convolutional network: blocks of convolution, activation and max-pooling, then dense layers. */
#include "engine/models/model.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/nn/layers.h"
#include "engine/ops/ops.h"

struct convnet_opts {
    char *channels, *kernel, *padding, *hidden;
    int64_t pool;
    int activation;
    double dropout;
};

static const struct opt_desc convnet_opts_table[] = {
    {.key = "channels", .help = "channels of the convolutions by commas", .type = OPT_STR,
     .at = offsetof(struct convnet_opts, channels), .choices = "32,64",
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "kernel", .help = "size of the kernels: one for all, or one for each", .unit = "pixels",
     .type = OPT_STR, .at = offsetof(struct convnet_opts, kernel), .choices = "3",
     .flags = OPT_MEMORY},
    {.key = "padding", .help = "zeros around the image: one for all, or one for each",
     .unit = "pixels", .type = OPT_STR, .at = offsetof(struct convnet_opts, padding),
     .choices = "1", .flags = OPT_MEMORY},
    {.key = "pool", .help = "window of the max-pooling after each convolution; 0: none",
     .unit = "pixels", .type = OPT_INT, .at = offsetof(struct convnet_opts, pool), .def = 2,
     .min = 0, .max = 64, .flags = OPT_MEMORY},
    {.key = "hidden", .help = "widths of the dense layers before the head by commas; none: no such",
     .type = OPT_STR, .at = offsetof(struct convnet_opts, hidden), .choices = "128",
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "activation", .help = "after every convolution and dense layer", .type = OPT_CHOICE,
     .at = offsetof(struct convnet_opts, activation), .choices = MODEL_ACTIVATIONS},
    {.key = "dropout", .help = "share of values before the head set to zero while training",
     .type = OPT_REAL, .at = offsetof(struct convnet_opts, dropout), .min = 0, .max = 1,
     .flags = OPT_MAX_OPEN | OPT_MEMORY},
    {0},
};

/* The options, read and followed through the image. */
struct shape {
    int n_conv, n_hidden;
    int channels[MODEL_LIST_MAX], kernel[MODEL_LIST_MAX], padding[MODEL_LIST_MAX];
    int hidden[MODEL_LIST_MAX];
    int64_t features; /* values of a row before the first dense layer */
};

struct convnet {
    int n_conv, n_hidden;
    struct conv2d_layer conv[MODEL_LIST_MAX];
    struct linear_layer hidden[MODEL_LIST_MAX], head;
};

/* A list with one number for each convolution, or one for all. */
static int parse_per_conv(const char *key, const char *text, int min, int max, int n_conv, int *out,
                          struct err *e)
{
    int n = model_parse_list(key, text, min, max, out, e);
    if (n < 0)
        return n;
    if (n != 1 && n != n_conv)
        return err_set(e, TT_ECONFIG, "%s: %d numbers (1, or %d as in model.channels)", key, n,
                       n_conv);
    for (int i = n; i < n_conv; i++)
        out[i] = out[0];
    return 0;
}

static int parse_lists(const struct convnet_opts *o, struct shape *s, struct err *e)
{
    s->n_conv = model_parse_list("model.channels", o->channels, 1, MODEL_WIDTH_MAX, s->channels, e);
    if (s->n_conv < 0)
        return s->n_conv;
    if (!s->n_conv)
        return err_set(e, TT_ECONFIG, "model.channels: none (at least one convolution)");
    if (parse_per_conv("model.kernel", o->kernel, 1, 64, s->n_conv, s->kernel, e) < 0 ||
        parse_per_conv("model.padding", o->padding, 0, 64, s->n_conv, s->padding, e) < 0)
        return TT_ECONFIG;
    s->n_hidden = model_parse_list("model.hidden", o->hidden, 1, MODEL_WIDTH_MAX, s->hidden, e);
    return s->n_hidden < 0 ? s->n_hidden : 0;
}

/* Size of the image behind block `i`. */
static int follow_block(const struct convnet_opts *o, const struct shape *s, int i, int64_t *h,
                        int64_t *w, struct err *e)
{
    int64_t grow = 2 * s->padding[i] - s->kernel[i] + 1;
    if (*h + grow < 1 || *w + grow < 1)
        return err_set(e, TT_ECONFIG,
                       "model.kernel: %d does not fit convolution %d, whose image is %" PRId64
                       "x%" PRId64 " with padding %d",
                       s->kernel[i], i, *h, *w, s->padding[i]);
    *h += grow;
    *w += grow;
    if (!o->pool)
        return 0;
    if (o->pool > *h || o->pool > *w)
        return err_set(e, TT_ECONFIG,
                       "model.pool: %" PRId64
                       " does not fit convolution %d, whose image is %" PRId64 "x%" PRId64,
                       o->pool, i, *h, *w);
    *h /= o->pool;
    *w /= o->pool;
    return 0;
}

static int read_shape(const struct convnet_opts *o, const struct data_spec *spec, struct shape *s,
                      struct err *e)
{
    if (spec->ndim != 3)
        return err_set(e, TT_ECONFIG,
                       "model.type: convnet reads images, the data is rows of %" PRId64 " features",
                       spec->dim[0]);
    if (parse_lists(o, s, e) < 0)
        return TT_ECONFIG;
    int64_t h = spec->dim[1], w = spec->dim[2];
    for (int i = 0; i < s->n_conv; i++)
        if (follow_block(o, s, i, &h, &w, e) < 0)
            return TT_ECONFIG;
    s->features = s->channels[s->n_conv - 1] * h * w;
    if (s->features > INT_MAX)
        return err_set(e, TT_ECONFIG,
                       "model.channels: %" PRId64 " values behind the last "
                       "convolution (at most %d)",
                       s->features, INT_MAX);
    return 0;
}

static int convnet_check(const void *opts, const struct data_spec *spec, struct err *e)
{
    struct shape s;
    return read_shape(opts, spec, &s, e);
}

static int convnet_declare(struct model *m, struct err *e)
{
    struct shape s;
    if (read_shape(m->opts, &m->spec, &s, e) < 0)
        return TT_ECONFIG;
    struct convnet *net = m->priv = arena_alloc(&m->arena, sizeof(*net));
    net->n_conv = s.n_conv;
    net->n_hidden = s.n_hidden;
    char name[32];
    int64_t in = m->spec.dim[0];
    for (int i = 0; i < s.n_conv; i++) {
        struct layer_init init = layer_init_uniform(in * s.kernel[i] * s.kernel[i]);
        snprintf(name, sizeof(name), "conv.%d", i);
        conv2d_declare(&net->conv[i], m->ps, name, in, s.channels[i], s.kernel[i], 1, s.padding[i],
                       init);
        in = s.channels[i];
    }
    in = s.features;
    for (int i = 0; i < s.n_hidden; i++) {
        snprintf(name, sizeof(name), "hidden.%d", i);
        linear_declare(&net->hidden[i], m->ps, name, in, s.hidden[i], layer_init_uniform(in));
        in = s.hidden[i];
    }
    linear_declare(&net->head, m->ps, "linear", in, m->spec.num_labels, layer_init_uniform(in));
    return 0;
}

static struct tensor *convnet_logits(struct model *m, struct tape *t, const struct batch *b)
{
    const struct convnet *net = m->priv;
    const struct convnet_opts *o = m->opts;
    enum act act = model_act(o->activation);
    struct tensor *x = model_input(m, t, b);
    for (int i = 0; i < net->n_conv; i++) {
        x = conv2d_apply(&net->conv[i], m->ps, t, x, act, MODEL_SLOPE);
        if (o->pool)
            x = op_maxpool2d(t, x, (int)o->pool, (int)o->pool, 0);
    }
    x = op_flatten(t, x);
    for (int i = 0; i < net->n_hidden; i++)
        x = linear_apply(&net->hidden[i], m->ps, t, x, act, MODEL_SLOPE);
    x = op_dropout(t, x, (float)o->dropout);
    return linear_apply(&net->head, m->ps, t, x, ACT_NONE, 0);
}

const struct model_class model_convnet = {
    .name = "convnet",
    .summary = "convolutions with max-pooling and dense layers over images",
    .opts = convnet_opts_table,
    .opts_size = sizeof(struct convnet_opts),
    .kind = BATCH_DENSE,
    .check = convnet_check,
    .declare = convnet_declare,
    .logits = convnet_logits,
};
