/* The table of evaluations. */
#include "tui/eval_history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/layout.h"
#include "tui/overview_panes.h"
#include "tui/run_plot.h"

enum { COLUMN = 10, FIRST_END = 22, CHANGE = 18 };

static const enum metric *history_metrics(const struct uimodel *m, int *n)
{
    static const enum metric classes[] = {METRIC_ACCURACY, METRIC_F1, METRIC_PRECISION,
                                          METRIC_RECALL, METRIC_LOSS};
    static const enum metric values[] = {METRIC_PEARSON, METRIC_SPEARMAN, METRIC_MAE, METRIC_MSE,
                                         METRIC_LOSS};
    *n = 5;
    return m->problem == PROBLEM_REGRESSION ? values : classes;
}

/* "f1 macro": which mean of the classes it is. */
static char *metric_label(char dst[32], const struct uimodel *m, enum metric k)
{
    static const char *const averages[] = {"macro", "binary", "micro", "weighted"};
    bool known = m->have_report || m->rc;
    int average = m->have_report ? (int)m->report->average : m->rc ? m->rc->eval.average : 0;
    if (k == METRIC_F1 && known)
        snprintf(dst, 32, "f1 %s", averages[average]);
    else
        str_copy(dst, 32, metric_descs[k].name);
    return dst;
}

static void draw_history_rule(struct canvas *c, struct rect r, const struct uimodel *m)
{
    char name[128], rows[32], text[96] = "";
    int n = 0;
    if (m->have_report)
        n = snprintf(text, sizeof text, "%s rows, ",
                     str_commas(rows, sizeof rows, m->report->rows));
    snprintf(text + n, sizeof text - (size_t)n, "* best %s", metric_descs[best_metric(m)].name);
    bool any = uimodel_metric(m, METRIC_LOSS)->n > 0;
    draw_rule(c, r.x, r.y, r.w, "evaluation", any ? text : NULL,
              run_title(m, c->level, name, sizeof name, r.w / 3));
    if (any && canvas_at(c, r.x + 14 + n, r.y)->ch == '*')
        canvas_put(c, r.x + 14 + n, r.y, ROLE_OK, "*");
}

/* One evaluation: its step, its scores; the best one is marked. */
static void draw_column(struct canvas *c, int x_end, int y, const struct uimodel *m,
                        const struct hist_bucket *at)
{
    int n;
    const enum metric *k = history_metrics(m, &n);
    bool best = at->last == m->text.best_steps[best_metric(m)];
    char text[32];
    canvas_right(c, x_end, y, ROLE_DIM, str_commas(text, sizeof text, at->last));
    if (best)
        canvas_put(c, x_end, y, ROLE_OK, "*");
    for (int i = 0; i < n; i++) {
        const struct history *h = uimodel_metric(m, k[i]);
        int j = history_find(h, at->last);
        bool measured = j >= 0 && h->b[j].last == at->last;
        double v = measured ? h->b[j].value : NAN;
        enum role role = measured && !isfinite(v)           ? ROLE_BAD
                         : best && k[i] == best_metric(m) ? ROLE_OK
                                                          : ROLE_TEXT;
        canvas_right(c, x_end, y + 1 + i, role,
                     (measured ? fmt_measured : fmt_loss)(text, sizeof text, v, c->level));
    }
}

static void draw_change(struct canvas *c, int x_end, int y, const struct uimodel *m)
{
    int n;
    const enum metric *k = history_metrics(m, &n);
    char text[32];
    canvas_right(c, x_end, y, ROLE_DIM, "change");
    for (int i = 0; i < n; i++) {
        const struct history *h = uimodel_metric(m, k[i]);
        double change = h->n > 1 ? h->b[h->n - 1].value - h->b[h->n - 2].value : NAN;
        if (isfinite(change))
            snprintf(text, sizeof text, "%+.4f", change);
        else
            str_copy(text, sizeof text, glyph_text(c->level, GLYPH_MISSING));
        canvas_right(c, x_end, y + 1 + i, ROLE_DIM, text);
    }
}

/* Last and best, for a compact screen. */
static void draw_last(struct canvas *c, struct rect r, const struct uimodel *m)
{
    const enum metric *k = main_metrics(m);
    char value[32], words[64];
    for (int i = 0; i < 3 && i < r.h - 1; i++) {
        canvas_put(c, r.x + 1, r.y + 1 + i, ROLE_DIM, metric_descs[k[i]].name);
        canvas_put(c, r.x + 11, r.y + 1 + i, last_score_role(m, k[i]),
                   last_score(m, k[i], c->level, value, sizeof value));
        canvas_put(c, r.x + 20, r.y + 1 + i, ROLE_DIM,
                   best_words(m, k[i], c->level, r.w - 21, words, sizeof words));
    }
}

void draw_eval_history(struct canvas *c, struct rect r, const struct uimodel *m)
{
    const struct history *h = uimodel_metric(m, METRIC_LOSS);
    char text[96];
    draw_history_rule(c, r, m);
    if (!h->n) {
        canvas_put(c, r.x + 1, r.y + 1, ROLE_DIM, no_evaluation_words(m, text, sizeof text));
        return;
    }
    if (size_class_of(c->w, c->h) <= SIZE_COMPACT) {
        draw_last(c, r, m);
        return;
    }
    int n, room = (r.w - FIRST_END - CHANGE) / COLUMN > 1 ? (r.w - FIRST_END - CHANGE) / COLUMN : 1;
    const enum metric *k = history_metrics(m, &n);
    int first = h->n > room ? h->n - room : 0;
    canvas_put(c, r.x + 1, r.y + 1, ROLE_DIM, "step");
    for (int i = 0; i < n; i++)
        canvas_put(c, r.x + 1, r.y + 2 + i, ROLE_DIM, metric_label(text, m, k[i]));
    for (int i = first; i < h->n; i++)
        draw_column(c, r.x + FIRST_END + (i - first) * COLUMN, r.y + 1, m, &h->b[i]);
    draw_change(c, r.x + FIRST_END + (room - 1) * COLUMN + CHANGE, r.y + 1, m);
}
