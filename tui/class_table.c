/* Classes and their confusion. */
#include "tui/class_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/layout.h"
#include "tui/list_keys.h"

enum { PREC_END = 21, RECALL_END = 29, F1_END = 37, MATRIX_AT = 38, CELL = 4 };
#define WARN_SHARE 0.05 /* of the row */
#define DIM_SHARE 0.02

static bool has_matrix(const struct uimodel *m)
{
    return m->have_report && m->report->confusion && m->report->problem == PROBLEM_CLASSES;
}

/* Columns of a cell: its largest number and a blank. */
static int cell_width(const struct uimodel *m)
{
    const struct eval_report *rep = m->report;
    int64_t most = 0;
    char text[32];
    for (int64_t i = 0; i < (int64_t)rep->n * rep->n; i++)
        most = rep->confusion[i] > most ? rep->confusion[i] : most;
    int w = (int)strlen(str_commas(text, sizeof text, most)) + 1;
    return w > CELL ? w : CELL;
}

/* What a cell, a class, a table gets at this width: names take the room that the matrix leaves. */
struct geometry {
    int shift;   /* columns that the names have more than in the pictures */
    int cell, columns;
    int label;   /* columns of number and name */
};

static struct geometry geometry(const struct uimodel *m, int w)
{
    enum { LABEL = 13, LONGEST = 40 };
    struct geometry g = {.cell = CELL};
    int room = w - MATRIX_AT, n = m->report->n, longest = LABEL;
    if (has_matrix(m)) {
        g.cell = cell_width(m);
        g.columns = room / g.cell < n ? room / g.cell : n;
    }
    int spare = g.columns < n && has_matrix(m) ? 0 : room - g.columns * g.cell - 2;
    for (int i = 0; i < n && spare > 0; i++) {
        char name[32];
        int width = 4 + text_width(uimodel_label(m, i, name));
        longest = width > longest ? width : longest;
    }
    longest = longest > LONGEST ? LONGEST : longest;
    g.shift = longest - LABEL < spare ? longest - LABEL : spare;
    g.shift = g.shift > 0 ? g.shift : 0;
    g.label = LABEL + g.shift;
    return g;
}

/* With its number: two classes may have one name. */
static const char *class_name(void *user, int i)
{
    static char text[192];
    char name[32];
    snprintf(text, sizeof text, "%d %s", i, uimodel_label(user, i, name));
    return text;
}

/* ---- the matrix ----------------------------------------------------------------------------- */

static void draw_cell(struct canvas *c, int x_end, int y, const struct uimodel *m, int row,
                      int column, bool chosen)
{
    int64_t v = m->report->confusion[(int64_t)row * m->report->n + column];
    double share = (double)v / fmax(1, (double)m->report->cls[row].support);
    char text[32];
    if (v == 0)
        canvas_right(c, x_end, y, chosen ? ROLE_FOCUS : ROLE_DIM, glyph_text(c->level, GLYPH_ZERO));
    else
        canvas_right(c, x_end, y,
                     chosen               ? ROLE_FOCUS
                     : row == column      ? ROLE_TITLE
                     : share > WARN_SHARE ? ROLE_WARN
                     : share < DIM_SHARE  ? ROLE_DIM
                                          : ROLE_TEXT,
                     str_commas(text, sizeof text, v));
}

static void draw_matrix_row(struct canvas *c, struct rect r, int y, const struct uimodel *m,
                            int row, const struct geometry *g, const struct class_table *t)
{
    int x = r.x + MATRIX_AT + g->shift;
    for (int i = 0; i < g->columns; i++)
        draw_cell(c, x + (i + 1) * g->cell, y, m, row, t->first_column + i,
                  t->chosen && row == t->list.selected && t->first_column + i == t->column);
}

static void draw_matrix_head(struct canvas *c, struct rect r, int y, const struct geometry *g,
                             int first)
{
    int x = r.x + MATRIX_AT + g->shift;
    char text[16];
    for (int i = 0; i < g->columns; i++) {
        snprintf(text, sizeof text, "%d", first + i);
        canvas_right(c, x + (i + 1) * g->cell, y, ROLE_DIM, text);
    }
}

/* ---- the scores ----------------------------------------------------------------------------- */

/* The `?` of an undefined one may take the place of the separator, so that numbers stay in line. */
static void draw_score(struct canvas *c, int x_end, int y, double v, bool undefined, enum role role)
{
    char text[32];
    canvas_right(c, x_end, y, undefined ? ROLE_WARN : role,
                 fmt_score(text, sizeof text, v, c->level));
    if (undefined)
        canvas_put(c, x_end, y, ROLE_WARN, "?");
}

