/* Dropout: the mask is a pure function of (key, element), computed again for backward. Dead
 * elements are multiplied by 0, so a NaN comes through. */
#include "engine/backend/cpu/cpu.h"

enum { LANES = 64, PIECE = 4 * LANES }; /* Philox blocks computed together; their elements */

/* A round of rng.h's Philox in all lanes: several vectors wide, so that products overlap. */
CPU_INLINE void philox_round(uint32_t word[4][LANES], uint32_t k0, uint32_t k1)
{
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * word[0][l], p1 = (uint64_t)0xCD9E8D57u * word[2][l];
        word[0][l] = (uint32_t)(p1 >> 32) ^ word[1][l] ^ k0;
        word[2][l] = (uint32_t)(p0 >> 32) ^ word[3][l] ^ k1;
        word[1][l] = (uint32_t)p1;
        word[3][l] = (uint32_t)p0;
    }
}

/* word[..][l] = rng_block(key, block + l) */
CPU_INLINE void philox_blocks(uint32_t word[4][LANES], struct rng_key key, uint64_t block)
{
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        uint64_t at = block + (uint64_t)l;
        word[0][l] = (uint32_t)at;
        word[1][l] = (uint32_t)(at >> 32) ^ key.stream << 8;
        word[2][l] = (uint32_t)key.step;
        word[3][l] = (uint32_t)(key.step >> 32);
    }
    uint32_t k0 = (uint32_t)key.seed, k1 = (uint32_t)(key.seed >> 32);
    for (int r = 0; r < 10; r++) {
        philox_round(word, k0, k1);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* mask[i] = 1/(1-p) where element 4 block + i lives, else 0. */
CPU_INLINE void mask_of(float mask[PIECE], struct rng_key key, uint64_t block, float p)
{
    uint32_t word[4][LANES];
    float scale = 1 / (1 - p);
    philox_blocks(word, key, block);
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        for (int i = 0; i < 4; i++)
            mask[4 * l + i] = rng_to_unit(word[i][l]) >= p ? scale : 0;
    }
}

struct dropout {
    float *y;
    const float *x;
    float p;
    struct rng_key key;
    bool add;
};

CPU_CLONES static void dropout_range(const void *arg, size_t from, size_t to)
{
    _Static_assert(CPU_CHUNK % PIECE == 0, "`from` begins a block");
    const struct dropout *d = arg;
    float mask[PIECE];
    for (size_t at = from; at < to; at += PIECE) {
        size_t n = to - at < PIECE ? to - at : PIECE;
        const float *x = d->x + at;
        float *y = d->y + at;
        bool add = d->add;
        mask_of(mask, d->key, at / 4, d->p);
#pragma omp simd
        for (size_t i = 0; i < n; i++)
            y[i] = (add ? y[i] : 0) + x[i] * mask[i];
    }
}

CPU_CLONES void dropout_apply(float *y, const float *x, size_t n, float p, struct rng_key key,
                              uint64_t first)
{
    float mask[PIECE];
    for (size_t at = 0; at < n; at += PIECE) {
        size_t some = n - at < PIECE ? n - at : PIECE;
        mask_of(mask, key, (first + at) / 4, p);
#pragma omp simd
        for (size_t i = 0; i < some; i++)
            y[at + i] = x[at + i] * mask[i];
    }
}

void cpu_dropout_fwd(struct backend *be, float *y, const float *x, size_t n, float p,
                     struct rng_key key)
{
    cpu_each_chunk(be, n, dropout_range, &(struct dropout){y, x, p, key, false});
}

void cpu_dropout_bwd(struct backend *be, float *dx, const float *dy, size_t n, float p,
                     struct rng_key key, bool add)
{
    cpu_each_chunk(be, n, dropout_range, &(struct dropout){dx, dy, p, key, add});
}
