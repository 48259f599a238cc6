/* Warm-up, then several times from the base rate along a cosine down to 0; 0 for what a longer
 * run adds. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/train/sched/curve.h"

struct restarts_opts {
    int64_t num_cycles;
};

static const struct opt_desc restarts_rows[] = {
    {.key = "num_cycles", .help = "descents to 0, each from the base rate", .type = OPT_INT,
     .at = offsetof(struct restarts_opts, num_cycles), .def = 1, .min = 1, .max = 1e6,
     .flags = OPT_COMMON},
    {0}};

static double restarts_factor(int64_t s, const struct sched_args *a)
{
    const struct restarts_opts *o = a->opts;
    if (warming_up(s, a))
        return warmup_factor(s, a);
    double p = progress_after_warmup(s, a);
    return p >= 1 ? 0 : cosine_wave(0.5, fmod((double)o->num_cycles * p, 1));
}

static void restarts_describe(const struct sched_args *a, char *dst, size_t size)
{
    const struct restarts_opts *o = a->opts;
    if (o->num_cycles == 1)
        describe_cosine(0.5, 0, dst, size);
    else
        snprintf(dst, size, "then %" PRId64 " times from %.2e along a cosine down to 0",
                 o->num_cycles, a->base_lr);
}

const struct sched_class sched_cosine_with_restarts = {
    .name = "cosine_with_restarts",
    .summary = "warm-up, then num_cycles times along a cosine down to 0",
    .opts = restarts_rows,
    .opts_size = sizeof(struct restarts_opts),
    .uses_warmup = true,
    .factor = restarts_factor,
    .describe = restarts_describe,
};
