/* What the files of the CPU backend share. Every kernel splits its work into pieces that depend on
 * the sizes only and adds their results in the order of the pieces, so that numbers do not depend
 * on the number of threads. */
#ifndef TT_BACKEND_CPU_CPU_H
#define TT_BACKEND_CPU_CPU_H

#include "engine/backend/backend.h"

/* One function compiled for AVX-512, AVX2 with FMA and the baseline; the loader takes the best.
 * (The thread sanitizer's runtime is not up yet when the loader asks.) */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    __GNUC__ >= 12 && !defined(__SANITIZE_THREAD__)
#define CPU_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CPU_CLONES
#endif

#define CPU_INLINE static inline __attribute__((always_inline))

enum {
    CPU_CHUNK = 8192,     /* elements of one piece of an element-wise kernel: 32 KiB */
    CPU_PARALLEL = 32768, /* elements from which a second thread pays */
    CPU_PARTS = 64,       /* pieces of a sum */
    CPU_COLS = 128,       /* columns summed together, in double on the stack */
    CPU_ROW_PARTS = 16,   /* pieces of the rows of a column sum, at most */
};

/* How many threads share out what the caller has: one where it is itself such a share. */
int cpu_threads(const struct backend *be);

/* fn(arg, i) for each piece i of `pieces`, shared out in equal runs when `work`, in elements, is
 * worth it. */
typedef void cpu_piece(const void *arg, size_t i);
void cpu_each(const struct backend *be, size_t work, size_t pieces, cpu_piece *fn, const void *arg);

/* fn(arg, from, to) for pieces of CPU_CHUNK elements of n. */
typedef void cpu_range(const void *arg, size_t from, size_t to);
void cpu_each_chunk(const struct backend *be, size_t n, cpu_range *fn, const void *arg);

/* Makes the team be->threads strong, for the calling thread. */
void cpu_open_team(const struct backend *be);

/* First of n things in piece `i` of `parts`. */
static inline size_t cpu_part(size_t n, int parts, int i)
{
    size_t each = n / (size_t)parts, rest = n % (size_t)parts, at = (size_t)i;
    return at * each + (at < rest ? at : rest);
}

/* Pieces of the rows of a column sum: few where rows are few. */
static inline int cpu_row_parts(int rows)
{
    return rows < 64 ? 1 : rows / 64 < CPU_ROW_PARTS ? rows / 64 : CPU_ROW_PARTS;
}

/* c[m,n] = alpha op(a) op(b) + beta c, by the calling thread alone. */
struct product {
    bool ta, tb;
    int m, n, k;
    float alpha;
    const float *a;
    int lda;
    const float *b;
    int ldb;
    float beta;
    float *c;
    int ldc;
};
void blas_product(const struct product *p);
/* Products of up to BLAS_SMALL multiplications are the fastest: they skip the copies into blocks. */
enum { BLAS_SMALL = 1000000 };
bool blas_likes_small(void);
/* Does an element come out the same, to the bit, wherever the columns of a product are cut? */
bool blas_cuts_columns(void);
/* Fits the BLAS to the processor and checks it. */
int blas_open(struct err *e);

/* act(x) over n elements by one thread; y may be x. */
void act_apply(float *y, const float *x, size_t n, enum act act, float slope);

/* y[i] = x[i] where element `first` + i lives, scaled, else 0 x[i], by one thread; y may be x. `first` is a
 * multiple of 4. */
void dropout_apply(float *y, const float *x, size_t n, float p, struct rng_key key, uint64_t first);

/* out[j] (+)= part[0][j] + part[1][j] + ... */
void reduce_cols(float *out, const double (*part)[CPU_COLS], int parts, int cols, bool add);

/* Kernel NAME of the table is cpu_NAME. */
#define CPU_KERNEL(result, name, args) result cpu_##name args;
KERNELS(CPU_KERNEL)
#undef CPU_KERNEL

#endif
