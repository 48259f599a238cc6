/* A cosine above a floor. */
#include "engine/train/sched/min_lr.h"

#include <stdio.h>

int min_lr_check(const struct sched_args *a, struct err *e)
{
    const struct min_lr_opts *o = a->opts;
    bool rate = !isnan(o->min_lr_rate), lr = !isnan(o->min_lr);
    if (rate && lr)
        return err_set(e, TT_ECONFIG,
                       "schedule.min_lr and schedule.min_lr_rate are both given (one of them)");
    if (!rate && !lr)
        return err_set(e, TT_ECONFIG,
                       "neither schedule.min_lr nor schedule.min_lr_rate is given (one of them)");
    if (lr && a->base_lr == 0)
        return err_set(e, TT_ECONFIG,
                       "schedule.min_lr with optimizer.lr 0 (schedule.min_lr_rate, or another lr)");
    return 0;
}

void min_lr_doubt(const struct sched_args *a, char *dst, size_t size)
{
    const struct min_lr_opts *o = a->opts;
    if (o->min_lr > a->base_lr)
        snprintf(dst, size,
                 "schedule.min_lr %.2e is above optimizer.lr %.2e: the rate rises to it", o->min_lr,
                 a->base_lr);
}

static double floor_of(const struct sched_args *a)
{
    const struct min_lr_opts *o = a->opts;
    return isnan(o->min_lr) ? o->min_lr_rate : o->min_lr / a->base_lr;
}

double min_lr_factor(double p, const struct sched_args *a)
{
    const struct min_lr_opts *o = a->opts;
    return above_floor(cosine_wave(o->num_cycles, p), floor_of(a));
}

void min_lr_describe(const struct sched_args *a, char *dst, size_t size)
{
    const struct min_lr_opts *o = a->opts;
    describe_cosine(o->num_cycles, a->base_lr * min_lr_factor(1, a), dst, size);
}