static void draw_class(struct canvas *c, struct rect r, int y, const struct uimodel *m, int i,
                       const struct geometry *g)
{
    const struct class_score *s = &m->report->cls[i];
    char name[32], text[160], digits[16];
    int width = snprintf(digits, sizeof digits, "%d ", i);
    canvas_put(c, r.x + 1, y, ROLE_TEXT, digits);
    text_cut_middle(c->level, text, sizeof text, uimodel_label(m, i, name), g->label - width);
    canvas_put(c, r.x + 1 + width, y, ROLE_TEXT, text);
    draw_score(c, r.x + PREC_END + g->shift, y, s->precision, s->undefined & 1, ROLE_TEXT);
    draw_score(c, r.x + RECALL_END + g->shift, y, s->recall, s->undefined & 2, ROLE_TEXT);
    draw_score(c, r.x + F1_END + g->shift, y, s->f1, s->undefined & 4, ROLE_TEXT);
}

static void draw_table_rule(struct canvas *c, struct rect r, const struct uimodel *m,
                            const struct list *l, const struct geometry *g)
{
    char title[48] = "class", head[64];
    bool matrix = g->columns > 0;
    if (l->rows < l->n)
        snprintf(title, sizeof title, "%d-%d of %d", l->top + 1, l->top + l->rows, l->n);
    if (3 + text_width(title) + 1 > PREC_END - 4 + g->shift)
        str_copy(title, sizeof title, "class");
    draw_rule(c, r.x, r.y, r.w, title, NULL, NULL);
    draw_head(c, r.x + PREC_END - 4 + g->shift, r.y, ROLE_DIM, "prec");
    draw_head(c, r.x + RECALL_END + 1 - 6 + g->shift, r.y, ROLE_DIM, "recall");
    draw_head(c, r.x + F1_END - 1 - 2 + g->shift, r.y, ROLE_DIM, "f1");
    if (!matrix)
        return;
    str_copy(head, sizeof head, "row: true, column: predicted");
    if (g->columns < m->report->n)
        snprintf(head, sizeof head, "true by predicted, %d columns of %d", g->columns,
                 m->report->n);
    int x = r.x + MATRIX_AT + 1 + g->shift;
    if (x + text_width(head) + 2 <= r.x + r.w)
        draw_head(c, x, r.y, ROLE_DIM, head);
}

