/* Attention within packed texts, in blocks of scores that stay in the cache: no masks, and no matrix of
 * probabilities is ever kept. Forward goes through the keys once, correcting what it has when a larger
 * score comes (the online softmax); backward makes the probabilities again from the scores' log sum exp.
 * One piece of work is a head of a text. */
#include "engine/backend/cpu/cpu.h"

#include <math.h>

#include "engine/backend/cpu/vmath.h"

enum { QUERIES = 64, KEYS = 128 }; /* rows and columns of a block, at most */

struct attention {
    const struct attention_dims *d;
    const float *q, *k, *v;
    float *y, *lse;         /* forward; read by backward */
    const float *dy;        /* backward */
    float *dq, *dk, *dv;
    bool add_q, add_k, add_v;
};

/* A block of one head: queries q .. q+rows, keys k .. k+cols of the text. */
struct block {
    const struct attention *a;
    int head, first, length; /* the text's first row and rows */
    int q, k, rows, cols;
    uint64_t element;        /* of dropout: number of the block's first */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

static size_t at_row(const struct block *b, int row)
{
    const struct attention_dims *d = b->a->d;
    return ((size_t)(b->first + row) * (size_t)d->heads + (size_t)b->head) * (size_t)d->size;
}

static float score_scale(const struct attention_dims *d)
{
    return 1 / sqrtf((float)d->size);
}

/* c[m,n] = alpha op(a) op(b) + beta c; rows of a head lie `dim` apart, rows of a block `cols`. */
static void multiply(bool ta, bool tb, int m, int n, int k, float alpha, const float *a, int lda,
                     const float *b, int ldb, float beta, float *c, int ldc)
{
    blas_product(&(struct product){ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});
}

static int row_step(const struct block *b)
{
    return b->a->d->heads * b->a->d->size;
}

static void make_scores(const struct block *b, float *score)
{
    const struct attention *a = b->a;
    multiply(false, true, b->rows, b->cols, a->d->size, score_scale(a->d), a->q + at_row(b, b->q),
             row_step(b), a->k + at_row(b, b->k), row_step(b), 0, score, b->cols);
}

/* x = exp(x - sub of its row): one loop for all, because a row may be shorter than a vector. */
CPU_CLONES static void exp_block(float *x, const float *sub, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
#pragma omp simd
        for (int c = 0; c < cols; c++)
            x[r * cols + c] -= sub[r];
    }
#pragma omp simd
    for (int i = 0; i < rows * cols; i++)
        x[i] = vexp(x[i]);
}

CPU_CLONES static void row_maxima(float *max, const float *x, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        float m = max[r];
#pragma omp simd reduction(max : m)
        for (int c = 0; c < cols; c++)
            m = x[r * cols + c] > m ? x[r * cols + c] : m;
        max[r] = m;
    }
}

CPU_CLONES static void add_row_sums(float *sum, const float *x, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        float s = 0;
#pragma omp simd reduction(+ : s)
        for (int c = 0; c < cols; c++)
            s += x[r * cols + c];
        sum[r] += s;
    }
}

CPU_CLONES static void scale_rows(float *y, size_t step, const float *by, int rows, int size)
{
    for (int r = 0; r < rows; r++) {
#pragma omp simd
        for (int c = 0; c < size; c++)
            y[(size_t)r * step + c] *= by[r];
    }
}

/* The dropped probabilities of a block. Its elements are numbered one after the other. */
static void drop(const struct block *b, float *to, const float *from)
{
    const struct attention_dims *d = b->a->d;
    dropout_apply(to, from, (size_t)b->rows * (size_t)b->cols, d->p, d->key, b->element);
}

static void forward_queries(struct block *b, const struct attention *a)
{
    float score[QUERIES * KEYS], max[QUERIES], sum[QUERIES], correct[QUERIES];
    uint64_t element = b->element;
    int size = a->d->size, step = row_step(b);
    float *y = a->y + at_row(b, b->q);
    for (int r = 0; r < b->rows; r++) {
        max[r] = -INFINITY;
        sum[r] = 0;
    }
    for (b->k = 0; b->k < b->length; b->k += KEYS) {
        b->cols = least(KEYS, b->length - b->k);
        b->element = element + (uint64_t)b->k * (uint64_t)b->rows;
        make_scores(b, score);
        for (int r = 0; r < b->rows; r++)
            correct[r] = max[r];
        row_maxima(max, score, b->rows, b->cols);
        exp_block(score, max, b->rows, b->cols);
        if (b->k) {
            for (int r = 0; r < b->rows; r++)
                sum[r] *= correct[r] = expf(correct[r] - max[r]);
            scale_rows(y, (size_t)step, correct, b->rows, size);
        }
        add_row_sums(sum, score, b->rows, b->cols);
        if (a->d->p > 0)
            drop(b, score, score);
        multiply(false, false, b->rows, size, b->cols, 1, score, b->cols, a->v + at_row(b, b->k), step,
                 b->k > 0, y, step);
    }
    float *lse = a->lse + (size_t)b->head * (size_t)a->d->tokens + b->first + b->q;
    for (int r = 0; r < b->rows; r++) {
        correct[r] = 1 / sum[r];
        lse[r] = max[r] + logf(sum[r]);
    }
    scale_rows(y, (size_t)step, correct, b->rows, size);
}

