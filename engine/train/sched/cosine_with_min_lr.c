/* Warm-up, then along a cosine down to a rate above 0. */
#include "engine/train/sched/min_lr.h"

static const struct opt_desc cosine_with_min_lr_rows[] = {MIN_LR_ROWS, {0}};

static double cosine_with_min_lr_factor(int64_t s, const struct sched_args *a)
{
    return warming_up(s, a) ? warmup_factor(s, a) : min_lr_factor(progress_after_warmup(s, a), a);
}

const struct sched_class sched_cosine_with_min_lr = {
    .name = "cosine_with_min_lr",
    .summary = "warm-up, then along a cosine down to min_lr",
    .opts = cosine_with_min_lr_rows,
    .opts_size = sizeof(struct min_lr_opts),
    .uses_warmup = true,
    .check = min_lr_check,
    .doubt = min_lr_doubt,
    .factor = cosine_with_min_lr_factor,
    .describe = min_lr_describe,
};
