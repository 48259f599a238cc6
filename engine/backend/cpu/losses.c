/* Losses: softmax cross-entropy, mean squared error, binary cross-entropy on logits. Values are
 * summed in double, part of the rows by part. */
#include "engine/backend/cpu/cpu.h"

#include <math.h>
#include <string.h>

#include "engine/backend/cpu/vmath.h"

/* ---- softmax cross-entropy ---- */

enum { BLOCK_ROWS = 32, BLOCK = 4096 }; /* rows and elements of a block of them, at most */

/* prob = softmax and lse = log sum exp of each row. One loop makes the exponentials of all, because
 * a row may be shorter than a vector. */
CPU_CLONES static void softmax_block(float *prob, double *lse, const float *x, int rows, int n)
{
    for (int r = 0; r < rows; r++) {
        const float *row = x + (size_t)r * n;
        float max = -INFINITY;
#pragma omp simd reduction(max : max)
        for (int j = 0; j < n; j++)
            max = row[j] > max ? row[j] : max;
#pragma omp simd
        for (int j = 0; j < n; j++)
            prob[(size_t)r * n + j] = row[j] - max;
        lse[r] = max;
    }
#pragma omp simd
    for (int i = 0; i < rows * n; i++)
        prob[i] = vexp(prob[i]);
    for (int r = 0; r < rows; r++, prob += n) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int j = 0; j < n; j++)
            sum += prob[j];
        float scale = (float)(1 / sum);
#pragma omp simd
        for (int j = 0; j < n; j++)
            prob[j] *= scale;
        lse[r] += log(sum);
    }
}

static double weight_of(const struct xent_rule *r, int c)
{
    return r->weight ? r->weight[c] : 1;
}

/* (1-s) w[label] (-log p[label]) + s/C sum over c of w[c] (-log p[c]); s: smoothing, C: classes. */
static double xent_row(const float *x, double lse, int label, const struct xent_rule *r)
{
    double plain = weight_of(r, label) * (lse - x[label]), smooth = 0;
    if (r->smoothing == 0)
        return plain;
    for (int c = 0; c < r->classes; c++)
        smooth += weight_of(r, c) * (lse - x[c]);
    return (1 - (double)r->smoothing) * plain + (double)r->smoothing / r->classes * smooth;
}

struct xent {
    float *prob;
    const float *logits;
    const int32_t *label;
    const struct xent_rule *r;
    int parts;
    double *part;
};

static void xent_part(const void *arg, size_t p)
{
    const struct xent *t = arg;
    const struct xent_rule *r = t->r;
    size_t first = cpu_part(r->rows, t->parts, p), end = cpu_part(r->rows, t->parts, p + 1);
    size_t fit = BLOCK / (size_t)r->classes, block = fit < 1 ? 1 : fit < BLOCK_ROWS ? fit : BLOCK_ROWS;
    double sum = 0, lse[BLOCK_ROWS];
    for (size_t i = first; i < end; i += block) {
        size_t n = end - i < block ? end - i : block, at = i * r->classes;
        softmax_block(t->prob + at, lse, t->logits + at, (int)n, r->classes);
        for (size_t j = 0; j < n; j++, at += r->classes) {
            if (t->label[i + j] != r->ignore)
                sum += xent_row(t->logits + at, lse[j], t->label[i + j], r);
        }
    }
    t->part[p] = sum;
}

void cpu_xent_fwd(struct backend *be, float *loss, float *prob, const float *logits,
                  const int32_t *label, const struct xent_rule *r)
{
    double part[CPU_PARTS], sum = 0;
    size_t work = (size_t)r->rows * r->classes, parts = (work + BLOCK - 1) / BLOCK;
    parts = parts < CPU_PARTS ? parts : CPU_PARTS;
    const struct xent t = {prob, logits, label, r, (int)parts, part};
    cpu_each(be, 4 * work, parts, xent_part, &t); /* an exponential is four moves */
    for (size_t p = 0; p < parts; p++)
        sum += part[p];
    *loss = (float)(sum * r->inv_denom);
}

struct xent_grad {
    float *dx;
    const float *prob;
    const int32_t *label;
    const struct xent_rule *r;
    double own, spread; /* factors of the label's own term and of each class's, all in `all` */
    double all;
    bool add;
};

/* prob[c] a - b w[c], and the label's own term. */
CPU_CLONES static void xent_row_bwd(const void *arg, size_t i)
{
    const struct xent_grad *g = arg;
    int label = g->label[i], n = g->r->classes;
    const float *prob = g->prob + i * n, *weight = g->r->weight;
    float *dx = g->dx + i * n;
    bool add = g->add;
    if (label == g->r->ignore) {
        if (!add)
            memset(dx, 0, n * sizeof *dx);
        return;
    }
    double own = g->own * weight_of(g->r, label);
    float a = (float)(own + g->spread * g->all), b = (float)g->spread;
#pragma omp simd
    for (int c = 0; c < n; c++) {
        float d = prob[c] * a - (weight ? b * weight[c] : b);
        dx[c] = add ? dx[c] + d : d;
    }
    dx[label] -= (float)own;
}

void cpu_xent_bwd(struct backend *be, float *dlogits, const float *dloss, const float *prob,
                  const int32_t *label, const struct xent_rule *r, bool add)
{
    double all = 0, s = r->smoothing, scale = (double)*dloss * r->inv_denom;
    for (int c = 0; c < r->classes; c++)
        all += weight_of(r, c);
    const struct xent_grad g = {.dx = dlogits,
                                .prob = prob,
                                .label = label,
                                .r = r,
                                .own = scale * (1 - s),
                                .spread = scale * s / r->classes,
                                .all = all,
                                .add = add};
    cpu_each(be, (size_t)r->rows * r->classes, (size_t)r->rows, xent_row_bwd, &g);
}

