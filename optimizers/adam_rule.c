/* Adam's moments and update, one pass over memory. */
#include "optimizers/adam_rule.h"

#include <math.h>

#include "optimizers/loop.h"
#include "optimizers/rows.h"

const struct opt_desc adam_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    BETA1_ROW(adam_opts, 0.9),
    BETA2_ROW(adam_opts, 0.999),
    EPS_ROW(adam_opts, 1e-8),
    BOOL_ROW(adam_opts, amsgrad, 0, OPT_MEMORY, "divide by the largest mean of squares so far"),
    MAXIMIZE_ROW(adam_opts),
    {0},
};

int adam_states(const void *opts, const struct segment *seg, int state_bits,
                struct state_desc out[OPTIM_MAX_STATES])
{
    const struct adam_opts *o = opts;
    (void)state_bits;
    int n = 0;
    out[n++] = state_step();
    out[n++] = state_like(seg, "exp_avg", 0);
    out[n++] = state_like(seg, "exp_avg_sq", 0);
    if (o->amsgrad)
        out[n++] = state_like(seg, "max_exp_avg_sq", 0);
    return n;
}

struct pass {
    float *w, *m, *v, *vmax; /* vmax: NULL without amsgrad */
    const float *g;
    float sign, l2, keep, o1, b2, o2, rate, root, eps;
};

VECTOR static void adam_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict m = a.m, *restrict v = a.v, *restrict vmax = a.vmax;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++) {
        float gi = a.sign * g[i] + a.l2 * w[i];
        float mi = m[i] + a.o1 * (gi - m[i]);
        float vi = a.b2 * v[i] + a.o2 * (gi * gi);
        m[i] = mi;
        v[i] = vi;
        if (vmax)
            vmax[i] = vi = vmax[i] > vi ? vmax[i] : vi;
        w[i] = w[i] * a.keep - a.rate * (mi / (sqrtf(vi) * a.root + a.eps));
    }
}

void adam_update(const struct optim_step *s, bool decoupled)
{
    const struct adam_opts *o = s->opts;
    double c1 = 1 - pow(o->beta1, (double)s->t), c2 = 1 - pow(o->beta2, (double)s->t);
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .m = s->state[1],
        .v = s->state[2],
        .vmax = o->amsgrad ? s->state[3] : NULL,
        .sign = o->maximize ? -1 : 1,
        .l2 = decoupled ? 0 : (float)s->weight_decay,
        .keep = decoupled ? (float)(1 - s->lr * s->weight_decay) : 1,
        .o1 = (float)(1 - o->beta1),
        .b2 = (float)o->beta2,
        .o2 = (float)(1 - o->beta2),
        .rate = (float)(s->lr / c1),
        .root = (float)(1 / sqrt(c2)),
        .eps = (float)o->eps,
    };
    write_step(s, s->state[0]);
    for_chunks(s->n, adam_chunk, &a);
}
