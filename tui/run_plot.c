/* Plots of a run, from its histories and its schedule. */
#include "tui/run_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/glyph.h"
#include "tui/layout.h"
#include "tui/widgets.h"

char *run_title(const struct uimodel *m, enum glyph_level level, char *dst, size_t size, int cols)
{
    char name[256];
    snprintf(name, sizeof name, "%s%s%s", m->host, *m->host ? ":" : "", uimodel_name(m));
    return text_cut_middle(level, dst, size, name, cols);
}

enum metric best_metric(const struct uimodel *m)
{
    int k = *m->text.best_metric ? metric_by_name(m->text.best_metric, NULL) : -1;
    return k < 0 ? METRIC_LOSS : (enum metric)k;
}

/* ---- a metric ------------------------------------------------------------------------------- */

static bool is_points(const struct series_plot *sp)
{
    return sp->series >= SERIES_EVAL_FIRST;
}

/* Columns of the labels (screens.md principle 16). */
double series_top(int series)
{
    return series >= SERIES_EVAL_FIRST && metric_descs[series - SERIES_EVAL_FIRST].larger ? 1 : 0;
}

static int gutter_of(int series)
{
    return series == SERIES_LR ? 8 : series == SERIES_SAMPLES_PER_SECOND ? 6 : 5;
}

static void plot_layers(struct plot *p, const struct uimodel *m, const struct series_plot *sp)
{
    const struct history *h = &m->series[sp->series];
    if (is_points(sp)) {
        plot_points(p, h, GLYPH_EVAL, ROLE_SERIES2);
        return;
    }
    plot_raw(p, h);
    plot_history(p, h, sp->smooth, ROLE_SERIES1, PATTERN_SOLID);
    if (sp->series == SERIES_LOSS)
        plot_points(p, uimodel_metric(m, METRIC_LOSS), GLYPH_EVAL, ROLE_SERIES2);
}

static bool is_label(const struct canvas *c, int x, int y)
{
    uint32_t ch = canvas_at(c, x, y)->ch;
    return (ch >= '0' && ch <= '9') || ch == ',' || ch == '.' || ch == 'e' || ch == 'k' ||
           ch == 'M';
}

/* A label of the x axis that a tick of an edit has cut goes whole. */
static void clear_cut_labels(struct canvas *c, const struct plot *p)
{
    int y = p->area.y + p->rows, end = p->area.x + p->area.w;
    uint32_t tick = glyph_code(c->level, GLYPH_EDIT), line = glyph_code(c->level, GLYPH_X_AXIS);
    for (int x = p->area.x + p->gutter + 1; x < end; x++) {
        if (canvas_at(c, x, y)->ch != tick || !is_label(c, x - 1, y))
            continue;
        for (int i = x - 1; is_label(c, i, y); i--)
            canvas_code(c, i, y, ROLE_BORDER, line);
        for (int i = x + 1; is_label(c, i, y); i++)
            canvas_code(c, i, y, ROLE_BORDER, line);
    }
}

void draw_series_plot(struct canvas *c, struct rect area, const struct uimodel *m,
                      struct series_plot *sp)
{
    struct plot *p = &sp->drawn;
    const struct history *h[2] = {&m->series[sp->series], uimodel_metric(m, METRIC_LOSS)};
    bool with_eval = sp->series == SERIES_LOSS && h[1]->n > 0;
    if (!h[0]->n) {
        memset(p, 0, sizeof *p);
        canvas_printf(c, area.x + 2, area.y + (area.h - 1) / 2, ROLE_DIM,
                      "%s appears after the first %s", series_name(sp->series),
                      is_points(sp) ? "evaluation" : "step");
        return;
    }
    plot_begin(p, c, area, gutter_of(sp->series), "step");
    p->labels = sp->series == SERIES_LR ? LABELS_RATES : LABELS_PLAIN;
    p->top = series_top(sp->series);
    plot_window_apply(&sp->window, p, m, 0);
    sp->range.hold = sp->window.cursor > 0;
    plot_y_history(p, &sp->range, h, 1 + with_eval, sp->smooth, sp->log, m->now);
    plot_layers(p, m, sp);
    for (int i = 0; i < m->nedits && sp->marks; i++)
        plot_edit(p, run_x(m, p->by, (double)m->edits[i].step));
    if (sp->window.cursor)
        plot_cursor(p, run_x(m, p->by, (double)sp->window.cursor));
    plot_end(p, c);
    clear_cut_labels(c, p);
}

