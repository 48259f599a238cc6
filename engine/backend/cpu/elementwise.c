/* Element-wise kernels that only move or combine numbers: they run at the speed of memory. */
#include "engine/backend/cpu/cpu.h"

CPU_CLONES static void fill_chunk(float *x, size_t n, float v)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        x[i] = v;
}

CPU_CLONES static void scale_chunk(float *x, size_t n, float a)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        x[i] *= a;
}

CPU_CLONES static void add_chunk(float *y, const float *a, const float *b, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

CPU_CLONES static void axpy_chunk(float *y, float a, const float *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

void cpu_fill(struct backend *be, float *x, size_t n, float v)
{
#pragma omp parallel for schedule(static) if (cpu_parallel(be, n))
    for (size_t at = 0; at < n; at += CPU_CHUNK)
        fill_chunk(x + at, cpu_chunk(n, at), v);
}

void cpu_scale(struct backend *be, float *x, size_t n, float a)
{
#pragma omp parallel for schedule(static) if (cpu_parallel(be, n))
    for (size_t at = 0; at < n; at += CPU_CHUNK)
        scale_chunk(x + at, cpu_chunk(n, at), a);
}

void cpu_add(struct backend *be, float *y, const float *a, const float *b, size_t n)
{
#pragma omp parallel for schedule(static) if (cpu_parallel(be, n))
    for (size_t at = 0; at < n; at += CPU_CHUNK)
        add_chunk(y + at, a + at, b + at, cpu_chunk(n, at));
}

void cpu_axpy(struct backend *be, float *y, float a, const float *x, size_t n)
{
#pragma omp parallel for schedule(static) if (cpu_parallel(be, n))
    for (size_t at = 0; at < n; at += CPU_CHUNK)
        axpy_chunk(y + at, a, x + at, cpu_chunk(n, at));
}
