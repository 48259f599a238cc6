/* Layer normalisation over the last dimension. Two passes for the moments (a one-pass variance
 * fails where the mean is large); sums in double. */
#include "engine/backend/cpu/cpu.h"

#include <math.h>

struct forward {
    float *y, *mean, *rstd;
    const float *x, *w, *b;
    int cols;
    float eps;
};

CPU_CLONES static void row_fwd(const void *arg, size_t row)
{
    const struct forward *f = arg;
    int cols = f->cols;
    const float *x = f->x + row * cols, *w = f->w, *b = f->b;
    float *y = f->y + row * cols;
    double sum = 0, square = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < cols; j++)
        sum += x[j];
    double m = sum / cols;
#pragma omp simd reduction(+ : square)
    for (int j = 0; j < cols; j++)
        square += (x[j] - m) * (x[j] - m);
    double r = 1 / sqrt(square / cols + (double)f->eps);
#pragma omp simd
    for (int j = 0; j < cols; j++)
        y[j] = (float)((x[j] - m) * r) * w[j] + b[j];
    f->mean[row] = (float)m;
    f->rstd[row] = (float)r;
}

void cpu_layernorm_fwd(struct backend *be, float *y, float *mean, float *rstd, const float *x,
                       const float *w, const float *b, int rows, int cols, float eps)
{
    const struct forward f = {y, mean, rstd, x, w, b, cols, eps};
    cpu_each(be, (size_t)rows * cols, (size_t)rows, row_fwd, &f);
}

struct backward {
    float *dx;
    const float *dy, *x, *mean, *rstd, *w;
    int cols;
    bool add;
};

/* With g = dy w and h = (x - mean) rstd: dx = rstd (g - mean(g) - h mean(g h)). */
CPU_CLONES static void row_bwd(const void *arg, size_t row)
{
    const struct backward *b = arg;
    int cols = b->cols;
    const float *dy = b->dy + row * cols, *x = b->x + row * cols, *w = b->w;
    float *dx = b->dx + row * cols, mean = b->mean[row], rstd = b->rstd[row];
    bool add = b->add;
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

/* `n` columns of dw = sum dy h and db = sum dy, the rows in parts; dy, x begin at these columns. */
struct params {
    double (*dw)[CPU_COLS], (*db)[CPU_COLS];
    const float *dy, *x, *mean, *rstd;
    int rows, parts, n, ld;
};

CPU_CLONES static void params_part(const void *arg, size_t part)
{
    const struct params p = *(const struct params *)arg;
    double *dw = p.dw[part], *db = p.db[part];
    size_t r = cpu_part(p.rows, p.parts, part), end = cpu_part(p.rows, p.parts, part + 1);
    const float *dy = p.dy + r * p.ld, *x = p.x + r * p.ld;
    for (int j = 0; j < p.n; j++)
        dw[j] = db[j] = 0;
    for (; r < end; r++, x += p.ld, dy += p.ld) {
        float m = p.mean[r], s = p.rstd[r];
#pragma omp simd
        for (int j = 0; j < p.n; j++) {
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
        const struct params p = {w_part, b_part, dy + c, x + c, mean, rstd, rows, parts, n, cols};
        cpu_each(be, (size_t)rows * n, parts, params_part, &p);
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
    const struct backward b = {dx, dy, x, mean, rstd, w, cols, add_dx};
    cpu_each(be, (size_t)rows * cols, (size_t)rows, row_bwd, &b);
}
