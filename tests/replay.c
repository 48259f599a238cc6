/* Replay of an optimizer over recorded gradients. */
#include "tests/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "optimizers/table.h"

static int read_options(const struct ini *ini, const struct optim_class **cls, void **opts,
                        struct err *e)
{
    const char *name = ini_get(ini, "optimizer", "name");
    *cls = optim_by_name(optim_classes, name ? name : "", e);
    if (!*cls)
        return e->code;
    *opts = xcalloc(1, (*cls)->opts_size);
    opt_defaults((*cls)->opts, *opts);
    for (size_t i = 0; i < ini->n; i++) {
        const struct ini_entry *entry = &ini->e[i];
        if (strcmp(entry->section, "optimizer") != 0 || strcmp(entry->key, "name") == 0)
            continue;
        const struct opt_desc *d = opt_find((*cls)->opts, entry->key);
        if (!d)
            return err_set(e, TT_ECONFIG, "%s has no option %s", name, entry->key);
        if (opt_parse(d, *opts, entry->value, e) < 0)
            return err_prefix(e, "%s: ", entry->key);
    }
    return (*cls)->check ? (*cls)->check(*opts, NULL, e) : 0;
}

int replay_options(const char *path, const struct optim_class **cls, void **opts, struct err *e)
{
    struct ini ini = {0};
    *opts = NULL;
    int rc = ini_read(&ini, path, e);
    if (rc == 0)
        rc = read_options(&ini, cls, opts, e);
    if (rc < 0)
        err_prefix(e, "%s: ", path);
    ini_release(&ini);
    return rc;
}

static int load(struct replay *r, const char *tensor, float *dst, size_t n, struct err *e)
{
    const struct st_tensor *t = st_find(&r->in, tensor);
    if (!t || t->dtype != DT_F32 || (size_t)st_elements(t) != n)
        return err_set(e, TT_EDATA, "%s: no tensor %s of %zu float32 values", r->in.path, tensor,
                       n);
    return st_read(&r->in, t, dst, e);
}

static int make_params(struct replay *r, struct err *e)
{
    param_init(&r->ps, &r->be);
    for (size_t i = 0; i < r->in.n; i++) {
        const struct st_tensor *t = &r->in.t[i];
        if (strncmp(t->name, "param/", 6) != 0)
            continue;
        if (t->ndim < 1 || t->ndim > TENSOR_DIMS || t->bytes == 0)
            return err_set(e, TT_EDATA, "%s: %s is empty or has %d dimensions (1 to %d)",
                           r->in.path, t->name, t->ndim, TENSOR_DIMS);
        int at = param_declare(&r->ps, t->name + 6, t->ndim, t->dim, (struct init){INIT_ZERO, 0},
                               t->ndim >= 2 ? SEG_MATRIX : 0);
        r->ps.seg[at].group = 0;
    }
    int rc = param_build(&r->ps, 0, e);
    for (int i = 0; rc == 0 && i < r->ps.nseg; i++) {
        char name[256];
        snprintf(name, sizeof name, "param/%s", r->ps.seg[i].name);
        rc = load(r, name, r->ps.w + r->ps.seg[i].at, r->ps.seg[i].len, e);
    }
    return rc;
}

static void count_steps(struct replay *r)
{
    char name[256];
    do {
        snprintf(name, sizeof name, "grad/%d/%s", r->steps + 1, r->ps.seg[0].name);
    } while (st_find(&r->in, name) && ++r->steps);
}

static int read_rates(struct replay *r, struct err *e)
{
    r->lr = xcalloc((size_t)r->steps, sizeof *r->lr);
    for (int i = 0; i < r->steps; i++)
        r->lr[i] = ((const struct optim_common *)r->opts)->lr;
    const struct st_tensor *t = st_find(&r->in, "lr");
    if (!t)
        return 0;
    if (t->dtype != DT_F64 || st_elements(t) != r->steps)
        return err_set(e, TT_EDATA, "%s: lr is no float64[%d]", r->in.path, r->steps);
    return st_read(&r->in, t, r->lr, e);
}

int replay_open(struct replay *r, const char *ini, const char *input, struct err *e)
{
    *r = (struct replay){0};
    const struct optim_class *cls;
    int rc = replay_options(ini, &cls, &r->opts, e);
    if (rc < 0)
        return rc;
    if ((rc = st_open(&r->in, input, e)) < 0 || (rc = backend_open(&r->be, "cpu", 2, e)) < 0 ||
        (rc = make_params(r, e)) < 0)
        return rc;
    if (r->ps.nseg == 0)
        return err_set(e, TT_EDATA, "%s: no tensor param/NAME", input);
    count_steps(r);
    if ((rc = read_rates(r, e)) < 0)
        return rc;
    return optim_init(&r->optim, cls, r->opts, &r->ps, e);
}

int replay_step(struct replay *r, int step, struct err *e)
{
    for (int i = 0; i < r->ps.nseg; i++) {
        char name[256];
        snprintf(name, sizeof name, "grad/%d/%s", step, r->ps.seg[i].name);
        int rc = load(r, name, r->ps.g + r->ps.seg[i].at, r->ps.seg[i].len, e);
        if (rc < 0)
            return rc;
    }
    optim_update(&r->optim, r->lr[step - 1]);
    return 0;
}

void replay_close(struct replay *r)
{
    if (r->optim.cls) {
        opt_release(r->optim.cls->opts, r->opts);
        optim_release(&r->optim);
    }
    if (r->ps.be)
        param_release(&r->ps);
    if (r->be.cls)
        backend_close(&r->be);
    if (r->in.path)
        st_close(&r->in);
    free(r->opts);
    free(r->lr);
    *r = (struct replay){0};
}
