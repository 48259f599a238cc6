/* Second moments by rows and columns: three passes over fixed parts of the rows. */
#include "optimizers/factored.h"

#include <math.h>

#include "optimizers/loop.h"
#include "optimizers/rows.h"

enum {
    PART_ROWS = 64, /* rows of a part, at least */
    MAX_PARTS = 16, /* parts of a matrix */
    TILE_ROWS = 8,
    TILE_COLS = 512, /* columns summed together, in float on the stack */
};

/* A tensor as a stack of `lead` matrices, the rows of each in `parts` parts. */
struct shape {
    size_t lead, rows, cols, parts;
};

static struct shape shape_of(const struct segment *seg)
{
    struct shape m = {.lead = 1,
                      .rows = (size_t)seg->dim[seg->ndim - 2],
                      .cols = (size_t)seg->dim[seg->ndim - 1]};
    for (int i = 0; i < seg->ndim - 2; i++)
        m.lead *= (size_t)seg->dim[i];
    m.parts = m.rows / PART_ROWS;
    m.parts = m.parts < 1 ? 1 : m.parts > MAX_PARTS ? MAX_PARTS : m.parts;
    return m;
}

size_t factored_scratch(const void *opts, const struct segment *seg)
{
    (void)opts;
    if (seg->ndim < 2)
        return 0;
    struct shape m = shape_of(seg);
    return m.lead * (m.parts * (m.cols + 2) * sizeof(double) + (m.rows + m.cols) * sizeof(float));
}

static struct state_desc means(const struct segment *seg, const char *name, int gone, bool keep_dim)
{
    struct state_desc d = {.name = name, .dtype = DT_F32};
    for (int i = 0; i < seg->ndim; i++) {
        if (i != gone)
            d.dim[d.ndim++] = seg->dim[i];
        else if (keep_dim)
            d.dim[d.ndim++] = 1;
    }
    return d;
}

struct state_desc factored_row(const struct segment *seg, const char *name, bool keep_dim)
{
    struct state_desc d = means(seg, name, seg->ndim - 1, keep_dim);
    d.formula = "4 B x rows";
    return d;
}

struct state_desc factored_col(const struct segment *seg, const char *name, bool keep_dim)
{
    struct state_desc d = means(seg, name, seg->ndim - 2, keep_dim);
    d.formula = "4 B x columns";
    return d;
}

/* ---- vectors ------------------------------------------------------------------------------- */

struct pass {
    struct shape shape;
    const struct factored_rule *rule;
    float *w, *row, *col, *full, *momentum;
    const float *g;
    float most, rate, keep, b1, o1;
    double *col_part; /* [lead][parts][cols]: sums of squares */
    double *square;   /* [lead][parts]: sums of U^2 */
    double *weight;   /* [lead][parts]: sums of w^2, where they scale the rate */
    float *row_factor; /* [lead][rows]: 1 / sqrt(R / mean(R)) */
    float *col_factor; /* [lead][cols]: 1 / sqrt(C) */
};

INLINE float mean_moved(float old, double now, const struct factored_rule *r)
{
    return (float)((1 - r->fresh) * old + r->fresh * (now + r->eps));
}

INLINE float smaller(float a, float b)
{
    return a < b ? a : b;
}

/* The moments; the sums of U^2 and w^2. */
VECTOR static struct sums full_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict v = a.full;
    const float *restrict g = a.g, *restrict w = a.w;
    float fresh = (float)a.rule->fresh, keep = (float)(1 - a.rule->fresh);
    float eps = (float)a.rule->eps;
    double sum = 0, weight = 0;
#pragma omp simd reduction(+ : sum, weight)
    for (size_t i = from; i < to; i++) {
        v[i] = keep * v[i] + fresh * (g[i] * g[i] + eps);
        double u = g[i] * smaller(1 / sqrtf(v[i]), a.most);
        sum += u * u;
        weight += (double)w[i] * w[i];
    }
    return (struct sums){sum, weight};
}

/* w and, with momentum, the mean of updates, moved by u. */
INLINE float moved(float w, float u, float *m, const struct pass *a)
{
    u *= a->rate;
    if (m)
        *m = u = a->b1 * *m + a->o1 * u;
    return w * a->keep - u;
}