/* ---- its rule ------------------------------------------------------------------------------- */

struct word {
    char sign[16], text[64];
    enum role sign_role, text_role;
};

static int word_width(const struct word *w)
{
    return text_width(w->sign) + (w->sign[0] && w->text[0] ? 1 : 0) + text_width(w->text);
}

static int words_width(const struct word *w, int n, int gap)
{
    int width = n > 0 ? gap * (n - 1) : 0;
    for (int i = 0; i < n; i++)
        width += word_width(&w[i]);
    return width;
}

/* With a blank before and behind. */
static void draw_words(struct canvas *c, int x, int y, const struct word *w, int n, int gap)
{
    if (!n)
        return;
    canvas_fill(c, (struct rect){x - 1, y, words_width(w, n, gap) + 2, 1}, ROLE_BORDER, ' ');
    for (int i = 0; i < n; i++, x += gap) {
        x += canvas_put(c, x, y, w[i].sign_role, w[i].sign);
        x += w[i].sign[0] && w[i].text[0];
        x += canvas_put(c, x, y, w[i].text_role, w[i].text);
    }
}

/* How much a rule says, from all to the least. */
enum fit { FIT_ROOMY, FIT_TIGHT, FIT_NAMELESS, FIT_BRIEF, FIT_SIGNS };

static void legend_word(struct word *w, const char *sign, enum role role, const char *text,
                        enum fit fit)
{
    *w = (struct word){.sign_role = role, .text_role = ROLE_DIM};
    str_copy(w->sign, sizeof w->sign, sign);
    str_copy(w->text, sizeof w->text, fit < FIT_SIGNS ? text : "");
}

static int legend_words(struct word w[3], const struct uimodel *m, const struct series_plot *sp,
                        enum glyph_level level, enum fit fit)
{
    static const char *const smooth[] = {"EMA 0.95", "EMA 0.99", "mean"};
    char line[16];
    int n = 0;
    if (!is_points(sp)) {
        plot_legend(level, PATTERN_SOLID, 2, line, sizeof line);
        legend_word(&w[n++], line, ROLE_SERIES1, smooth[sp->smooth], FIT_ROOMY);
        legend_word(&w[n++], plot_legend_raw(level), ROLE_RAW,
                    fit < FIT_BRIEF ? "raw min-max" : "raw", fit);
    }
    if (is_points(sp) || (sp->series == SERIES_LOSS && uimodel_metric(m, METRIC_LOSS)->n))
        legend_word(&w[n++], glyph_text(level, GLYPH_EVAL), ROLE_SERIES2, "eval", fit);
    return n;
}

static void count_word(struct word *w, const char *sign, enum role role, int64_t count,
                       const char *after)
{
    char number[32];
    *w = (struct word){.sign_role = role, .text_role = role};
    str_copy(w->sign, sizeof w->sign, sign);
    snprintf(w->text, sizeof w->text, "%s%s", str_commas(number, sizeof number, count), after);
}

/* " above 0.80", where there is room for it. */
static char *edge_words(char dst[48], const struct plot *p, const char *side, double edge,
                        enum fit fit)
{
    char label[32];
    axis_label(label, sizeof label, edge, p->y.step, p->labels, 8);
    snprintf(dst, 48, " %s %s", side, label);
    if (fit > FIT_ROOMY)
        dst[0] = '\0';
    return dst;
}

