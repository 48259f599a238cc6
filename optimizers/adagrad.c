/* Adagrad: torch.optim.Adagrad (optimizers.md 1.3). */
#include "optimizers/loop.h"
#include "optimizers/rows.h"

struct adagrad_opts {
    struct optim_common common;
    double lr_decay, initial_accumulator_value, eps;
};

static const struct opt_desc adagrad_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    REAL_ROW(adagrad_opts, lr_decay, 0, 0, HUGE_VAL, 0,
             "rate is divided by 1 + (t - 1) times this"),
    REAL_ROW(adagrad_opts, initial_accumulator_value, 0, 0, HUGE_VAL, 0,
             "sum of squares to begin with"),
    EPS_ROW(adagrad_opts, 1e-10),
    {0},
};

static int adagrad_states(const void *opts, const struct segment *seg, int state_bits,
                          struct state_desc out[OPTIM_MAX_STATES])
{
    const struct adagrad_opts *o = opts;
    (void)state_bits;
    out[0] = state_step();
    out[1] = state_like(seg, "sum", o->initial_accumulator_value);
    return 2;
}

struct pass {
    float *w, *sum;
    const float *g;
    float l2, rate, eps;
};

VECTOR static void adagrad_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict sum = a.sum;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++) {
        float gi = g[i] + a.l2 * w[i];
        sum[i] += gi * gi;
        w[i] -= a.rate * (gi / (sqrtf(sum[i]) + a.eps));
    }
}

static void adagrad_step(const struct optim_step *s)
{
    const struct adagrad_opts *o = s->opts;
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .sum = s->state[1],
        .l2 = (float)s->weight_decay,
        .rate = (float)(s->lr / (1 + (double)(s->t - 1) * o->lr_decay)),
        .eps = (float)o->eps,
    };
    write_step(s, s->state[0]);
    for_chunks(s->n, adagrad_chunk, &a);
}

const struct optim_class optim_adagrad = {
    .name = "adagrad",
    .summary = "steps shrink with the sum of squared gradients",
    .opts = adagrad_rows,
    .opts_size = sizeof(struct adagrad_opts),
    .elementwise = true,
    .states = adagrad_states,
    .step = adagrad_step,
};
