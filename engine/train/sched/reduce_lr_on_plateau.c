/* torch's ReduceLROnPlateau: the rate goes down when the metric has not got better for a while.
 * Steps once an evaluation; no warm-up. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/train/sched/curve.h"
#include "engine/train/sched/follow.h"

static const struct opt_desc plateau_rows[] = {FOLLOW_ROWS(0.1, 1e-4, THRESHOLD_REL, 0), {0}};

static void plateau_observe(struct sched_state *st, double metric, bool larger_is_better,
                            const struct sched_args *a)
{
    const struct follow_opts *o = a->opts;
    bool max = follow_max(o, larger_is_better);
    if (st->evaluations++ == 0)
        st->best = follow_worst(max);
    if (follow_better(o, metric, st->best, max)) {
        st->best = metric;
        st->bad = 0;
    } else {
        st->bad++;
    }
    if (st->cooldown > 0) {
        st->cooldown--;
        st->bad = 0;
    }
    if (st->bad > o->patience)
        follow_lower(st, o);
}

static void plateau_describe(const struct sched_args *a, char *dst, size_t size)
{
    const struct follow_opts *o = a->opts;
    char lowest[32];
    snprintf(dst, size,
             "from %.2e, times %g after more than %" PRId64
             " evaluations in a row without a better value, not below %s",
             a->base_lr, o->factor, o->patience, rate_text(lowest, sizeof lowest, o->min_lr));
}

const struct sched_class sched_reduce_lr_on_plateau = {
    .name = "reduce_lr_on_plateau",
    .summary = "lower when the metric has not got better for a while",
    .opts = plateau_rows,
    .opts_size = sizeof(struct follow_opts),
    .check = follow_check,
    .doubt = follow_doubt,
    .observe = plateau_observe,
    .describe = plateau_describe,
};
