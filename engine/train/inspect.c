/* Where a tensor to look at lies: in the memory of a run, or in the files of its newest checkpoint.
 * */
#include "engine/train/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/rundir.h"
#include "engine/io/safetensors.h"
#include "engine/train/accelerator.h"

static bool is_plain(enum dtype t)
{
    return t == DT_F32 || t == DT_F16 || t == DT_BF16;
}

static int fill(const struct inspect_tensor *values, const struct inspect_tensor *scales,
                const struct state_codes *codes, struct inspect_report *out, struct err *e)
{
    if (!codes && !is_plain(values->dtype))
        return err_set(e, TT_EDATA,
                       "%s of %s holds %s (numbers, or codes that the optimizer knows)",
                       out->of.state, out->of.tensor, dtype_name(values->dtype));
    return inspect_values(values, scales, codes, out, e);
}

/* ---- a run that goes on --------------------------------------------------------------------- */

static int read_device(const struct inspect_tensor *t, size_t at, size_t n, void *dst,
                       struct err *e)
{
    const struct param_set *ps = t->owner;
    (void)e;
    ps->be->cls->download(ps->be, dst, (const char *)t->data + at, n);
    return 0;
}

static struct inspect_tensor state_tensor(const struct network *net, const struct optim_state *s)
{
    struct inspect_tensor t = {.dtype = s->desc.dtype,
                               .ndim = s->desc.ndim,
                               .bytes = s->bytes,
                               .read = read_device,
                               .owner = &net->ps,
                               .data = s->data};
    memcpy(t.dim, s->desc.dim, sizeof t.dim);
    return t;
}

static int network_state(const struct network *net, int seg, struct inspect_report *out,
                         struct err *e)
{
    const struct optim *o = &net->optim;
    struct state_codes codes = {0};
    const struct optim_state *s = optim_find_state(o, seg, out->of.state);
    if (!s)
        return err_set(e, TT_EFAIL, "%s keeps no %s of %s", o->cls->name, out->of.state,
                       out->of.tensor);
    struct inspect_tensor values = state_tensor(net, s);
    if (s->desc.dtype != DT_U8 || !o->cls->codes || !o->cls->codes(o->opts, out->of.state, &codes))
        return fill(&values, NULL, NULL, out, e);
    struct inspect_tensor scales = state_tensor(net, optim_find_state(o, seg, codes.scale));
    return fill(&values, &scales, &codes, out, e);
}

static int network_slab(const struct network *net, int seg, const float *slab,
                        struct inspect_report *out, struct err *e)
{
    const struct segment *s = &net->ps.seg[seg];
    struct inspect_tensor t = {.dtype = DT_F32,
                               .ndim = s->ndim,
                               .bytes = s->len * sizeof *slab,
                               .read = read_device,
                               .owner = &net->ps,
                               .data = slab + s->at};
    memcpy(t.dim, s->dim, sizeof t.dim);
    return fill(&t, NULL, NULL, out, e);
}

void inspect_network(const struct network *net, const struct inspect_request *q, int64_t step,
                     struct inspect_report *out)
{
    struct err e = ERR_INIT;
    int seg = param_find(&net->ps, q->tensor);
    *out = (struct inspect_report){.of = *q, .step = step};
    if (seg < 0)
        err_set(&e, TT_EFAIL, "the model has no tensor %s", q->tensor);
    else if (!strcmp(q->state, INSPECT_WEIGHTS))
        network_slab(net, seg, net->ps.w, out, &e);
    else if (!strcmp(q->state, INSPECT_GRADIENTS) && net->ps.seg[seg].frozen)
        err_set(&e, TT_EFAIL, "%s is frozen: it gets no gradient", q->tensor);
    else if (!strcmp(q->state, INSPECT_GRADIENTS))
        network_slab(net, seg, net->ps.g, out, &e);
    else
        network_state(net, seg, out, &e);
    str_copy(out->error, sizeof out->error, e.msg);
}