static void draw_means(struct canvas *c, struct rect r, int y, const struct uimodel *m,
                       const struct geometry *g)
{
    const struct score_mean *s = &m->report->macro;
    canvas_put(c, r.x + 1, y, ROLE_DIM, "macro");
    draw_score(c, r.x + PREC_END + g->shift, y, s->precision, false, ROLE_DIM);
    draw_score(c, r.x + RECALL_END + g->shift, y, s->recall, false, ROLE_DIM);
    draw_score(c, r.x + F1_END + g->shift, y, s->f1, false, ROLE_DIM);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Name and F1 only. */
static void draw_compact(struct canvas *c, struct rect r, const struct uimodel *m, struct list *l)
{
    char name[32], text[160];
    int end = r.w - 2;
    list_update(l, m->report->n, class_name, (void *)m, r.h - 1);
    draw_rule(c, r.x, r.y, r.w, "class", NULL, NULL);
    draw_head(c, r.x + end - 2, r.y, ROLE_DIM, "f1");
    for (int i = l->top; i < l->n && i < l->top + l->rows; i++) {
        const struct class_score *s = &m->report->cls[i];
        int y = r.y + 1 + i - l->top;
        list_row(c, l, i, (struct rect){r.x, y, r.w, 1});
        canvas_printf(
            c, r.x + 1, y, ROLE_TEXT, "%d %s", i,
            text_cut_middle(c->level, text, sizeof text, uimodel_label(m, i, name), end - 14));
        draw_score(c, r.x + end, y, s->f1, s->undefined & 4, ROLE_TEXT);
        if (i == l->selected)
            canvas_glyph(c, r.x, y, ROLE_TEXT, GLYPH_SELECTED);
        if (i == l->selected)
            canvas_select(c, (struct rect){r.x, y, r.w, 1});
    }
}

static const char *no_classes_words(const struct uimodel *m)
{
    if (m->problem == PROBLEM_REGRESSION)
        return "";
    if (!m->live && uimodel_metric(m, METRIC_LOSS)->n)
        return "scores of classes are not kept in the run directory; traintui eval makes them anew";
    return m->text.evals ? "scores of classes come with the next evaluation" : "";
}

/* The matrix scrolls so far that its chosen column is in view. */
static void show_column(struct class_table *t, int n)
{
    int last = n - t->columns;
    if (t->chosen && t->column < t->first_column)
        t->first_column = t->column;
    if (t->chosen && t->column >= t->first_column + t->columns)
        t->first_column = t->column - t->columns + 1;
    t->first_column = t->first_column > last ? last : t->first_column;
    t->first_column = t->first_column < 0 ? 0 : t->first_column;
}

void draw_class_table(struct canvas *c, struct rect r, const struct uimodel *m,
                      struct class_table *t)
{
    struct list *l = &t->list;
    if (r.h < 2)
        return;
    if (!m->have_report || m->report->problem == PROBLEM_REGRESSION) {
        canvas_put(c, r.x + 1, r.y + 1, ROLE_DIM, no_classes_words(m));
        return;
    }
    if (size_class_of(c->w, c->h) <= SIZE_COMPACT) {
        draw_compact(c, r, m, l);
        return;
    }
    struct geometry g = geometry(m, r.w);
    t->columns = g.columns;
    show_column(t, m->report->n);
    list_update(l, m->report->n, class_name, (void *)m, r.h - 2);
    draw_table_rule(c, r, m, l, &g);
    draw_means(c, r, r.y + 1, m, &g);
    draw_matrix_head(c, r, r.y + 1, &g, t->first_column);
    for (int i = l->top; i < l->n && i < l->top + l->rows; i++) {
        int y = r.y + 2 + i - l->top;
        list_row(c, l, i, (struct rect){r.x, y, r.w, 1});
        if (g.columns)
            canvas_glyph(c, r.x + F1_END + g.shift, y, ROLE_BORDER, GLYPH_VLINE);
        draw_class(c, r, y, m, i, &g);
        draw_matrix_row(c, r, y, m, i, &g, t);
        if (i == l->selected)
            canvas_glyph(c, r.x, y, ROLE_TEXT, GLYPH_SELECTED);
        if (i == l->selected)
            canvas_select(c, (struct rect){r.x, y, F1_END + g.shift, 1});
    }
}

/* The class that rows of this one are most often taken for; itself: they are not. */
static int most_taken_for(const struct eval_report *rep, int row)
{
    int best = row;
    int64_t most = 0;
    for (int j = 0; j < rep->n; j++) {
        int64_t v = rep->confusion[(int64_t)row * rep->n + j];
        if (j != row && v > most) {
            most = v;
            best = j;
        }
    }
    return best;
}

bool class_table_cell(const struct class_table *t, const struct uimodel *m, int *row, int *column)
{
    if (!has_matrix(m) || t->list.selected >= m->report->n)
        return false;
    *row = t->list.selected;
    *column = t->chosen && t->column < m->report->n ? t->column : most_taken_for(m->report, *row);
    return true;
}

bool class_table_choose(struct class_table *t, const struct uimodel *m, int by)
{
    int row, column;
    if (!class_table_cell(t, m, &row, &column))
        return false;
    column += by;
    t->column = column < 0 ? 0 : column >= m->report->n ? m->report->n - 1 : column;
    t->chosen = true;
    return true;
}

/* ---- in words ------------------------------------------------------------------------------- */

struct confusion {
    int row, column;
    int64_t count;
};

enum { MOST_CONFUSED = 8 };

/* The largest cells off the diagonal; returns how many. */
static int most_confused(const struct eval_report *rep, struct confusion top[MOST_CONFUSED])
{
    int n = 0;
    for (int i = 0; i < rep->n; i++) {
        for (int j = 0; j < rep->n; j++) {
            struct confusion one = {i, j, rep->confusion[(int64_t)i * rep->n + j]};
            if (i == j || one.count == 0 || (n == MOST_CONFUSED && one.count <= top[n - 1].count))
                continue;
            int at = n < MOST_CONFUSED ? n++ : n - 1;
            for (; at > 0 && top[at - 1].count < one.count; at--)
                top[at] = top[at - 1];
            top[at] = one;
        }
    }
    return n;
}

void draw_confused(struct canvas *c, struct rect r, const struct uimodel *m,
                   const struct class_table *t)
{
    struct confusion top[MOST_CONFUSED];
    char a[32], b[32], count[32], text[300];
    if (r.h < 1 || !has_matrix(m))
        return;
    int n = most_confused(m->report, top), x = r.x + 16;
    if (t->chosen && class_table_cell(t, m, &top[0].row, &top[0].column)) {
        n = 1;
        top[0].count = m->report->confusion[(int64_t)top[0].row * m->report->n + top[0].column];
    }
    canvas_put(c, r.x + 1, r.y, ROLE_DIM, t->chosen ? "this cell" : "most confused");
    if (!n)
        canvas_put(c, x, r.y, ROLE_TEXT, "none");
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%s%s → %s %s", i ? ", " : "", uimodel_label(m, top[i].row, a),
                 uimodel_label(m, top[i].column, b), str_commas(count, sizeof count, top[i].count));
        if (x + text_width(text) > r.x + r.w)
            return;
        x += canvas_put(c, x, r.y, ROLE_TEXT, text);
    }
}
