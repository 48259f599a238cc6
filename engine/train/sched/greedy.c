/* Transformers' GreedyLR: up after a run of better values, down after a run without; at the
 * lowest rate for long it starts over. Steps once an evaluation (trainer-semantics 1.5). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/train/sched/follow.h"

struct greedy_opts {
    struct follow_opts follow;
    double max_lr;
    int64_t warmup, window_size, reset_start;
    bool smooth;
};

#define WINDOW_MAX (sizeof((struct sched_state *)0)->window / sizeof(double))
#define AT(field) offsetof(struct greedy_opts, field)
static const struct opt_desc greedy_rows[] = {
    FOLLOW_ROWS(0.95, 1e-6, THRESHOLD_ABS, 1e-3),
    {.key = "warmup", .help = "evaluations after a raise that do not count", .unit = "evaluations",
     .type = OPT_INT, .at = AT(warmup), .def = 0, .min = 0, .max = 1e9},
    {.key = "max_lr", .help = "highest rate", .type = OPT_REAL, .at = AT(max_lr), .def = 1,
     .min = 0, .max = 1e6, .flags = OPT_MIN_OPEN | OPT_COMMON | OPT_RATE},
    {.key = "smooth", .help = "look at the mean of the last window_size values", .type = OPT_BOOL,
     .at = AT(smooth)},
    {.key = "window_size", .help = "values in that mean", .unit = "evaluations", .type = OPT_INT,
     .at = AT(window_size), .def = 50, .min = 1, .max = WINDOW_MAX},
    {.key = "reset_start", .help = "lowerings at the lowest rate before everything starts over",
     .type = OPT_INT, .at = AT(reset_start), .def = 500, .min = 1, .max = 1e9},
    {0}};
#undef AT

static int greedy_check(const struct sched_args *a, struct err *e)
{
    const struct greedy_opts *o = a->opts;
    if (o->max_lr < o->follow.min_lr)
        return err_set(e, TT_ECONFIG, "schedule.max_lr is %g (not below schedule.min_lr, %g)",
                       o->max_lr, o->follow.min_lr);
    return follow_check(a, e);
}

static void greedy_doubt(const struct sched_args *a, char *dst, size_t size)
{
    const struct greedy_opts *o = a->opts;
    if (o->max_lr < a->base_lr)
        snprintf(dst, size,
                 "schedule.max_lr %.2e is below optimizer.lr %.2e: the rate is not raised from it",
                 o->max_lr, a->base_lr);
    else
        follow_doubt(a, dst, size);
}

static void start_over(struct sched_state *st, const struct sched_args *a, bool max)
{
    const struct greedy_opts *o = a->opts;
    *st = (struct sched_state){.lr = a->base_lr, .best = follow_worst(max),
                               .reset_left = o->reset_start, .evaluations = st->evaluations};
}

/* Mean of the values seen last, this one among them. */
static double smoothed(struct sched_state *st, double metric, int size)
{
    if (st->nwindow == size)
        memmove(st->window, st->window + 1, (size_t)(--st->nwindow) * sizeof *st->window);
    st->window[st->nwindow++] = metric;
    double sum = 0;
    for (int i = 0; i < st->nwindow; i++)
        sum += st->window[i];
    return sum / st->nwindow;
}

/* Counts the evaluation; one of the two runs is 0 afterwards. */
static void judge(struct sched_state *st, double metric, bool max, const struct follow_opts *o)
{
    int64_t *pause = st->cooldown > 0 ? &st->cooldown : st->warmup > 0 ? &st->warmup : NULL;
    bool better = !pause && follow_better(o, metric, st->best, max);
    if (pause)
        --*pause;
    if (better)
        st->best = metric;
    st->good = better ? st->good + 1 : 0;
    st->bad = better || pause ? 0 : st->bad + 1;
}

static void raise_rate(struct sched_state *st, const struct greedy_opts *o)
{
    double higher = fmin(st->lr / o->follow.factor, o->max_lr);
    if (higher - st->lr > o->follow.eps)
        st->lr = higher;
    st->reset_left = o->reset_start;
    st->warmup = o->warmup;
    st->good = 0;
}

static void greedy_observe(struct sched_state *st, double metric, bool larger_is_better,
                           const struct sched_args *a)
{
    const struct greedy_opts *o = a->opts;
    bool max = follow_max(&o->follow, larger_is_better);
    if (st->evaluations++ == 0)
        start_over(st, a, max);
    judge(st, o->smooth ? smoothed(st, metric, (int)o->window_size) : metric, max, &o->follow);
    if (st->good > o->follow.patience) {
        raise_rate(st, o);
    } else if (st->bad > o->follow.patience) {
        follow_lower(st, &o->follow);
        if (st->lr <= o->follow.min_lr && --st->reset_left == 0)
            start_over(st, a, max);
    }
}

static void greedy_describe(const struct sched_args *a, char *dst, size_t size)
{
    const struct greedy_opts *o = a->opts;
    snprintf(dst, size,
             "from %.2e, divided by %g after more than %" PRId64
             " better evaluations in a row, times it after as many "
             "without, within %.2e and %.2e",
             a->base_lr, o->follow.factor, o->follow.patience, o->follow.min_lr, o->max_lr);
}

const struct sched_class sched_greedy = {
    .name = "greedy",
    .summary = "higher after a run of better values of the metric, lower after a run of others",
    .opts = greedy_rows,
    .opts_size = sizeof(struct greedy_opts),
    .check = greedy_check,
    .doubt = greedy_doubt,
    .observe = greedy_observe,
    .describe = greedy_describe,
};
