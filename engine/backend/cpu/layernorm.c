/* Layer normalisation over the last dimension. Two passes for the moments (a one-pass variance
 * fails where the mean is large); sums in double. */
#include "engine/backend/cpu/cpu.h"

#include <math.h>

CPU_CLONES static void row_fwd(float *y, float *mean, float *rstd, const float *x, const float *w,
                               const float *b, int cols, float eps)
{
    double sum = 0, square = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < cols; j++)
        sum += x[j];
    double m = sum / cols;
#pragma omp simd reduction(+ : square)
    for (int j = 0; j < cols; j++)
        square += (x[j] - m) * (x[j] - m);
    double r = 1 / sqrt(square / cols + (double)eps);
#pragma omp simd
    for (int j = 0; j < cols; j++)
        y[j] = (float)((x[j] - m) * r) * w[j] + b[j];
    *mean = (float)m;
    *rstd = (float)r;
}

void cpu_layernorm_fwd(struct backend *be, float *y, float *mean, float *rstd, const float *x,
                       const float *w, const float *b, int rows, int cols, float eps)
{
#pragma omp parallel for schedule(static) if (cpu_parallel(be, (size_t)rows * cols))
    for (int r = 0; r < rows; r++)
        row_fwd(y + (size_t)r * cols, mean + r, rstd + r, x + (size_t)r * cols, w, b, cols, eps);
}

/* With g = dy w and h = (x - mean) rstd: dx = rstd (g - mean(g) - h mean(g h)). */
CPU_CLONES static void row_bwd(float *dx, const float *dy, const float *x, float mean, float rstd,
                               const float *w, int cols, bool add)
{
    double g_sum = 0, gh_sum = 0;
#pragma omp simd reduction(+ : g_sum, gh_sum)
    for (int j = 0; j < cols; j++) {
        float g = dy[j] * w[j];
        g_sum += g;
        gh_sum += g * ((x[j] - mean) * rstd);
    }
    float g_mean = (float)(g_sum / cols), gh_mean = (float)(gh_sum / cols);
#pragma omp simd
    for (int j = 0; j < cols; j++) {
        float h = (x[j] - mean) * rstd, d = rstd * (dy[j] * w[j] - g_mean - h * gh_mean);
        dx[j] = add ? dx[j] + d : d;
    }
}

/* Columns c .. c+n of dw = sum dy h and db = sum dy over some rows. */
CPU_CLONES static void param_part(double *dw, double *db, const float *dy, const float *x,
                                  const float *mean, const float *rstd, size_t rows, int n, int ld)
{
    for (int j = 0; j < n; j++)
        dw[j] = db[j] = 0;
    for (size_t r = 0; r < rows; r++, x += ld, dy += ld) {
        float m = mean[r], s = rstd[r];
#pragma omp simd
        for (int j = 0; j < n; j++) {
            dw[j] += dy[j] * ((x[j] - m) * s);
            db[j] += dy[j];
        }
    }
}

static void params_bwd(struct backend *be, float *dw, float *db, const float *dy, const float *x,
                       const float *mean, const float *rstd, int rows, int cols, bool add_dw,
                       bool add_db)
{
    double w_part[CPU_ROW_PARTS][CPU_COLS], b_part[CPU_ROW_PARTS][CPU_COLS];
    int parts = cpu_row_parts(rows);
    for (int c = 0; c < cols; c += CPU_COLS) {
        int n = cols - c < CPU_COLS ? cols - c : CPU_COLS;
#pragma omp parallel for schedule(static) if (cpu_parallel(be, (size_t)rows * n))
        for (int p = 0; p < parts; p++) {
            size_t r = cpu_part(rows, parts, p), at = r * cols + c;
            param_part(w_part[p], b_part[p], dy + at, x + at, mean + r, rstd + r,
                       cpu_part(rows, parts, p + 1) - r, n, cols);
        }
        if (dw)
            reduce_cols(dw + c, w_part, parts, n, add_dw);
        if (db)
            reduce_cols(db + c, b_part, parts, n, add_db);
    }
}

void cpu_layernorm_bwd(struct backend *be, float *dx, float *dw, float *db, const float *dy,
                       const float *x, const float *mean, const float *rstd, const float *w,
                       int rows, int cols, bool add_dx, bool add_dw, bool add_db)
{
    if (dw || db) /* first: dx may be dy */
        params_bwd(be, dw, db, dy, x, mean, rstd, rows, cols, add_dw, add_db);
    if (!dx)
        return;
#pragma omp parallel for schedule(static) if (cpu_parallel(be, (size_t)rows * cols))
    for (int r = 0; r < rows; r++) {
        size_t at = (size_t)r * cols;
        row_bwd(dx + at, dy + at, x + at, mean[r], rstd[r], w, cols, add_dx);
    }
}