VECTOR static void full_update_chunk(const void *arg, size_t from, size_t to)
{
    const struct pass a = *(const struct pass *)arg;
    float *restrict w = a.w, *restrict m = a.momentum;
    const float *restrict g = a.g, *restrict v = a.full;
#pragma omp simd
    for (size_t i = from; i < to; i++)
        w[i] = moved(w[i], g[i] * smaller(1 / sqrtf(v[i]), a.most), m ? m + i : NULL, &a);
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* Part `i` of all parts: its matrix, its rows counted over the whole stack. */
struct part {
    size_t matrix, row, end;
};

static struct part part_at(const struct shape *m, size_t i)
{
    size_t matrix = i / m->parts, p = i % m->parts, first = matrix * m->rows;
    return (struct part){matrix, first + m->rows * p / m->parts,
                         first + m->rows * (p + 1) / m->parts};
}

/* Sums of squares of a tile: added to those of its rows and columns. */
INLINE void tile_sums(const float *g, size_t stride, size_t rows, size_t cols, double *row,
                      double *col)
{
    float sum[TILE_COLS] = {0};
    for (size_t i = 0; i < rows; i++) {
        const float *restrict x = g + i * stride;
        float s = 0;
        prefetch_behind(x, cols);
#pragma omp simd reduction(+ : s)
        for (size_t j = 0; j < cols; j++) {
            float q = x[j] * x[j];
            s += q;
            sum[j] += q;
        }
        row[i] += s;
    }
    for (size_t j = 0; j < cols; j++)
        col[j] += sum[j];
}

/* Sum of squares of a tile of weights. */
INLINE float tile_weight(const float *w, size_t stride, size_t rows, size_t cols)
{
    float s = 0;
    for (size_t i = 0; i < rows; i++) {
        const float *restrict x = w + i * stride;
        prefetch_behind(x, cols);
#pragma omp simd reduction(+ : s)
        for (size_t j = 0; j < cols; j++)
            s += x[j] * x[j];
    }
    return s;
}

/* Row means of a part, its sums of columns and its sum of squared weights. */
VECTOR static void means_part(const void *arg, size_t i)
{
    const struct pass *a = arg;
    const struct part p = part_at(&a->shape, i);
    size_t cols = a->shape.cols;
    bool scales = !isnan(a->rule->least_rms);
    double *col = a->col_part + i * cols, weight = 0;
    for (size_t j = 0; j < cols; j++)
        col[j] = 0;
    for (size_t r = p.row; r < p.end; r += TILE_ROWS) {
        size_t rows = p.end - r < TILE_ROWS ? p.end - r : TILE_ROWS;
        double row[TILE_ROWS] = {0};
        for (size_t j = 0; j < cols; j += TILE_COLS) {
            size_t width = cols - j < TILE_COLS ? cols - j : TILE_COLS;
            tile_sums(a->g + r * cols + j, cols, rows, width, row, col + j);
            if (scales)
                weight += tile_weight(a->w + r * cols + j, cols, rows, width);
        }
        for (size_t k = 0; k < rows; k++)
            a->row[r + k] = mean_moved(a->row[r + k], row[k] / (double)cols, a->rule);
    }
    a->weight[i] = weight;
}

/* Column means of a matrix from its parts, whose sums gather in the first, and both factors. */
VECTOR static void factors_matrix(const void *arg, size_t i)
{
    const struct pass a = *(const struct pass *)arg;
    size_t rows = a.shape.rows, cols = a.shape.cols;
    double *restrict sum = a.col_part + i * a.shape.parts * cols, mean = 0;
    float *restrict row = a.row + i * rows, *restrict col = a.col + i * cols;
    float *restrict by_row = a.row_factor + i * rows, *restrict by_col = a.col_factor + i * cols;
    for (size_t p = 1; p < a.shape.parts; p++) {
        const double *restrict part = sum + p * cols;
#pragma omp simd
        for (size_t j = 0; j < cols; j++)
            sum[j] += part[j];
    }
#pragma omp simd reduction(+ : mean)
    for (size_t r = 0; r < rows; r++)
        mean += row[r];
    mean = fmax(mean / (double)rows, a.rule->least_mean);
#pragma omp simd
    for (size_t r = 0; r < rows; r++)
        by_row[r] = (float)(1 / sqrt(row[r] / mean));
#pragma omp simd
    for (size_t j = 0; j < cols; j++) {
        col[j] = mean_moved(col[j], sum[j] / (double)rows, a.rule);
        by_col[j] = (float)(1 / sqrt(col[j]));
    }
}

/* Sum of U^2 of a part. */
VECTOR static void square_part(const void *arg, size_t i)
{
    const struct pass a = *(const struct pass *)arg;
    const struct part p = part_at(&a.shape, i);
    size_t cols = a.shape.cols;
    const float *restrict by_col = a.col_factor + p.matrix * cols;
    double sum = 0;
    for (size_t r = p.row; r < p.end; r++) {
        const float *restrict g = a.g + r * cols;
        float by_row = a.row_factor[r];
        for (size_t at = 0, end; at < cols; at = end) {
            end = cols - at < TILE_COLS ? cols : at + TILE_COLS;
            float tile = 0;
            prefetch_behind(g + at, end - at);
#pragma omp simd reduction(+ : tile)
            for (size_t j = at; j < end; j++) {
                float u = g[j] * smaller(by_row * by_col[j], a.most);
                tile += u * u;
            }
            sum += tile;
        }
    }
    a.square[i] = sum;
}

VECTOR static void update_part(const void *arg, size_t i)
{
    const struct pass a = *(const struct pass *)arg;
    const struct part p = part_at(&a.shape, i);
    size_t cols = a.shape.cols;
    const float *restrict by_col = a.col_factor + p.matrix * cols;
    for (size_t r = p.row; r < p.end; r++) {
        float *restrict w = a.w + r * cols, *restrict m = a.momentum ? a.momentum + r * cols : NULL;
        const float *restrict g = a.g + r * cols;
        float by_row = a.row_factor[r];
#pragma omp simd
        for (size_t j = 0; j < cols; j++)
            w[j] = moved(w[j], g[j] * smaller(by_row * by_col[j], a.most), m ? m + j : NULL, &a);
    }
}

/* ---- both ---------------------------------------------------------------------------------- */

static void carve_scratch(struct pass *a, void *scratch)
{
    size_t parts = a->shape.lead * a->shape.parts;
    a->col_part = scratch;
    a->square = a->col_part + parts * a->shape.cols;
    a->weight = a->square + parts;
    a->row_factor = (float *)(a->weight + parts);
    a->col_factor = a->row_factor + a->shape.lead * a->shape.rows;
}

/* The rates from the sums of U^2 and w^2; returns the one before the limit. */
static double set_rates(struct pass *a, double square, double weight, size_t n)
{
    const struct factored_rule *r = a->rule;
    double rate = r->rate;
    if (!isnan(r->least_rms))
        rate *= fmax(r->least_rms, sqrt(weight / (double)n));
    a->rate = (float)(rate / fmax(1, sqrt(square / (double)n) / r->limit));
    a->keep = (float)(1 - r->decay - r->decay_by_rate * rate);
    return rate;
}

static double update_vector(struct pass *a, size_t n)
{
    struct sums sum = sum_chunks(n, full_chunk, a);
    double rate = set_rates(a, sum.x, sum.y, n);
    for_chunks(n, full_update_chunk, a);
    return rate;
}

static double update_matrices(struct pass *a, size_t n)
{
    size_t parts = a->shape.lead * a->shape.parts;
    double square = 0, weight = 0;
    for_each(parts, n, means_part, a);
    for_each(a->shape.lead, n, factors_matrix, a);
    for_each_back(parts, n, square_part, a);
    for (size_t i = 0; i < parts; i++) {
        square += a->square[i];
        weight += a->weight[i];
    }
    double rate = set_rates(a, square, weight, n);
    for_each(parts, n, update_part, a);
    return rate;
}

double factored_update(const struct optim_step *s, const struct factored_rule *r, float *row,
                       float *col, float *full)
{
    struct pass a = {
        .rule = r,
        .w = s->w,
        .g = s->g,
        .row = row,
        .col = col,
        .full = full,
        .momentum = r->momentum,
        .most = (float)r->most,
        .b1 = (float)r->beta1,
        .o1 = (float)(1 - r->beta1),
    };
    if (full)
        return update_vector(&a, s->n);
    a.shape = shape_of(s->seg);
    carve_scratch(&a, s->scratch);
    return update_matrices(&a, s->n);
}
