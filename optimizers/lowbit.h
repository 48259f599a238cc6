/* torchao's low-bit AdamW (optimizers.md 4): blocks with a scale each, codes that differ by class. Tensors
 * that are small or no multiple of the block keep float32. */
#ifndef TT_OPTIMIZERS_LOWBIT_H
#define TT_OPTIMIZERS_LOWBIT_H

#include <math.h>
#include <stdint.h>

#include "engine/nn/optim.h"
#include "optimizers/loop.h"
#include "optimizers/rows.h"

#define LOWBIT_MAX 4096   /* values of a block, at most */
#define LOWBIT_LEAST 4096 /* elements of a tensor that has codes, at least */

struct lowbit_opts {
    struct optim_common common;
    double beta1, beta2, eps;
    int64_t block_size;
};

#define LOWBIT_BLOCK_ROW(value)                                                                    \
    INT_ROW(lowbit_opts, block_size, value, 16, LOWBIT_MAX, OPT_MEMORY, "values that share a scale")

struct lowbit_pass {
    float *w, *m, *v; /* m, v: float32 states */
    const float *g;
    size_t block;
    uint8_t *code1, *code2; /* coded states, `per_byte` values in each byte */
    float *scale1, *scale2;
    float decay, o1, o2, rate, root, eps;
};

/* step, then for each moment codes and scales, or float32. `per_byte`: 2 gives codes a flat shape. */
int lowbit_states(const struct lowbit_opts *o, const struct segment *seg, int state_bits,
                  int per_byte, struct state_desc out[OPTIM_MAX_STATES]);
/* The class's codes slot but for the codes of the extremes; maps: of exp_avg, of exp_avg_sq. */
bool lowbit_codes(const struct lowbit_opts *o, const char *state, int bits, const float *const map[2],
                  struct state_codes *out);
/* block(pass, i) does block i of a tensor with codes. */
void lowbit_step(const struct optim_step *s, void (*block)(const void *pass, size_t i));

INLINE void lowbit_update(const struct lowbit_pass *a, float *w, float g, float *m, float *v)
{
    *m += a->o1 * (g - *m);
    *v += a->o2 * (g * g - *v);
    *w = (*w - a->decay * *w) - a->rate * *m / (sqrtf(*v) * a->root + a->eps);
}

/* All n values of a block; leaves the largest magnitude of each moment, 1e-12 at least. */
INLINE void lowbit_update_block(const struct lowbit_pass *a, float *restrict w, const float *g,
                                float *restrict m, float *restrict v, size_t n, float most[2])
{
    float most1 = 1e-12f, most2 = 1e-12f;
#pragma omp simd reduction(max : most1, most2)
    for (size_t i = 0; i < n; i++) {
        lowbit_update(a, &w[i], g[i], &m[i], &v[i]);
        float size = fabsf(m[i]);
        most1 = size > most1 ? size : most1;
        most2 = v[i] > most2 ? v[i] : most2;
    }
    most[0] = most1;
    most[1] = most2;
}

#endif
