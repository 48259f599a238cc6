/* The base rate all along. */
#include "engine/train/sched.h"

static double constant_factor(int64_t s, const struct sched_args *a)
{
    (void)s;
    (void)a;
    return 1;
}

const struct sched_class sched_constant = {
    .name = "constant",
    .summary = "the same rate for every update",
    .factor = constant_factor,
};
