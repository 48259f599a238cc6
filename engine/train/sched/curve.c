/* The words for curves. */
#include "engine/train/sched/curve.h"

#include <stdio.h>

#include "engine/base/str.h"

char *rate_text(char *dst, size_t size, double lr)
{
    if (lr == 0)
        str_copy(dst, size, "0");
    else
        snprintf(dst, size, "%.2e", lr);
    return dst;
}

void describe_cosine(double cycles, double end_lr, char *dst, size_t size)
{
    char waves[32], end[32];
    rate_text(end, sizeof end, end_lr);
    if (cycles == 0.5)
        snprintf(dst, size, "then along a cosine down to %s", end);
    else
        snprintf(dst, size, "then %s waves of a cosine, ending at %s",
                 str_f64(waves, sizeof waves, cycles), end);
}
