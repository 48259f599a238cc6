/* Pearson's r from centred sums; Spearman's is Pearson's of the ranks. */
#include "engine/train/correlation.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/mem.h"

/* Deviations are taken from the first value, so that those of a constant side are exactly 0. */
double pearson(const double *x, const double *y, int64_t n)
{
    double mx = 0, my = 0, sxy = 0, sxx = 0, syy = 0;
    if (n < 2)
        return NAN;
    for (int64_t i = 0; i < n; i++) {
        mx += (x[i] - x[0]) / (double)n;
        my += (y[i] - y[0]) / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        double dx = x[i] - x[0] - mx, dy = y[i] - y[0] - my;
        sxy += dx * dy;
        sxx += dx * dx;
        syy += dy * dy;
    }
    double r = sxy / (sqrt(sxx) * sqrt(syy));
    return sxx > 0 && syy > 0 ? fmax(-1, fmin(1, r)) : NAN;
}

struct ranked {
    double value;
    int64_t at;
};

static int by_value(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

static void ranks(const double *x, int64_t n, struct ranked *order, double *out)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = (struct ranked){x[i], i};
    qsort(order, (size_t)n, sizeof *order, by_value);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && order[end].value == order[i].value; end++)
            ;
        for (int64_t k = i; k < end; k++)
            out[order[k].at] = 0.5 * (double)(i + end - 1);
    }
}

double spearman(const double *x, const double *y, int64_t n)
{
    if (n < 2)
        return NAN;
    struct ranked *order = xcalloc((size_t)n, sizeof *order);
    double *rx = xcalloc((size_t)n, sizeof *rx), *ry = xcalloc((size_t)n, sizeof *ry);
    ranks(x, n, order, rx);
    ranks(y, n, order, ry);
    double r = pearson(rx, ry, n);
    for (int64_t i = 0; i < n; i++)
        if (isnan(x[i]) || isnan(y[i]))
            r = NAN;
    free(order);
    free(rx);
    free(ry);
    return r;
}
