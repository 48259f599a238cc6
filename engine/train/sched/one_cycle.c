/* torch's OneCycleLR: up from a share of the base rate, which is the peak, then far below where
 * it began; with three phases down the way it came first. Momentum is left alone. A phase
 * without length is at its end; after the last update the lowest rate stays. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/train/sched.h"

struct one_cycle_opts {
    double pct_start, div_factor, final_div_factor;
    int anneal_strategy; /* index into "cos|linear" */
    bool three_phase;
};

#define AT(field) offsetof(struct one_cycle_opts, field)
static const struct opt_desc one_cycle_rows[] = {
    {.key = "pct_start", .help = "share of the run that rises", .type = OPT_REAL,
     .at = AT(pct_start), .def = 0.3, .min = 0, .max = 1, .flags = OPT_COMMON},
    {.key = "anneal_strategy", .help = "shape of the slopes", .type = OPT_CHOICE,
     .at = AT(anneal_strategy), .choices = "cos|linear"},
    {.key = "div_factor", .help = "the first rate is the base rate divided by this",
     .type = OPT_REAL, .at = AT(div_factor), .def = 25, .min = 0, .max = 1e12,
     .flags = OPT_MIN_OPEN},
    {.key = "final_div_factor", .help = "the last rate is the first divided by this",
     .type = OPT_REAL, .at = AT(final_div_factor), .def = 1e4, .min = 0, .max = 1e12,
     .flags = OPT_MIN_OPEN},
    {.key = "three_phase", .help = "down to the first rate as long as it rose, then to the last",
     .type = OPT_BOOL, .at = AT(three_phase)},
    {0}};
#undef AT

struct phase {
    double end;     /* counter where it ends; need not be whole */
    double from, to; /* factors */
};

static int phases_of(const struct sched_args *a, struct phase p[3])
{
    const struct one_cycle_opts *o = a->opts;
    double first = 1 / o->div_factor, last = first / o->final_div_factor;
    double total = (double)a->total, rise = o->pct_start * total;
    int n = 0;
    p[n++] = (struct phase){rise - 1, first, 1};
    if (o->three_phase)
        p[n++] = (struct phase){2 * rise - 2, 1, first};
    p[n++] = (struct phase){total - 1, o->three_phase ? first : 1, last};
    return n;
}

static int one_cycle_check(const struct sched_args *a, struct err *e)
{
    const struct one_cycle_opts *o = a->opts;
    if (o->three_phase && o->pct_start > 0.5)
        return err_set(
            e, TT_ECONFIG,
            "schedule.pct_start is %g with schedule.three_phase (at most 0.5: it falls as "
            "long as it rises)",
            o->pct_start);
    return 0;
}

static double anneal(const struct one_cycle_opts *o, const struct phase *p, double x)
{
    if (o->anneal_strategy)
        return (p->to - p->from) * x + p->from;
    return p->to + (p->from - p->to) / 2 * (cos(M_PI * x) + 1);
}

static double one_cycle_factor(int64_t s, const struct sched_args *a)
{
    struct phase p[3];
    int n = phases_of(a, p), i = 0;
    double at = fmin((double)s, (double)(a->total - 1)), start = 0;
    for (; i < n - 1 && at > p[i].end; i++)
        start = p[i].end;
    double length = p[i].end - start;
    return anneal(a->opts, &p[i], length > 0 ? (at - start) / length : 1);
}

static void one_cycle_describe(const struct sched_args *a, char *dst, size_t size)
{
    struct phase p[3];
    int n = phases_of(a, p);
    snprintf(dst, size, "from %.2e up to %.2e at step %.0f, then down to %.2e at step %" PRId64,
             a->base_lr * p[0].from, a->base_lr, fmax(p[0].end, 0) + 1, a->base_lr * p[n - 1].to,
             a->total);
}

const struct sched_class sched_one_cycle = {
    .name = "one_cycle",
    .summary = "up from a small rate to the peak, then down far below it",
    .opts = one_cycle_rows,
    .opts_size = sizeof(struct one_cycle_opts),
    .check = one_cycle_check,
    .factor = one_cycle_factor,
    .describe = one_cycle_describe,
};
