/* Better and lower, as torch's ReduceLROnPlateau has them. */
#include "engine/train/sched/follow.h"

#include <stdio.h>

int follow_check(const struct sched_args *a, struct err *e)
{
    const struct follow_opts *o = a->opts;
    if (o->threshold_mode == THRESHOLD_REL && o->threshold >= 1 && o->mode != FOLLOW_MAX)
        return err_set(e, TT_ECONFIG,
                       "schedule.threshold is %g with schedule.threshold_mode = rel (below 1)",
                       o->threshold);
    return 0;
}

void follow_doubt(const struct sched_args *a, char *dst, size_t size)
{
    const struct follow_opts *o = a->opts;
    if (o->min_lr > a->base_lr)
        snprintf(dst, size,
                 "schedule.min_lr %.2e is above optimizer.lr %.2e: the rate is not lowered from it",
                 o->min_lr, a->base_lr);
}

bool follow_max(const struct follow_opts *o, bool larger_is_better)
{
    return o->mode < 0 ? larger_is_better : o->mode == FOLLOW_MAX;
}

double follow_worst(bool max)
{
    return max ? -INFINITY : INFINITY;
}

bool follow_better(const struct follow_opts *o, double value, double best, bool max)
{
    double t = max ? o->threshold : -o->threshold;
    double border = o->threshold_mode == THRESHOLD_REL ? best * (1 + t) : best + t;
    return max ? value > border : value < border;
}

void follow_lower(struct sched_state *st, const struct follow_opts *o)
{
    double lower = fmax(st->lr * o->factor, o->min_lr);
    if (st->lr - lower > o->eps)
        st->lr = lower;
    st->cooldown = o->cooldown;
    st->bad = 0;
}
