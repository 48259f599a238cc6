/* Muon: torch.optim.Muon with its iteration in float32 (optimizers.md 1.6). Weight matrices, and those of
 * convolutions as [out, rest], step along the orthogonal factor of their momentum; every other tensor is
 * AdamW's, as in Keller Jordan's. */
#include "engine/backend/backend.h"
#include "engine/base/str.h"
#include "optimizers/adam_rule.h"
#include "optimizers/loop.h"
#include "optimizers/rows.h"

enum adjust { ADJUST_ORIGINAL, ADJUST_MATCH_RMS_ADAMW, ADJUST_SPECTRAL_UNCLAMPED };

struct muon_opts {
    struct optim_common common;
    double momentum, eps, beta1, beta2, adamw_eps, adamw_lr_ratio;
    int64_t ns_steps;
    int adjust_lr_fn;
    bool nesterov;
};

static const struct opt_desc muon_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    REAL_ROW(muon_opts, momentum, 0.95, 0, 1, OPT_MAX_OPEN,
             "share of the old mean of gradients kept"),
    BOOL_ROW(muon_opts, nesterov, 1, 0, "look ahead by one momentum step"),
    INT_ROW(muon_opts, ns_steps, 5, 1, 100, 0, "Newton-Schulz iterations"),
    REAL_ROW(muon_opts, eps, 1e-7, 1e-30, 1, 0, "norm of a momentum counts at least as this"),
    {.key = "adjust_lr_fn",
     .help = "how the rate follows the shape of a matrix",
     .type = OPT_CHOICE,
     .at = offsetof(struct muon_opts, adjust_lr_fn),
     .choices = "original|match_rms_adamw|spectral_unclamped"},
    REAL_ROW(muon_opts, adamw_lr_ratio, 1, 0, 1e6, 0,
             "rate of AdamW's tensors as a multiple of lr"),
    REAL_ROW(muon_opts, beta1, 0.9, 0, 1, OPT_MAX_OPEN,
             "AdamW's tensors: old mean of gradients kept"),
    REAL_ROW(muon_opts, beta2, 0.95, 0, 1, OPT_MAX_OPEN,
             "AdamW's tensors: old mean of squares kept"),
    REAL_ROW(muon_opts, adamw_eps, 1e-10, 1e-30, 1, 0, "AdamW's tensors: added to the denominator"),
    {0},
};

static bool is_matrix(const struct segment *seg)
{
    return seg->matrix && !seg->embedding && seg->ndim >= 2;
}

static struct adam_opts adam_side(const struct muon_opts *o)
{
    return (struct adam_opts){.beta1 = o->beta1, .beta2 = o->beta2, .eps = o->adamw_eps};
}

static int muon_check(const void *opts, const struct param_set *ps, struct err *e)
{
    (void)opts;
    for (int i = 0; ps && i < ps->nseg; i++) {
        if (!ps->seg[i].frozen && is_matrix(&ps->seg[i]))
            return 0;
    }
    return !ps ? 0
               : err_set(e, TT_ECONFIG,
                         "optimizer.name = muon with a model.type that leaves no weight matrix to "
                         "train (adamw)");
}

static void muon_doubt(const void *opts, char *dst, size_t size)
{
    const struct muon_opts *o = opts;
    if (o->nesterov && o->momentum == 0)
        str_copy(dst, size, "optimizer.nesterov does nothing while optimizer.momentum is 0");
}

static int muon_states(const void *opts, const struct segment *seg, int state_bits,
                       struct state_desc out[OPTIM_MAX_STATES])
{
    if (!is_matrix(seg)) {
        struct adam_opts adam = adam_side(opts);
        return adam_states(&adam, seg, state_bits, out);
    }
    out[0] = state_like(seg, "momentum_buffer", 0);
    return 1;
}

/* Rows, columns and the smaller of both. */
struct shape {
    int rows, cols, least;
};

static struct shape shape_of(const struct segment *seg)
{
    int rows = (int)seg->dim[0], cols = (int)(seg->len / (size_t)rows);
    return (struct shape){rows, cols, rows < cols ? rows : cols};
}

/* X and its next value, X X' and a polynomial of that. */
static size_t muon_scratch(const void *opts, const struct segment *seg)
{
    (void)opts;
    if (!is_matrix(seg))
        return 0;
    size_t square = (size_t)shape_of(seg).least * (size_t)shape_of(seg).least;
    return 2 * (seg->len + square) * sizeof(float);
}