/* ---- a checkpoint --------------------------------------------------------------------------- */

static int read_part(const struct inspect_tensor *t, size_t at, size_t n, void *dst, struct err *e)
{
    struct st_tensor part = *(const struct st_tensor *)t->data;
    part.at += (int64_t)at;
    part.bytes = n;
    return st_read(t->owner, &part, dst, e);
}

static int file_tensor(const struct st_file *f, const char *name, struct inspect_tensor *out,
                       struct err *e)
{
    const struct st_tensor *t = st_find(f, name);
    if (!t)
        return err_set(e, TT_EDATA, "%s: no tensor %s", f->path, name);
    if (t->ndim > TENSOR_DIMS || t->dtype == DT_COUNT)
        return err_set(e, TT_EDATA, "%s: %s is no tensor of ours", f->path, name);
    *out = (struct inspect_tensor){.dtype = t->dtype,
                                   .ndim = t->ndim,
                                   .bytes = t->bytes,
                                   .read = read_part,
                                   .owner = f,
                                   .data = t};
    memcpy(out->dim, t->dim, (size_t)t->ndim * sizeof *t->dim);
    return 0;
}

static bool enough_scales(const struct inspect_tensor *values, const struct inspect_tensor *scales,
                          const struct state_codes *codes)
{
    return scales->dtype == DT_F32 &&
           scales->bytes / sizeof(float) * codes->block * (size_t)codes->bits / 8 >= values->bytes;
}

static int file_state(const struct st_file *f, const struct state_codes *codes,
                      struct inspect_report *out, struct err *e)
{
    struct inspect_tensor values, scales;
    char *name = xasprintf("%s/%s", out->of.state, out->of.tensor), *scale = NULL;
    int code = file_tensor(f, name, &values, e);
    if (!code && (values.dtype != DT_U8 || !codes)) {
        code = fill(&values, NULL, NULL, out, e);
    } else if (!code) {
        scale = xasprintf("%s/%s", codes->scale, out->of.tensor);
        code = file_tensor(f, scale, &scales, e);
        if (!code && !enough_scales(&values, &scales, codes))
            code = err_set(e, TT_EDATA, "%s: %s does not fit blocks of %zu", f->path, scale,
                           codes->block);
        if (!code)
            code = fill(&values, &scales, codes, out, e);
    }
    free(name);
    free(scale);
    return code;
}

static int file_weights(const struct st_file *f, struct inspect_report *out, struct err *e)
{
    struct inspect_tensor t;
    int code = file_tensor(f, out->of.tensor, &t, e);
    return code ? code : fill(&t, NULL, NULL, out, e);
}

static int open_checkpoint(struct st_file *f, const char *run_path, const char *name, int64_t *step,
                           struct err *e)
{
    int64_t *steps;
    int n = ckpt_list(run_path, &steps, NULL);
    *step = n > 0 ? steps[n - 1] : -1;
    free(steps);
    if (*step < 0)
        return err_set(e, TT_EDATA, "no checkpoint to read it from");
    char *dir = ckpt_dir(run_path, *step), *path = file_join(dir, name);
    int code = st_open(f, path, e);
    free(path);
    free(dir);
    return code;
}

void inspect_run(const char *run_path, const struct inspect_request *q,
                 const struct state_codes *codes, struct inspect_report *out)
{
    struct err e = ERR_INIT;
    struct st_file f;
    bool weights = !strcmp(q->state, INSPECT_WEIGHTS);
    *out = (struct inspect_report){.of = *q};
    if (!strcmp(q->state, INSPECT_GRADIENTS)) {
        err_set(&e, TT_EFAIL, "gradients are not saved");
    } else if (!open_checkpoint(&f, run_path,
                                weights ? "model.safetensors" : "optimizer.safetensors", &out->step,
                                &e)) {
        if (weights)
            file_weights(&f, out, &e);
        else
            file_state(&f, codes, out, &e);
        st_close(&f);
    }
    str_copy(out->error, sizeof out->error, e.msg);
}
