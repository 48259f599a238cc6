/* Uniforms, normals and permutations from Philox blocks. */
#include "engine/base/rng.h"

#include <math.h>

#define PARALLEL_FROM 65536 /* elements; below that a team costs more than it saves */

static const double two_pi = 6.283185307179586476925;

/* The values of one block: words in, numbers out. */
typedef void (*block_fn)(const uint32_t word[4], float out[4], float a, float b);

static void uniform_block(const uint32_t word[4], float out[4], float lo, float hi)
{
    for (int i = 0; i < 4; i++) {
        float v = lo + (hi - lo) * rng_to_unit(word[i]);
        out[i] = v < hi ? v : nextafterf(hi, lo);
    }
}

/* Box-Muller: two uniforms in (0, 1] and [0, 1) give two independent normals. */
static void normal_block(const uint32_t word[4], float out[4], float mean, float std)
{
    for (int i = 0; i < 4; i += 2) {
        double radius = sqrt(-2.0 * log(((double)word[i] + 1.0) * 0x1p-32));
        double angle = two_pi * ((double)word[i + 1] * 0x1p-32);
        out[i] = (float)(mean + std * radius * cos(angle));
        out[i + 1] = (float)(mean + std * radius * sin(angle));
    }
}

/* Values 4 i to 4 i + 3 of the key. */
static void fill_block(struct rng_key k, size_t i, float out[4], block_fn values, float a, float b)
{
    uint32_t word[4];
    rng_block(k, i, word);
    values(word, out, a, b);
}

/* A region with another number of threads than the last would take heap memory: few values are
 * made without one. */
static void fill(struct rng_key k, float *out, size_t n, block_fn values, float a, float b)
{
    size_t whole = n / 4;
    if (n < PARALLEL_FROM) {
        for (size_t i = 0; i < whole; i++)
            fill_block(k, i, out + 4 * i, values, a, b);
    } else {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < whole; i++)
            fill_block(k, i, out + 4 * i, values, a, b);
    }
    if (n % 4) {
        float last[4];
        fill_block(k, whole, last, values, a, b);
        for (size_t i = 0; i < n % 4; i++)
            out[4 * whole + i] = last[i];
    }
}

void rng_uniform(struct rng_key k, float *out, size_t n, float lo, float hi)
{
    fill(k, out, n, uniform_block, lo, hi);
}

void rng_normal(struct rng_key k, float *out, size_t n, float mean, float std)
{
    fill(k, out, n, normal_block, mean, std);
}

uint64_t rng_u64(struct rng_key k, uint64_t index)
{
    uint32_t word[4];
    rng_block(k, index / 2, word);
    const uint32_t *w = word + index % 2 * 2;
    return (uint64_t)w[1] << 32 | w[0];
}

/* A number below `bound` without bias: the lowest 2^64 mod bound values are drawn again. */
static uint64_t below(struct rng_key k, uint64_t *index, uint64_t bound)
{
    uint64_t surplus = -bound % bound, r;
    do
        r = rng_u64(k, (*index)++);
    while (r < surplus);
    return r % bound;
}

void rng_permutation(struct rng_key k, int64_t *out, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = i;
    uint64_t index = 0;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)below(k, &index, (uint64_t)i + 1), t = out[i];
        out[i] = out[j];
        out[j] = t;
    }
}
