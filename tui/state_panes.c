/* What a report on a tensor looks like. */
#include "tui/state_panes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/bars.h"

#define GUTTER 6

/* The rule and the separator; `inner` is what is left of the pane without its left blank. */
static struct rect frame(struct canvas *c, struct rect r, const char *title, const char *right)
{
    bool beside = r.x > 0;
    int x = r.x + beside;
    if (beside)
        draw_separator(c, r.x, r.y, r.h);
    draw_rule(c, x, r.y, r.w - beside, title, NULL, right);
    if (beside)
        canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_RIGHT);
    return (struct rect){x, r.y + 1, r.w - beside, r.h - 1};
}

/* ---- facts ---------------------------------------------------------------------------------- */

static void shape_words(const struct inspect_report *p, char *dst, size_t size)
{
    struct strbuf s = STRBUF_INIT;
    char number[32];
    strbuf_addf(&s, "%s[", dtype_short(p->dtype));
    for (int i = 0; i < p->ndim; i++)
        strbuf_addf(&s, "%s%s", i ? "×" : "", str_commas(number, sizeof number, p->dim[i]));
    strbuf_adds(&s, "]");
    if (p->bits)
        strbuf_addf(&s, ", %s f32[%s], block %lld", p->scale,
                    str_commas(number, sizeof number, p->blocks), (long long)p->block);
    str_copy(dst, size, s.s);
    strbuf_release(&s);
}

/* A label and its value, which ends at column x + 14. */
static void put_fact(struct canvas *c, int x, int y, const char *label, double v, const char *fmt)
{
    char text[32];
    if (isnan(v))
        str_copy(text, sizeof text, glyph_text(c->level, GLYPH_MISSING));
    else
        snprintf(text, sizeof text, fmt, v);
    canvas_put(c, x, y, ROLE_DIM, label);
    canvas_right(c, x + 14, y, ROLE_TEXT, text);
}

/* Three columns; the percentiles are left out where there is no room for them. */
static void draw_moments(struct canvas *c, int x, int y, int w, const struct inspect_report *p)
{
    bool wide = w >= 47;
    put_fact(c, x, y, "min", p->min, "%.2e");
    put_fact(c, x, y + 1, "max", p->max, "%.2e");
    put_fact(c, x + (wide ? 33 : 17), y, "mean", p->mean, "%.1e");
    put_fact(c, x + (wide ? 33 : 17), y + 1, "rms", p->rms, "%.2e");
    if (!wide)
        return;
    put_fact(c, x + 17, y, "p1", p->p1, "%.2e");
    put_fact(c, x + 17, y + 1, "p99", p->p99, "%.2e");
}

static int put_count(struct canvas *c, int x, int y, const char *label, int64_t count,
                     enum role role)
{
    char number[32];
    x += canvas_put(c, x, y, ROLE_DIM, label) + 1;
    return x + canvas_put(c, x, y, role, str_commas(number, sizeof number, count)) + 3;
}

static void draw_counts(struct canvas *c, int x, int y, int w, const struct inspect_report *p)
{
    char share[32], ends[48];
    int low = p->code_low < p->code_high ? p->code_low : p->code_high;
    x += canvas_put(c, x, y, ROLE_DIM, "zeros") + 1;
    fmt_percent(share, sizeof share, p->n ? (double)p->zeros / (double)p->n : 0);
    x += canvas_put(c, x, y, ROLE_TEXT, share) + 3;
    snprintf(ends, sizeof ends, "code %d or %d", low, p->code_low + p->code_high - low);
    if (p->bits && w >= 47)
        x = put_count(c, x, y, ends, p->at_ends, ROLE_TEXT);
    put_count(c, x, y, "nan/inf", p->nonfinite, p->nonfinite ? ROLE_BAD : ROLE_TEXT);
}

void draw_facts_pane(struct canvas *c, struct rect r, const struct inspect_report *p,
                     const char *run)
{
    char step[64], number[32], shape[160], text[200];
    int x = r.x + (r.x > 0) + 1, room = r.x + r.w - x;
    snprintf(step, sizeof step, "after step %s", str_commas(number, sizeof number, p->step));
    if (r.x > 0)
        draw_separator(c, r.x, r.y, r.h);
    draw_rule(c, r.x, r.y, r.w, p->of.state, step, run);
    if (r.x > 0)
        canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
    shape_words(p, shape, sizeof shape);
    canvas_put(c, x, r.y + 1, ROLE_TEXT, text_cut_end(c->level, text, sizeof text, shape, room));
    draw_moments(c, x, r.y + 2, room, p);
    draw_counts(c, x, r.y + 4, room, p);
}

