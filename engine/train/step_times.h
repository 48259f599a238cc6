/* Times of the last steps: what a step took by phase, as means over three windows. */
#ifndef TT_TRAIN_STEP_TIMES_H
#define TT_TRAIN_STEP_TIMES_H

#include "engine/train/hub.h"

#define STEP_TIMES 1000 /* steps of the largest window */

struct step_time {
    double seconds, phase[PHASE_COUNT]; /* the phases add up to the seconds */
    int64_t samples, tokens;
};

struct step_times { /* starts as {0} */
    struct step_time last[STEP_TIMES]; /* step n at n % STEP_TIMES */
    struct step_time sum[STEP_WINDOWS];
    int64_t n;                         /* steps so far */
};

void step_times_add(struct step_times *t, const struct step_time *s);
/* Of that window, or of all steps while there are fewer; NaN before the first. */
void step_times_means(const struct step_times *t, int window, struct step_means *m);

#endif
