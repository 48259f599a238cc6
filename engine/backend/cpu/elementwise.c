/* Element-wise kernels that only move or combine numbers: they run at the speed of memory. */
#include "engine/backend/cpu/cpu.h"

struct vectors {
    float *y;
    const float *a, *b;
    float s;
};

CPU_CLONES static void fill_range(const void *arg, size_t from, size_t to)
{
    const struct vectors v = *(const struct vectors *)arg;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        v.y[i] = v.s;
}

CPU_CLONES static void scale_range(const void *arg, size_t from, size_t to)
{
    const struct vectors v = *(const struct vectors *)arg;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        v.y[i] *= v.s;
}

CPU_CLONES static void add_range(const void *arg, size_t from, size_t to)
{
    const struct vectors v = *(const struct vectors *)arg;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        v.y[i] = v.a[i] + v.b[i];
}

CPU_CLONES static void axpy_range(const void *arg, size_t from, size_t to)
{
    const struct vectors v = *(const struct vectors *)arg;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        v.y[i] += v.s * v.a[i];
}

void cpu_fill(struct backend *be, float *x, size_t n, float v)
{
    cpu_each_chunk(be, n, fill_range, &(struct vectors){.y = x, .s = v});
}

void cpu_scale(struct backend *be, float *x, size_t n, float a)
{
    cpu_each_chunk(be, n, scale_range, &(struct vectors){.y = x, .s = a});
}

void cpu_add(struct backend *be, float *y, const float *a, const float *b, size_t n)
{
    cpu_each_chunk(be, n, add_range, &(struct vectors){.y = y, .a = a, .b = b});
}

void cpu_axpy(struct backend *be, float *y, float a, const float *x, size_t n)
{
    cpu_each_chunk(be, n, axpy_range, &(struct vectors){.y = y, .a = x, .s = a});
}
