/* Runs side by side: the curves of one metric, a table, and what the smallest optimizer costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tui/compare_data.h"
#include "tui/compare_table.h"
#include "tui/entry.h"
#include "tui/hints.h"
#include "tui/list_keys.h"
#include "tui/run_plot.h"
#include "tui/view.h"

struct compare_view {
    struct compare runs;
    struct list list;
    bool cursor;      /* a row is selected: Space pins it; else Space pauses the run */
    struct entry add; /* a run being named, or why it can't be added */
    int series;
    enum plot_x by;
    enum plot_smooth smooth;
    bool other_scale; /* not the one that the metric has by itself */
    struct plot_range range;
};

/* ---- the plot ------------------------------------------------------------------------------- */

static bool is_points(const struct compare_view *v)
{
    return v->series >= SERIES_EVAL_FIRST;
}

static bool is_log(const struct compare_view *v)
{
    return (v->series == SERIES_LOSS) != v->other_scale;
}

static double smooth_value(const struct hist_bucket *b, enum plot_smooth s)
{
    return s == SMOOTH_95 ? b->ema95 : s == SMOOTH_99 ? b->ema99 : b->sum / b->count;
}

static double last_x(const struct plot *p, const struct history *h)
{
    const struct hist_bucket *b = &h->b[h->n - 1];
    return p->by == PLOT_TIME ? b->seconds : p->by == PLOT_EPOCH ? b->epoch : (double)b->last;
}

/* The axes that hold all curves. */
static void set_ranges(struct compare_view *v, struct plot *p, double now)
{
    double x = 0, end = 0, min = NAN, max = NAN;
    enum plot_smooth smooth = is_points(v) ? SMOOTH_OFF : v->smooth;
    for (int slot = 0; slot < COMPARE_PINS; slot++) {
        const struct compare_run *r = compare_slot(&v->runs, slot);
        const struct history *h = r ? &r->series[v->series] : NULL;
        if (!h || !h->n)
            continue;
        x = fmax(x, last_x(p, h));
        end = fmax(end, (double)r->max_steps);
        for (int i = 0; i < h->n; i++) {
            double y = h->b[i].count ? smooth_value(&h->b[i], smooth) : NAN;
            if (is_log(v) && !(y > 0))
                continue;
            min = fmin(min, y);
            max = fmax(max, y);
        }
    }
    plot_x_range(p, x, v->by == PLOT_STEP ? end : 0);
    plot_y_range(p, &v->range, min, max, NAN, is_log(v), now);
}

static void draw_curve(const struct compare_view *v, struct plot *p, const struct compare_run *r)
{
    const struct history *h = &r->series[v->series];
    if (is_points(v))
        plot_letters(p, h, compare_letter(r->slot), compare_role(r->slot));
    else
        plot_history(p, h, v->smooth, compare_role(r->slot), compare_pattern(r->slot));
}

/* The dashboard's run, lies over the others. */
static void draw_plot(struct canvas *c, struct rect area, struct compare_view *v, double now)
{
    struct plot p;
    int any = 0;
    for (int slot = 0; slot < COMPARE_PINS; slot++) {
        const struct compare_run *r = compare_slot(&v->runs, slot);
        any += r && r->series[v->series].n > 0;
    }
    if (!any) {
        canvas_printf(c, area.x + 2, area.y + (area.h - 1) / 2, ROLE_DIM,
                      "%s appears after the first %s", series_name(v->series),
                      is_points(v) ? "evaluation" : "step");
        return;
    }
    plot_begin(&p, c, area,
               v->series == SERIES_LR                   ? 8
               : v->series == SERIES_SAMPLES_PER_SECOND ? 6
                                                        : 5,
               v->by == PLOT_EPOCH ? "epoch" : "step");
    p.by = v->by;
    p.labels = v->series == SERIES_LR ? LABELS_RATES : LABELS_PLAIN;
    p.top = series_top(v->series);
    set_ranges(v, &p, now);
    for (int own = 0; own < 2; own++)
        for (int slot = COMPARE_PINS - 1; slot >= 0; slot--) {
            const struct compare_run *r = compare_slot(&v->runs, slot);
            if (r && r->own == own)
                draw_curve(v, &p, r);
        }
    for (int slot = 0; slot < COMPARE_PINS && !is_points(v); slot++) {
        const struct compare_run *r = compare_slot(&v->runs, slot);
        if (r)
            plot_letter(&p, &r->series[v->series], v->smooth, compare_letter(slot),
                        compare_role(slot));
    }
    plot_end(&p, c);
}

static const char *const axis_names[] = {"step", "time", "epoch"};

