/* The table of metrics. */
#include "tui/series_table.h"

#include <stdio.h>
#include <string.h>

#include "tui/list_keys.h"
#include "tui/reading.h"

int known_series(const struct uimodel *m, int out[SERIES_COUNT])
{
    int n = 0;
    out[n++] = SERIES_LOSS;
    for (int s = SERIES_EVAL_FIRST; s < SERIES_COUNT; s++)
        if (m->series[s].n)
            out[n++] = s;
    for (int s = SERIES_LOSS + 1; s < SERIES_EVAL_FIRST; s++)
        if (m->series[s].n)
            out[n++] = s;
    return n;
}

struct known {
    int series[SERIES_COUNT];
};

static const char *name_of(void *user, int i)
{
    const struct known *k = user;
    return series_name(k->series[i]);
}

/* ---- columns -------------------------------------------------------------------------------- */

enum { COL_LAST, COL_MIN, COL_MAX, COL_MEAN, COL_POINTS, COL_NAN, COLS };
static const char *const heads[COLS] = {"last", "min", "max", "mean 100", "points", "nan/inf"};

/* Right ends of the columns; 0: left out. */
struct columns {
    int end[COLS];
};

static struct columns place_columns(const struct uimodel *m, int w)
{
    static const struct columns wide = {{33, 53, 73, 88, 103, 115}};
    static const int leave_out[] = {COL_MEAN, COL_POINTS, COL_MAX, COL_MIN};
    enum { NAME = 21 };
    char text[32];
    int digits = (int)strlen(str_commas(text, sizeof text, m->text.max_steps));
    int extreme = digits > 5 ? 10 + digits : 15;
    int width[COLS] = {8, extreme, extreme, 8, digits > 6 ? digits : 6, 7};
    if (w >= 118 && digits <= 8)
        return wide;
    int total = NAME;
    for (int i = 0; i < COLS; i++)
        total += width[i] + 2;
    for (int i = 0; i < 4 && total > w; i++) {
        total -= width[leave_out[i]] + 2;
        width[leave_out[i]] = 0;
    }
    struct columns cols = {{0}};
    for (int i = 0, at = NAME; i < COLS; i++)
        if (width[i])
            cols.end[i] = at += 2 + width[i];
    return cols;
}

static char *extreme(char *dst, size_t size, int series, double v, int64_t step,
                     enum glyph_level level)
{
    char value[32], at[32];
    show_metric(value, sizeof value, series, v, level);
    if (step > 0)
        snprintf(dst, size, "%s @%s", value, str_commas(at, sizeof at, step));
    else
        str_copy(dst, size, value);
    return dst;
}

static void draw_row(struct canvas *c, struct rect r, int y, const struct uimodel *m, int s,
                     const struct columns *cols)
{
    const struct history *h = &m->series[s];
    char cell[COLS][64];
    show_metric(cell[COL_LAST], sizeof cell[0], s, h->last, c->level);
    extreme(cell[COL_MIN], sizeof cell[0], s, h->min, h->min_step, c->level);
    extreme(cell[COL_MAX], sizeof cell[0], s, h->max, h->max_step, c->level);
    show_metric(cell[COL_MEAN], sizeof cell[0], s, history_mean(h, 100), c->level);
    str_commas(cell[COL_POINTS], sizeof cell[0], h->points);
    str_commas(cell[COL_NAN], sizeof cell[0], h->nonfinite);
    canvas_put(c, r.x + 3, y, ROLE_TEXT, series_name(s));
    for (int i = 0; i < COLS; i++)
        if (cols->end[i])
            canvas_right(c, r.x + cols->end[i], y,
                         i == COL_NAN && h->nonfinite ? ROLE_BAD : ROLE_TEXT, cell[i]);
}

/* The sign that a series has in the plot. */
static void draw_sign(struct canvas *c, int x, int y, int series, int shown)
{
    char sign[16];
    bool with_loss = shown == SERIES_LOSS && series == SERIES_EVAL_FIRST + METRIC_LOSS;
    if (with_loss || (series == shown && series >= SERIES_EVAL_FIRST))
        canvas_glyph(c, x, y, ROLE_SERIES2, GLYPH_EVAL);
    else if (series == shown)
        canvas_put(c, x, y, ROLE_SERIES1,
                   plot_legend(c->level, PATTERN_SOLID, 1, sign, sizeof sign));
}

void draw_series_table(struct canvas *c, struct rect r, const struct uimodel *m, struct list *l,
                       bool chosen, int shown)
{
    struct known k;
    struct columns cols = place_columns(m, r.w);
    list_update(l, known_series(m, k.series), name_of, &k, r.h - 1);
    draw_rule(c, r.x, r.y, r.w, "series", NULL, NULL);
    for (int i = 0; i < COLS; i++)
        if (cols.end[i])
            draw_head(c, r.x + cols.end[i] - text_width(heads[i]), r.y, ROLE_DIM, heads[i]);
    for (int i = l->top; i < l->n && i < l->top + l->rows; i++) {
        int y = r.y + 1 + i - l->top;
        draw_row(c, r, y, m, k.series[i], &cols);
        list_row(c, l, i, (struct rect){r.x, y, r.w, 1});
        draw_sign(c, r.x + 1, y, k.series[i], shown);
        if (!chosen || i != l->selected)
            continue;
        canvas_glyph(c, r.x, y, ROLE_TEXT, GLYPH_SELECTED);
        canvas_select(c, (struct rect){r.x, y, r.w, 1});
    }
}
