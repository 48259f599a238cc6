/* Buckets of a series, and its averages. */
#include "tui/history.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/mem.h"

void history_init(struct history *h)
{
    *h = (struct history){
        .span = 1, .min = NAN, .max = NAN, .last = NAN, .ema95 = NAN, .ema99 = NAN};
    h->min_step = h->max_step = h->last_step = -1;
}

void history_release(struct history *h)
{
    free(h->b);
    history_init(h);
}

void history_clear(struct history *h)
{
    struct hist_bucket *b = h->b;
    history_init(h);
    h->b = b;
}

/* Join `from`, the later one, to `to`. */
static void merge(struct hist_bucket *to, const struct hist_bucket *from)
{
    if (from->count) {
        to->min = to->count ? fmin(to->min, from->min) : from->min;
        to->max = to->count ? fmax(to->max, from->max) : from->max;
        to->value = from->value;
    }
    to->last = from->last;
    to->epoch = from->epoch;
    to->seconds = from->seconds;
    to->sum += from->sum;
    to->ema95 = from->ema95;
    to->ema99 = from->ema99;
    to->count += from->count;
    to->nonfinite += from->nonfinite;
}

static void halve(struct history *h)
{
    for (int i = 0; i < h->n / 2; i++) {
        h->b[i] = h->b[2 * i];
        merge(&h->b[i], &h->b[2 * i + 1]);
    }
    h->n /= 2;
    h->span *= 2;
}

/* Average with the weights of what came so far, so that the first values are not drawn to 0:
 * sum(decay^age value) / sum(decay^age), with v as the last n values. */
static void average(double *ema, double *weight, double decay, double v, int64_t n)
{
    double keep = n > 1 ? pow(decay, (double)n) : decay, before = *weight * keep;
    double fresh = (1 - keep) / (1 - decay);
    *weight = before + fresh;
    *ema = before > 0 ? (*ema * before + v * fresh) / *weight : v;
}

static void add_finite(struct history *h, int64_t step, double v, int64_t n)
{
    if (!(v >= h->min)) {
        h->min = v;
        h->min_step = step;
    }
    if (!(v <= h->max)) {
        h->max = v;
        h->max_step = step;
    }
    average(&h->ema95, &h->w95, 0.95, v, n);
    average(&h->ema99, &h->w99, 0.99, v, n);
    h->points++;
}

void history_add(struct history *h, int64_t step, double epoch, double seconds, double value)
{
    history_add_mean(h, step, epoch, seconds, value, 1);
}

void history_add_mean(struct history *h, int64_t step, double epoch, double seconds, double value,
                      int64_t steps)
{
    bool finite = isfinite(value);
    if (!h->b)
        h->b = xmalloc(HISTORY_BUCKETS * sizeof *h->b);
    if (finite)
        add_finite(h, step, value, steps);
    else
        h->nonfinite++;
    h->last = value;
    h->last_step = step;
    struct hist_bucket one = {
        .first = step,
        .last = step,
        .epoch = epoch,
        .seconds = seconds,
        .min = value,
        .max = value,
        .sum = finite ? value : 0,
        .value = value,
        .ema95 = h->ema95,
        .ema99 = h->ema99,
        .count = finite,
        .nonfinite = !finite,
    };
    struct hist_bucket *newest = h->n ? &h->b[h->n - 1] : NULL;
    if (newest && newest->count + newest->nonfinite < h->span) {
        merge(newest, &one);
        return;
    }
    if (h->n == HISTORY_BUCKETS)
        halve(h);
    h->b[h->n++] = one;
}

int history_find(const struct history *h, int64_t step)
{
    int lo = 0, hi = h->n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (h->b[mid].first <= step)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - 1;
}

double history_mean(const struct history *h, int n)
{
    double sum = 0;
    int64_t count = 0;
    for (int i = h->n - 1; i >= 0 && count < n; i--) {
        sum += h->b[i].sum;
        count += h->b[i].count;
    }
    return count ? sum / (double)count : NAN;
}
