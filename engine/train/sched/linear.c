/* Up in a straight line over the warm-up, then down to 0 at the last update's end. */
#include <stdio.h>

#include "engine/train/sched/warmup.h"

static double linear_factor(int64_t s, const struct sched_args *a)
{
    if (warming_up(s, a))
        return warmup_factor(s, a);
    double left = (double)(a->total - s) / updates_after_warmup(a);
    return left > 0 ? left : 0;
}

static void linear_describe(const struct sched_args *a, char *dst, size_t size)
{
    (void)a;
    snprintf(dst, size, "then down to 0");
}

const struct sched_class sched_linear = {
    .name = "linear",
    .summary = "warm-up, then down to 0 in a straight line",
    .uses_warmup = true,
    .factor = linear_factor,
    .describe = linear_describe,
};