/* ---- histograms ----------------------------------------------------------------------------- */

/* Sums of the bins by column; the first and the last bar stand for the ends of the range. */
static void draw_bins(struct canvas *c, struct rect area, const struct inspect_bins *b, bool log)
{
    int cols = bars_cols(area.w, GUTTER);
    double *count = xcalloc((size_t)cols + 1, sizeof *count);
    struct bars bars = {area, GUTTER, count, b->lo, b->hi, "", log};
    for (int i = 0; i < INSPECT_BINS && cols > 0; i++)
        count[lrint((i + 0.5) / INSPECT_BINS * (cols - 1))] += (double)b->count[i];
    if (b->hi > b->lo)
        bars_draw(c, &bars);
    free(count);
}

void draw_values_pane(struct canvas *c, struct rect r, const struct inspect_report *p, bool linear)
{
    struct rect area = frame(c, r, "values", linear ? "count" : "count, log");
    draw_bins(c, area, &p->values, !linear);
}

void draw_scales_pane(struct canvas *c, struct rect r, const struct inspect_report *p)
{
    draw_bins(c, frame(c, r, "block scales", "blocks"), &p->scales, false);
}

void draw_rms_pane(struct canvas *c, struct rect r, const struct history *rms)
{
    struct rect area = frame(c, r, "values over time", "rms");
    struct plot p;
    double first = rms->n ? (double)rms->b[0].first : 0, last = (double)rms->last_step;
    if (rms->n < 2 || !(rms->max > 0)) {
        canvas_put(c, area.x + 1, area.y, ROLE_DIM, "appears with the second copy");
        return;
    }
    plot_begin(&p, c, area, GUTTER, "step");
    plot_x_fixed(&p, first, last);
    p.y = plot_axis(&p, 0, rms->max, p.rows < 3 ? 1 : axis_intervals(p.rows));
    plot_history(&p, rms, SMOOTH_OFF, ROLE_SERIES1, PATTERN_SOLID);
    plot_end(&p, c);
}

/* ---- leading values ------------------------------------------------------------------------- */

static void put_label(struct canvas *c, int x, int y, const char *label)
{
    canvas_put(c, x, y, ROLE_DIM, label);
}

static void draw_column(struct canvas *c, int end, int y, const struct inspect_report *p, int i)
{
    char text[32];
    snprintf(text, sizeof text, "%d", i);
    canvas_right(c, end, y, ROLE_DIM, text);
    snprintf(text, sizeof text, "%d", p->lead_code[i]);
    if (p->bits)
        canvas_right(c, end, y + 1, ROLE_TEXT, text);
    snprintf(text, sizeof text, "%.2e", p->lead[i]);
    canvas_right(c, end, y + 1 + (p->bits > 0), isfinite(p->lead[i]) ? ROLE_TEXT : ROLE_BAD, text);
}

int draw_block_pane(struct canvas *c, struct rect r, const struct inspect_report *p)
{
    char title[80], right[48] = "", at[32], all[32], value[32];
    str_commas(all, sizeof all, p->bits ? p->blocks : p->n);
    str_commas(at, sizeof at, p->bits ? p->of.first / p->block : p->of.first);
    snprintf(title, sizeof title, p->bits ? "block %s of %s" : "from value %s of %s", at, all);
    if (p->bits)
        snprintf(right, sizeof right, "scale %s",
                 fmt_rate(value, sizeof value, p->lead_scale, c->level));
    struct rect inner = frame(c, r, title, p->bits ? right : NULL);
    int x = inner.x + 1, n = (inner.w - 6) / 10;
    put_label(c, x, inner.y, "at");
    if (p->bits)
        put_label(c, x, inner.y + 1, "code");
    put_label(c, x, inner.y + 1 + (p->bits > 0), "value");
    n = n < p->nlead ? n : p->nlead;
    for (int i = 0; i < n; i++)
        draw_column(c, x + 15 + 10 * i, inner.y, p, i);
    return n > 0 ? n : 1;
}
