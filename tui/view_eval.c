/* Evaluation: the newest scores, classes, confusion. */
#include <stdio.h>

#include "tui/class_table.h"
#include "tui/eval_history.h"
#include "tui/hints.h"
#include "tui/list_keys.h"
#include "tui/overview_panes.h"
#include "tui/run_plot.h"
#include "tui/view.h"

struct eval_view {
    struct class_table table;
    struct plot_range range;
};

static int classes(const struct uimodel *m)
{
    if (m->have_report)
        return m->report->n;
    return m->labels.n ? (int)m->labels.n : 1;
}

/* The points of the deciding score, beside the table of evaluations. */
static void draw_points(struct canvas *c, struct rect r, const struct uimodel *m,
                        struct plot_range *range)
{
    enum metric k = *m->text.best_metric ? best_metric(m) : main_metrics(m)[0];
    if (r.h < 3)
        return;
    draw_rule(c, r.x, r.y, r.w, metric_descs[k].name, NULL, NULL);
    canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
    draw_separator(c, r.x, r.y + 1, r.h - 1);
    draw_score_plot(c, (struct rect){r.x + 1, r.y + 1, r.w - 1, r.h - 1}, m, k, range);
}

static void eval_draw(struct view *view, struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct eval_view *v = view->state;
    struct layout_eval l = layout_eval(c->w, c->h, classes(m));
    (void)r;
    draw_eval_history(c, l.history, m);
    draw_points(c, l.plot, m, &v->range);
    draw_class_table(c, l.table, m, &v->table);
    draw_confused(c, l.confused, m, &v->table);
}

/* The rows behind the chosen cell, in the data view. */
static unsigned show_rows(const struct eval_view *v, const struct uimodel *m, char *message)
{
    int row, column;
    if (!class_table_cell(&v->table, m, &row, &column))
        return REACT_NONE;
    if (!m->report->kept) {
        snprintf(message, VIEW_MESSAGE, "the rows of a cell are kept up to %d rows, %d classes",
                 EVAL_ROWS_KEPT, EVAL_CLASSES_KEPT);
        return REACT_REDRAW | REACT_MESSAGE;
    }
    snprintf(message, VIEW_MESSAGE, "d %d %d", row, column);
    return REACT_SHOW;
}

static unsigned eval_action(struct view *view, enum action a, const struct uimodel *m,
                            char *message)
{
    struct eval_view *v = view->state;
    if (a == ACTION_LEFT || a == ACTION_RIGHT)
        return class_table_choose(&v->table, m, a == ACTION_LEFT ? -1 : 1) ? REACT_REDRAW
                                                                           : REACT_NONE;
    if (a == ACTION_ENTER)
        return show_rows(v, m, message);
    if (!m->have_report || a == ACTION_FILTER)
        return REACT_NONE;
    return list_action(&v->table.list, a) ? REACT_REDRAW : REACT_NONE;
}

static void eval_hints(const struct view *view, const struct uimodel *m, char *dst, size_t size)
{
    const struct eval_view *v = view->state;
    int row, column;
    hint_ended(dst, size, m);
    if (m->have_report && m->report->problem != PROBLEM_REGRESSION)
        hint_pair(dst, size, ACTION_UP, ACTION_DOWN, "", "class");
    if (class_table_cell(&v->table, m, &row, &column)) {
        hint_pair(dst, size, ACTION_LEFT, ACTION_RIGHT, "", "columns");
        hint_add(dst, size, ACTION_ENTER, "rows of a cell");
    }
    if (run_takes_commands(m) && run_evaluates(m))
        hint_add(dst, size, ACTION_EVALUATE, "evaluate");
    if (run_takes_commands(m))
        hint_add(dst, size, ACTION_SAVE, "save");
}

static const struct view_key eval_keys[] = {
    {ACTION_UP, ACTION_DOWN, "class"},
    {ACTION_LEFT, ACTION_RIGHT, "columns of the matrix"},
    {ACTION_ENTER, ACTION_NONE, "rows of the chosen cell"},
    {ACTION_NONE, ACTION_NONE, NULL},
};

const struct view_class view_eval = {
    .name = "eval",
    .key = "5",
    .state_size = sizeof(struct eval_view),
    .draw = eval_draw,
    .action = eval_action,
    .hints = eval_hints,
    .keys = eval_keys,
};
