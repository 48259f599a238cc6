/* A checkpoint is a folder of three files: the weights, the optimizer's states in their own types under
 * STATE/TENSOR, and state.json with everything else a run needs to go on as if it had never stopped. All
 * lookups are by name, never by position. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/io/safetensors.h"
#include "engine/train/trainer_state.h"

#define FORMAT 1

/* Plain fields of state.json, each once for both directions. */
struct field {
    const char *name;
    enum { INT, REAL, BOOL } type;
    size_t at;
};

#define P(type, field) {#field, type, offsetof(struct progress, field)}
static const struct field progress_fields[] = {
    P(INT, step), P(INT, epoch), P(INT, micro), P(INT, micro_total), P(INT, skipped),
    P(INT, nonfinite), P(INT, streak), P(REAL, window_loss), P(INT, window_updates),
    P(INT, window_samples), P(INT, window_tokens), P(REAL, loss_ema), P(REAL, loss_weight),
    P(REAL, last_loss), P(REAL, last_lr), P(REAL, last_norm), P(REAL, train_seconds),
    P(REAL, best), P(INT, best_step), P(INT, bad_evals), P(INT, evals), P(BOOL, over)};
#undef P

#define S(type, field) {#field, type, offsetof(struct sched_state, field)}
static const struct field sched_fields[] = {
    S(REAL, lr), S(REAL, best), S(INT, good), S(INT, bad), S(INT, cooldown), S(INT, warmup),
    S(INT, reset_left), S(INT, evaluations)};
#undef S

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* JSON has no nan and no inf: they are null and the words "inf", "-inf". */
static json_t *real_json(double v)
{
    if (isnan(v))
        return json_null();
    return isinf(v) ? json_string(v > 0 ? "inf" : "-inf") : json_real(v);
}

static double json_to_real(const json_t *j)
{
    if (json_is_string(j))
        return strcmp(json_string_value(j), "-inf") ? INFINITY : -INFINITY;
    return json_is_number(j) ? json_number_value(j) : NAN;
}

static json_t *fields_json(const struct field *f, size_t n, const void *from)
{
    json_t *o = json_object();
    for (size_t i = 0; i < n; i++) {
        const char *at = (const char *)from + f[i].at;
        json_t *v = f[i].type == INT    ? json_integer(*(const int64_t *)at)
                    : f[i].type == REAL ? real_json(*(const double *)at)
                                        : json_boolean(*(const bool *)at);
        json_object_set_new(o, f[i].name, v);
    }
    return o;
}

static int fields_read(const struct field *f, size_t n, const json_t *o, void *into, struct err *e)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_object_get(o, f[i].name);
        char *at = (char *)into + f[i].at;
        if (!v)
            return err_set(e, TT_EDATA, "%s is missing", f[i].name);
        if (f[i].type == INT)
            *(int64_t *)at = json_integer_value(v);
        else if (f[i].type == REAL)
            *(double *)at = json_to_real(v);
        else
            *(bool *)at = json_is_true(v);
    }
    return 0;
}

static json_t *reals_json(const double *v, int n)
{
    json_t *a = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(a, real_json(v[i]));
    return a;
}

static void reals_read(const json_t *a, double *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = json_to_real(json_array_get(a, (size_t)i));
}

/* When they are read, not when a checkpoint is written: by then they may be others. */
int checkpoint_note_data(struct trainer *t, struct err *e)
{
    const struct dataset *side[] = {&t->train, &t->eval};
    int code = 0;
    for (int i = 0; i < 4 && !code; i++) {
        const struct dataset *d = side[i / 2];
        struct data_file *f = &t->file[t->nfile];
        f->path = i % 2 ? d->path_labels : d->path;
        if (!f->path || (code = file_checksum(f->path, &f->sum, e)))
            continue;
        f->bytes = file_size(f->path);
        f->rows = d->rows;
        t->nfile++;
    }
    return code;
}

static json_t *data_json(const struct trainer *t)
{
    json_t *list = json_array();
    for (int i = 0; i < t->nfile; i++) {
        const struct data_file *f = &t->file[i];
        char hex[20], name[4096]; /* JSON has no place for a name that is not UTF-8 */
        str_visible(name, sizeof name, f->path);
        snprintf(hex, sizeof hex, "%016llx", (unsigned long long)f->sum);
        json_array_append_new(list, json_pack("{s:s,s:I,s:I,s:s}", "file", name, "bytes",
                                              (json_int_t)f->bytes, "rows", (json_int_t)f->rows,
                                              "checksum", hex));
    }
    return list;
}

static json_t *metrics_json(const struct progress *p)
{
    json_t *o = json_object();
    for (int i = 0; i < METRIC_COUNT; i++)
        if (p->best_steps[i] >= 0)
            json_object_set_new(o, metric_descs[i].series,
                                json_pack("{s:o,s:I}", "value", real_json(p->best_values[i]), "step",
                                          (json_int_t)p->best_steps[i]));
    return o;
}

