/* Zoom, pan, follow and cursor of a plot. */
#include "tui/plot_window.h"

#include <math.h>

#include "tui/hot.h"

#define FEWEST_STEPS 8 /* that a zoomed plot shows */

static const struct hist_bucket *newest(const struct uimodel *m)
{
    const struct history *h = &m->series[SERIES_LOSS];
    return h->n ? &h->b[h->n - 1] : NULL;
}

static double bucket_x(enum plot_x by, const struct hist_bucket *b)
{
    return by == PLOT_TIME ? b->seconds : by == PLOT_EPOCH ? b->epoch : (double)b->last;
}

/* Units of x that a step takes from now on. */
static double x_per_step(const struct uimodel *m, enum plot_x by)
{
    double step = by == PLOT_TIME    ? m->text.step_seconds
                  : by == PLOT_EPOCH ? 1 / (double)m->text.steps_per_epoch
                                     : 1;
    return isfinite(step) && step > 0 ? step : 1;
}

double run_x(const struct uimodel *m, enum plot_x by, double step)
{
    const struct hist_bucket *last = newest(m);
    if (by == PLOT_STEP || !last)
        return step * x_per_step(m, by);
    if (step >= (double)last->last)
        return bucket_x(by, last) + (step - (double)last->last) * x_per_step(m, by);
    const struct history *h = &m->series[SERIES_LOSS];
    int i = history_find(h, (int64_t)step);
    if (i < 0)
        return bucket_x(by, &h->b[0]) * fmax(step, 0) / fmax(1, (double)h->b[0].last);
    return bucket_x(by, &h->b[i]);
}

double run_step(const struct uimodel *m, enum plot_x by, double x)
{
    const struct hist_bucket *last = newest(m);
    if (by == PLOT_STEP || !last)
        return x / x_per_step(m, by);
    if (x >= bucket_x(by, last))
        return (double)last->last + (x - bucket_x(by, last)) / x_per_step(m, by);
    const struct history *h = &m->series[SERIES_LOSS];
    int lo = 0, hi = h->n - 1; /* the first bucket that does not end before x */
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (bucket_x(by, &h->b[mid]) < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (double)h->b[lo].last;
}

void plot_window_apply(struct plot_window *w, struct plot *p, const struct uimodel *m, int64_t last)
{
    int64_t now = m->series[SERIES_LOSS].last_step;
    p->by = w->by;
    if (w->by == PLOT_EPOCH)
        p->unit = "epoch";
    if (last > 0)
        plot_x_fixed(p, 0, run_x(m, w->by, (double)last));
    else
        plot_x_range(p, run_x(m, w->by, (double)now), run_x(m, w->by, (double)m->text.max_steps));
    w->full = p->x1;
    double end = w->frozen ? w->end : run_x(m, w->by, (double)now);
    if (w->span > 0)
        plot_x_fixed(p, fmax(0, end - w->span), fmax(0, end - w->span) + w->span);
    else if (w->frozen)
        plot_x_fixed(p, 0, w->end);
    w->x0 = p->x0;
    w->x1 = p->x1;
    w->dot = plot_dots_x(p) > 1 ? (p->x1 - p->x0) / (plot_dots_x(p) - 1) : 1;
}

static void freeze_at(struct plot_window *w, double x0, double span)
{
    w->frozen = true;
    w->span = span;
    w->end = fmax(0, x0) + span;
}

static void whole(struct plot_window *w)
{
    w->span = 0;
    w->frozen = false;
}

/* The window around the cursor, or at the newest step when there is none, as wide as `factor`
 * says. */
static void zoom(struct plot_window *w, const struct uimodel *m, double factor)
{
    double span = (w->x1 - w->x0) * factor;
    double fewest = FEWEST_STEPS * x_per_step(m, w->by);
    if (span >= w->full) {
        whole(w);
        return;
    }
    if (span < fewest)
        return;
    if (w->cursor) {
        double x = run_x(m, w->by, (double)w->cursor);
        freeze_at(w, x - (x - w->x0) * factor, span);
    } else if (w->frozen) {
        freeze_at(w, w->x1 - span, span);
    } else {
        w->span = span;
    }
}

static void pan(struct plot_window *w, const struct uimodel *m, double part)
{
    double span = w->x1 - w->x0;
    double now = run_x(m, w->by, (double)m->series[SERIES_LOSS].last_step);
    freeze_at(w, w->x0 + part * span, span);
    if (part > 0 && w->end >= now) {
        w->frozen = false;
        w->span = span < w->full ? span : 0;
    }
}

void plot_window_hot(struct plot_window *w, const struct canvas *c, const struct plot *p,
                     const struct uimodel *m, int64_t last)
{
    w->model = m;
    w->last = last;
    if (p->cols > 0)
        hot_add(c, (struct rect){p->area.x + p->gutter + 1, p->area.y, p->cols, p->rows + 1}, HOT_PLOT, w, 0);
}

void plot_window_click(struct plot_window *w, struct rect r, int x)
{
    const struct uimodel *m = w->model;
    double at = w->x0 + (x - r.x + 0.5) / r.w * (w->x1 - w->x0);
    int64_t step = llround(run_step(m, w->by, at));
    plot_window_cursor(w, m, step < 1 ? 1 : step > w->last ? w->last : step);
}

void plot_window_cursor(struct plot_window *w, const struct uimodel *m, int64_t step)
{
    double x = run_x(m, w->by, (double)step), span = w->x1 - w->x0;
    w->cursor = step;
    if (x < w->x0)
        freeze_at(w, x - span / 4, span);
    else if (x > w->x1)
        freeze_at(w, x - 3 * span / 4, span);
}

static int64_t limit(double step, int64_t last)
{
    return step < 1 ? 1 : step > (double)last ? last : (int64_t)llrint(step);
}

/* By one dot column, by one step at least. The first press puts the cursor on the newest step. */
static void move_cursor(struct plot_window *w, const struct uimodel *m, int direction, int64_t last)
{
    int64_t now = m->series[SERIES_LOSS].last_step;
    if (last < 1 || now < 1)
        return;
    if (!w->cursor) {
        plot_window_cursor(w, m, now);
        return;
    }
    double x = run_x(m, w->by, (double)w->cursor) + direction * w->dot;
    int64_t step = limit(run_step(m, w->by, x), last);
    if (direction * (step - w->cursor) <= 0)
        step = limit((double)(w->cursor + direction), last);
    plot_window_cursor(w, m, step);
}

static void next_axis(struct plot_window *w)
{
    w->by = w->by == PLOT_EPOCH ? PLOT_STEP : w->by + 1;
    whole(w);
}

bool plot_window_action(struct plot_window *w, enum action a, const struct uimodel *m, int64_t last)
{
    switch (a) {
    case ACTION_LEFT: move_cursor(w, m, -1, last); break;
    case ACTION_RIGHT: move_cursor(w, m, 1, last); break;
    case ACTION_ZOOM_IN: zoom(w, m, 0.5); break;
    case ACTION_ZOOM_OUT: zoom(w, m, 2); break;
    case ACTION_ZOOM_RESET: whole(w); break;
    case ACTION_PAN_LEFT: pan(w, m, -0.25); break;
    case ACTION_PAN_RIGHT: pan(w, m, 0.25); break;
    case ACTION_X_AXIS: next_axis(w); break;
    case ACTION_FOLLOW:
        w->frozen = !w->frozen;
        w->end = w->x1;
        break;
    case ACTION_BACK:
        if (!w->cursor && !w->span && !w->frozen)
            return false;
        if (!w->cursor)
            whole(w);
        w->cursor = 0;
        break;
    default: return false;
    }
    return true;
}
