/* Counting answers. */
#include "tui/label_counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"

void label_counts_release(struct label_counts *k)
{
    free(k->count);
    *k = (struct label_counts){0};
}

static void count_numbers(struct label_counts *k, const struct dataset *ds)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < ds->rows; i++) {
        double v = (double)ds->target[i];
        if (isnan(v))
            continue;
        k->min = fmin(k->min, v);
        k->max = fmax(k->max, v);
        sum += v;
        n++;
    }
    k->mean = n ? sum / (double)n : NAN;
}

void label_counts_make(struct label_counts *k, const struct dataset *ds, int n)
{
    label_counts_release(k);
    k->n = n;
    k->min = k->max = k->mean = NAN;
    k->count = xcalloc((size_t)n + 1, sizeof *k->count);
    if (ds->spec.problem == PROBLEM_REGRESSION && ds->target) {
        count_numbers(k, ds);
        return;
    }
    for (int64_t i = 0; i < ds->rows; i++) {
        if (ds->label && ds->label[i] >= 0 && ds->label[i] < n)
            k->count[ds->label[i]]++;
        for (int j = 0; ds->target && j < n; j++)
            k->count[j] += ds->target[i * n + j] > 0.5F;
    }
}

static const char *name_of(const struct strlist *names, int i, char dst[32])
{
    if ((size_t)i < names->n)
        return names->s[i];
    snprintf(dst, 32, "%d", i);
    return dst;
}

char *label_words(const struct dataset *ds, const struct strlist *names, int64_t row,
                  const char *missing, char *dst, size_t size)
{
    char name[32];
    size_t at = 0;
    int n = ds->spec.num_labels;
    str_copy(dst, size, missing);
    if (!dataset_row_labelled(ds, row))
        return dst;
    if (ds->spec.problem == PROBLEM_REGRESSION) {
        snprintf(dst, size, "%.6g", (double)ds->target[row]);
    } else if (ds->label) {
        str_copy(dst, size, name_of(names, ds->label[row], name));
    } else {
        str_copy(dst, size, "none");
        for (int j = 0; j < n && at + 1 < size; j++)
            if (ds->target[row * n + j] > 0.5F)
                at += (size_t)snprintf(dst + at, size - at, "%s%s", at ? ", " : "",
                                       name_of(names, j, name));
    }
    return dst;
}
