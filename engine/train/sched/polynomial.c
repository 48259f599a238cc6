/* Warm-up, then down to lr_end by a power of what is left of the run. */
#include <math.h>
#include <stdio.h>

#include "engine/base/str.h"
#include "engine/train/sched/warmup.h"

struct polynomial_opts {
    double lr_end, power;
};

static const struct opt_desc polynomial_rows[] = {
    {.key = "lr_end", .help = "rate at the end, below the base rate", .type = OPT_REAL,
     .at = offsetof(struct polynomial_opts, lr_end), .def = 1e-7, .min = 0, .max = 1e6,
     .flags = OPT_COMMON | OPT_RATE},
    {.key = "power", .help = "1 is a straight line, more falls faster at first", .type = OPT_REAL,
     .at = offsetof(struct polynomial_opts, power), .def = 1, .min = 0, .max = 1e3,
     .flags = OPT_COMMON},
    {0}};

static int polynomial_check(const struct sched_args *a, struct err *e)
{
    const struct polynomial_opts *o = a->opts;
    char end[32], lr[32];
    if (a->base_lr <= o->lr_end)
        return err_set(e, TT_ECONFIG, "schedule.lr_end is %s (below optimizer.lr, %s)",
                       str_f64(end, sizeof end, o->lr_end), str_f64(lr, sizeof lr, a->base_lr));
    return 0;
}

static double polynomial_factor(int64_t s, const struct sched_args *a)
{
    const struct polynomial_opts *o = a->opts;
    if (warming_up(s, a))
        return warmup_factor(s, a);
    if (s >= a->total)
        return o->lr_end / a->base_lr;
    double left = 1 - (double)(s - a->warmup) / (double)(a->total - a->warmup);
    return ((a->base_lr - o->lr_end) * pow(left, o->power) + o->lr_end) / a->base_lr;
}

static void polynomial_describe(const struct sched_args *a, char *dst, size_t size)
{
    const struct polynomial_opts *o = a->opts;
    char power[32];
    if (o->power == 1)
        snprintf(dst, size, "then down to %.2e", o->lr_end);
    else
        snprintf(dst, size, "then down to %.2e by the power %s of what is left", o->lr_end,
                 str_f64(power, sizeof power, o->power));
}

const struct sched_class sched_polynomial = {
    .name = "polynomial",
    .summary = "warm-up, then down to lr_end by a power of what is left",
    .opts = polynomial_rows,
    .opts_size = sizeof(struct polynomial_opts),
    .uses_warmup = true,
    .check = polynomial_check,
    .factor = polynomial_factor,
    .describe = polynomial_describe,
};
