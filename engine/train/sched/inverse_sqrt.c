/* Warm-up, then falling with the square root of the steps; the total does not matter. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/train/sched/warmup.h"

#define TIMESCALE_WITHOUT_WARMUP 10000

struct inverse_sqrt_opts {
    int64_t timescale;
};

static const struct opt_desc inverse_sqrt_rows[] = {
    {.key = "timescale",
     .help = "steps from the peak until the rate is 1 / sqrt(2); unset: the warm-up, else 10000",
     .unit = "steps", .type = OPT_INT, .at = offsetof(struct inverse_sqrt_opts, timescale),
     .def = OPT_INT_UNSET, .min = 1, .max = 1e12, .flags = OPT_UNSET | OPT_COMMON},
    {0}};

static int64_t timescale_of(const struct sched_args *a)
{
    const struct inverse_sqrt_opts *o = a->opts;
    if (o->timescale != OPT_INT_UNSET)
        return o->timescale;
    return a->warmup > 0 ? a->warmup : TIMESCALE_WITHOUT_WARMUP;
}

static double inverse_sqrt_factor(int64_t s, const struct sched_args *a)
{
    if (warming_up(s, a))
        return warmup_factor(s, a);
    int64_t scale = timescale_of(a), shift = scale - a->warmup;
    return 1 / sqrt((double)(s + shift) / (double)scale);
}

static void inverse_sqrt_describe(const struct sched_args *a, char *dst, size_t size)
{
    int64_t half = a->warmup + 3 * timescale_of(a); /* the counter there; its update is one later */
    snprintf(dst, size, "then falling with the square root of the steps, %.2e at step %" PRId64,
             0.5 * a->base_lr, half + 1);
}

const struct sched_class sched_inverse_sqrt = {
    .name = "inverse_sqrt",
    .summary = "warm-up, then falling with the square root of the steps",
    .opts = inverse_sqrt_rows,
    .opts_size = sizeof(struct inverse_sqrt_opts),
    .uses_warmup = true,
    .factor = inverse_sqrt_factor,
    .describe = inverse_sqrt_describe,
};
