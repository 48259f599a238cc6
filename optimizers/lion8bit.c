/* Lion with an 8-bit state: bitsandbytes' Lion8bit with float32 scalars (optimizers.md 3.5). */
#include <math.h>

#include "optimizers/block8.h"

static const struct opt_desc lion8bit_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    REAL_ROW(block8_opts, beta1, 0.9, 0, 1, OPT_MAX_OPEN,
             "share of the mean in this step's direction"),
    REAL_ROW(block8_opts, beta2, 0.99, 0, 1, OPT_MAX_OPEN,
             "share of the old mean of gradients kept"),
    BLOCK8_ROWS,
    {0},
};

static int lion8bit_states(const void *opts, const struct segment *seg, int state_bits,
                           struct state_desc out[OPTIM_MAX_STATES])
{
    return block8_states(opts, seg, state_bits, 1, out);
}

struct pass {
    float *w, *m; /* m: float32 state */
    const float *g;
    size_t n, block;
    uint8_t *code; /* 8-bit state */
    float *absmax;
    const struct block8_map *map;
    float keep, rate, b1, o1, b2, o2;
};

INLINE void update(const struct pass *a, float *w, float g, float *m)
{
    float u = *m * a->b1 + a->o1 * g;
    *w = *w * a->keep - a->rate * (float)((u > 0) - (u < 0));
    *m = *m * a->b2 + a->o2 * g;
}

VECTOR static void full_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict m = a.m;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        update(&a, &w[i], g[i], &m[i]);
}

INLINE void block(const void *arg, size_t b)
{
    const struct pass a = *(const struct pass *)arg;
    size_t at = b * a.block, n = a.n - at < a.block ? a.n - at : a.block;
    float *restrict w = a.w + at;
    const float *restrict g = a.g + at;
    float old = a.absmax[b], most = 0, m[BLOCK8_MAX];
    int32_t wide[BLOCK8_MAX];
    prefetch_behind(w, n);
    prefetch_behind(g, n);
    widen(a.code + at, n, wide);
#pragma omp simd reduction(max : most)
    for (size_t i = 0; i < n; i++) {
        m[i] = a.map->value[wide[i]] * old;
        update(&a, &w[i], g[i], &m[i]);
        float size = fabsf(m[i]);
        most = size > most ? size : most;
    }
    a.absmax[b] = most;
    most = most > 0 ? most : 1;
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        wide[i] = block8_code(a.map, m[i] / most);
    narrow(wide, n, a.code + at);
}

LOOKUP_CLONES(block)

UNFUSED static void lion8bit_step(const struct optim_step *s)
{
    const struct block8_opts *o = s->opts;
    float lr = (float)s->lr, decay = lr * (float)s->weight_decay;
    struct pass a = {
        .w = s->w,
        .g = s->g,
        .n = s->n,
        .block = (size_t)o->block_size,
        .keep = 1.0f - decay,
        .rate = lr,
        .b1 = (float)o->beta1,
        .o1 = 1.0f - (float)o->beta1,
        .b2 = (float)o->beta2,
        .o2 = 1.0f - (float)o->beta2,
    };
    if (block8_wanted(o, s->seg, s->state_bits)) {
        a.code = s->state[0];
        a.absmax = s->state[1];
        a.map = block8_signed();
        for_each(block8_blocks(o, s->n), s->n, block_best(), &a);
    } else {
        a.m = s->state[0];
        for_chunks(s->n, full_chunk, &a);
    }
}

const struct optim_class optim_lion8bit = {
    .name = "lion8bit",
    .summary = "Lion with a momentum of one byte (bitsandbytes)",
    .opts = lion8bit_rows,
    .opts_size = sizeof(struct block8_opts),
    .states = lion8bit_states,
    .codes = block8_codes,
    .step = lion8bit_step,
};
