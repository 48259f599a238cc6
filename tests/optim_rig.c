/* One optimizer over a few made-up tensors. */
#include "tests/optim_rig.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "optimizers/table.h"
#include "tests/support.h"

static void check_ok(int rc, const struct err *e)
{
    if (rc < 0)
        fail_msg("%s", e->msg);
}

const struct optim_class *rig_class(const char *name)
{
    struct err e = ERR_INIT;
    const struct optim_class *cls = optim_by_name(optim_classes, name, &e);
    if (!cls)
        fail_msg("%s", e.msg);
    return cls;
}

void *rig_options(const struct optim_class *cls, const char *text)
{
    struct err e = ERR_INIT;
    void *opts = xcalloc(1, cls->opts_size);
    struct strlist parts = STRLIST_INIT;
    opt_defaults(cls->opts, opts);
    strlist_split(&parts, text, ' ');
    for (size_t i = 0; i < parts.n && *parts.s[i]; i++) {
        char *value = strchr(parts.s[i], '=');
        *value++ = '\0';
        const struct opt_desc *d = opt_find(cls->opts, parts.s[i]);
        assert_non_null(d);
        check_ok(opt_parse(d, opts, value, &e), &e);
    }
    strlist_release(&parts);
    return opts;
}

void rig_params(struct rig *r, const struct rig_tensor *tensors, int n, int threads)
{
    struct err e = ERR_INIT;
    *r = (struct rig){0};
    check_ok(backend_open(&r->be, "cpu", threads, &e), &e);
    param_init(&r->ps, &r->be);
    for (int i = 0; i < n; i++) {
        const struct rig_tensor *t = &tensors[i];
        bool matrix = t->ndim >= 2 && !(t->kind & SEG_EMBEDDING);
        param_declare(&r->ps, t->name, t->ndim, t->dim, (struct init){INIT_NORMAL, 0.5f},
                      t->kind | (matrix ? SEG_MATRIX : 0));
    }
}

void rig_optim(struct rig *r, const struct optim_class *cls, const char *options)
{
    struct err e = ERR_INIT;
    check_ok(param_build(&r->ps, 7, &e), &e);
    r->opts = rig_options(cls, options);
    if (cls->check)
        check_ok(cls->check(r->opts, &r->ps, &e), &e);
    check_ok(optim_init(&r->optim, cls, r->opts, &r->ps, &e), &e);
}

void optim_rig_open(struct rig *r, const struct optim_class *cls, const char *options,
              const struct rig_tensor *tensors, int n, int threads)
{
    rig_params(r, tensors, n, threads);
    rig_optim(r, cls, options);
}

void rig_open_vector(struct rig *r, const char *cls, const char *options, int64_t n)
{
    struct rig_tensor t = {"w", 1, {n}, 0};
    optim_rig_open(r, rig_class(cls), options, &t, 1, 2);
}

void optim_rig_close(struct rig *r)
{
    opt_release(r->optim.cls->opts, r->opts);
    free(r->opts);
    optim_release(&r->optim);
    param_release(&r->ps);
    backend_close(&r->be);
}

void rig_gradients(struct rig *r, int step)
{
    struct rng_key key = {11, RNG_NOISE, (uint64_t)step};
    rng_normal(key, r->ps.g, r->ps.n, 0, 0.1f);
}

float *rig_weights(const struct rig *r)
{
    float *copy = xmalloc(r->ps.n * sizeof *copy);
    memcpy(copy, r->ps.w, r->ps.n * sizeof *copy);
    return copy;
}
