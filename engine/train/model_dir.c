/* A network as a model directory: model.safetensors and a config.json that says what it is, so that
 * predictions need neither the training data nor the run's config. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/hf_config.h"
#include "engine/io/safetensors.h"
#include "engine/train/model_dir.h"

int model_weights_save(const char *path, struct network *net, struct err *e)
{
    struct param_set *ps = &net->ps;
    float *host = xmalloc(ps->n * sizeof *host);
    ps->be->cls->download(ps->be, host, ps->w, ps->n * sizeof *host);
    struct st_tensor *list = xcalloc((size_t)ps->nseg, sizeof *list);
    for (int i = 0; i < ps->nseg; i++) {
        const struct segment *s = &ps->seg[i];
        list[i] = (struct st_tensor){.name = s->name, .dtype = DT_F32, .ndim = s->ndim,
                                     .data = host + s->at, .bytes = s->len * sizeof *host};
        memcpy(list[i].dim, s->dim, sizeof s->dim);
    }
    int code = st_write(path, list, (size_t)ps->nseg, NULL, e);
    free(list);
    free(host);
    return code;
}

/* The tensors of the head: those of the layer that is declared last. */
static bool in_head(const struct param_set *ps, int i)
{
    const char *last = ps->seg[ps->nseg - 1].name, *dot = strrchr(last, '.');
    return strncmp(ps->seg[i].name, last, dot ? (size_t)(dot - last) + 1 : strlen(last)) == 0;
}

static int read_tensor(const struct st_file *f, const struct segment *s, float *host, struct err *e)
{
    const struct st_tensor *x = st_find(f, s->name);
    if (!x)
        return err_set(e, TT_EDATA, "%s: no tensor %s", f->path, s->name);
    if (st_elements(x) != (int64_t)s->len || x->ndim != s->ndim ||
        memcmp(x->dim, s->dim, (size_t)s->ndim * sizeof *s->dim))
        return err_set(e, TT_EDATA, "%s: %s has another shape than the model's", f->path, s->name);
    return st_read_f32(f, x, host + s->at, e);
}

int model_weights_start(const char *path, struct network *net, bool head, struct err *e)
{
    struct param_set *ps = &net->ps;
    struct st_file f;
    int code = st_open(&f, path, e);
    if (code)
        return code;
    float *host = xmalloc(ps->n * sizeof *host);
    ps->be->cls->download(ps->be, host, ps->w, ps->n * sizeof *host);
    for (int i = 0; !code && i < ps->nseg; i++)
        if (head || !in_head(ps, i))
            code = read_tensor(&f, &ps->seg[i], host, e);
    if (!code)
        ps->be->cls->upload(ps->be, ps->w, host, ps->n * sizeof *host);
    free(host);
    st_close(&f);
    return code;
}

int model_weights_load(const char *path, struct network *net, struct err *e)
{
    return model_weights_start(path, net, true, e);
}

static const char *const problem_types[] = {"single_label_classification", "regression",
                                            "multi_label_classification"};

int model_dir_problem(const char *problem_type)
{
    for (int i = 0; problem_type && i < 3; i++)
        if (!strcmp(problem_type, problem_types[i]))
            return i;
    return -1;
}

const char *model_dir_problem_name(int problem)
{
    return problem_types[problem];
}

static void put_options(struct hf_config *c, const struct run_config *rc)
{
    for (const struct opt_desc *d = rc->model_cls->opts; d && d->key; d++) {
        const void *at = opt_at(d, rc->model_own);
        if (d->type == OPT_INT)
            hf_config_put_int(c, d->key, *(const int64_t *)at);
        else if (d->type == OPT_REAL)
            hf_config_put_real(c, d->key, *(const double *)at);
        else if (d->type == OPT_BOOL)
            hf_config_put_bool(c, d->key, *(const bool *)at);
        else {
            char *text = opt_text(d, rc->model_own);
            hf_config_put_str(c, d->key, text);
            free(text);
        }
    }
}

int model_dir_save(const char *dir, struct network *net, const struct run_config *rc, struct err *e)
{
    const struct data_spec *spec = &net->model.spec;
    struct hf_config c;
    hf_config_new(&c);
    hf_config_put_str(&c, "model_type", rc->model_cls->name);
    hf_config_put_str(&c, "problem_type", problem_types[spec->problem]);
    hf_config_put_int(&c, "num_labels", spec->num_labels);
    struct strbuf shape = STRBUF_INIT;
    for (int i = 0; i < spec->ndim; i++)
        strbuf_addf(&shape, "%s%lld", i ? "x" : "", (long long)spec->dim[i]);
    hf_config_put_str(&c, "input_shape", shape.s ? shape.s : "");
    strbuf_release(&shape);
    if (spec->features)
        hf_config_put_list(&c, "features", spec->features);
    put_options(&c, rc);
    if (spec->label)
        hf_config_put_labels(&c, spec->label, spec->num_labels);
    hf_config_put_str(&c, "torch_dtype", "float32");
    char *config = file_join(dir, "config.json"), *weights = file_join(dir, "model.safetensors");
    int code = hf_config_write(&c, config, e);
    if (!code)
        code = model_weights_save(weights, net, e);
    free(config);
    free(weights);
    hf_config_release(&c);
    return code;
}

/* "1x28x28" into the dense shape. */
static int parse_shape(const char *text, struct data_spec *spec, struct err *e)
{
    struct strlist parts = STRLIST_INIT;
    strlist_split(&parts, text ? text : "", 'x');
    int code = 0;
    spec->ndim = (int)parts.n;
    if (parts.n != 1 && parts.n != 3)
        code = err_set(e, TT_EDATA, "input_shape: \"%s\" (N or CxHxW)", text ? text : "");
    for (size_t i = 0; !code && i < parts.n; i++)
        if (!str_to_i64(parts.s[i], &spec->dim[i]) || spec->dim[i] < 1)
            code = err_set(e, TT_EDATA, "input_shape: \"%s\" (N or CxHxW)", text);
    strlist_release(&parts);
    return code;
}

int model_dir_spec(const char *dir, struct data_spec *spec, struct spec_names *names, struct err *e)
{
    memset(names, 0, sizeof *names);
    memset(spec, 0, sizeof *spec);
    char *path = file_join(dir, "config.json");
    struct hf_config c;
    int code = hf_config_read(&c, path, e);
    if (code) {
        free(path);
        return code;
    }
    int problem = model_dir_problem(hf_config_str(&c, "problem_type"));
    spec->num_labels = (int)hf_config_int(&c, "num_labels", 0);
    spec->problem = problem < 0 ? PROBLEM_CLASSES : (enum problem)problem;
    code = parse_shape(hf_config_str(&c, "input_shape"), spec, e);
    if (hf_config_list(&c, "features", &names->features))
        spec->features = &names->features;
    if (!code && spec->problem != PROBLEM_REGRESSION)
        code = hf_config_labels(&c, &names->own, e);
    if (!code && names->own.n) {
        spec->num_labels = (int)names->own.n;
        names->label = xcalloc(names->own.n, sizeof *names->label);
        for (size_t i = 0; i < names->own.n; i++)
            names->label[i] = names->own.s[i];
        spec->label = names->label;
    }
    if (!code && spec->num_labels < 1)
        code = err_set(e, TT_EDATA, "num_labels is missing");
    if (code) {
        err_prefix(e, "%s: ", path);
        spec_names_release(names);
    }
    hf_config_release(&c);
    free(path);
    return code;
}
