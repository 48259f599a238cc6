/* StableAdamW, AdamW whose rate is cut where a gradient comes as a surprise: torch-optimi
 * (optimizers.md 5). */
#include <float.h>

#include "optimizers/loop.h"
#include "optimizers/rows.h"

struct stableadamw_opts {
    struct optim_common common;
    double beta1, beta2, eps;
};

static const struct opt_desc stableadamw_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    BETA1_ROW(stableadamw_opts, 0.9),
    BETA2_ROW(stableadamw_opts, 0.99),
    EPS_ROW(stableadamw_opts, 1e-6),
    {0},
};

static int stableadamw_states(const void *opts, const struct segment *seg, int state_bits,
                              struct state_desc out[OPTIM_MAX_STATES])
{
    (void)opts;
    (void)state_bits;
    out[0] = state_like(seg, "exp_avg", 0);
    out[1] = state_like(seg, "exp_avg_sq", 0);
    return 2;
}

struct pass {
    float *w, *m, *v;
    const float *g;
    float o1, b2, o2, least, keep, rate, eps;
};

/* The moments, and the sum of g^2 / v. */
VECTOR static struct sums moments_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict m = a.m, *restrict v = a.v;
    const float *restrict g = a.g;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = from; i < to; i++) {
        m[i] += a.o1 * (g[i] - m[i]);
        v[i] = a.b2 * v[i] + a.o2 * (g[i] * g[i]);
        sum += g[i] * g[i] / (v[i] > a.least ? v[i] : a.least);
    }
    return (struct sums){.x = sum};
}

VECTOR static void update_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w;
    const float *restrict m = a.m, *restrict v = a.v;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        w[i] = w[i] * a.keep - a.rate * (m[i] / (sqrtf(v[i]) + a.eps));
}

/* The mean's share in update t with the bias correction folded in. */
static double debiased(double beta, int64_t t)
{
    double power = pow(beta, (double)t);
    return (power - beta) / (power - 1);
}

static void stableadamw_step(const struct optim_step *s)
{
    const struct stableadamw_opts *o = s->opts;
    double b1 = debiased(o->beta1, s->t), b2 = debiased(o->beta2, s->t);
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .m = s->state[0],
        .v = s->state[1],
        .o1 = (float)(1 - b1),
        .b2 = (float)b2,
        .o2 = (float)(1 - b2),
        .least = (float)fmax(o->eps * o->eps, FLT_MIN),
        .eps = (float)o->eps,
    };
    double surprise = sqrt(sum_chunks(s->n, moments_chunk, &a).x / (double)s->n);
    double lr = s->lr / fmax(1, surprise);
    a.keep = (float)(1 - lr * s->weight_decay);
    a.rate = (float)lr;
    for_chunks(s->n, update_chunk, &a);
}

const struct optim_class optim_stableadamw = {
    .name = "stableadamw",
    .summary = "AdamW that slows down on surprising gradients",
    .opts = stableadamw_rows,
    .opts_size = sizeof(struct stableadamw_opts),
    .states = stableadamw_states,
    .step = stableadamw_step,
};
