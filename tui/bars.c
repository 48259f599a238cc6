/* Histograms in eighths of a cell (block: halves, ascii: whole cells). */
#include "tui/bars.h"

#include <math.h>
#include <stdio.h>

#include "tui/axis.h"

int bars_cols(int width, int gutter)
{
    return width > gutter + 1 ? width - gutter - 1 : 0;
}

/* Rows between two labels. */
static int rows_a_label(int rows)
{
    return rows > 2 ? 2 : 1;
}

/* Smallest of 1, 2, 4, 5, 8 x 10^k at or above v. */
static double round_count(double v)
{
    static const double round[] = {1, 2, 4, 5, 8, 10};
    double unit = v > 1 ? pow(10, floor(log10(v))) : 1;
    int i = 0;
    while (i < 5 && round[i] * unit < v)
        i++;
    return round[i] * unit;
}

struct scale {
    int rows;
    double top;  /* value of a bar that fills all rows */
    int decades; /* of a row; 0: linear */
    int each;    /* rows of a decade, where there are rows to spare */
};

static struct scale scale_of(const struct bars *b, int rows, int cols)
{
    double most = 1;
    for (int i = 0; i < cols; i++)
        most = fmax(most, b->count[i]);
    if (b->log) {
        int all = most > 10 ? (int)ceil(log10(most)) : 1;
        return (struct scale){rows, 0, (all + rows - 1) / rows, rows > all ? rows / all : 1};
    }
    int step = rows_a_label(rows);
    return (struct scale){rows, round_count(most * step / rows) * rows / step, 0, 0};
}

/* Height of a bar in rows. */
static double height(const struct scale *s, double count)
{
    if (s->decades)
        return log10(count) / s->decades * s->each;
    return count / s->top * s->rows;
}

/* The value of a bar that fills `h` rows. */
static void draw_label(struct canvas *c, int x_end, int y, const struct scale *s, int h, int gutter)
{
    char text[32];
    if (s->decades)
        snprintf(text, sizeof text, "1e%d", s->decades * h / s->each);
    else
        axis_label(text, sizeof text, s->top * h / s->rows,
                   s->top * rows_a_label(s->rows) / s->rows, LABELS_PLAIN, gutter);
    canvas_right(c, x_end, y, ROLE_DIM, text);
}

static void draw_bar(struct canvas *c, int x, int y_end, const struct scale *s, double count)
{
    static const int parts[] = {8, 2, 1};
    static const uint32_t whole[] = {0x2588, 0x2588, '#'};
    int n = parts[c->level], filled = (int)lrint(height(s, count) * n);
    filled = filled < 1 ? 1 : filled > s->rows * n ? s->rows * n : filled;
    for (int y = y_end - 1; filled > 0; y--, filled -= n) {
        uint32_t eighths = 0x2580 + (uint32_t)(filled * 8 / n);
        canvas_code(c, x, y, ROLE_SERIES1, filled >= n ? whole[c->level] : eighths);
    }
}

void bars_draw(struct canvas *c, const struct bars *b)
{
    int rows = b->area.h - 1, cols = bars_cols(b->area.w, b->gutter);
    int x = b->area.x + b->gutter, y_end = b->area.y + rows;
    if (rows < 1 || cols < 1)
        return;
    struct scale s = scale_of(b, rows, cols);
    for (int h = 1; h <= rows; h++) {
        bool labelled = h % (s.each > 1 ? s.each : rows_a_label(rows)) == 0;
        canvas_glyph(c, x, y_end - h, ROLE_BORDER, labelled ? GLYPH_Y_TICK : GLYPH_Y_AXIS);
        if (labelled)
            draw_label(c, x, y_end - h, &s, h, b->gutter);
    }
    for (int i = 0; i < cols; i++)
        if (b->count[i] > 0)
            draw_bar(c, x + 1 + i, y_end, &s, b->count[i]);
    int parts = b->area.w / 10 > 3 ? b->area.w / 10 : 3;
    struct axis_x ax = {b->x0, b->x1, axis_round_up((b->x1 - b->x0) / parts), cols, 1, b->unit};
    axis_draw_x(c, x, y_end, &ax);
}