struct pass {
    float *w, *buf, *x;
    const float *g;
    float fresh, ahead, scale, keep, rate;
    bool nesterov;
};

/* The momentum, what to orthogonalise, and its squared norm. */
VECTOR static struct sums momentum_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict buf = a.buf, *restrict x = a.x;
    const float *restrict g = a.g;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = from; i < to; i++) {
        buf[i] += a.fresh * (g[i] - buf[i]);
        x[i] = a.nesterov ? g[i] + a.ahead * (buf[i] - g[i]) : buf[i];
        sum += (double)x[i] * x[i];
    }
    return (struct sums){.x = sum};
}

VECTOR static void scale_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict x = a.x;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        x[i] *= a.scale;
}

VECTOR static void update_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w;
    const float *restrict x = a.x;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        w[i] = w[i] * a.keep - a.rate * x[i];
}

/* X <- a X + (b A + c A^2) X with A = X X', or from the right with A = X' X where X is tall: pushes all
 * singular values towards 1. Returns where X ends up: `x` or the space behind it. */
static float *newton_schulz(struct backend *be, float *x, struct shape m, int64_t steps)
{
    const float a = 3.4445f, b = -4.7750f, c = 2.0315f;
    size_t n = (size_t)m.rows * (size_t)m.cols, square = (size_t)m.least * (size_t)m.least;
    float *next = x + n, *outer = next + n, *poly = outer + square;
    bool tall = m.rows > m.cols;
    int s = m.least, other = tall ? m.rows : m.cols;
    for (int64_t i = 0; i < steps; i++) {
        be->k->gemm(be, tall, !tall, s, s, other, 1, x, m.cols, x, m.cols, 0, outer, s);
        be->cls->copy(be, poly, outer, square * sizeof *poly);
        be->k->gemm(be, false, false, s, s, s, c, outer, s, outer, s, b, poly, s);
        be->cls->copy(be, next, x, n * sizeof *next);
        be->k->gemm(be, false, false, m.rows, m.cols, s, 1, tall ? x : poly, s, tall ? poly : x,
                    m.cols, a, next, m.cols);
        float *old = x;
        x = next;
        next = old;
    }
    return x;
}

static double shape_ratio(const struct muon_opts *o, struct shape m)
{
    double rows = m.rows, cols = m.cols;
    switch ((enum adjust)o->adjust_lr_fn) {
    case ADJUST_MATCH_RMS_ADAMW: return 0.2 * sqrt(fmax(rows, cols));
    case ADJUST_SPECTRAL_UNCLAMPED: return sqrt(rows / cols);
    case ADJUST_ORIGINAL: break;
    }
    return sqrt(fmax(1, rows / cols));
}

static void adam_step(const struct optim_step *s)
{
    const struct muon_opts *o = s->opts;
    struct adam_opts adam = adam_side(o);
    struct optim_step side = *s;
    side.opts = &adam;
    side.lr *= o->adamw_lr_ratio;
    adam_update(&side, true);
}

static void muon_step(const struct optim_step *s)
{
    const struct muon_opts *o = s->opts;
    if (!is_matrix(s->seg)) {
        adam_step(s);
        return;
    }
    struct shape m = shape_of(s->seg);
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .buf = s->state[0],
        .x = s->scratch,
        .fresh = (float)(1 - o->momentum),
        .ahead = (float)o->momentum,
        .keep = (float)(1 - s->lr * s->weight_decay),
        .rate = (float)(s->lr * shape_ratio(o, m)),
        .nesterov = o->nesterov,
    };
    double norm = sqrt(sum_chunks(s->n, momentum_chunk, &a).x);
    a.scale = (float)(1 / fmax(norm, o->eps));
    for_chunks(s->n, scale_chunk, &a);
    a.x = newton_schulz(s->be, a.x, m, o->ns_steps);
    for_chunks(s->n, update_chunk, &a);
}

const struct optim_class optim_muon = {
    .name = "muon",
    .summary = "orthogonal steps for matrices, AdamW for the rest",
    .opts = muon_rows,
    .opts_size = sizeof(struct muon_opts),
    .common = true,
    .check = muon_check,
    .doubt = muon_doubt,
    .states = muon_states,
    .scratch = muon_scratch,
    .step = muon_step,
};
