/* The loss, or another metric of the run: plot, the values under the cursor, and with enough
 * rows a table of all metrics. */
#include "tui/end_words.h"
#include "tui/hints.h"
#include "tui/list_keys.h"
#include "tui/reading.h"
#include "tui/series_table.h"
#include "tui/view.h"

struct loss_view {
    struct series_plot plot;
    struct list table;
    bool has_table; /* at this size */
    bool chosen;    /* a row of the table */
};

/* ---- metrics to choose from ----------------------------------------------------------------- */

static void choose(struct loss_view *v, int series)
{
    v->plot.series = series;
    v->plot.range = (struct plot_range){0};
}

static void choose_next(struct loss_view *v, const struct uimodel *m, int direction)
{
    int known[SERIES_COUNT], n = known_series(m, known), at = 0;
    while (at < n && known[at] != v->plot.series)
        at++;
    choose(v, known[(at + direction + n) % n]);
}

/* ---- marks ---------------------------------------------------------------------------------- */

/* Take `step` when it is the nearest so far in that direction from `from`. */
static void nearest(int64_t *best, int64_t from, int direction, int64_t step)
{
    if (direction * (step - from) > 0 && (!*best || direction * (*best - step) > 0))
        *best = step;
}

/* The next evaluation, edit or step that is not finite; 0: none. */
static int64_t next_mark(const struct uimodel *m, int64_t from, int direction)
{
    const struct history *loss = &m->series[SERIES_LOSS], *eval = uimodel_metric(m, METRIC_LOSS);
    int64_t best = 0;
    for (int i = 0; i < eval->n; i++)
        nearest(&best, from, direction, eval->b[i].last);
    for (int i = 0; i < m->nedits; i++)
        nearest(&best, from, direction, m->edits[i].step);
    for (int i = 0; i < loss->n; i++)
        if (loss->b[i].nonfinite)
            nearest(&best, from, direction, loss->b[i].first);
    return best;
}

/* ---- the view ------------------------------------------------------------------------------- */

static void loss_draw(struct view *view, struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct loss_view *v = view->state;
    struct layout_loss l = layout_loss(c->w, c->h);
    (void)r;
    v->has_table = l.series.h > 1;
    v->plot.marks = true;
    v->chosen |= list_clicked(&v->table);
    draw_series_plot(c, (struct rect){l.plot.x, l.plot.y + 1, l.plot.w, l.plot.h - 1}, m, &v->plot);
    plot_window_hot(&v->plot.window, c, &v->plot.drawn, m,
                    m->series[SERIES_LOSS].last_step);
    draw_series_rule(c, l.plot, m, &v->plot, true);
    if (ended_badly(m) && !v->plot.window.cursor)
        draw_end_words(c, l.reading, m);
    else
        draw_reading(c, l.reading, m, &v->plot);
    if (v->has_table)
        draw_series_table(c, l.series, m, &v->table, v->chosen, v->plot.series);
}

static unsigned jump(struct loss_view *v, const struct uimodel *m, int direction, char *message)
{
    int64_t now = m->series[SERIES_LOSS].last_step;
    int64_t from = v->plot.window.cursor ? v->plot.window.cursor : direction > 0 ? 0 : now + 1;
    int64_t step = next_mark(m, from, direction);
    if (!step) {
        str_copy(message, 256, "no mark that way: no evaluation, edit, nan or inf");
        return REACT_REDRAW | REACT_MESSAGE;
    }
    plot_window_cursor(&v->plot.window, m, step);
    return REACT_REDRAW;
}

static unsigned loss_action(struct view *view, enum action a, const struct uimodel *m,
                            char *message)
{
    struct loss_view *v = view->state;
    int known[SERIES_COUNT], n;
    switch (a) {
    case ACTION_NEXT_PART: choose_next(v, m, 1); return REACT_REDRAW;
    case ACTION_PREV_PART: choose_next(v, m, -1); return REACT_REDRAW;
    case ACTION_SMOOTH:
        v->plot.smooth = v->plot.smooth == SMOOTH_OFF ? SMOOTH_95 : v->plot.smooth + 1;
        return REACT_REDRAW;
    case ACTION_LOG_SCALE:
        v->plot.log = !v->plot.log;
        v->plot.range = (struct plot_range){0};
        return REACT_REDRAW;
    case ACTION_NEW: return jump(v, m, 1, message);
    case ACTION_PREV_MARK: return jump(v, m, -1, message);
    case ACTION_ENTER:
        n = known_series(m, known);
        if (!v->has_table || !v->chosen || v->table.selected >= n)
            return REACT_NONE;
        choose(v, known[v->table.selected]);
        return REACT_REDRAW;
    default: break;
    }
    if (plot_window_action(&v->plot.window, a, m, m->series[SERIES_LOSS].last_step))
        return REACT_REDRAW;
    if (!v->has_table || a == ACTION_FILTER || !list_action(&v->table, a))
        return REACT_NONE;
    v->chosen = true;
    return REACT_REDRAW;
}

static void loss_hints(const struct view *view, const struct uimodel *m, char *dst, size_t size)
{
    (void)view;
    if (!m->series[SERIES_LOSS].n) {
        hint_run(dst, size, m);
        return;
    }
    if (hint_ended(dst, size, m)) {
        hint_add(dst, size, ACTION_VIEW_9, "log");
        hint_add(dst, size, ACTION_NEW, "next mark");
    }
    hint_pair(dst, size, ACTION_LEFT, ACTION_RIGHT, "", "cursor");
    hint_pair(dst, size, ACTION_ZOOM_IN, ACTION_ZOOM_OUT, "", "zoom");
    hint_add(dst, size, ACTION_SMOOTH, "smooth");
    hint_add(dst, size, ACTION_LOG_SCALE, "log");
    hint_add(dst, size, ACTION_X_AXIS, "axis");
    hint_add(dst, size, ACTION_FOLLOW, "follow");
    hint_add(dst, size, ACTION_NEW, "next mark");
}

static const struct view_key loss_keys[] = {
    {ACTION_PREV_PART, ACTION_NEXT_PART, "another metric"},
    {ACTION_NEW, ACTION_PREV_MARK, "evaluation, edit, nan or inf"},
    {ACTION_ENTER, ACTION_NONE, "plot the metric of the table"},
    {ACTION_NONE, ACTION_NONE, NULL},
};

const struct view_class view_loss = {
    .name = "loss",
    .key = "2",
    .state_size = sizeof(struct loss_view),
    .draw = loss_draw,
    .action = loss_action,
    .hints = loss_hints,
    .tells_end = true,
    .keys = loss_keys,
};
