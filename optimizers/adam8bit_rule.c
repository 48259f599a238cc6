/* Adam with moments of one byte: each block is decoded, updated and encoded while it is in the cache. */
#include "optimizers/adam8bit_rule.h"

#include <math.h>

#include "optimizers/block8.h"

const struct opt_desc adam8bit_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    BETA1_ROW(block8_opts, 0.9),
    BETA2_ROW(block8_opts, 0.999),
    EPS_ROW(block8_opts, 1e-8),
    BLOCK8_ROWS,
    {0},
};

int adam8bit_states(const void *opts, const struct segment *seg, int state_bits,
                    struct state_desc out[OPTIM_MAX_STATES])
{
    return block8_states(opts, seg, state_bits, 2, out);
}

struct pass {
    float *w, *m, *v; /* m, v: float32 states */
    const float *g;
    size_t n, block;
    uint8_t *code1, *code2; /* 8-bit states */
    float *absmax1, *absmax2;
    const struct block8_map *map1, *map2;
    float keep, b1, o1, b2, o2, rate, eps;
};

INLINE void update(const struct pass *a, float *w, float g, float *m, float *v)
{
    *m = *m * a->b1 + a->o1 * g;
    *v = *v * a->b2 + (a->o2 * g) * g;
    *w = *w * a->keep + a->rate * (*m / (sqrtf(*v) + a->eps));
}

VECTOR static void full_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict m = a.m, *restrict v = a.v;
    const float *restrict g = a.g;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        update(&a, &w[i], g[i], &m[i], &v[i]);
}

INLINE void block(const void *arg, size_t b)
{
    const struct pass a = *(const struct pass *)arg;
    size_t at = b * a.block, n = a.n - at < a.block ? a.n - at : a.block;
    float *restrict w = a.w + at;
    const float *restrict g = a.g + at;
    float old1 = a.absmax1[b], old2 = a.absmax2[b], most1 = 0, most2 = 0;
    float m[BLOCK8_MAX], v[BLOCK8_MAX];
    int32_t wide1[BLOCK8_MAX], wide2[BLOCK8_MAX];
    prefetch_behind(w, n);
    prefetch_behind(g, n);
    widen(a.code1 + at, n, wide1);
    widen(a.code2 + at, n, wide2);
#pragma omp simd reduction(max : most1, most2)
    for (size_t i = 0; i < n; i++) {
        m[i] = a.map1->value[wide1[i]] * old1;
        v[i] = a.map2->value[wide2[i]] * old2;
        update(&a, &w[i], g[i], &m[i], &v[i]);
        float size = fabsf(m[i]);
        most1 = size > most1 ? size : most1;
        most2 = v[i] > most2 ? v[i] : most2;
    }
    a.absmax1[b] = most1;
    a.absmax2[b] = most2;
    most1 = most1 > 0 ? most1 : 1;
    most2 = most2 > 0 ? most2 : 1;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        wide1[i] = block8_code(a.map1, m[i] / most1);
        wide2[i] = block8_code(a.map2, v[i] / most2);
    }
    narrow(wide1, n, a.code1 + at);
    narrow(wide2, n, a.code2 + at);
}

LOOKUP_CLONES(block)

/* Scalars as bitsandbytes has them: options rounded to float32 first, bias corrections in double from
 * the rounded betas. */
UNFUSED static struct pass scalars(const struct optim_step *s)
{
    const struct block8_opts *o = s->opts;
    float b1 = (float)o->beta1, b2 = (float)o->beta2, lr = (float)s->lr;
    float decay = lr * (float)s->weight_decay;
    double c1 = 1 - pow(b1, (double)s->t), c2 = sqrt(1 - pow(b2, (double)s->t));
    return (struct pass){
        .w = s->w,
        .g = s->g,
        .n = s->n,
        .block = (size_t)o->block_size,
        .keep = 1.0f - decay,
        .b1 = b1,
        .o1 = 1.0f - b1,
        .b2 = b2,
        .o2 = 1.0f - b2,
        .rate = (float)(-(double)lr * c2 / c1),
        .eps = (float)(c2 * (float)o->eps),
    };
}

void adam8bit_step(const struct optim_step *s)
{
    const struct block8_opts *o = s->opts;
    struct pass a = scalars(s);
    if (block8_wanted(o, s->seg, s->state_bits)) {
        a.code1 = s->state[0];
        a.absmax1 = s->state[1];
        a.code2 = s->state[2];
        a.absmax2 = s->state[3];
        a.map1 = block8_signed();
        a.map2 = block8_unsigned();
        for_each(block8_blocks(o, s->n), s->n, block_best(), &a);
    } else {
        a.m = s->state[0];
        a.v = s->state[1];
        for_chunks(s->n, full_chunk, &a);
    }
}
