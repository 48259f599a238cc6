/* What happened to one series, in fixed memory however long the run: up to HISTORY_BUCKETS
 * buckets; when they are used up, neighbours merge and a bucket covers twice the steps. Minimum
 * and maximum survive, so no spike is lost; non-finite values are counted where they were. */
#ifndef TT_TUI_HISTORY_H
#define TT_TUI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_BUCKETS 8192

struct hist_bucket {
    int64_t first, last; /* steps */
    double epoch, seconds;  /* of the last */
    double min, max, sum, value; /* of finite ones; value: the last finite one */
    double ema95, ema99;    /* after the last step of the bucket */
    int32_t count, nonfinite;
};

struct history {
    struct hist_bucket *b; /* taken at the first sample */
    int n;
    int64_t span;          /* samples per full bucket */
    int64_t points, nonfinite;
    double min, max;       /* finite ones */
    int64_t min_step, max_step;
    double last;           /* newest value, may be non-finite */
    int64_t last_step;
    double ema95, ema99;   /* bias-corrected averages of finite values */
    double w95, w99;
};

void history_init(struct history *h);
void history_release(struct history *h);
void history_clear(struct history *h);
void history_add(struct history *h, int64_t step, double epoch, double seconds, double value);
/* The mean of the last `steps` steps: one point, which counts as so many in the averages, so that a run read
 * from its file is as smooth as it was on the screen. */
void history_add_mean(struct history *h, int64_t step, double epoch, double seconds, double value,
                      int64_t steps);
/* Bucket that holds `step`, or the last before it; -1: none. */
int history_find(const struct history *h, int64_t step);
/* Mean of the last n values (bucket-wise when older ones merged). */
double history_mean(const struct history *h, int n);

#endif
