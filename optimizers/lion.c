/* Lion, steps of one size in the direction of the sign: google/automl (optimizers.md 5). */
#include "optimizers/loop.h"
#include "optimizers/rows.h"

struct lion_opts {
    struct optim_common common;
    double beta1, beta2;
};

static const struct opt_desc lion_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    REAL_ROW(lion_opts, beta1, 0.9, 0, 1, OPT_MAX_OPEN,
             "share of the mean in this step's direction"),
    REAL_ROW(lion_opts, beta2, 0.99, 0, 1, OPT_MAX_OPEN, "share of the old mean of gradients kept"),
    {0},
};

static int lion_states(const void *opts, const struct segment *seg, int state_bits,
                       struct state_desc out[OPTIM_MAX_STATES])
{
    (void)opts;
    (void)state_bits;
    out[0] = state_like(seg, "exp_avg", 0);
    return 1;
}

struct pass {
    float *w, *m;
    const float *g;
    float keep, rate, b1, o1, b2, o2;
};

VECTOR static void lion_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict m = a.m;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++) {
        float u = a.b1 * m[i] + a.o1 * g[i];
        float sign = (float)((u > 0) - (u < 0));
        w[i] = w[i] * a.keep - a.rate * sign;
        m[i] = a.b2 * m[i] + a.o2 * g[i];
    }
}

static void lion_step(const struct optim_step *s)
{
    const struct lion_opts *o = s->opts;
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .m = s->state[0],
        .keep = (float)(1 - s->lr * s->weight_decay),
        .rate = (float)s->lr,
        .b1 = (float)o->beta1,
        .o1 = (float)(1 - o->beta1),
        .b2 = (float)o->beta2,
        .o2 = (float)(1 - o->beta2),
    };
    for_chunks(s->n, lion_chunk, &a);
}

const struct optim_class optim_lion = {
    .name = "lion",
    .summary = "steps by the sign of the momentum",
    .opts = lion_rows,
    .opts_size = sizeof(struct lion_opts),
    .common = true,
    .elementwise = true,
    .states = lion_states,
    .step = lion_step,
};
