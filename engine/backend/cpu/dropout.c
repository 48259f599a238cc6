/* Dropout: the mask is a pure function of (key, element), computed again for backward. Dead
 * elements are multiplied by 0, so a NaN comes through. */
#include "engine/backend/cpu/cpu.h"

enum { LANES = 16 }; /* Philox blocks computed together, four elements each */

/* mask[i] = scale where element 4 block + i lives, else 0. */
CPU_INLINE void mask_lanes(float mask[4 * LANES], struct rng_key key, uint64_t block, float p,
                           float scale)
{
    uint32_t word[4 * LANES];
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        rng_block(key, block + (uint64_t)l, word + 4 * l);
#pragma omp simd
    for (int i = 0; i < 4 * LANES; i++)
        mask[i] = rng_to_unit(word[i]) >= p ? scale : 0;
}

/* Elements at .. at+n of the whole; `at` is a multiple of 4 LANES. */
CPU_CLONES static void dropout_chunk(float *y, const float *x, size_t at, size_t n, float p,
                                     struct rng_key key, bool add)
{
    float mask[4 * LANES], scale = 1 / (1 - p);
    for (size_t i = 0; i < n; i += 4 * LANES) {
        size_t m = n - i < 4 * LANES ? n - i : 4 * LANES;
        mask_lanes(mask, key, (at + i) / 4, p, scale);
#pragma omp simd
        for (size_t j = 0; j < m; j++)
            y[i + j] = (add ? y[i + j] : 0) + x[i + j] * mask[j];
    }
}

static void dropout(struct backend *be, float *y, const float *x, size_t n, float p,
                    struct rng_key key, bool add)
{
    _Static_assert(CPU_CHUNK % (4 * LANES) == 0, "a piece begins with whole lanes");
#pragma omp parallel for schedule(static) if (cpu_parallel(be, n))
    for (size_t at = 0; at < n; at += CPU_CHUNK)
        dropout_chunk(y + at, x + at, at, cpu_chunk(n, at), p, key, add);
}

void cpu_dropout_fwd(struct backend *be, float *y, const float *x, size_t n, float p,
                     struct rng_key key)
{
    dropout(be, y, x, n, p, key, false);
}

void cpu_dropout_bwd(struct backend *be, float *dx, const float *dy, size_t n, float p,
                     struct rng_key key, bool add)
{
    dropout(be, dx, dy, n, p, key, add);
}