/* ---- losses against targets of the shape of x; a row whose first target is NaN does not count
 * ---- */

typedef double row_loss(const float *x, const float *t, const float *pos_weight, int cols);

struct loss {
    row_loss *f;
    const float *x, *t, *pos_weight;
    int rows, cols;
    double *part;
};

static void loss_part(const void *arg, size_t p)
{
    const struct loss *l = arg;
    size_t end = cpu_part(l->rows, CPU_PARTS, p + 1);
    double sum = 0;
    for (size_t i = cpu_part(l->rows, CPU_PARTS, p); i < end; i++) {
        if (!isnan(l->t[i * l->cols]))
            sum += l->f(l->x + i * l->cols, l->t + i * l->cols, l->pos_weight, l->cols);
    }
    l->part[p] = sum;
}

static float sum_rows(struct backend *be, row_loss *f, const float *x, const float *t,
                      const float *pos_weight, int rows, int cols, float inv_denom)
{
    double part[CPU_PARTS], sum = 0;
    const struct loss l = {f, x, t, pos_weight, rows, cols, part};
    cpu_each(be, (size_t)rows * cols, CPU_PARTS, loss_part, &l);
    for (int p = 0; p < CPU_PARTS; p++)
        sum += part[p];
    return (float)(sum * inv_denom);
}

typedef void row_grad(float *dx, const float *x, const float *t, const float *pos_weight, int cols,
                      float scale, bool add);

struct grad {
    row_grad *f;
    float *dx;
    const float *x, *t, *pos_weight;
    int cols;
    float scale;
    bool add;
};

static void grad_row(const void *arg, size_t i)
{
    const struct grad *g = arg;
    size_t at = i * g->cols;
    if (!isnan(g->t[at]))
        g->f(g->dx + at, g->x + at, g->t + at, g->pos_weight, g->cols, g->scale, g->add);
    else if (!g->add)
        memset(g->dx + at, 0, g->cols * sizeof *g->dx);
}

static void grad_rows(struct backend *be, row_grad *f, float *dx, const float *x, const float *t,
                      const float *pos_weight, int rows, int cols, float scale, bool add)
{
    const struct grad g = {f, dx, x, t, pos_weight, cols, scale, add};
    cpu_each(be, (size_t)rows * cols, (size_t)rows, grad_row, &g);
}

CPU_CLONES static double mse_row(const float *x, const float *t, const float *pos_weight, int cols)
{
    (void)pos_weight;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < cols; j++) {
        double d = (double)x[j] - t[j];
        sum += d * d;
    }
    return sum;
}

CPU_CLONES static void mse_row_grad(float *dx, const float *x, const float *t,
                                    const float *pos_weight, int cols, float scale, bool add)
{
    (void)pos_weight;
#pragma omp simd
    for (int j = 0; j < cols; j++) {
        float d = 2 * (x[j] - t[j]) * scale;
        dx[j] = add ? dx[j] + d : d;
    }
}

/* With v = 1 + (pos_weight - 1) t: (1 - t) x + v log(1 + exp(-x)), the logarithm without
 * overflow. */
static double bce_row(const float *x, const float *t, const float *pos_weight, int cols)
{
    double sum = 0;
    for (int j = 0; j < cols; j++) {
        double a = x[j], v = 1 + ((pos_weight ? pos_weight[j] : 1.0) - 1) * t[j];
        double softplus = log1p(exp(-fabs(a))) + (a < 0 ? -a : 0);
        sum += (1 - (double)t[j]) * a + v * softplus;
    }
    return sum;
}

/* Its derivative: v sigmoid(x) - pos_weight t. */
CPU_CLONES static void bce_row_grad(float *dx, const float *x, const float *t,
                                    const float *pos_weight, int cols, float scale, bool add)
{
#pragma omp simd
    for (int j = 0; j < cols; j++) {
        float w = pos_weight ? pos_weight[j] : 1, v = 1 + (w - 1) * t[j];
        float d = (v * vsigmoid(x[j]) - w * t[j]) * scale;
        dx[j] = add ? dx[j] + d : d;
    }
}

void cpu_mse_fwd(struct backend *be, float *loss, const float *x, const float *t, int rows,
                 int cols, float inv_denom)
{
    *loss = sum_rows(be, mse_row, x, t, NULL, rows, cols, inv_denom);
}

void cpu_mse_bwd(struct backend *be, float *dx, const float *dloss, const float *x, const float *t,
                 int rows, int cols, float inv_denom, bool add)
{
    grad_rows(be, mse_row_grad, dx, x, t, NULL, rows, cols, *dloss * inv_denom, add);
}

void cpu_bce_fwd(struct backend *be, float *loss, const float *x, const float *t,
                 const float *pos_weight, int rows, int cols, float inv_denom)
{
    *loss = sum_rows(be, bce_row, x, t, pos_weight, rows, cols, inv_denom);
}

void cpu_bce_bwd(struct backend *be, float *dx, const float *dloss, const float *x, const float *t,
                 const float *pos_weight, int rows, int cols, float inv_denom, bool add)
{
    grad_rows(be, bce_row_grad, dx, x, t, pos_weight, rows, cols, *dloss * inv_denom, add);
}