static json_t *state_json(const struct trainer *t)
{
    const struct optim *o = &t->net.optim;
    const struct sched *s = &t->net.sched;
    json_t *sched = fields_json(sched_fields, N(sched_fields), &s->state);
    json_object_set_new(sched, "s", json_integer(s->s));
    json_object_set_new(sched, "base_lr", real_json(s->args.base_lr));
    json_object_set_new(sched, "window", reals_json(s->state.window, s->state.nwindow));
    return json_pack("{s:i,s:I,s:o,s:o,s:o,s:{s:s,s:I,s:o},s:o}", "format", FORMAT, "step",
                     (json_int_t)t->p.step, "progress",
                     fields_json(progress_fields, N(progress_fields), &t->p), "best_values",
                     metrics_json(&t->p), "schedule", sched, "optimizer", "name", o->cls->name, "t",
                     (json_int_t)o->t, "shared", reals_json(o->shared, OPTIM_MAX_SHARED), "data",
                     data_json(t));
}

static int write_state(const struct trainer *t, const struct ckpt_writer *w, struct err *e)
{
    json_t *root = state_json(t);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    char *path = ckpt_path(w, "state.json");
    int code = file_write_all(path, text, strlen(text), e);
    free(path);
    free(text);
    json_decref(root);
    return code;
}

/* Name of a state in the file: exp_avg/linear.0.weight. */
static char *state_name(const struct optim_state *s, const struct param_set *ps)
{
    return xasprintf("%s/%s", s->desc.name, ps->seg[s->seg].name);
}

static int save_states(const struct trainer *t, const struct ckpt_writer *w, struct err *e)
{
    const struct optim *o = &t->net.optim;
    struct backend *be = t->net.ps.be;
    size_t n = (size_t)o->nstate;
    struct st_tensor *list = xcalloc(n ? n : 1, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        const struct optim_state *s = &o->state[i];
        list[i] = (struct st_tensor){.name = state_name(s, &t->net.ps), .dtype = s->desc.dtype,
                                     .ndim = s->desc.ndim, .bytes = s->bytes};
        memcpy(list[i].dim, s->desc.dim, sizeof s->desc.dim);
        void *host = xmalloc(s->bytes ? s->bytes : 1);
        be->cls->download(be, host, s->data, s->bytes);
        list[i].data = host;
    }
    char *path = ckpt_path(w, "optimizer.safetensors");
    int code = st_write(path, list, n, NULL, e);
    free(path);
    for (size_t i = 0; i < n; i++) {
        free((void *)list[i].name);
        free((void *)list[i].data);
    }
    free(list);
    return code;
}

/* Schedule-free optimizers train on other weights than they evaluate: the file holds the training ones,
 * which is what a resume needs; final/ is made of the others. */
int checkpoint_save(struct trainer *t, struct err *e)
{
    double start = sys_now();
    struct ckpt_writer w;
    int code = ckpt_begin(&w, &t->dir, t->p.step, e);
    if (code)
        return code;
    if ((code = trainer_save_model(t, w.temp, e)) ||
        (code = save_states(t, &w, e)) || (code = write_state(t, &w, e)) ||
        (code = ckpt_commit(&w, &t->st.saved_bytes, e))) {
        ckpt_abort(&w);
        return code;
    }
    t->saved_step = t->p.step;
    t->st.saved_at = sys_now();
    double took = sys_now() - start;
    t->st.save_seconds = isnan(t->st.save_seconds) ? took : 0.5 * (t->st.save_seconds + took);
    struct strlist removed = STRLIST_INIT;
    code = ckpt_rotate(t->dir.path, t->rc.checkpoint.keep, t->p.best_step, &removed, e);
    char bytes[32];
    struct strbuf gone = STRBUF_INIT;
    for (size_t i = 0; i < removed.n; i++)
        strbuf_addf(&gone, "%s%s", i ? ", " : "; removed ", removed.s[i]);
    log_line(LOG_SAVE, "step-%lld, %s in %.1f s%s", (long long)t->p.step,
             str_bytes(bytes, sizeof bytes, (double)t->st.saved_bytes), took, gone.s ? gone.s : "");
    strbuf_release(&gone);
    strlist_release(&removed);
    return code;
}

static int read_json(const char *dir, json_t **root, struct err *e)
{
    char *path = file_join(dir, "state.json"), *text;
    size_t n;
    int code = file_read(path, 64 << 20, &text, &n, e);
    if (!code) {
        json_error_t why;
        *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
        free(text);
        if (!*root)
            code = err_set(e, TT_EDATA, "%s:%d: %s", path, why.line, why.text);
        else if (json_integer_value(json_object_get(*root, "format")) != FORMAT) {
            code = err_set(e, TT_EDATA, "%s: format %lld (%d)", path,
                           (long long)json_integer_value(json_object_get(*root, "format")), FORMAT);
            json_decref(*root);
        }
    }
    free(path);
    return code;
}