/* What the plot does not show: values out of view, numbers that are none; and that it stands
 * still. */
static int count_words(struct word w[4], const struct series_plot *sp, enum glyph_level level,
                       enum fit fit)
{
    const struct plot *p = &sp->drawn;
    char after[48];
    int n = 0;
    if (sp->window.frozen) {
        w[n] = (struct word){.text_role = ROLE_WARN};
        str_copy(w[n++].text, sizeof w[0].text, "frozen");
    }
    if (p->above)
        count_word(&w[n++], glyph_text(level, GLYPH_ABOVE), ROLE_WARN, p->above,
                   edge_words(after, p, "above", p->y.hi, fit));
    if (p->below)
        count_word(&w[n++], glyph_text(level, GLYPH_BELOW), ROLE_WARN, p->below,
                   edge_words(after, p, "below", p->y.lo, fit));
    if (p->nonfinite)
        count_word(&w[n++], glyph_text(level, GLYPH_NONFINITE), ROLE_BAD, p->nonfinite, " nan/inf");
    return n;
}

struct rule_words {
    struct word legend[3], count[4];
    int nlegend, ncount, gap, x, count_x;
    char name[128];
};

/* Roomy: counts beside the name, else behind the legend. False: it does not fit into the columns
 * up to `end`. */
static bool arrange(struct rule_words *r, int end, enum fit fit)
{
    r->gap = fit == FIT_ROOMY ? 3 : 1;
    if (fit >= FIT_NAMELESS)
        r->name[0] = '\0';
    int legend_end = r->x + words_width(r->legend, r->nlegend, r->gap);
    int counts = words_width(r->count, r->ncount, 2), name = text_width(r->name);
    int name_x = name ? end - name - 1 : end;
    r->count_x = fit == FIT_ROOMY ? name_x - 5 - counts : legend_end + 1;
    if (r->ncount)
        return fit == FIT_ROOMY ? legend_end + 2 <= r->count_x : r->count_x + counts + 2 <= name_x;
    return legend_end + 2 <= name_x;
}

void draw_series_rule(struct canvas *c, struct rect pane, const struct uimodel *m,
                      const struct series_plot *sp, bool counts)
{
    struct rule_words r;
    char title[64];
    snprintf(title, sizeof title, "%s%s", series_name(sp->series), sp->log ? ", log" : "");
    run_title(m, c->level, r.name, sizeof r.name, pane.x + pane.w < c->w ? 0 : pane.w / 3);
    r.x = pane.x + 3 + text_width(title) + 2;
    bool legend =
        (counts || size_class_of(c->w, c->h) > SIZE_COMPACT) && m->series[sp->series].n > 0;
    for (enum fit fit = FIT_ROOMY; fit <= FIT_SIGNS; fit++) {
        r.nlegend = legend ? legend_words(r.legend, m, sp, c->level, fit) : 0;
        r.ncount = counts ? count_words(r.count, sp, c->level, fit) : 0;
        if (arrange(&r, pane.x + pane.w - 2, fit))
            break;
    }
    draw_rule(c, pane.x, pane.y, pane.w, title, NULL, *r.name ? r.name : NULL);
    draw_words(c, r.x, pane.y, r.legend, r.nlegend, r.gap);
    draw_words(c, r.count_x, pane.y, r.count, r.ncount, 2);
}

/* ---- learning rate -------------------------------------------------------------------------- */

struct planned {
    const struct uimodel *m;
    enum plot_x by;
};

static double planned_rate(const struct uimodel *m, double step)
{
    return m->have_sched ? sched_lr_at(&m->sched, (int64_t)fmax(0, rint(step) - 1)) : NAN;
}

static double planned_at(void *user, double x)
{
    const struct planned *p = user;
    return planned_rate(p->m, run_step(p->m, p->by, x));
}