static void draw_plot_pane(struct canvas *c, struct rect r, struct compare_view *v,
                           const struct uimodel *m)
{
    static const char *const smooth[] = {"EMA 0.95 ", "EMA 0.99 ", ""};
    char title[64], text[64], right[128];
    snprintf(title, sizeof title, "%s,", series_name(v->series));
    snprintf(text, sizeof text, "%sby %s%s", is_points(v) ? "" : smooth[v->smooth],
             axis_names[v->by], is_log(v) ? ", log scale" : "");
    if (m->queued)
        snprintf(right, sizeof right, "queue %d of %d", m->queue, m->queued);
    else
        run_title(m, c->level, right, sizeof right, r.w / 3);
    draw_rule(c, r.x, r.y, r.w, title, text, right);
    draw_plot(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, v, m->now);
}

/* ---- the view ------------------------------------------------------------------------------- */

/* The last row of the view: what is being typed, or why that was no run. */
static void draw_entry(struct canvas *c, struct rect r, const struct compare_view *v)
{
    int y = r.y + r.h - 1, x = r.x + 1;
    if (!v->add.open && !v->add.error[0])
        return;
    canvas_fill(c, (struct rect){r.x, y, r.w, 1}, ROLE_TEXT, ' ');
    if (!v->add.open) {
        char text[256];
        canvas_put(c, x, y, ROLE_BAD,
                   text_cut_end(c->level, text, sizeof text, v->add.error, r.w - 2));
        return;
    }
    x += canvas_put(c, x, y, ROLE_DIM, "run directory or name") + 2;
    entry_draw(&v->add, c, x, y, r.x + r.w - 1 - x, false);
}