/* sum over the columns of dy y: what softmax's gradient subtracts, dropout or not. */
CPU_CLONES static void row_products(float *out, const float *dy, const float *y, size_t step, int rows,
                                    int size)
{
    for (int r = 0; r < rows; r++) {
        float s = 0;
#pragma omp simd reduction(+ : s)
        for (int c = 0; c < size; c++)
            s += dy[(size_t)r * step + c] * y[(size_t)r * step + c];
        out[r] = s;
    }
}

/* dscore = prob (dprob - sub) scale */
CPU_CLONES static void softmax_gradient(float *dscore, const float *prob, const float *sub, float scale,
                                        int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
#pragma omp simd
        for (int c = 0; c < cols; c++)
            dscore[r * cols + c] = prob[r * cols + c] * (dscore[r * cols + c] - sub[r]) * scale;
    }
}

static void backward_block(const struct block *b, const float *lse, const float *sub)
{
    const struct attention *a = b->a;
    int size = a->d->size, step = row_step(b);
    size_t q = at_row(b, b->q), k = at_row(b, b->k);
    float prob[QUERIES * KEYS], other[QUERIES * KEYS];
    const float *dropped = prob;
    make_scores(b, prob);
    exp_block(prob, lse, b->rows, b->cols);
    if (a->d->p > 0 && a->dv) {
        drop(b, other, prob);
        dropped = other;
    }
    if (a->dv)
        multiply(true, false, b->cols, size, b->rows, 1, dropped, b->cols, a->dy + q, step,
                 a->add_v || b->q > 0, a->dv + k, step);
    if (!a->dq && !a->dk)
        return;
    multiply(false, true, b->rows, b->cols, size, 1, a->dy + q, step, a->v + k, step, 0, other, b->cols);
    if (a->d->p > 0)
        drop(b, other, other);
    softmax_gradient(other, prob, sub, score_scale(a->d), b->rows, b->cols);
    if (a->dq)
        multiply(false, false, b->rows, size, b->cols, 1, other, b->cols, a->k + k, step,
                 a->add_q || b->k > 0, a->dq + q, step);
    if (a->dk)
        multiply(true, false, b->cols, size, b->rows, 1, other, b->cols, a->q + q, step,
                 a->add_k || b->q > 0, a->dk + k, step);
}

static void backward_queries(struct block *b, const struct attention *a)
{
    float sub[QUERIES];
    uint64_t element = b->element;
    const float *lse = a->lse + (size_t)b->head * (size_t)a->d->tokens + b->first + b->q;
    size_t q = at_row(b, b->q);
    row_products(sub, a->dy + q, a->y + q, (size_t)row_step(b), b->rows, a->d->size);
    for (b->k = 0; b->k < b->length; b->k += KEYS) {
        b->cols = least(KEYS, b->length - b->k);
        b->element = element + (uint64_t)b->k * (uint64_t)b->rows;
        backward_block(b, lse, sub);
    }
}

/* Elements of a head are rounded up to whole blocks of random numbers. */
static uint64_t head_elements(int length)
{
    return ((uint64_t)length * (uint64_t)length + 3) / 4 * 4;
}

/* Pieces go through the texts of a head before the next head: heads are alike, texts are not. */
static void head_of_text(const void *arg, size_t piece)
{
    const struct attention *a = arg;
    const struct attention_dims *d = a->d;
    int text = (int)(piece % (size_t)d->texts);
    struct block b = {.a = a, .head = (int)(piece / (size_t)d->texts), .first = d->at[text]};
    b.length = d->at[text + 1] - b.first;
    uint64_t element = 0;
    if (d->p > 0) {
        for (int i = 0; i < text; i++)
            element += (uint64_t)d->heads * head_elements(d->at[i + 1] - d->at[i]);
        element += (uint64_t)b.head * head_elements(b.length);
    }
    for (b.q = 0; b.q < b.length; b.q += QUERIES) {
        b.rows = least(QUERIES, b.length - b.q);
        b.element = element + (uint64_t)b.q * (uint64_t)b.length;
        if (a->dy)
            backward_queries(&b, a);
        else
            forward_queries(&b, a);
    }
}

/* Multiplications from which BLAS would start threads of its own, were it not called by one of ours. */
enum { SHARED = 1 << 18 };

static void each_head(struct backend *be, const struct attention *a)
{
    const struct attention_dims *d = a->d;
    double work = 0;
    for (int i = 0; i < d->texts; i++) {
        double length = d->at[i + 1] - d->at[i];
        work += length * length * d->heads * d->size;
    }
    cpu_each(be, work < SHARED ? 0 : SIZE_MAX, (size_t)d->texts * (size_t)d->heads, head_of_text, a);
}

void cpu_attention_fwd(struct backend *be, float *y, float *lse, const float *q, const float *k,
                       const float *v, const struct attention_dims *d)
{
    each_head(be, &(struct attention){.d = d, .q = q, .k = k, .v = v, .y = y, .lse = lse});
}

void cpu_attention_bwd(struct backend *be, float *const *d, const bool *add, const float *dy,
                       const float *y, const float *lse, const float *q, const float *k, const float *v,
                       const struct attention_dims *dims)
{
    each_head(be, &(struct attention){.d = dims, .q = q, .k = k, .v = v, .y = (float *)y,
                                      .lse = (float *)lse, .dy = dy, .dq = d[0], .dk = d[1], .dv = d[2],
                                      .add_q = add[0], .add_k = add[1], .add_v = add[2]});
}
