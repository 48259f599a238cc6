/* Sums that follow their windows: a step comes in, the one that falls out is taken away. */
#include "engine/train/step_times.h"

#include <math.h>
#include <string.h>

const int step_windows[STEP_WINDOWS] = {10, 100, STEP_TIMES};

static void accumulate(struct step_time *sum, const struct step_time *s, int sign)
{
    sum->seconds += sign * s->seconds;
    for (int k = 0; k < PHASE_COUNT; k++)
        sum->phase[k] += sign * s->phase[k];
    sum->samples += sign * s->samples;
    sum->tokens += sign * s->tokens;
}

/* Once per round of the ring: what rounding has left in the sums goes. */
static void sum_anew(struct step_times *t)
{
    memset(t->sum, 0, sizeof t->sum);
    for (int w = 0; w < STEP_WINDOWS; w++)
        for (int i = STEP_TIMES - step_windows[w]; i < STEP_TIMES; i++)
            accumulate(&t->sum[w], &t->last[i], 1);
}

void step_times_add(struct step_times *t, const struct step_time *s)
{
    for (int w = 0; w < STEP_WINDOWS; w++) {
        if (t->n >= step_windows[w])
            accumulate(&t->sum[w], &t->last[(t->n - step_windows[w]) % STEP_TIMES], -1);
        accumulate(&t->sum[w], s, 1);
    }
    t->last[t->n++ % STEP_TIMES] = *s;
    if (t->n % STEP_TIMES == 0)
        sum_anew(t);
}

void step_times_means(const struct step_times *t, int window, struct step_means *m)
{
    const struct step_time *sum = &t->sum[window];
    int64_t n = t->n < step_windows[window] ? t->n : step_windows[window];
    bool any = n && sum->seconds > 0;
    for (int k = 0; k < PHASE_COUNT; k++)
        m->phase_seconds[k] = n ? fmax(sum->phase[k], 0) / (double)n : 0;
    m->step_seconds = n ? sum->seconds / (double)n : NAN;
    m->samples_per_second = any ? (double)sum->samples / sum->seconds : NAN;
    m->tokens_per_second = any && sum->tokens ? (double)sum->tokens / sum->seconds : NAN;
}
