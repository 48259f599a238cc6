/* Counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011). A value is a pure function
 * of (seed, stream, step, index), so nothing has to be stored to repeat it, and neither the number
 * of threads nor a resume changes it. The header is shared with CUDA code: plain C and C++. */
#ifndef TT_BASE_RNG_H
#define TT_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define RNG_FN static __host__ __device__ inline
#else
#define RNG_FN static inline
#endif

/* Streams, so that users of one seed never share numbers. */
enum rng_stream {
    RNG_INIT = 1,      /* + segment index in `step` */
    RNG_ORDER = 2,     /* data order; step = epoch */
    RNG_DROPOUT = 3,   /* step = micro-batch number, low bits of the stream = node */
    RNG_SYNTHETIC = 4, /* made-up data; step = row */
    RNG_NOISE = 5,     /* generator noise */
    RNG_SPLIT = 6,     /* eval_fraction */
};

struct rng_key {
    uint64_t seed;
    uint32_t stream;
    uint64_t step;
};

RNG_FN void philox4x32(const uint32_t ctr_in[4], const uint32_t key_in[2], uint32_t out[4])
{
    uint32_t c0 = ctr_in[0], c1 = ctr_in[1], c2 = ctr_in[2], c3 = ctr_in[3];
    uint32_t k0 = key_in[0], k1 = key_in[1];
    for (int r = 0; r < 10; r++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* Four words for block `block` of the key: words 4*block .. 4*block+3 of its sequence. */
RNG_FN void rng_block(struct rng_key k, uint64_t block, uint32_t out[4])
{
    uint32_t ctr[4] = {(uint32_t)block, (uint32_t)(block >> 32) ^ (k.stream << 8), (uint32_t)k.step,
                       (uint32_t)(k.step >> 32)};
    uint32_t key[2] = {(uint32_t)k.seed, (uint32_t)(k.seed >> 32)};
    philox4x32(ctr, key, out);
}

/* [0, 1), 24 bits. */
RNG_FN float rng_to_unit(uint32_t w)
{
    return (float)(w >> 8) * 0x1p-24f;
}

/* Fill with uniforms in [lo, hi) or normals; element i depends on (key, i) only. */
void rng_uniform(struct rng_key k, float *out, size_t n, float lo, float hi);
void rng_normal(struct rng_key k, float *out, size_t n, float mean, float std);
uint64_t rng_u64(struct rng_key k, uint64_t index);

/* A seeded permutation of 0..n-1 (Fisher-Yates over 64-bit words). */
void rng_permutation(struct rng_key k, int64_t *out, int64_t n);

#endif
