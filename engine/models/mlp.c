/* Multi-layer perceptron: the input in one row, linear layers with an activation between them. */
#include "engine/models/model.h"

#include <stddef.h>
#include <stdio.h>

#include "engine/nn/layers.h"
#include "engine/ops/ops.h"

struct mlp_opts {
    char *hidden;
    int activation;
    double dropout;
};

static const struct opt_desc mlp_opts_table[] = {
    {.key = "hidden", .help = "widths of the hidden layers by commas; none: a linear classifier",
     .type = OPT_STR, .at = offsetof(struct mlp_opts, hidden), .choices = "128,64",
     .flags = OPT_COMMON | OPT_MEMORY},
    {.key = "activation", .help = "after every hidden layer", .type = OPT_CHOICE,
     .at = offsetof(struct mlp_opts, activation), .choices = MODEL_ACTIVATIONS},
    {.key = "dropout", .help = "share of hidden values set to zero while training",
     .type = OPT_REAL, .at = offsetof(struct mlp_opts, dropout), .min = 0, .max = 1,
     .flags = OPT_MAX_OPEN | OPT_MEMORY},
    {0},
};

struct mlp {
    int n; /* linear layers, the head included */
    struct linear_layer layer[MODEL_LIST_MAX + 1];
};

static int hidden_widths(const struct mlp_opts *o, int *width, struct err *e)
{
    return model_parse_list("model.hidden", o->hidden, 1, MODEL_WIDTH_MAX, width, e);
}

static int mlp_check(const void *opts, const struct data_spec *spec, struct err *e)
{
    int width[MODEL_LIST_MAX];
    int n = hidden_widths(opts, width, e);
    (void)spec;
    return n < 0 ? n : 0;
}

static int mlp_declare(struct model *m, struct err *e)
{
    int width[MODEL_LIST_MAX];
    int n = hidden_widths(m->opts, width, e);
    if (n < 0)
        return n;
    struct mlp *mlp = m->priv = arena_alloc(&m->arena, sizeof(*mlp));
    int64_t in = 1;
    for (int i = 0; i < m->spec.ndim; i++)
        in *= m->spec.dim[i];
    for (int i = 0; i <= n; i++) {
        int64_t out = i < n ? width[i] : m->spec.num_labels;
        char name[32];
        snprintf(name, sizeof(name), "linear.%d", i);
        linear_declare(&mlp->layer[i], m->ps, name, in, out, layer_init_uniform(in));
        in = out;
    }
    mlp->n = n + 1;
    return 0;
}

static struct tensor *mlp_logits(struct model *m, struct tape *t, const struct batch *b)
{
    const struct mlp *mlp = m->priv;
    const struct mlp_opts *o = m->opts;
    struct tensor *x = op_flatten(t, model_input(m, t, b));
    for (int i = 0; i + 1 < mlp->n; i++) {
        x = linear_apply(&mlp->layer[i], m->ps, t, x, model_act(o->activation), MODEL_SLOPE);
        x = op_dropout(t, x, (float)o->dropout);
    }
    return linear_apply(&mlp->layer[mlp->n - 1], m->ps, t, x, ACT_NONE, 0);
}

const struct model_class model_mlp = {
    .name = "mlp",
    .summary = "multi-layer perceptron over features or pixels",
    .opts = mlp_opts_table,
    .opts_size = sizeof(struct mlp_opts),
    .kind = BATCH_DENSE,
    .check = mlp_check,
    .declare = mlp_declare,
    .logits = mlp_logits,
};
