/* What a plot shows: the ranges of both axes. */
#include <math.h>

#include "tui/plot_cell.h"

/* Seconds of the unit that an x axis by time uses, and its name. */
static double time_unit(double seconds, const char **name)
{
    *name = seconds < 300 ? "s" : seconds < 18000 ? "min" : "h";
    return seconds < 300 ? 1 : seconds < 18000 ? 60 : 3600;
}

double plot_x_scale(struct plot *p, double range)
{
    return p->by == PLOT_TIME ? time_unit(range, &p->unit) : 1;
}

static double whole_steps(double step)
{
    step = fmax(step, 1);
    return step == rint(step) ? step : axis_round_up(2 * step);
}

void plot_x_fixed(struct plot *p, double x0, double x1)
{
    double scale = plot_x_scale(p, x1 - x0);
    p->x0 = x0;
    p->x1 = x1 > x0 ? x1 : x0 + 1;
    p->x_step = axis_x_step(p->x0 / scale, p->x1 / scale, p->area.w) * scale;
    if (p->by == PLOT_STEP)
        p->x_step = whole_steps(p->x_step);
}

void plot_x_range(struct plot *p, double now, double end)
{
    double x1 = now;
    for (int i = 0; i < 2; i++) { /* rounding up may lead into the next unit of time */
        double scale = plot_x_scale(p, x1);
        x1 = axis_round_up(1.02 * now / scale) * scale;
    }
    plot_x_fixed(p, 0, end > 0 && end < x1 ? end : x1);
}

double plot_bucket_x(const struct plot *p, const struct hist_bucket *b)
{
    switch (p->by) {
    case PLOT_TIME: return b->seconds;
    case PLOT_EPOCH: return b->epoch;
    case PLOT_STEP: break;
    }
    return ((double)b->first + (double)b->last) / 2;
}

/* The lower end of a linear axis: 0 when it is near enough. */
static double from_zero(double lo, double hi)
{
    return lo >= 0 && lo < hi / 3 ? 0 : lo;
}

static bool has_labels(const struct plot *p, const struct axis *a)
{
    char text[32];
    for (int i = 0; i <= a->intervals; i++)
        if (!*axis_label(text, sizeof text, a->lo + i * a->step, a->step, p->labels, p->gutter))
            return false;
    return true;
}

struct axis plot_axis(const struct plot *p, double lo, double hi, int intervals)
{
    struct axis a = axis_linear(lo, hi, intervals);
    for (int i = 0; i < 60 && !has_labels(p, &a); i++) {
        double margin = (a.hi - a.lo) / 2;
        a = axis_linear(lo >= 0 ? fmax(a.lo - margin, 0) : a.lo - margin, a.hi + margin, intervals);
    }
    return a;
}

/* The same ticks from the top down where an axis would go on beyond it. */
static struct axis up_to(double top, struct axis a)
{
    double step = axis_round_up((top - a.lo) / a.intervals);
    if (top - step * a.intervals < 0 && a.lo >= 0)
        step = top / a.intervals;
    return (struct axis){.lo = top - step * a.intervals, .hi = top, .step = step, .intervals = a.intervals};
}

static struct axis y_axis(const struct plot *p, double lo, double hi, bool log)
{
    int intervals = axis_intervals(p->rows);
    if (log && hi > 0)
        return axis_log(lo > 0 ? lo : hi / 1000, hi, intervals);
    struct axis fine = plot_axis(p, from_zero(lo, hi), hi, intervals);
    struct axis coarse = plot_axis(p, from_zero(lo, hi), hi, intervals == 8 ? 4 : intervals);
    struct axis a = coarse.hi - coarse.lo < fine.hi - fine.lo ? coarse : fine; /* not blank rows */
    return hi <= p->top && a.hi > p->top ? up_to(p->top, a) : a;
}

void plot_y_fixed(struct plot *p, double lo, double hi)
{
    p->y = axis_linear(lo, hi, axis_intervals(p->rows));
}

static bool known(const struct plot_range *r)
{
    return r->lo != 0 || r->hi != 0;
}

/* The range in force after values between lo and hi: it grows at once and shrinks when less than
 * half of it was needed for 5 seconds. */
static void follow(const struct plot *p, struct plot_range *r, double lo, double hi, bool log,
                   double now)
{
    struct axis a = y_axis(p, r->lo, r->hi, log);
    bool small = axis_part(&a, hi) - axis_part(&a, log ? lo : from_zero(lo, hi)) < 0.5;
    if (!small)
        r->small_since = 0;
    else if (r->small_since == 0)
        r->small_since = now;
    if (!known(r) || (small && now - r->small_since >= 5))
        *r = (struct plot_range){.lo = lo, .hi = hi, .hold = r->hold};
    r->lo = fmin(r->lo, lo);
    r->hi = fmax(r->hi, hi);
}

void plot_y_range(struct plot *p, struct plot_range *old, double min, double smooth_max,
                  double raw_995, bool log, double now)
{
    double hi = fmax(smooth_max, raw_995); /* of a number and NaN: the number */
    if (isfinite(min) && isfinite(hi) && !(known(old) && old->hold))
        follow(p, old, min, hi, log, now);
    if (known(old))
        p->y = y_axis(p, old->lo, old->hi, log);
}

/* The value that one in 200 buckets lies above. */
static double high_point(const struct hist_bucket *b, int n)
{
    double top[HISTORY_BUCKETS / 200 + 1]; /* the largest, falling */
    int above = n / 200, used = 0;
    for (int i = 0; i < n; i++) {
        if (!b[i].count || (used > above && b[i].max <= top[used - 1]))
            continue;
        int at = used > above ? above : used++;
        for (; at > 0 && top[at - 1] < b[i].max; at--)
            top[at] = top[at - 1];
        top[at] = b[i].max;
    }
    return used ? top[used - 1] : NAN;
}

void plot_y_history(struct plot *p, struct plot_range *old, const struct history *const *h, int n,
                    enum plot_smooth s, bool log, double now)
{
    double min = NAN, smooth_max = NAN, raw = NAN;
    for (int k = 0; k < n; k++) {
        int from, to;
        plot_visible(p, h[k], &from, &to);
        raw = fmax(raw, high_point(h[k]->b + from, to - from));
        for (int i = from; i < to; i++) {
            const struct hist_bucket *b = &h[k]->b[i];
            if (!b->count || (log && b->min <= 0))
                continue;
            min = fmin(min, b->min);
            if (s != SMOOTH_OFF)
                smooth_max = fmax(smooth_max, s == SMOOTH_95 ? b->ema95 : b->ema99);
        }
    }
    plot_y_range(p, old, min, smooth_max, raw, log, now);
}
