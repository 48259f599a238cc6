/* What a plot says of one step: its values in two lines, in one where there is no more room. */
#include "tui/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/layout.h"
#include "tui/plot_cell.h"
#include "tui/widgets.h"

struct reading {
    const struct history *h;
    const struct hist_bucket *at; /* NULL: nothing is known */
    int64_t step;
    double min, max; /* of the dot column */
};

/* The raw range of the dot column that the step is in. */
static void column_range(struct reading *r, const struct plot *p)
{
    int column = plot_dot_x(p, plot_bucket_x(p, r->at));
    int i = (int)(r->at - r->h->b), from = i, to = i;
    while (from > 0 && plot_dot_x(p, plot_bucket_x(p, &r->h->b[from - 1])) == column)
        from--;
    while (to + 1 < r->h->n && plot_dot_x(p, plot_bucket_x(p, &r->h->b[to + 1])) == column)
        to++;
    r->min = r->max = NAN;
    for (i = from; i <= to; i++)
        if (r->h->b[i].count) {
            r->min = fmin(r->min, r->h->b[i].min);
            r->max = fmax(r->max, r->h->b[i].max);
        }
}

static struct reading read_at(const struct uimodel *m, const struct series_plot *sp)
{
    struct reading r = {.h = &m->series[sp->series], .min = NAN, .max = NAN};
    r.step = sp->window.cursor ? sp->window.cursor : m->text.step;
    int i = history_find(r.h, r.step);
    r.at = i >= 0 ? &r.h->b[i] : NULL;
    if (r.at && sp->drawn.cols > 0)
        column_range(&r, &sp->drawn);
    return r;
}

static double smoothed(const struct hist_bucket *b, enum plot_smooth s)
{
    if (!b)
        return NAN;
    return s == SMOOTH_95   ? b->ema95
           : s == SMOOTH_99 ? b->ema99
           : b->count       ? b->sum / b->count
                            : NAN;
}

char *show_metric(char *dst, size_t size, int series, double v, enum glyph_level level)
{
    if (series == SERIES_LR)
        return fmt_rate(dst, size, v, level);
    if (series == SERIES_SAMPLES_PER_SECOND)
        return fmt_speed(dst, size, v, level);
    return fmt_loss(dst, size, v, level);
}

struct item {
    char label[16], value[64];
};

/* Last evaluation up to the step: the metric that is drawn, or the loss. */
static void item_eval(struct item *it, const struct uimodel *m, int series, int64_t step,
                      enum glyph_level level)
{
    bool metric = series >= SERIES_EVAL_FIRST;
    const struct history *h = metric ? &m->series[series] : uimodel_metric(m, METRIC_LOSS);
    char value[32], at[32];
    int i = history_find(h, step);
    str_copy(it->label, sizeof it->label, "eval");
    if (i >= 0)
        snprintf(it->value, sizeof it->value, "%s @%s",
                 fmt_measured(value, sizeof value, h->b[i].value, level),
                 str_commas(at, sizeof at, h->b[i].last));
    else
        fmt_loss(it->value, sizeof it->value, NAN, level);
}

static void item(struct item *it, const char *label, const char *value)
{
    str_copy(it->label, sizeof it->label, label);
    str_copy(it->value, sizeof it->value, value);
}

enum {
    ITEM_STEP,
    ITEM_SMOOTH,
    ITEM_RAW,
    ITEM_EVAL,
    ITEM_EPOCH,
    ITEM_TIME,
    ITEM_RATE,
    ITEM_DOT,
    ITEMS
};

