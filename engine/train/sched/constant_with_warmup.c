/* Up in a straight line over the warm-up, then the base rate. */
#include <stdio.h>

#include "engine/train/sched/warmup.h"

static double constant_with_warmup_factor(int64_t s, const struct sched_args *a)
{
    return warming_up(s, a) ? warmup_factor(s, a) : 1;
}

static void constant_with_warmup_describe(const struct sched_args *a, char *dst, size_t size)
{
    snprintf(dst, size, "then %.2e to the end", a->base_lr);
}

const struct sched_class sched_constant_with_warmup = {
    .name = "constant_with_warmup",
    .summary = "warm-up, then the same rate to the end",
    .uses_warmup = true,
    .factor = constant_with_warmup_factor,
    .describe = constant_with_warmup_describe,
};
