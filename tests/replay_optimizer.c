/* replay_optimizer CONFIG.ini IN.safetensors OUT.safetensors: the weights and states of an optimizer
 * after every step over recorded gradients. Out: param/STEP/NAME, state/STEP/NAME/STATE and, where
 * the weights to evaluate are others, eval/STEP/NAME. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tests/replay.h"

struct output {
    struct st_tensor *t;
    size_t n, cap;
};

static void add(struct output *out, char *name, enum dtype dtype, int ndim, const int64_t *dim,
                const void *data, size_t bytes)
{
    out->t = xgrow(out->t, &out->cap, out->n + 1, sizeof *out->t);
    struct st_tensor *t = &out->t[out->n++];
    *t = (struct st_tensor){.name = name, .dtype = dtype, .ndim = ndim, .bytes = bytes};
    memcpy(t->dim, dim, (size_t)ndim * sizeof *dim);
    void *copy = xmalloc(bytes);
    memcpy(copy, data, bytes);
    t->data = copy;
}

static void add_weights(struct output *out, const struct replay *r, const char *what, int step)
{
    for (int i = 0; i < r->ps.nseg; i++) {
        const struct segment *seg = &r->ps.seg[i];
        add(out, xasprintf("%s/%d/%s", what, step, seg->name), DT_F32, seg->ndim, seg->dim,
            r->ps.w + seg->at, seg->len * sizeof(float));
    }
}

static void add_step(struct output *out, struct replay *r, int step)
{
    struct optim *o = &r->optim;
    add_weights(out, r, "param", step);
    for (int i = 0; i < o->nstate; i++) {
        const struct optim_state *st = &o->state[i];
        add(out, xasprintf("state/%d/%s/%s", step, r->ps.seg[st->seg].name, st->desc.name),
            st->desc.dtype, st->desc.ndim, st->desc.dim, st->data, st->bytes);
    }
    if (!o->cls->eval_weights)
        return;
    optim_set_eval(o, true);
    add_weights(out, r, "eval", step);
    optim_set_eval(o, false);
}

static void release(struct output *out)
{
    for (size_t i = 0; i < out->n; i++) {
        free((void *)out->t[i].name);
        free((void *)out->t[i].data);
    }
    free(out->t);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: replay_optimizer CONFIG.ini IN.safetensors OUT.safetensors\n");
        return 2;
    }
    struct err e = ERR_INIT;
    struct replay r;
    struct output out = {0};
    int rc = replay_open(&r, argv[1], argv[2], &e);
    for (int step = 1; rc == 0 && step <= r.steps; step++) {
        rc = replay_step(&r, step, &e);
        if (rc == 0)
            add_step(&out, &r, step);
    }
    if (rc == 0)
        rc = st_write(argv[3], out.t, out.n, NULL, &e);
    if (rc < 0)
        fprintf(stderr, "replay_optimizer: %s\n", e.msg);
    release(&out);
    replay_close(&r);
    return err_exit_status(rc);
}
