/* Rows in memory: gathered into batches, cut, divided, released. */
#include "engine/data/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/rng.h"

size_t dataset_target_width(const struct data_spec *spec)
{
    switch (spec->problem) {
    case PROBLEM_CLASSES: return 0;
    case PROBLEM_REGRESSION: return 1;
    case PROBLEM_MULTI_LABEL: return (size_t)spec->num_labels;
    }
    return 0;
}

bool dataset_row_labelled(const struct dataset *ds, int64_t row)
{
    if (ds->label)
        return ds->label[row] != LABEL_IGNORE;
    return ds->target && !isnan(ds->target[(size_t)row * dataset_target_width(&ds->spec)]);
}

static void gather_bytes(const struct dataset *ds, int64_t row, float *restrict x)
{
    const uint8_t *restrict p = ds->x8 + (size_t)row * ds->row_len;
    const float scale = ds->x8_scale;
    for (size_t i = 0; i < ds->row_len; i++)
        x[i] = (float)p[i] / scale;
}

/* Rows lie far apart: ask for the next one while this one is converted. */
static void prefetch_row(const struct dataset *ds, int64_t row)
{
    size_t bytes = ds->row_len * (ds->x8 ? 1 : sizeof *ds->x);
    const char *from = ds->x8 ? (const char *)ds->x8 : (const char *)ds->x;
    for (size_t at = 0; at < bytes; at += 64)
        __builtin_prefetch(from + (size_t)row * bytes + at);
}

void dataset_gather(const struct dataset *ds, const int64_t *rows, int n, float *x, int32_t *label,
                    float *target)
{
    size_t len = ds->row_len, width = dataset_target_width(&ds->spec);
    for (int i = 0; i < n && x; i++) {
        if (i + 1 < n)
            prefetch_row(ds, rows[i + 1]);
        if (ds->x8)
            gather_bytes(ds, rows[i], x + (size_t)i * len);
        else
            memcpy(x + (size_t)i * len, ds->x + (size_t)rows[i] * len, len * sizeof *x);
    }
    for (int i = 0; i < n && label; i++)
        label[i] = ds->label ? ds->label[rows[i]] : LABEL_IGNORE;
    for (int i = 0; i < n && target && width; i++) {
        float *to = target + (size_t)i * width;
        if (ds->target)
            memcpy(to, ds->target + (size_t)rows[i] * width, width * sizeof *to);
        else
            to[0] = NAN;
    }
}

static void count_labelled(struct dataset *ds)
{
    ds->labelled = 0;
    for (int64_t i = 0; i < ds->rows; i++)
        ds->labelled += dataset_row_labelled(ds, i);
}

void rows_limit(struct dataset *ds, int64_t limit)
{
    if (ds->rows <= limit)
        return;
    ds->rows = limit;
    count_labelled(ds);
}

void rows_drop_features(struct dataset *ds)
{
    free(ds->x);
    free(ds->x8);
    strlist_release(&ds->text);
    strlist_release(&ds->text_pair);
    free(ds->ids);
    free(ds->types);
    free(ds->at);
    ds->x = NULL;
    ds->x8 = NULL;
    ds->ids = NULL;
    ds->types = NULL;
    ds->at = NULL;
}

static void copy_list(struct strlist *dst, const struct strlist *src)
{
    for (size_t i = 0; i < src->n; i++)
        strlist_add(dst, src->s[i]);
}

void rows_copy_spec(struct dataset *dst, const struct dataset *src)
{
    dst->fmt = src->fmt;
    dst->spec = src->spec;
    dst->head_kept = src->head_kept;
    dst->row_len = src->row_len;
    dst->x8_scale = src->x8_scale;
    copy_list(&dst->features, &src->features);
    copy_list(&dst->label_keys, &src->label_keys);
    copy_list(&dst->labels, &src->labels);
    if (!src->spec.label)
        return;
    dst->label_ptr = xcalloc(dst->labels.n, sizeof *dst->label_ptr);
    for (size_t i = 0; i < dst->labels.n; i++)
        dst->label_ptr[i] = dst->labels.s[i];
    dst->spec.label = dst->label_ptr;
}

