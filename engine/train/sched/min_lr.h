/* The floor of the two cosine schedules that do not end at 0: a rate, or a share of the base
 * rate. */
#ifndef TT_TRAIN_SCHED_MIN_LR_H
#define TT_TRAIN_SCHED_MIN_LR_H

#include "engine/train/sched/curve.h"

struct min_lr_opts { /* the options of both begin with it */
    double min_lr, min_lr_rate; /* NaN: not given */
    double num_cycles;
};

#define MIN_LR_ROWS                                                                                \
    {.key = "min_lr", .help = "rate at the end, in place of min_lr_rate", .type = OPT_REAL,        \
     .at = offsetof(struct min_lr_opts, min_lr), .min = 0, .max = 1e6,                             \
     .flags = OPT_UNSET | OPT_COMMON | OPT_RATE},                                                  \
    {.key = "min_lr_rate", .help = "rate at the end as a share of the base rate",                  \
     .type = OPT_REAL, .at = offsetof(struct min_lr_opts, min_lr_rate), .min = 0, .max = 1,        \
     .flags = OPT_UNSET | OPT_COMMON},                                                             \
    {.key = "num_cycles", .help = "waves of the cosine; half a wave ends at the floor",            \
     .type = OPT_REAL, .at = offsetof(struct min_lr_opts, num_cycles), .def = 0.5, .min = 0,       \
     .max = 1e6, .flags = OPT_MIN_OPEN}

int min_lr_check(const struct sched_args *a, struct err *e);
void min_lr_doubt(const struct sched_args *a, char *dst, size_t size);
double min_lr_factor(double p, const struct sched_args *a); /* p: progress after warm-up */
void min_lr_describe(const struct sched_args *a, char *dst, size_t size);

#endif