static void reading_items(struct item it[ITEMS], const struct uimodel *m,
                          const struct series_plot *sp, enum glyph_level level)
{
    struct reading r = read_at(m, sp);
    const struct plot_window *w = &sp->window;
    char a[32], b[32], text[80];
    const char *missing = glyph_text(level, GLYPH_MISSING);
    item(&it[ITEM_STEP], "step", str_commas(text, sizeof text, r.step));
    item(&it[ITEM_SMOOTH], sp->smooth == SMOOTH_OFF ? "mean" : "EMA",
         show_metric(text, sizeof text, sp->series, smoothed(r.at, sp->smooth), level));
    show_metric(a, sizeof a, sp->series, r.min, level);
    show_metric(b, sizeof b, sp->series, r.max, level);
    snprintf(text, sizeof text, "%s to %s", a, b);
    bool none = r.at && !r.at->count; /* the step itself is not finite */
    item(&it[ITEM_RAW], "raw", none ? "nan" : isnan(r.min) ? missing : text);
    item_eval(&it[ITEM_EVAL], m, sp->series, r.step, level);
    snprintf(text, sizeof text, "%.2f", r.at ? r.at->epoch : 0);
    item(&it[ITEM_EPOCH], "epoch", r.at ? text : missing);
    item(&it[ITEM_TIME], "time", fmt_age(text, sizeof text, r.at ? r.at->seconds : NAN, level));
    item(&it[ITEM_RATE], "lr", fmt_rate(text, sizeof text, rate_of_step(m, r.step), level));
    double steps = run_step(m, w->by, w->x1) - run_step(m, w->by, w->x0);
    int dots = sp->drawn.cols > 0 ? plot_dots_x(&sp->drawn) : 0;
    snprintf(text, sizeof text, "%.0f", dots > 1 ? fmax(1, floor(steps / (dots - 1))) : 1);
    item(&it[ITEM_DOT], "steps/dot", dots > 1 ? text : missing);
}

/* Where the four groups of a line stand; their values end or begin at a fixed distance. */
static void draw_reading_line(struct canvas *c, struct rect r, int y, const struct item it[4])
{
    int spare = r.w - 80, end = 0;
    const int label[] = {1, 19 + 3 * spare / 20, 37 + 6 * spare / 20, 61 + 10 * spare / 20};
    const int value_end[] = {15, 14, 0, 0}; /* from the label; 0: left-aligned */
    for (int i = 0; i < 4; i++) {
        int x = r.x + (label[i] > end + 1 || !i ? label[i] : end + 1),
            width = text_width(it[i].value);
        int value = value_end[i] ? x + value_end[i] - width : x + (i == 2 ? 5 : 6);
        int after = x + text_width(it[i].label) + (i < 3 ? 1 : 2);
        value = value > after ? value : after;
        char text[64];
        str_copy(text, sizeof text, it[i].value);
        if (value + width > r.x + r.w) /* the step of an evaluation goes first */
            text[strcspn(text, "@")] = '\0';
        canvas_put(c, x, y, ROLE_DIM, it[i].label);
        canvas_put(c, value, y, strcmp(text, "nan") ? ROLE_TEXT : ROLE_BAD, text);
        end = value + width - r.x + 1;
    }
}

/* The compact line: what fits, whole. */
static void draw_short_reading(struct canvas *c, struct rect r, const struct item it[ITEMS])
{
    static const int order[] = {ITEM_STEP, ITEM_SMOOTH, ITEM_EVAL, ITEM_RATE};
    int x = r.x + 1;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct item *one = &it[order[i]];
        int width = text_width(one->label) + 1 + text_width(one->value);
        if (x + width > r.x + r.w)
            return;
        canvas_put(c, x, r.y, ROLE_DIM, one->label);
        canvas_right(c, x + width, r.y, ROLE_TEXT, one->value);
        x += width + 2;
    }
}

void draw_reading(struct canvas *c, struct rect r, const struct uimodel *m,
                         const struct series_plot *sp)
{
    struct item it[ITEMS];
    if (!m->series[sp->series].n)
        return;
    reading_items(it, m, sp, c->level);
    if (size_class_of(c->w, c->h) <= SIZE_COMPACT) {
        draw_short_reading(c, r, it);
        return;
    }
    for (int i = 0; i < 2 && i < r.h; i++)
        draw_reading_line(c, r, r.y + i, it + 4 * i);
}
