/* Pieces of curves that several schedules are made of. Operations stand in the reference's
 * order, so that sums near a border round the same way. */
#ifndef TT_TRAIN_SCHED_CURVE_H
#define TT_TRAIN_SCHED_CURVE_H

#include <math.h>

#include "engine/train/sched/warmup.h"

/* Share of the updates after warm-up that are done; goes on over 1 in a longer run. */
static inline double progress_after_warmup(int64_t s, const struct sched_args *a)
{
    return (double)(s - a->warmup) / updates_after_warmup(a);
}

/* From 1 at p = 0 in `cycles` whole waves up to p = 1: half a wave ends at 0. */
static inline double cosine_wave(double cycles, double p)
{
    return 0.5 * (1 + cos(M_PI * cycles * 2 * p));
}

/* 0..1 pressed into floor..1. */
static inline double above_floor(double factor, double floor)
{
    return fmax(0, factor * (1 - floor) + floor);
}

/* "2.00e-05", or plain 0. Returns dst. */
char *rate_text(char *dst, size_t size, double lr);
/* "then along a cosine down to 1.00e-06", or how many waves there are and where they end. */
void describe_cosine(double cycles, double end_lr, char *dst, size_t size);

#endif