static int same_data(const json_t *saved, const struct trainer *t, struct err *e)
{
    json_t *now = data_json(t);
    int code = 0;
    if (json_array_size(saved) != json_array_size(now))
        code = err_set(e, TT_ECONFIG, "the run was made with %zu data files, now there are %zu",
                       json_array_size(saved), json_array_size(now));
    for (size_t i = 0; !code && i < json_array_size(now); i++) {
        const json_t *a = json_array_get(saved, i), *b = json_array_get(now, i);
        const char *const keys[] = {"bytes", "rows", "checksum"};
        for (size_t k = 0; !code && k < N(keys); k++)
            if (!json_equal(json_object_get(a, keys[k]), json_object_get(b, keys[k])))
                code = err_set(
                    e, TT_ECONFIG,
                    "data changed: %s had %lld rows, %lld bytes, checksum %s; %s has %lld, %lld, %s",
                    json_string_value(json_object_get(a, "file")),
                    (long long)json_integer_value(json_object_get(a, "rows")),
                    (long long)json_integer_value(json_object_get(a, "bytes")),
                    json_string_value(json_object_get(a, "checksum")),
                    json_string_value(json_object_get(b, "file")),
                    (long long)json_integer_value(json_object_get(b, "rows")),
                    (long long)json_integer_value(json_object_get(b, "bytes")),
                    json_string_value(json_object_get(b, "checksum")));
    }
    json_decref(now);
    return code;
}

static void read_best(const json_t *o, struct progress *p)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        const json_t *m = json_object_get(o, metric_descs[i].series);
        p->best_values[i] = m ? json_to_real(json_object_get(m, "value")) : NAN;
        p->best_steps[i] = m ? json_integer_value(json_object_get(m, "step")) : -1;
    }
}

int checkpoint_read_state(struct trainer *t, const char *dir, struct err *e)
{
    json_t *root;
    int code = read_json(dir, &root, e);
    if (code)
        return code;
    code = fields_read(progress_fields, N(progress_fields), json_object_get(root, "progress"), &t->p,
                       e);
    if (code)
        err_prefix(e, "%s/state.json: ", dir);
    else
        code = same_data(json_object_get(root, "data"), t, e);
    if (!code)
        read_best(json_object_get(root, "best_values"), &t->p);
    json_decref(root);
    return code;
}

static int load_states(struct trainer *t, const char *dir, struct err *e)
{
    struct optim *o = &t->net.optim;
    struct backend *be = t->net.ps.be;
    char *path = file_join(dir, "optimizer.safetensors");
    struct st_file f;
    int code = st_open(&f, path, e);
    free(path);
    if (code)
        return code;
    for (int i = 0; !code && i < o->nstate; i++) {
        struct optim_state *s = &o->state[i];
        char *name = state_name(s, &t->net.ps);
        const struct st_tensor *x = st_find(&f, name);
        if (!x || x->bytes != s->bytes || x->dtype != s->desc.dtype) {
            code = err_set(e, TT_EDATA, "%s: %s (%s of %zu bytes)", f.path,
                           x ? "another shape or type" : "tensor missing", name, s->bytes);
        } else {
            void *host = xmalloc(s->bytes ? s->bytes : 1);
            code = st_read(&f, x, host, e);
            if (!code)
                be->cls->upload(be, s->data, host, s->bytes);
            free(host);
        }
        free(name);
    }
    st_close(&f);
    return code;
}

/* A schedule that follows a metric keeps the rate it came to: another optimizer.lr moves it in
 * proportion. */
static void rescale_rate(struct sched *s, double was)
{
    if (!s->cls->factor && was > 0 && isfinite(s->args.base_lr))
        s->state.lr *= s->args.base_lr / was;
}

int checkpoint_load(struct trainer *t, const char *dir, struct err *e)
{
    int code = model_weights_load(dir, &t->net, e);
    json_t *root = NULL;
    if (!code)
        code = load_states(t, dir, e);
    if (!code)
        code = read_json(dir, &root, e);
    if (code)
        return code;
    const json_t *optimizer = json_object_get(root, "optimizer");
    const json_t *sched = json_object_get(root, "schedule");
    const json_t *window = json_object_get(sched, "window");
    struct sched *s = &t->net.sched;
    t->net.optim.t = json_integer_value(json_object_get(optimizer, "t"));
    reals_read(json_object_get(optimizer, "shared"), t->net.optim.shared, OPTIM_MAX_SHARED);
    s->s = json_integer_value(json_object_get(sched, "s"));
    s->state.nwindow = (int)json_array_size(window);
    if (s->state.nwindow > (int)N(s->state.window))
        code = err_set(e, TT_EDATA, "%s/state.json: window of %d values", dir, s->state.nwindow);
    else
        reals_read(window, s->state.window, s->state.nwindow);
    if (!code)
        code = fields_read(sched_fields, N(sched_fields), sched, &s->state, e);
    rescale_rate(s, json_to_real(json_object_get(sched, "base_lr")));
    json_decref(root);
    return code;
}
