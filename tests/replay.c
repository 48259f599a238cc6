/* Replay of an optimizer over recorded gradients. */
#include "tests/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "optimizers/table.h"

static int read_options(const struct ini *ini, const struct optim_class **cls, void **opts,
                        struct err *e)
{
    const char *name = ini_get(ini, "optimizer", "name");
    char where[4200];
    if (!name)
        return err_set(e, TT_ECONFIG, "%s: optimizer.name is missing", ini->path);
    *cls = optim_by_name(optim_classes, name, e);
    if (!*cls)
        return err_prefix(e, "%s: ", ini->path);
    *opts = xcalloc(1, (*cls)->opts_size);
    opt_defaults((*cls)->opts, *opts);
    for (size_t i = 0; i < ini->n; i++) {
        const struct ini_entry *entry = &ini->e[i];
        if (strcmp(entry->section, "optimizer") != 0 || strcmp(entry->key, "name") == 0)
            continue;
        const struct opt_desc *d = opt_find((*cls)->opts, entry->key);
        if (!d)
            return err_set(e, TT_ECONFIG, "%s: %s has no option %s",
                           ini_where(ini, entry, where, sizeof where), name, entry->key);
        if (opt_parse(d, *opts, entry->value, e) < 0)
            return err_prefix(e, "%s: %s: ", ini_where(ini, entry, where, sizeof where), entry->key);
    }
    if (!(*cls)->check || !(*cls)->check(*opts, NULL, e))
        return 0;
    return err_prefix(e, "%s: ", ini->path);
}

int replay_options(const char *path, const struct optim_class **cls, void **opts, struct err *e)
{
    struct ini ini = {0};
    *opts = NULL;
    int rc = ini_read(&ini, path, e);
    if (rc == 0)
        rc = read_options(&ini, cls, opts, e);
    ini_release(&ini);
    return rc;
}

/* float32 of the shape of `seg`. */
static int load(struct replay *r, const char *what, const struct segment *seg, float *dst,
                struct err *e)
{
    char *name = xasprintf("%s/%s", what, seg->name);
    const struct st_tensor *t = st_find(&r->in, name);
    int rc;
    if (!t)
        rc = err_set(e, TT_EDATA, "%s: %s is missing", r->in.path, name);
    else if (t->dtype != DT_F32)
        rc = err_set(e, TT_EDATA, "%s: %s is %s (%s)", r->in.path, name, t->type,
                     dtype_name(DT_F32));
    else if (t->ndim != seg->ndim || memcmp(t->dim, seg->dim, (size_t)t->ndim * sizeof *t->dim) != 0)
        rc = err_set(e, TT_EDATA, "%s: %s has not the shape of its parameter", r->in.path, name);
    else
        rc = st_read(&r->in, t, dst, e);
    free(name);
    return rc;
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
    if (r->ps.nseg == 0)
        return err_set(e, TT_EDATA, "%s: no tensor param/NAME", r->in.path);
    int rc = param_build(&r->ps, 0, e);
    for (int i = 0; rc == 0 && i < r->ps.nseg; i++)
        rc = load(r, "param", &r->ps.seg[i], r->ps.w + r->ps.seg[i].at, e);
    return rc;
}

/* The last step of all gradients; each belongs to a parameter. */
static int count_steps(struct replay *r, struct err *e)
{
    for (size_t i = 0; i < r->in.n; i++) {
        const char *name = r->in.t[i].name;
        int step, at = 0;
        if (strncmp(name, "grad/", 5) != 0)
            continue;
        if (sscanf(name, "grad/%d/%n", &step, &at) != 1 || !at || step < 1 ||
            param_find(&r->ps, name + at) < 0)
            return err_set(e, TT_EDATA, "%s: %s (grad/STEP/NAME of a param/NAME, steps from 1)",
                           r->in.path, name);
        r->steps = step > r->steps ? step : r->steps;
    }
    return r->steps ? 0 : err_set(e, TT_EDATA, "%s: no tensor grad/1/NAME", r->in.path);
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
    int rc = st_read(&r->in, t, r->lr, e);
    for (int i = 0; rc == 0 && i < r->steps; i++) {
        if (!(r->lr[i] >= 0 && isfinite(r->lr[i])))
            rc = err_set(e, TT_EDATA, "%s: lr of step %d is %g (0 or more)", r->in.path, i + 1,
                         r->lr[i]);
    }
    return rc;
}

int replay_open(struct replay *r, const char *ini, const char *input, struct err *e)
{
    *r = (struct replay){0};
    const struct optim_class *cls;
    int rc = replay_options(ini, &cls, &r->opts, e);
    if (rc < 0)
        return rc;
    if ((rc = st_open(&r->in, input, e)) < 0 || (rc = backend_open(&r->be, "cpu", 2, e)) < 0 ||
        (rc = make_params(r, e)) < 0 || (rc = count_steps(r, e)) < 0 ||
        (rc = read_rates(r, e)) < 0)
        return rc;
    return optim_init(&r->optim, cls, r->opts, &r->ps, e);
}

int replay_step(struct replay *r, int step, struct err *e)
{
    for (int i = 0; i < r->ps.nseg; i++) {
        char what[32];
        snprintf(what, sizeof what, "grad/%d", step);
        int rc = load(r, what, &r->ps.seg[i], r->ps.g + r->ps.seg[i].at, e);
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
