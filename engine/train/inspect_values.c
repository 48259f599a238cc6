/* One pass over a tensor. Values are decoded piece by piece into a buffer that stays in the cache
 * and counted by the upper bits of their float32 pattern: cells of 1/1024 of their size, from which
 * the range of the histogram, its bins and the percentiles follow without a second look at the
 * tensor. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/train/inspect.h"

#define CELL_SHIFT 13
#define CELLS ((size_t)1 << (32 - CELL_SHIFT))
#define SIGN_CELL (CELLS / 2)
#define PIECE ((size_t)1 << 14) /* values; at least the largest block */

/* ---- counting ------------------------------------------------------------------------------- */

struct tally {
    uint32_t *cell; /* [CELLS]: non-negative values rising, then negative ones falling */
    int64_t n, zeros, nonfinite;
    double min, max, sum, squares; /* of finite values */
};

static void tally_init(struct tally *t)
{
    *t = (struct tally){.cell = xcalloc(CELLS, sizeof *t->cell), .min = INFINITY, .max = -INFINITY};
}

static void tally_release(struct tally *t)
{
    free(t->cell);
}

static void count_cells(uint32_t *restrict cell, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        cell[bits >> CELL_SHIFT]++;
    }
}

static void add_sums(struct tally *t, const float *x, size_t n)
{
    double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum, squares)
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        squares += (double)x[i] * x[i];
    }
    t->sum += sum;
    t->squares += squares;
}

/* Takes at most PIECE values, which it may overwrite. */
static void add_values(struct tally *t, float *x, size_t n)
{
    float min = INFINITY, max = -INFINITY;
    int32_t zeros = 0, finite = 0;
    count_cells(t->cell, x, n);
#pragma omp simd reduction(min : min) reduction(max : max) reduction(+ : zeros, finite)
    for (size_t i = 0; i < n; i++) {
        int32_t ok = fabsf(x[i]) <= FLT_MAX;
        float low = ok ? x[i] : INFINITY, high = ok ? x[i] : -INFINITY;
        min = low < min ? low : min;
        max = high > max ? high : max;
        zeros += x[i] == 0;
        finite += ok;
    }
    for (size_t i = 0; (size_t)finite < n && i < n; i++)
        x[i] = isfinite(x[i]) ? x[i] : 0;
    add_sums(t, x, n);
    t->min = fmin(t->min, min);
    t->max = fmax(t->max, max);
    t->zeros += zeros;
    t->nonfinite += (int64_t)n - finite;
    t->n += (int64_t)n;
}

/* ---- what the cells tell -------------------------------------------------------------------- */

static double cell_value(size_t cell, double part)
{
    uint32_t from = (uint32_t)(cell << CELL_SHIFT), to = from | ((1u << CELL_SHIFT) - 1);
    float a, b;
    memcpy(&a, &from, sizeof a);
    memcpy(&b, &to, sizeof b);
    return a + part * ((double)b - a);
}

static bool is_finite_cell(size_t cell)
{
    return (cell & (SIGN_CELL - 1)) < (size_t)0x7f800000 >> CELL_SHIFT;
}

/* Cells from the smallest value up. */
static size_t rising(size_t i)
{
    return i < SIGN_CELL ? CELLS - 1 - i : i - SIGN_CELL;
}

static double quantile(const struct tally *t, double share)
{
    double rank = share * (double)(t->n - t->nonfinite - 1), below = 0;
    if (t->n == t->nonfinite)
        return NAN;
    for (size_t i = 0; i < CELLS; i++) {
        size_t cell = rising(i);
        double count = (double)t->cell[cell];
        if (!is_finite_cell(cell) || below + count <= rank) {
            below += is_finite_cell(cell) ? count : 0;
            continue;
        }
        double part = (rank - below + 0.5) / count;
        double v = cell_value(cell, i < SIGN_CELL ? 1 - part : part);
        return fmax(t->min, fmin(t->max, v));
    }
    return NAN;
}

/* From 0 or about 0, but for values of one sign that lie close together. */
static void choose_range(const struct tally *t, struct inspect_bins *b)
{
    double most = fmax(fabs(t->min), fabs(t->max)), least = fmin(fabs(t->min), fabs(t->max));
    bool both_signs = t->min < 0 && t->max > 0, close = least > most / 3;
    b->lo = both_signs ? -most : t->min >= 0 && !close ? 0 : t->min;
    b->hi = both_signs ? most : t->max <= 0 && !close ? 0 : t->max;
    if (b->lo < b->hi)
        return;
    double half = most > 0 ? most / 100 : 1; /* a constant */
    b->lo -= half;
    b->hi += half;
}

static void fill_bins(const struct tally *t, struct inspect_bins *b)
{
    memset(b, 0, sizeof *b);
    if (t->n == t->nonfinite)
        return;
    choose_range(t, b);
    for (size_t cell = 0; cell < CELLS; cell++) {
        if (!t->cell[cell] || !is_finite_cell(cell))
            continue;
        double middle = fmax(t->min, fmin(t->max, cell_value(cell, 0.5)));
        int i = (int)((middle - b->lo) / (b->hi - b->lo) * INSPECT_BINS);
        b->count[i < 0 ? 0 : i >= INSPECT_BINS ? INSPECT_BINS - 1 : i] += t->cell[cell];
    }
}

