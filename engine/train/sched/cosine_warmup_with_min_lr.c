/* The cosine above a floor, one update ahead: the first update has a rate above 0, the last but
 * none the lowest (trainer-semantics 1.5). */
#include <stdio.h>
#include <string.h>

#include "engine/train/sched/min_lr.h"

struct ahead_opts {
    struct min_lr_opts floor;
    double warmup_lr_rate; /* NaN: from 1 / W */
};

static const struct opt_desc ahead_rows[] = {
    MIN_LR_ROWS,
    {.key = "warmup_lr_rate",
     .help = "first rate of the warm-up as a share of the base rate; unset: one over its steps",
     .type = OPT_REAL, .at = offsetof(struct ahead_opts, warmup_lr_rate), .min = 0, .max = 1,
     .flags = OPT_UNSET},
    {0}};

static double ahead_warmup(int64_t s, const struct sched_args *a)
{
    const struct ahead_opts *o = a->opts;
    double r = o->warmup_lr_rate;
    if (isnan(r))
        return (double)(s + 1) / (double)a->warmup;
    return r + (1 - r) * (double)s / (double)(a->warmup > 2 ? a->warmup - 1 : 1);
}

static double ahead_factor(int64_t s, const struct sched_args *a)
{
    return warming_up(s, a) ? ahead_warmup(s, a)
                            : min_lr_factor(progress_after_warmup(s + 1, a), a);
}

static void ahead_describe(const struct sched_args *a, char *dst, size_t size)
{
    min_lr_describe(a, dst, size);
    size_t n = strlen(dst);
    if (a->warmup > 0)
        snprintf(dst + n, size - n, "; the warm-up begins at %.2e",
                 a->base_lr * ahead_warmup(0, a));
}

const struct sched_class sched_cosine_warmup_with_min_lr = {
    .name = "cosine_warmup_with_min_lr",
    .summary = "warm-up that begins above 0, then along a cosine down to min_lr",
    .opts = ahead_rows,
    .opts_size = sizeof(struct ahead_opts),
    .uses_warmup = true,
    .check = min_lr_check,
    .doubt = min_lr_doubt,
    .factor = ahead_factor,
    .describe = ahead_describe,
};