static void compare_draw(struct view *view, struct canvas *c, struct rect r,
                         const struct uimodel *m)
{
    struct compare_view *v = view->state;
    struct layout_compare l = layout_compare(c->w, c->h, v->runs.n);
    bool beside = l.runs.x > 0;
    v->cursor |= list_clicked(&v->list);
    if (l.plot.h)
        draw_plot_pane(c, l.plot, v, m);
    draw_compare_table(c, l.runs, &v->runs, &v->list, v->cursor);
    draw_compare_text(c, l.text, &v->runs);
    if (beside) {
        draw_separator(c, l.runs.x, r.y + 1, r.h - 1);
        canvas_glyph(c, l.runs.x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
    }
    draw_entry(c, r, v);
}

static bool compare_view_poll(struct view *view, const struct uimodel *m, struct hub *hub)
{
    struct compare_view *v = view->state;
    (void)hub;
    return compare_poll(&v->runs, m);
}

/* Metrics that one of the pinned runs has. */
static bool known(const struct compare_view *v, int series)
{
    for (int slot = 0; slot < COMPARE_PINS; slot++) {
        const struct compare_run *r = compare_slot(&v->runs, slot);
        if (r && r->series[series].n > 0)
            return true;
    }
    return false;
}

static void next_series(struct compare_view *v, int direction)
{
    int s = v->series;
    do
        s = (s + direction + SERIES_COUNT) % SERIES_COUNT;
    while (s != v->series && !known(v, s));
    v->series = s;
    v->other_scale = false;
    v->range = (struct plot_range){0};
}

static unsigned say(char *message, const char *text)
{
    str_copy(message, VIEW_MESSAGE, text);
    return REACT_REDRAW | REACT_MESSAGE;
}

static struct compare_run *selected(const struct compare_view *v)
{
    return v->cursor && v->list.selected < v->runs.n ? v->runs.run[v->list.selected] : NULL;
}

static unsigned pin(struct compare_view *v, char *message)
{
    struct compare_run *r = selected(v);
    if (!r)
        return REACT_NONE;
    v->runs.chosen = true;
    v->range = (struct plot_range){0};
    if (!compare_pin(&v->runs, r, r->slot < 0))
        return say(message, "six runs are pinned: unpin one first");
    return REACT_REDRAW;
}

/* Open the selected run; without one, select the first of the others. */
static unsigned open_run(struct compare_view *v, char *message)
{
    struct compare_run *r = selected(v);
    if (!r && v->runs.n < 2)
        return say(message, "no other run");
    if (!r) {
        v->cursor = true;
        list_select(&v->list, 1);
        return REACT_REDRAW;
    }
    if (r->own)
        return say(message, "this run is open");
    str_copy(message, VIEW_MESSAGE, r->path);
    return REACT_OPEN_RUN;
}

static unsigned compare_action(struct view *view, enum action a, const struct uimodel *m,
                               char *message)
{
    struct compare_view *v = view->state;
    (void)m;
    v->add.error[0] = '\0';
    switch (a) {
    case ACTION_NEXT_PART: next_series(v, 1); return REACT_REDRAW;
    case ACTION_PREV_PART: next_series(v, -1); return REACT_REDRAW;
    case ACTION_X_AXIS: v->by = v->by == PLOT_EPOCH ? PLOT_STEP : v->by + 1; return REACT_REDRAW;
    case ACTION_SMOOTH:
        v->smooth = v->smooth == SMOOTH_OFF ? SMOOTH_95 : v->smooth + 1;
        v->range = (struct plot_range){0};
        return REACT_REDRAW;
    case ACTION_LOG_SCALE:
        v->other_scale = !v->other_scale;
        v->range = (struct plot_range){0};
        return REACT_REDRAW;
    case ACTION_PAUSE: return pin(v, message);
    case ACTION_ENTER: return open_run(v, message);
    case ACTION_ADD: entry_open(&v->add, ""); return REACT_REDRAW;
    case ACTION_BACK:
        if (!v->cursor)
            return REACT_NONE;
        v->cursor = false;
        return REACT_REDRAW;
    default: break;
    }
    if (a == ACTION_FILTER || !list_action(&v->list, a))
        return REACT_NONE;
    v->cursor = true;
    return REACT_REDRAW;
}

static void add_named(struct compare_view *v, const struct uimodel *m)
{
    struct err e = ERR_INIT;
    char *dir = file_dir(m->path), *path;
    struct compare_run *r = NULL;
    if (!rundir_resolve(dir, v->add.field.text, &path, &e)) {
        char *whole = file_absolute(path);
        r = compare_add(&v->runs, whole, &e);
        free(whole);
        free(path);
    }
    free(dir);
    if (r) {
        v->runs.chosen = true;
        if (r->slot < 0 && !compare_pin(&v->runs, r, true))
            err_set(&e, TT_EFAIL, "six runs are pinned: unpin one first");
        v->range = (struct plot_range){0};
    }
    str_copy(v->add.error, sizeof v->add.error, e.msg);
}

static bool compare_key(struct view *view, const struct key_event *k, const struct uimodel *m)
{
    struct compare_view *v = view->state;
    if (!v->add.open)
        return false;
    if (!k->pasted && (k->code == KEY_ENTER_KEY || k->code == KEY_ESCAPE)) {
        entry_close(&v->add);
        if (k->code == KEY_ENTER_KEY && v->add.field.len)
            add_named(v, m);
        return true;
    }
    return entry_key(&v->add, k);
}

static void compare_view_release(struct view *view)
{
    struct compare_view *v = view->state;
    compare_release(&v->runs);
}

static void compare_hints(const struct view *view, const struct uimodel *m, char *dst, size_t size)
{
    const struct compare_view *v = view->state;
    char next[32];
    if (v->add.open) {
        hint_add(dst, size, ACTION_ENTER, "add");
        hint_add(dst, size, ACTION_BACK, "leave");
        return;
    }
    hint_ended(dst, size, m);
    snprintf(next, sizeof next, "by %s", axis_names[(v->by + 1) % 3]);
    hint_add(dst, size, ACTION_X_AXIS, next);
    hint_pair(dst, size, ACTION_PREV_PART, ACTION_NEXT_PART, " ", "metric");
    if (v->cursor)
        hint_add(dst, size, ACTION_PAUSE, selected(v) && selected(v)->slot >= 0 ? "unpin" : "pin");
    else if (run_takes_commands(m))
        hint_add(dst, size, ACTION_PAUSE, m->text.state == RUN_PAUSED ? "resume" : "pause");
    hint_add(dst, size, ACTION_ENTER, "open run");
}

static const struct view_key compare_keys[] = {
    {ACTION_UP, ACTION_DOWN, "select a run; Esc: none"},
    {ACTION_PAUSE, ACTION_NONE, "pin, unpin the selected run"},
    {ACTION_ENTER, ACTION_NONE, "open the selected run"},
    {ACTION_ADD, ACTION_NONE, "add a run by its name or folder"},
    {ACTION_PREV_PART, ACTION_NEXT_PART, "another metric"},
    {ACTION_NONE, ACTION_NONE, NULL},
};

const struct view_class view_compare = {
    .name = "compare",
    .key = "7",
    .state_size = sizeof(struct compare_view),
    .draw = compare_draw,
    .action = compare_action,
    .key_event = compare_key,
    .hints = compare_hints,
    .poll = compare_view_poll,
    .release = compare_view_release,
    .keys = compare_keys,
    .of_several = true,
};