static void fill_facts(const struct tally *t, struct inspect_report *r)
{
    double finite = (double)(t->n - t->nonfinite);
    r->zeros = t->zeros;
    r->nonfinite = t->nonfinite;
    r->min = finite > 0 ? t->min : NAN;
    r->max = finite > 0 ? t->max : NAN;
    r->mean = t->sum / finite;
    r->rms = sqrt(t->squares / finite);
    r->p1 = quantile(t, 0.01);
    r->p99 = quantile(t, 0.99);
    fill_bins(t, &r->values);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Plain numbers of any type that is written as one. */
static int read_plain(const struct inspect_tensor *t, size_t first, size_t n, float *dst,
                      struct err *e)
{
    size_t size = dtype_size(t->dtype);
    uint16_t half[PIECE];
    if (t->dtype == DT_F32)
        return t->read(t, first * size, n * size, dst, e);
    int code = t->read(t, first * size, n * size, half, e);
    for (size_t i = 0; !code && i < n; i++)
        dst[i] = t->dtype == DT_F16 ? f32_from_f16(half[i]) : f32_from_bf16(half[i]);
    return code;
}

struct decoder {
    const struct inspect_tensor *values, *scales;
    const struct state_codes *codes;
    unsigned char byte[PIECE], code[PIECE]; /* as stored; one code each */
    float scale[PIECE];
    int64_t seen[256]; /* times each code came */
};

/* Codes of the elements [first, first + n), which begin with a whole byte. */
static int read_codes(struct decoder *d, size_t first, size_t n, struct err *e)
{
    bool half = d->codes->bits == 4;
    size_t from = half ? first / 2 : first, bytes = half ? (n + 1) / 2 : n;
    int code = d->values->read(d->values, from, bytes, d->byte, e);
    if (code)
        return code;
    for (size_t i = 0; i < n; i++)
        d->code[i] = half ? (d->byte[i / 2] >> (i % 2 ? 0 : 4)) & 15 : d->byte[i];
    return 0;
}

/* Values of [first, first + n), which begin with a whole block. */
static int read_coded(struct decoder *d, size_t first, size_t n, float *dst, struct err *e)
{
    size_t block = d->codes->block, blocks = (n + block - 1) / block;
    int code = read_codes(d, first, n, e);
    if (!code)
        code = read_plain(d->scales, first / block, blocks, d->scale, e);
    for (size_t b = 0; !code && b < blocks; b++) {
        size_t end = (b + 1) * block < n ? (b + 1) * block : n;
        for (size_t i = b * block; i < end; i++) {
            dst[i] = d->codes->value[d->code[i]] * d->scale[b];
            d->seen[d->code[i]]++;
        }
    }
    return code;
}

static int read_values(struct decoder *d, size_t first, size_t n, float *dst, struct err *e)
{
    return d->codes ? read_coded(d, first, n, dst, e) : read_plain(d->values, first, n, dst, e);
}

static int count_all(struct decoder *d, struct tally *t, size_t n, struct err *e)
{
    float x[PIECE];
    size_t piece = d->codes ? PIECE / d->codes->block * d->codes->block : PIECE;
    int code = 0;
    for (size_t at = 0; !code && at < n; at += piece) {
        size_t some = n - at < piece ? n - at : piece;
        code = read_values(d, at, some, x, e);
        if (!code)
            add_values(t, x, some);
    }
    return code;
}

/* ---- the report ----------------------------------------------------------------------------- */

/* From the element asked for, of codes from the begin of its block. */
static int leading(struct decoder *d, struct inspect_report *r, struct err *e)
{
    float x[PIECE];
    size_t n = (size_t)r->n, block = d->codes ? d->codes->block : 1;
    size_t first = r->of.first < 0 || !n     ? 0
                   : (size_t)r->of.first < n ? (size_t)r->of.first
                                             : n - 1;
    first -= first % block;
    size_t rest = n - first < INSPECT_LEADING ? n - first : INSPECT_LEADING;
    r->of.first = (int64_t)first;
    r->nlead = (int)(d->codes && rest > block ? block : rest);
    int code = read_values(d, first, (size_t)r->nlead, x, e);
    if (code)
        return code;
    memcpy(r->lead, x, (size_t)r->nlead * sizeof *x);
    if (d->codes) {
        memcpy(r->lead_code, d->code, (size_t)r->nlead);
        r->lead_scale = d->scale[0];
    }
    return 0;
}

static int64_t elements(const struct inspect_tensor *t)
{
    return (int64_t)(t->bytes / dtype_size(t->dtype));
}

static int scale_facts(const struct decoder *d, struct inspect_report *r, struct err *e)
{
    const struct state_codes *c = d->codes;
    struct decoder plain = {.values = d->scales};
    struct tally t;
    r->bits = c->bits;
    str_copy(r->scale, sizeof r->scale, c->scale);
    r->block = (int64_t)c->block;
    r->blocks = elements(d->scales);
    r->code_low = c->low;
    r->code_high = c->high;
    r->at_ends = d->seen[c->low] + d->seen[c->high];
    tally_init(&t);
    int code = count_all(&plain, &t, (size_t)r->blocks, e);
    if (!code)
        fill_bins(&t, &r->scales);
    tally_release(&t);
    return code;
}

int inspect_values(const struct inspect_tensor *values, const struct inspect_tensor *scales,
                   const struct state_codes *codes, struct inspect_report *r, struct err *e)
{
    struct decoder *d = xcalloc(1, sizeof *d);
    struct tally t;
    *d = (struct decoder){.values = values, .scales = scales, .codes = codes};
    r->dtype = values->dtype;
    r->ndim = values->ndim;
    memcpy(r->dim, values->dim, sizeof r->dim);
    r->n = elements(values) * (codes && codes->bits == 4 ? 2 : 1);
    tally_init(&t);
    int code = r->n <= UINT32_MAX
                   ? count_all(d, &t, (size_t)r->n, e)
                   : err_set(e, TT_EFAIL, "%lld values are too many", (long long)r->n);
    if (!code)
        fill_facts(&t, r);
    if (!code && codes)
        code = scale_facts(d, r, e);
    if (!code)
        code = leading(d, r, e);
    tally_release(&t);
    free(d);
    return code;
}
