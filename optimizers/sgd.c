/* Stochastic gradient descent with momentum: torch.optim.SGD (optimizers.md 1.1). */
#include "engine/base/str.h"
#include "optimizers/loop.h"
#include "optimizers/rows.h"

struct sgd_opts {
    struct optim_common common;
    double momentum, dampening;
    bool nesterov, maximize;
};

static const struct opt_desc sgd_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    REAL_ROW(sgd_opts, momentum, 0, 0, 1, OPT_MEMORY, "share of the old step kept; 0: no buffer"),
    REAL_ROW(sgd_opts, dampening, 0, 0, 1, 0, "share of each gradient left out of the momentum"),
    BOOL_ROW(sgd_opts, nesterov, 0, 0, "look ahead by one momentum step"),
    MAXIMIZE_ROW(sgd_opts),
    {0},
};

static int sgd_check(const void *opts, const struct param_set *ps, struct err *e)
{
    const struct sgd_opts *o = opts;
    (void)ps;
    if (o->nesterov && o->momentum == 0)
        return err_set(e, TT_ECONFIG,
                       "optimizer.nesterov with optimizer.momentum = 0 (a momentum above 0)");
    if (o->nesterov && o->dampening != 0)
        return err_set(e, TT_ECONFIG,
                       "optimizer.nesterov with optimizer.dampening = %g (dampening = 0)",
                       o->dampening);
    return 0;
}

static void sgd_doubt(const void *opts, char *dst, size_t size)
{
    const struct sgd_opts *o = opts;
    if (o->momentum == 0 && o->dampening != 0)
        str_copy(dst, size, "optimizer.dampening does nothing while optimizer.momentum is 0");
}

static int sgd_states(const void *opts, const struct segment *seg, int state_bits,
                      struct state_desc out[OPTIM_MAX_STATES])
{
    const struct sgd_opts *o = opts;
    (void)state_bits;
    if (o->momentum == 0)
        return 0;
    out[0] = state_like(seg, "momentum_buffer", 0);
    return 1;
}

struct pass {
    float *w, *buf; /* buf: NULL without momentum */
    const float *g;
    float sign, l2, rate, keep, fresh, share_g, share_buf;
};

VECTOR static void sgd_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict buf = a.buf;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++) {
        float d = a.sign * g[i] + a.l2 * w[i];
        if (buf) {
            buf[i] = a.keep * buf[i] + a.fresh * d;
            d = a.share_g * d + a.share_buf * buf[i];
        }
        w[i] -= a.rate * d;
    }
}

static void sgd_step(const struct optim_step *s)
{
    const struct sgd_opts *o = s->opts;
    bool first = s->t == 1; /* torch copies the first gradient, undamped */
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .buf = o->momentum > 0 ? s->state[0] : NULL,
        .sign = o->maximize ? -1 : 1,
        .l2 = (float)s->weight_decay,
        .rate = (float)s->lr,
        .keep = first ? 0 : (float)o->momentum,
        .fresh = first ? 1 : (float)(1 - o->dampening),
        .share_g = o->nesterov ? 1 : 0,
        .share_buf = o->nesterov ? (float)o->momentum : 1,
    };
    for_chunks(s->n, sgd_chunk, &a);
}

const struct optim_class optim_sgd = {
    .name = "sgd",
    .summary = "gradient descent, with or without momentum",
    .opts = sgd_rows,
    .opts_size = sizeof(struct sgd_opts),
    .common = true,
    .elementwise = true,
    .check = sgd_check,
    .doubt = sgd_doubt,
    .states = sgd_states,
    .step = sgd_step,
};
