/* RMSprop, plain or centered, with or without momentum: torch.optim.RMSprop (optimizers.md 1.4). */
#include "optimizers/loop.h"
#include "optimizers/rows.h"

struct rmsprop_opts {
    struct optim_common common;
    double alpha, eps, momentum;
    bool centered;
};

static const struct opt_desc rmsprop_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    REAL_ROW(rmsprop_opts, alpha, 0.99, 0, 1, OPT_MAX_OPEN,
             "share of the old mean of squares kept"),
    EPS_ROW(rmsprop_opts, 1e-8),
    REAL_ROW(rmsprop_opts, momentum, 0, 0, 1, OPT_MEMORY,
             "share of the old step kept; 0: no buffer"),
    BOOL_ROW(rmsprop_opts, centered, 0, OPT_MEMORY,
             "divide by the deviation, not the mean square's root"),
    {0},
};

static int rmsprop_states(const void *opts, const struct segment *seg, int state_bits,
                          struct state_desc out[OPTIM_MAX_STATES])
{
    const struct rmsprop_opts *o = opts;
    (void)state_bits;
    int n = 0;
    out[n++] = state_step();
    out[n++] = state_like(seg, "square_avg", 0);
    if (o->momentum > 0)
        out[n++] = state_like(seg, "momentum_buffer", 0);
    if (o->centered)
        out[n++] = state_like(seg, "grad_avg", 0);
    return n;
}

struct pass {
    float *w, *v, *buf, *mean; /* buf, mean: NULL where not kept */
    const float *g;
    float l2, alpha, fresh, momentum, rate, eps;
};

VECTOR static void rmsprop_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict v = a.v, *restrict buf = a.buf, *restrict mean = a.mean;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++) {
        float gi = g[i] + a.l2 * w[i];
        float square = v[i] = a.alpha * v[i] + a.fresh * (gi * gi);
        if (mean) {
            mean[i] += a.fresh * (gi - mean[i]);
            square -= mean[i] * mean[i];
            square = square > 0 ? square : 0; /* rounding may have gone below */
        }
        float d = gi / (sqrtf(square) + a.eps);
        if (buf)
            buf[i] = d = a.momentum * buf[i] + d;
        w[i] -= a.rate * d;
    }
}

static void rmsprop_step(const struct optim_step *s)
{
    const struct rmsprop_opts *o = s->opts;
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .v = s->state[1],
        .buf = o->momentum > 0 ? s->state[2] : NULL,
        .mean = o->centered ? s->state[o->momentum > 0 ? 3 : 2] : NULL,
        .l2 = (float)s->weight_decay,
        .alpha = (float)o->alpha,
        .fresh = (float)(1 - o->alpha),
        .momentum = (float)o->momentum,
        .rate = (float)s->lr,
        .eps = (float)o->eps,
    };
    write_step(s, s->state[0]);
    for_chunks(s->n, rmsprop_chunk, &a);
}

const struct optim_class optim_rmsprop = {
    .name = "rmsprop",
    .summary = "gradients over the root of their mean square",
    .opts = rmsprop_rows,
    .opts_size = sizeof(struct rmsprop_opts),
    .elementwise = true,
    .states = rmsprop_states,
    .step = rmsprop_step,
};
