/* Sums in double: of squares over everything, and down the columns of a matrix. */
#include "engine/backend/cpu/cpu.h"

CPU_CLONES static double sumsq_part(const float *x, size_t n)
{
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += (double)x[i] * x[i];
    return s;
}

void cpu_sumsq(struct backend *be, double *out, const float *x, size_t n)
{
    double part[CPU_PARTS], sum = 0;
#pragma omp parallel for schedule(static) if (cpu_parallel(be, n))
    for (int i = 0; i < CPU_PARTS; i++) {
        size_t at = cpu_part(n, CPU_PARTS, i);
        part[i] = sumsq_part(x + at, cpu_part(n, CPU_PARTS, i + 1) - at);
    }
    for (int i = 0; i < CPU_PARTS; i++)
        sum += part[i];
    *out = sum;
}

CPU_CLONES static void col_sum_part(double *acc, const float *x, size_t rows, int cols, int ld)
{
    for (int j = 0; j < cols; j++)
        acc[j] = 0;
    for (size_t r = 0; r < rows; r++, x += ld) {
#pragma omp simd
        for (int j = 0; j < cols; j++)
            acc[j] += x[j];
    }
}

void reduce_cols(float *out, const double (*part)[CPU_COLS], int parts, int cols, bool add)
{
    for (int j = 0; j < cols; j++) {
        double sum = 0;
        for (int p = 0; p < parts; p++)
            sum += part[p][j];
        out[j] = (float)((add ? out[j] : 0.0) + sum);
    }
}

void cpu_col_sum(struct backend *be, float *out, const float *x, int rows, int cols, bool add)
{
    double part[CPU_ROW_PARTS][CPU_COLS];
    int parts = cpu_row_parts(rows);
    for (int c = 0; c < cols; c += CPU_COLS) {
        int n = cols - c < CPU_COLS ? cols - c : CPU_COLS;
#pragma omp parallel for schedule(static) if (cpu_parallel(be, (size_t)rows * n))
        for (int p = 0; p < parts; p++) {
            size_t at = cpu_part(rows, parts, p);
            col_sum_part(part[p], x + at * cols + c, cpu_part(rows, parts, p + 1) - at, n, cols);
        }
        reduce_cols(out + c, part, parts, n, add);
    }
}
