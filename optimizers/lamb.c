/* LAMB, Adam's direction scaled to the norm of each tensor: timm's Lamb (optimizers.md 5). */
#include "optimizers/loop.h"
#include "optimizers/rows.h"

struct lamb_opts {
    struct optim_common common;
    double beta1, beta2, eps, max_grad_norm;
    bool use_nvlamb;
};

static const struct opt_desc lamb_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    BETA1_ROW(lamb_opts, 0.9),
    BETA2_ROW(lamb_opts, 0.999),
    EPS_ROW(lamb_opts, 1e-6),
    REAL_ROW(lamb_opts, max_grad_norm, 1, 0, HUGE_VAL, 0,
             "norm of all gradients is cut to this; 0: never"),
    BOOL_ROW(lamb_opts, use_nvlamb, 0, 0, "scale tensors without weight decay too"),
    {0},
};

static int lamb_states(const void *opts, const struct segment *seg, int state_bits,
                       struct state_desc out[OPTIM_MAX_STATES])
{
    (void)opts;
    (void)state_bits;
    out[0] = state_like(seg, "exp_avg", 0);
    out[1] = state_like(seg, "exp_avg_sq", 0);
    return 2;
}

/* shared[0]: what every gradient is multiplied by. */
static void lamb_begin(const struct optim_begin *b)
{
    const struct lamb_opts *o = b->opts;
    b->shared[0] = 1;
    if (o->max_grad_norm > 0)
        b->shared[0] = 1 / fmax(1, param_grad_norm(b->ps) / o->max_grad_norm);
}

struct pass {
    float *w, *m, *v;
    const float *g;
    float clip, o1, b2, o2, c1, root, eps, decay, rate;
};

INLINE float direction(const struct pass *a, float w, float m, float v)
{
    return m * a->c1 / (sqrtf(v) * a->root + a->eps) + a->decay * w;
}

/* The moments, and the squared norms of weights and direction. */
VECTOR static struct sums moments_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict m = a.m, *restrict v = a.v;
    const float *restrict w = a.w, *restrict g = a.g;
    double sum_w = 0, sum_u = 0;
#pragma omp simd reduction(+ : sum_w, sum_u)
    for (size_t i = from; i < to; i++) {
        float gi = a.clip * g[i];
        m[i] += a.o1 * (gi - m[i]);
        v[i] = a.b2 * v[i] + a.o2 * (gi * gi);
        double wi = w[i], u = direction(&a, w[i], m[i], v[i]);
        sum_w += wi * wi;
        sum_u += u * u;
    }
    return (struct sums){sum_w, sum_u};
}

VECTOR static void update_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w;
    const float *restrict m = a.m, *restrict v = a.v;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        w[i] -= a.rate * direction(&a, w[i], m[i], v[i]);
}

static void lamb_step(const struct optim_step *s)
{
    const struct lamb_opts *o = s->opts;
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .m = s->state[0],
        .v = s->state[1],
        .clip = (float)s->shared[0],
        .o1 = (float)(1 - o->beta1),
        .b2 = (float)o->beta2,
        .o2 = (float)(1 - o->beta2),
        .c1 = (float)(1 / (1 - pow(o->beta1, (double)s->t))),
        .root = (float)(1 / sqrt(1 - pow(o->beta2, (double)s->t))),
        .eps = (float)o->eps,
        .decay = (float)s->weight_decay,
    };
    struct sums norm = sum_chunks(s->n, moments_chunk, &a);
    bool adapt = (s->weight_decay != 0 || o->use_nvlamb) && norm.x > 0 && norm.y > 0;
    a.rate = (float)(adapt ? s->lr * sqrt(norm.x / norm.y) : s->lr);
    for_chunks(s->n, update_chunk, &a);
}

const struct optim_class optim_lamb = {
    .name = "lamb",
    .summary = "AdamW with steps in proportion to each tensor's norm",
    .opts = lamb_rows,
    .opts_size = sizeof(struct lamb_opts),
    .n_shared = 1,
    .states = lamb_states,
    .begin = lamb_begin,
    .step = lamb_step,
};