/* Elements rows[0..n) of an array, copied; NULL stays NULL. */
static void *take(const void *from, const int64_t *rows, int64_t n, size_t size)
{
    if (!from)
        return NULL;
    char *to = xmalloc((size_t)n * size);
    for (int64_t i = 0; i < n; i++)
        memcpy(to + (size_t)i * size, (const char *)from + (size_t)rows[i] * size, size);
    return to;
}

static void take_strings(struct strlist *to, const struct strlist *from, const int64_t *rows,
                         int64_t n)
{
    for (int64_t i = 0; i < n && from->n; i++)
        strlist_add(to, from->s[rows[i]]);
}

/* The ids that rows gave. */
static void take_ids(struct dataset *dst, const struct dataset *src, const int64_t *rows, int64_t n)
{
    if (!src->at)
        return;
    dst->at = xcalloc((size_t)n + 1, sizeof *dst->at);
    for (int64_t i = 0; i < n; i++)
        dst->at[i + 1] = dst->at[i] + src->at[rows[i] + 1] - src->at[rows[i]];
    size_t all = (size_t)dst->at[n] + 1;
    dst->ids = xmalloc(all * sizeof *dst->ids);
    dst->types = src->types ? xmalloc(all) : NULL;
    for (int64_t i = 0; i < n; i++) {
        size_t from = (size_t)src->at[rows[i]], to = (size_t)dst->at[i];
        size_t len = (size_t)(dst->at[i + 1] - dst->at[i]);
        memcpy(dst->ids + to, src->ids + from, len * sizeof *dst->ids);
        if (src->types)
            memcpy(dst->types + to, src->types + from, len);
    }
}

/* A data set of its own of some rows of another. */
static void take_rows(struct dataset *dst, const struct dataset *src, const int64_t *rows,
                      int64_t n)
{
    rows_copy_spec(dst, src);
    size_t width = dataset_target_width(&src->spec);
    dst->rows = n;
    dst->path = xstrdup(src->path);
    dst->path_labels = xstrdup(src->path_labels);
    dst->x = take(src->x, rows, n, src->row_len * sizeof *src->x);
    dst->x8 = take(src->x8, rows, n, src->row_len);
    dst->label = take(src->label, rows, n, sizeof *src->label);
    dst->target = take(src->target, rows, n, width * sizeof *src->target);
    dst->line = take(src->line, rows, n, sizeof *src->line);
    take_strings(&dst->text, &src->text, rows, n);
    take_strings(&dst->text_pair, &src->text_pair, rows, n);
    take_ids(dst, src, rows, n);
    dst->text_bytes = src->text_bytes * n / src->rows;
    count_labelled(dst);
}

static int compare_rows(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The first n_eval of a seeded permutation go to eval, the others stay. */
static void divide(struct dataset *train, struct dataset *eval, int64_t n_eval, uint64_t seed)
{
    int64_t rows = train->rows, n_train = rows - n_eval;
    int64_t *order = xmalloc((size_t)rows * sizeof *order);
    rng_permutation((struct rng_key){seed, RNG_SPLIT, 0}, order, rows);
    qsort(order, (size_t)n_eval, sizeof *order, compare_rows);
    qsort(order + n_eval, (size_t)n_train, sizeof *order, compare_rows);
    struct dataset kept = {0};
    take_rows(eval, train, order, n_eval);
    take_rows(&kept, train, order + n_eval, n_train);
    free(order);
    dataset_release(train);
    *train = kept;
}

int rows_split(struct dataset *train, struct dataset *eval, double fraction, uint64_t seed,
               struct err *e)
{
    /* A product that is whole but for rounding is that whole number. */
    double wanted = fraction * (double)train->rows;
    int64_t n_eval = (int64_t)ceil(wanted - 1e-9 * wanted);
    if (n_eval < 1 || n_eval >= train->rows)
        return err_set(e, TT_ECONFIG,
                       "data.eval_fraction = %g of %lld rows is %lld (1 at least on each side)",
                       fraction, (long long)train->rows, (long long)n_eval);
    divide(train, eval, n_eval, seed);
    return 0;
}

void dataset_release(struct dataset *ds)
{
    rows_drop_features(ds);
    free(ds->label);
    free(ds->target);
    free(ds->line);
    free(ds->path);
    free(ds->path_labels);
    free(ds->label_ptr);
    strlist_release(&ds->features);
    strlist_release(&ds->label_keys);
    strlist_release(&ds->labels);
    *ds = (struct dataset){0};
}