double rate_of_step(const struct uimodel *m, int64_t step)
{
    const struct history *used = &m->series[SERIES_LR];
    int i = history_find(used, step);
    if (step > used->last_step)
        return step <= m->text.max_steps ? planned_rate(m, (double)step) : NAN;
    return i < 0 ? NAN : used->b[i].value;
}

double peak_rate(const struct uimodel *m)
{
    double peak = m->series[SERIES_LR].max, first = (double)m->series[SERIES_LR].last_step;
    double stride = fmax(1, floor((double)m->text.max_steps / 2000));
    for (double step = fmax(1, first); m->have_sched && step <= (double)m->text.max_steps;
         step += stride)
        peak = fmax(peak, planned_rate(m, step));
    if (m->have_sched) /* where a warm-up ends */
        peak = fmax(peak, first < (double)m->sched.args.warmup
                              ? planned_rate(m, (double)m->sched.args.warmup + 1)
                              : peak);
    return peak;
}

/* Edits of the rate itself; others are marked where they have their curve. */
static void mark_rate_edits(struct plot *p, const struct uimodel *m)
{
    for (int i = 0; i < m->nedits; i++)
        if (str_starts(m->edits[i].key, "schedule."))
            plot_edit(p, run_x(m, p->by, (double)m->edits[i].step));
}

void draw_rate_plot(struct canvas *c, struct rect area, const struct uimodel *m,
                    struct plot_window *w)
{
    struct plot p;
    double peak = peak_rate(m), now = rate_of_step(m, m->text.step);
    if (!(peak >= 0)) {
        canvas_put(c, area.x + 2, area.y + (area.h - 1) / 2, ROLE_DIM,
                   "the learning rate appears after the first step");
        return;
    }
    plot_begin(&p, c, area, 8, "step");
    p.labels = LABELS_RATES;
    plot_window_apply(w, &p, m, m->text.max_steps);
    plot_y_fixed(&p, 0, peak);
    plot_history(&p, &m->series[SERIES_LR], SMOOTH_OFF, ROLE_SERIES1, PATTERN_SOLID);
    struct planned plan = {m, p.by};
    if (m->sched.cls && m->sched.cls->factor && !run_state_over(m->text.state))
        plot_line(&p, planned_at, &plan, run_x(m, p.by, (double)m->text.step + 1),
                  run_x(m, p.by, (double)m->text.max_steps), ROLE_DIM, PATTERN_PLANNED);
    mark_rate_edits(&p, m);
    if (w->cursor)
        plot_cursor(&p, run_x(m, p.by, (double)w->cursor));
    if (isfinite(now))
        plot_here(&p, run_x(m, p.by, (double)m->text.step), now);
    plot_end(&p, c);
    clear_cut_labels(c, &p);
    plot_window_hot(w, c, &p, m, m->text.max_steps);
}

/* ---- scores --------------------------------------------------------------------------------- */

void draw_score_plot(struct canvas *c, struct rect area, const struct uimodel *m, enum metric k,
                     struct plot_range *range)
{
    struct plot p;
    struct plot_window w = {0};
    const struct history *h = uimodel_metric(m, k);
    if (!h->n) {
        canvas_printf(c, area.x + 2, area.y + (area.h - 1) / 2, ROLE_DIM,
                      "%s appears after the first evaluation", metric_descs[k].name);
        return;
    }
    plot_begin(&p, c, area, 8, "step");
    plot_window_apply(&w, &p, m, 0);
    p.top = series_top(SERIES_EVAL_FIRST + (int)k);
    plot_y_history(&p, range, &h, 1, SMOOTH_OFF, false, m->now);
    plot_points(&p, h, GLYPH_EVAL, ROLE_SERIES2);
    if (m->text.best_steps[k] > 0)
        plot_mark(&p, run_x(m, p.by, (double)m->text.best_steps[k]), m->text.best_values[k],
                  GLYPH_BEST, ROLE_OK);
    plot_end(&p, c);
}
