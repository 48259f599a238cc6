/* Rules, bars and the popup box. */
#include "tui/widgets.h"

#include <math.h>

#include "tui/glyph.h"
#include "tui/hot.h"

static void line(struct canvas *c, int x, int y, int w, enum role role)
{
    canvas_fill(c, (struct rect){x, y, w, 1}, role, glyph_code(c->level, GLYPH_HLINE));
}

void draw_head(struct canvas *c, int x, int y, enum role role, const char *text)
{
    canvas_code(c, x - 1, y, ROLE_BORDER, ' ');
    x += canvas_put(c, x, y, role, text);
    canvas_code(c, x, y, ROLE_BORDER, ' ');
}

/* Columns of a part with the blank after it. */
static int part_width(const char *part)
{
    return part ? text_width(part) + 1 : 0;
}

void draw_rule(struct canvas *c, int x, int y, int w, const char *title, const char *text,
               const char *right)
{
    const int ends = 5; /* two columns of line and a blank on the left, two of line on the right */
    if (ends + part_width(title) + part_width(text) + part_width(right) + 1 > w)
        right = NULL;
    if (ends + part_width(title) + part_width(text) > w)
        text = NULL;
    if (ends + part_width(title) > w)
        title = NULL;
    line(c, x, y, w, ROLE_BORDER);
    int at = x + 3;
    if (title) {
        draw_head(c, at, y, ROLE_TITLE, title);
        at += part_width(title);
    }
    if (text)
        draw_head(c, at, y, ROLE_DIM, text);
    if (right)
        draw_head(c, x + w - 2 - part_width(right), y, ROLE_DIM, right);
}

void draw_separator(struct canvas *c, int x, int y, int h)
{
    canvas_fill(c, (struct rect){x, y, 1, h}, ROLE_BORDER, glyph_code(c->level, GLYPH_VLINE));
}

/* Halves of cells that a bar fills: none at 0, all at 1 only, at least one in between. */
static int bar_halves(int w, double fraction, bool has_half)
{
    int unit = has_half ? 1 : 2, all = 2 * w;
    if (!(fraction > 0) || w < 1)
        return 0;
    if (fraction >= 1)
        return all;
    int n = (int)floor(fraction * all) / unit * unit;
    if (n > all - unit && all > unit)
        n = all - unit;
    return n < unit ? unit : n;
}

/* Returns the cells drawn. */
static int draw_bar(struct canvas *c, int x, int y, int w, double fraction, enum role role,
                    enum glyph full, enum glyph half)
{
    int halves = bar_halves(w, fraction, glyph_code(c->level, half) != 0);
    for (int i = 0; i < halves / 2; i++)
        canvas_glyph(c, x + i, y, role, full);
    if (halves % 2)
        canvas_glyph(c, x + halves / 2, y, role, half);
    return (halves + 1) / 2;
}

void draw_progress(struct canvas *c, int x, int y, int w, double fraction)
{
    int done = draw_bar(c, x, y, w, fraction, ROLE_SERIES1, GLYPH_DONE, GLYPH_DONE_HALF);
    for (int i = done; i < w; i++)
        canvas_glyph(c, x + i, y, ROLE_BORDER, GLYPH_REST);
}

void draw_amount(struct canvas *c, int x, int y, int w, double fraction, enum role role)
{
    draw_bar(c, x, y, w, fraction, role, GLYPH_AMOUNT, GLYPH_AMOUNT_HALF);
}

/* Part of a word: no blank, no line, no dot of a curve. */
static bool is_word(const struct canvas *c, int x, int y)
{
    const struct cell *cell = canvas_at(c, x, y);
    enum role role = cell->role;
    bool drawn = role == ROLE_BORDER || role == ROLE_RAW || role == ROLE_CURSOR ||
                 (role >= ROLE_SERIES1 && role <= ROLE_SERIES6);
    return cell->ch != ' ' && !drawn;
}

/* Blank the word that has a cell in column x, on the side that `step` leads to. */
static void wipe_word(struct canvas *c, int x, int y, int step)
{
    for (; x >= 0 && x < c->w && is_word(c, x, y); x += step)
        canvas_code(c, x, y, ROLE_TEXT, ' ');
}

static void draw_frame(struct canvas *c, struct rect r)
{
    int right = r.x + r.w - 1, bottom = r.y + r.h - 1;
    line(c, r.x, r.y, r.w, ROLE_FOCUS);
    line(c, r.x, bottom, r.w, ROLE_FOCUS);
    for (int y = r.y + 1; y < bottom; y++) {
        canvas_glyph(c, r.x, y, ROLE_FOCUS, GLYPH_VLINE);
        canvas_glyph(c, right, y, ROLE_FOCUS, GLYPH_VLINE);
    }
    canvas_glyph(c, r.x, r.y, ROLE_FOCUS, GLYPH_TOP_LEFT);
    canvas_glyph(c, right, r.y, ROLE_FOCUS, GLYPH_TOP_RIGHT);
    canvas_glyph(c, r.x, bottom, ROLE_FOCUS, GLYPH_BOTTOM_LEFT);
    canvas_glyph(c, right, bottom, ROLE_FOCUS, GLYPH_BOTTOM_RIGHT);
}

void draw_box(struct canvas *c, struct rect r, const char *title, const char *right)
{
    hot_clear(c);
    for (int y = r.y; y < r.y + r.h; y++) {
        wipe_word(c, r.x - 1, y, -1);
        wipe_word(c, r.x + r.w, y, 1);
    }
    canvas_fill(c, (struct rect){r.x - 1, r.y, r.w + 2, r.h}, ROLE_TEXT, ' ');
    draw_frame(c, r);
    if (title && text_width(title) + 5 <= r.w)
        draw_head(c, r.x + 3, r.y, ROLE_TITLE, title);
    if (right && part_width(title) + part_width(right) + 9 <= r.w)
        draw_head(c, r.x + r.w - 5 - text_width(right), r.y, ROLE_DIM, right);
}
