/* The warm-up that most schedules share: from 0 to 1 over W updates, so with W >= 1 the first update has
 * rate 0 (trainer-semantics 1.5). */
#ifndef TT_TRAIN_SCHED_WARMUP_H
#define TT_TRAIN_SCHED_WARMUP_H

#include "engine/train/sched.h"

static inline bool warming_up(int64_t s, const struct sched_args *a)
{
    return s < a->warmup;
}

static inline double warmup_factor(int64_t s, const struct sched_args *a)
{
    return (double)s / (double)(a->warmup > 1 ? a->warmup : 1);
}

/* Updates after warm-up, at least 1. */
static inline double updates_after_warmup(const struct sched_args *a)
{
    int64_t n = a->total - a->warmup;
    return (double)(n > 1 ? n : 1);
}

#endif
