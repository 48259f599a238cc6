/* AdEMAMix, Adam with a second, slow mean: apple/ml-ademamix with decoupled decay (optimizers.md 5). */
#include "optimizers/loop.h"
#include "optimizers/rows.h"

struct ademamix_opts {
    struct optim_common common;
    double beta1, beta2, beta3, alpha, eps;
    int64_t t_alpha, t_beta3;
};

static const struct opt_desc ademamix_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    BETA1_ROW(ademamix_opts, 0.9),
    BETA2_ROW(ademamix_opts, 0.999),
    REAL_ROW(ademamix_opts, beta3, 0.9999, 0, 1, OPT_MAX_OPEN, "share of the slow mean kept"),
    REAL_ROW(ademamix_opts, alpha, 5, 0, 1e6, 0, "weight of the slow mean in a step"),
    INT_ROW(ademamix_opts, t_alpha, OPT_INT_UNSET, 1, HUGE_VAL, OPT_UNSET,
            "updates over which alpha rises from 0"),
    INT_ROW(ademamix_opts, t_beta3, OPT_INT_UNSET, 1, HUGE_VAL, OPT_UNSET,
            "updates over which beta3 rises from beta1"),
    EPS_ROW(ademamix_opts, 1e-8),
    {0},
};

static int ademamix_states(const void *opts, const struct segment *seg, int state_bits,
                           struct state_desc out[OPTIM_MAX_STATES])
{
    (void)opts;
    (void)state_bits;
    out[0] = state_like(seg, "exp_avg", 0);
    out[1] = state_like(seg, "exp_avg_slow", 0);
    out[2] = state_like(seg, "exp_avg_sq", 0);
    return 3;
}

static double alpha_at(const struct ademamix_opts *o, double t)
{
    return o->t_alpha == OPT_INT_UNSET ? o->alpha : fmin(t / (double)o->t_alpha, 1) * o->alpha;
}

/* beta3's half-life rises in a straight line, from that of beta1: ln(beta1) ln(beta3) / ((1 - h)
 * ln(beta3) + h ln(beta1)) written so that betas of 0 do no harm. */
static double beta3_at(const struct ademamix_opts *o, double t)
{
    double h = t / (double)o->t_beta3;
    if (o->t_beta3 == OPT_INT_UNSET || h >= 1)
        return o->beta3;
    return fmin(exp(1 / ((1 - h) / log(o->beta1) + h / log(o->beta3))), o->beta3);
}

struct pass {
    float *w, *m, *slow, *v;
    const float *g;
    float keep, o1, b2, o2, o3, rate, mix, root, eps;
};

VECTOR static void ademamix_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict m = a.m, *restrict slow = a.slow, *restrict v = a.v;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++) {
        m[i] += a.o1 * (g[i] - m[i]);
        slow[i] += a.o3 * (g[i] - slow[i]);
        v[i] = a.b2 * v[i] + a.o2 * (g[i] * g[i]);
        float u = a.rate * m[i] + a.mix * slow[i];
        w[i] = w[i] * a.keep - u / (sqrtf(v[i]) * a.root + a.eps);
    }
}

static void ademamix_step(const struct optim_step *s)
{
    const struct ademamix_opts *o = s->opts;
    double t = (double)s->t;
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .m = s->state[0],
        .slow = s->state[1],
        .v = s->state[2],
        .keep = (float)(1 - s->lr * s->weight_decay),
        .o1 = (float)(1 - o->beta1),
        .b2 = (float)o->beta2,
        .o2 = (float)(1 - o->beta2),
        .o3 = (float)(1 - beta3_at(o, t)),
        .rate = (float)(s->lr / (1 - pow(o->beta1, t))),
        .mix = (float)(s->lr * alpha_at(o, t)),
        .root = (float)(1 / sqrt(1 - pow(o->beta2, t))),
        .eps = (float)o->eps,
    };
    for_chunks(s->n, ademamix_chunk, &a);
}

const struct optim_class optim_ademamix = {
    .name = "ademamix",
    .summary = "AdamW with a second, slow mean of gradients",
    .opts = ademamix_rows,
    .opts_size = sizeof(struct ademamix_opts),
    .elementwise = true,
    .states = ademamix_states,
    .step = ademamix_step,
};
