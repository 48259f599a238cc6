/* Warm-up, then along a cosine, half a wave down to 0 unless told otherwise. A run longer than
 * planned follows the wave up again, as the reference does. */
#include "engine/train/sched/curve.h"

struct cosine_opts {
    double num_cycles;
};

static const struct opt_desc cosine_rows[] = {
    {.key = "num_cycles", .help = "waves of the cosine; half a wave ends at 0", .type = OPT_REAL,
     .at = offsetof(struct cosine_opts, num_cycles), .def = 0.5, .min = 0, .max = 1e6,
     .flags = OPT_MIN_OPEN},
    {0}};

static double cosine_factor(int64_t s, const struct sched_args *a)
{
    const struct cosine_opts *o = a->opts;
    if (warming_up(s, a))
        return warmup_factor(s, a);
    return cosine_wave(o->num_cycles, progress_after_warmup(s, a));
}

static void cosine_describe(const struct sched_args *a, char *dst, size_t size)
{
    const struct cosine_opts *o = a->opts;
    describe_cosine(o->num_cycles, a->base_lr * cosine_wave(o->num_cycles, 1), dst, size);
}

const struct sched_class sched_cosine = {
    .name = "cosine",
    .summary = "warm-up, then along a cosine down to 0",
    .opts = cosine_rows,
    .opts_size = sizeof(struct cosine_opts),
    .uses_warmup = true,
    .factor = cosine_factor,
    .describe = cosine_describe,
};
