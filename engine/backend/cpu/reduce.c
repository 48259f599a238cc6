/* Sums in double: of squares over everything, and down the columns of a matrix. */
#include "engine/backend/cpu/cpu.h"

struct sumsq {
    const float *x;
    size_t n;
    double *part;
};

CPU_CLONES static void sumsq_part(const void *arg, size_t p)
{
    const struct sumsq *q = arg;
    const float *x = q->x;
    size_t end = cpu_part(q->n, CPU_PARTS, p + 1);
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = cpu_part(q->n, CPU_PARTS, p); i < end; i++)
        s += (double)x[i] * x[i];
    q->part[p] = s;
}

void cpu_sumsq(struct backend *be, double *out, const float *x, size_t n)
{
    double part[CPU_PARTS], sum = 0;
    cpu_each(be, n, CPU_PARTS, sumsq_part, &(struct sumsq){x, n, part});
    for (int i = 0; i < CPU_PARTS; i++)
        sum += part[i];
    *out = sum;
}

/* CPU_COLS columns or fewer of a matrix with `ld` columns, its rows in parts. */
struct col_sum {
    const float *x;
    int rows, cols, ld, parts;
    double (*part)[CPU_COLS];
};

CPU_CLONES static void col_sum_part(const void *arg, size_t p)
{
    const struct col_sum s = *(const struct col_sum *)arg;
    size_t r = cpu_part(s.rows, s.parts, p), end = cpu_part(s.rows, s.parts, p + 1);
    const float *x = s.x + r * s.ld;
    double *acc = s.part[p];
    for (int j = 0; j < s.cols; j++)
        acc[j] = 0;
    for (; r < end; r++, x += s.ld) {
#pragma omp simd
        for (int j = 0; j < s.cols; j++)
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
        const struct col_sum s = {x + c, rows, n, cols, parts, part};
        cpu_each(be, (size_t)rows * n, parts, col_sum_part, &s);
        reduce_cols(out + c, part, parts, n, add);
    }
}
