/* Schedule-free AdamW: facebookresearch/schedule_free (optimizers.md 5). The weights in training are y;
 * those to evaluate and to export are x, the average of all z. */
#include "optimizers/loop.h"
#include "optimizers/rows.h"

enum { SHARED_WEIGHT_SUM, SHARED_LR_MAX, SHARED_SHARE, SHARED_COUNT };

struct schedulefree_opts {
    struct optim_common common;
    double beta1, beta2, eps, r, weight_lr_power;
    int64_t warmup_steps;
};

static const struct opt_desc schedulefree_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    REAL_ROW(schedulefree_opts, beta1, 0.9, 0, 1, OPT_MIN_OPEN | OPT_MAX_OPEN,
             "share of the average in the training point"),
    BETA2_ROW(schedulefree_opts, 0.999),
    EPS_ROW(schedulefree_opts, 1e-8),
    INT_ROW(schedulefree_opts, warmup_steps, 0, 0, HUGE_VAL, 0,
            "updates over which the rate rises; with a constant schedule"),
    REAL_ROW(schedulefree_opts, r, 0, 0, 100, 0, "update t counts t to this power in the average"),
    REAL_ROW(schedulefree_opts, weight_lr_power, 2, 0, 100, 0,
             "and the largest rate so far to this power"),
    {0},
};

static int schedulefree_states(const void *opts, const struct segment *seg, int state_bits,
                               struct state_desc out[OPTIM_MAX_STATES])
{
    (void)opts;
    (void)state_bits;
    out[0] = state_like(seg, "z", 0); /* the weights, copied by the first update */
    out[1] = state_like(seg, "exp_avg_sq", 0);
    return 2;
}

static double warmup(const struct schedulefree_opts *o, int64_t t)
{
    return t < o->warmup_steps ? (double)t / (double)o->warmup_steps : 1;
}

/* Share of this update in the average. Scaling the rate of a group would change no share. */
static void schedulefree_begin(const struct optim_begin *b)
{
    const struct schedulefree_opts *o = b->opts;
    double *lr_max = &b->shared[SHARED_LR_MAX], *sum = &b->shared[SHARED_WEIGHT_SUM];
    *lr_max = fmax(*lr_max, b->lr * warmup(o, b->t));
    double weight = pow((double)b->t, o->r) * pow(*lr_max, o->weight_lr_power);
    *sum += weight;
    b->shared[SHARED_SHARE] = *sum > 0 ? weight / *sum : 0;
}

struct pass {
    float *w, *z, *v;
    const float *g;
    float b2, o2, root, eps, decay, share, rate_y, rate_z;
    bool first;
};

VECTOR static void schedulefree_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict z = a.z, *restrict v = a.v;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++) {
        float y = w[i], zi = a.first ? y : z[i];
        v[i] = a.b2 * v[i] + a.o2 * (g[i] * g[i]);
        float u = g[i] / (sqrtf(v[i]) * a.root + a.eps) + a.decay * y;
        w[i] = y + a.share * (zi - y) + a.rate_y * u;
        z[i] = zi - a.rate_z * u;
    }
}

static void schedulefree_step(const struct optim_step *s)
{
    const struct schedulefree_opts *o = s->opts;
    double lr = s->lr * warmup(o, s->t), share = s->shared[SHARED_SHARE];
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .z = s->state[0],
        .v = s->state[1],
        .b2 = (float)o->beta2,
        .o2 = (float)(1 - o->beta2),
        .root = (float)(1 / sqrt(1 - pow(o->beta2, (double)s->t))),
        .eps = (float)o->eps,
        .decay = (float)s->weight_decay,
        .share = (float)share,
        .rate_y = (float)(lr * (o->beta1 * (1 - share) - 1)),
        .rate_z = (float)lr,
        .first = s->t == 1,
    };
    for_chunks(s->n, schedulefree_chunk, &a);
}

VECTOR static void eval_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w;
    const float *restrict z = a.z;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        w[i] += a.share * (z[i] - w[i]);
}

/* y lies between x and z: y = beta1 x + (1 - beta1) z. */
static void schedulefree_eval_weights(const struct optim_step *s)
{
    const struct schedulefree_opts *o = s->opts;
    struct pass a = {.w = s->w, .z = s->state[0], .share = (float)(1 - 1 / o->beta1)};
    for_chunks(s->n, eval_chunk, &a);
}

const struct optim_class optim_schedulefree_adamw = {
    .name = "schedulefree_adamw",
    .summary = "AdamW with averaging in place of a schedule",
    .opts = schedulefree_rows,
    .opts_size = sizeof(struct schedulefree_opts),
    .elementwise = true,
    .n_shared = SHARED_COUNT,
    .states = schedulefree_states,
    .begin = schedulefree_begin,
    .step = schedulefree_step,
    .eval_weights = schedulefree_eval_weights,
};
