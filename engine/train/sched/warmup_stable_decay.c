/* Warm-up, a plateau at the base rate, then a decay of its own length; each slope has a shape.
 * What lies behind the three phases stays at the floor. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/train/sched/curve.h"

enum shape { SHAPE_LINEAR, SHAPE_COSINE, SHAPE_SQRT };
#define SHAPES "linear|cosine|1-sqrt"

struct wsd_opts {
    int64_t num_decay_steps, num_stable_steps;
    int warmup_type, decay_type; /* enum shape */
    double min_lr_ratio, num_cycles;
};

#define AT(field) offsetof(struct wsd_opts, field)
static const struct opt_desc wsd_rows[] = {
    {.key = "num_decay_steps", .help = "updates of the decay at the end", .unit = "steps",
     .type = OPT_INT, .at = AT(num_decay_steps), .def = (double)OPT_INT_UNSET, .min = 0,
     .max = 1e12, .flags = OPT_REQUIRED | OPT_COMMON},
    {.key = "num_stable_steps", .help = "updates at the peak; unset: what the others leave",
     .unit = "steps", .type = OPT_INT, .at = AT(num_stable_steps), .def = OPT_INT_UNSET, .min = 0,
     .max = 1e12, .flags = OPT_UNSET},
    {.key = "warmup_type", .help = "shape of the warm-up", .type = OPT_CHOICE,
     .at = AT(warmup_type), .def = SHAPE_LINEAR, .choices = SHAPES},
    {.key = "decay_type", .help = "shape of the decay", .type = OPT_CHOICE, .at = AT(decay_type),
     .def = SHAPE_COSINE, .choices = SHAPES},
    {.key = "min_lr_ratio", .help = "lowest rate as a share of the base rate, at both ends",
     .type = OPT_REAL, .at = AT(min_lr_ratio), .min = 0, .max = 1, .flags = OPT_COMMON},
    {.key = "num_cycles", .help = "waves of a cosine decay; half a wave ends at the floor",
     .type = OPT_REAL, .at = AT(num_cycles), .def = 0.5, .min = 0, .max = 1e6,
     .flags = OPT_MIN_OPEN},
    {0}};
#undef AT

/* Negative when warm-up and decay are longer than the run: the decay then begins within itself. */
static int64_t stable_steps(const struct sched_args *a)
{
    const struct wsd_opts *o = a->opts;
    if (o->num_stable_steps != OPT_INT_UNSET)
        return o->num_stable_steps;
    return a->total - a->warmup - o->num_decay_steps;
}

static void wsd_doubt(const struct sched_args *a, char *dst, size_t size)
{
    const struct wsd_opts *o = a->opts;
    int64_t given = o->num_stable_steps == OPT_INT_UNSET ? 0 : o->num_stable_steps;
    int64_t phases = a->warmup + given + o->num_decay_steps;
    if (phases > a->total)
        snprintf(dst, size,
                 "warm-up, schedule.num_stable_steps and schedule.num_decay_steps are %" PRId64
                 " steps of a run of %" PRId64,
                 phases, a->total);
}

static double rise(enum shape shape, double x)
{
    if (shape == SHAPE_COSINE)
        return 0.5 * (1 - cos(M_PI * x));
    return shape == SHAPE_SQRT ? 1 - sqrt(1 - x) : x;
}

static double fall(enum shape shape, double cycles, double x)
{
    if (shape == SHAPE_COSINE)
        return cosine_wave(cycles, x);
    return shape == SHAPE_SQRT ? 1 - sqrt(x) : 1 - x;
}

static double wsd_factor(int64_t s, const struct sched_args *a)
{
    const struct wsd_opts *o = a->opts;
    int64_t decay = a->warmup + stable_steps(a);
    if (warming_up(s, a))
        return above_floor(rise((enum shape)o->warmup_type, warmup_factor(s, a)), o->min_lr_ratio);
    if (s < decay)
        return 1;
    if (s >= decay + o->num_decay_steps)
        return o->min_lr_ratio;
    double x = (double)(s - decay) / (double)o->num_decay_steps;
    return above_floor(fall((enum shape)o->decay_type, o->num_cycles, x), o->min_lr_ratio);
}

static void wsd_describe(const struct sched_args *a, char *dst, size_t size)
{
    const struct wsd_opts *o = a->opts;
    int64_t stable = stable_steps(a);
    char end[32];
    snprintf(dst, size, "then %" PRId64 " steps at the peak, then in %" PRId64 " steps down to %s",
             stable > 0 ? stable : 0, o->num_decay_steps,
             rate_text(end, sizeof end, a->base_lr * o->min_lr_ratio));
}

const struct sched_class sched_warmup_stable_decay = {
    .name = "warmup_stable_decay",
    .summary = "warm-up, the same rate for a while, then a decay of num_decay_steps",
    .opts = wsd_rows,
    .opts_size = sizeof(struct wsd_opts),
    .uses_warmup = true,
    .doubt = wsd_doubt,
    .factor = wsd_factor,
    .describe = wsd_describe,
};
