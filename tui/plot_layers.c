/* Layers of a plot: raw range, lines, signs. A higher layer takes a whole cell over. */
#include <math.h>
#include <stdlib.h>

#include "tui/glyph.h"
#include "tui/plot_cell.h"

struct brush {
    enum role role;
    char ascii;
    bool raw;
};

static void put_dot(struct plot *p, int x, int y, const struct brush *brush)
{
    static const uint8_t bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    struct plot_grid grid = plot_grid(p->level);
    if (x < 0 || y < 0 || x >= p->cols * grid.x || y >= p->rows * grid.y)
        return;
    struct plot_cell *cell = &p->cell[y / grid.y * p->cols + x / grid.x];
    uint8_t bit = bits[x % grid.x][y % grid.y];
    cell->bits = cell->layer == p->layers ? cell->bits | bit : bit;
    cell->layer = (uint8_t)p->layers;
    cell->role = (uint8_t)brush->role;
    cell->raw = brush->raw;
    cell->ascii = brush->ascii;
}

void plot_sign(struct plot *p, int col, int row, enum role role, uint32_t ch)
{
    if (col < 0 || row < 0 || col >= p->cols || row > p->rows)
        return;
    struct plot_cell *cell = &p->cell[row * p->cols + col];
    cell->sign = ch;
    cell->sign_role = (uint8_t)role;
}

static void sign_glyph(struct plot *p, int col, int row, enum role role, enum glyph g)
{
    plot_sign(p, col, row, role, glyph_code(p->level, g));
}

static int cell_x(const struct plot *p, double x)
{
    return plot_dot_x(p, x) / plot_grid(p->level).x;
}

static bool in_view(const struct plot *p, double x)
{
    return x >= p->x0 && x <= p->x1;
}

void plot_visible(const struct plot *p, const struct history *h, int *from, int *to)
{
    *from = 0;
    *to = h->n;
    while (*from < *to && plot_bucket_x(p, &h->b[*from]) < p->x0)
        ++*from;
    while (*to > *from && plot_bucket_x(p, &h->b[*to - 1]) > p->x1)
        --*to;
}

/* Values of a bucket outside the view: all when the nearest end is, at least the extreme
 * otherwise. */
static int64_t count_outside(const struct hist_bucket *b, bool extreme, bool all)
{
    return all ? b->count : extreme ? 1 : 0;
}

static void count_out_of_view(struct plot *p, const struct hist_bucket *b, int col)
{
    int64_t above = count_outside(b, b->max > p->y.hi, b->min > p->y.hi);
    int64_t below = count_outside(b, b->min < p->y.lo, b->max < p->y.lo);
    p->above += above;
    p->below += below;
    p->nonfinite += b->nonfinite;
    if (below)
        sign_glyph(p, col, p->rows - 1, ROLE_WARN, GLYPH_BELOW);
    if (b->nonfinite)
        sign_glyph(p, col, 0, ROLE_BAD, GLYPH_NONFINITE);
    else if (above && p->cell[col].sign_role != ROLE_BAD)
        sign_glyph(p, col, 0, ROLE_WARN, GLYPH_ABOVE);
}

/* Minimum and maximum of one dot column; the dots between in a chequered pattern. */
static void draw_range(struct plot *p, int x, double min, double max, const struct brush *brush)
{
    if (!(min <= p->y.hi && max >= p->y.lo))
        return;
    int top = plot_dot_y(p, fmin(max, p->y.hi)), bottom = plot_dot_y(p, fmax(min, p->y.lo));
    for (int y = top; y <= bottom; y++)
        if (p->level != GLYPHS_BRAILLE || (x + y) % 2 == 0 || y == top || y == bottom)
            put_dot(p, x, y, brush);
}

void plot_raw(struct plot *p, const struct history *h)
{
    const struct brush brush = {ROLE_RAW, ':', true};
    int from, to, column = -1;
    double min = NAN, max = NAN;
    p->layers++;
    plot_visible(p, h, &from, &to);
    for (int i = from; i < to && p->cols && p->rows; i++) {
        const struct hist_bucket *b = &h->b[i];
        int x = plot_dot_x(p, plot_bucket_x(p, b));
        if (x != column)
            draw_range(p, column, min, max, &brush);
        if (x != column)
            min = max = NAN;
        column = x;
        if (b->count) {
            min = fmin(min, b->min);
            max = fmax(max, b->max);
        }
        count_out_of_view(p, b, x / plot_grid(p->level).x);
    }
    draw_range(p, column, min, max, &brush);
}

struct pen {
    struct plot *p;
    struct brush brush;
    enum plot_pattern pattern;
    int x, y;
    bool down; /* (x, y) was drawn and joins the next point */
};

static struct pen pen_of(struct plot *p, enum role role, unsigned pattern)
{
    p->layers++;
    return (struct pen){
        .p = p, .brush = {role, plot_pattern_ascii(pattern), false}, .pattern = pattern};
}

static void pen_dot(struct pen *pen, int x, int y)
{
    bool shown = pen->p->level == GLYPHS_ASCII || plot_pattern_has(pen->pattern, x);
    if (shown)
        put_dot(pen->p, x, y, &pen->brush);
}

/* A dot at (x, y), joined to the one before. Half-way dots of a steep piece fall to the even
 * column. */
static void pen_to(struct pen *pen, int x, int y)
{
    int dx = x - pen->x, dy = y - pen->y, n = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    for (int i = 1; pen->down && i < n; i++)
        pen_dot(pen, (int)lrint(pen->x + (double)i * dx / n),
                (int)lrint(pen->y + (double)i * dy / n));
    pen_dot(pen, x, y);
    pen->x = x;
    pen->y = y;
    pen->down = true;
}

/* Sum of what a bucket's steps show of the series, to be divided by its count. */
static double bucket_sum(const struct hist_bucket *b, enum plot_smooth s)
{
    switch (s) {
    case SMOOTH_95: return b->ema95 * b->count;
    case SMOOTH_99: return b->ema99 * b->count;
    case SMOOTH_OFF: break;
    }
    return b->sum;
}

/* Most steps between two neighbours; more is a gap. */
static double longest_step(const struct history *h)
{
    double all = (double)(h->points + h->nonfinite - 1);
    double usual = all > 0 ? (double)(h->last_step - h->b[0].first) / all : 1;
    return fmax(1, 1.5 * usual);
}

void plot_history(struct plot *p, const struct history *h, enum plot_smooth s, enum role role,
                  unsigned pattern)
{
    struct pen pen = pen_of(p, role, pattern);
    int from, to;
    plot_visible(p, h, &from, &to);
    if (to == from)
        return;
    from -= from > 0; /* the pieces that cross the edges of the view */
    to += to < h->n;
    double sum = 0, count = 0, longest = longest_step(h);
    for (int i = from; i < to; i++) {
        const struct hist_bucket *b = &h->b[i], *next = i + 1 < to ? b + 1 : NULL;
        int x = plot_dot_x(p, plot_bucket_x(p, b));
        sum += b->count ? bucket_sum(b, s) : 0;
        count += b->count;
        bool gap = b->nonfinite || (next && (double)(next->first - b->last) > longest);
        bool column_ends = !next || gap || plot_dot_x(p, plot_bucket_x(p, next)) != x;
        if (column_ends && count > 0)
            pen_to(&pen, x, plot_dot_y(p, sum / count));
        if (column_ends)
            sum = count = 0;
        if (gap)
            pen.down = false;
    }
}

/* Mean of a function over the whole numbers that fall into a dot column, at most 64 of them. */
static double column_mean(const struct plot *p, double (*y)(void *, double), void *user, int x,
                          double x_from, double x_to)
{
    double half = (p->x1 - p->x0) / (plot_dots_x(p) - 1) / 2, middle = plot_x_at(p, x);
    double first = ceil(fmax(middle - half, x_from)), last = floor(fmin(middle + half, x_to));
    double stride = fmax(1, floor((last - first + 1) / 64)), sum = 0;
    int n = 0;
    for (double at = first; at <= last; at += stride, n++)
        sum += y(user, at);
    if (n)
        return sum / n;
    return middle >= x_from && middle <= x_to ? y(user, middle) : NAN;
}

void plot_line(struct plot *p, double (*y)(void *user, double x), void *user, double x_from,
               double x_to, enum role role, unsigned pattern)
{
    struct pen pen = pen_of(p, role, pattern);
    int columns = plot_dots_x(p);
    for (int x = 0; x < columns && columns > 1; x++) {
        double v = column_mean(p, y, user, x, x_from, x_to);
        if (isfinite(v))
            pen_to(&pen, x, plot_dot_y(p, v));
        else
            pen.down = false;
    }
}

void plot_mark(struct plot *p, double x, double y, enum glyph g, enum role role)
{
    if (!in_view(p, x) || !isfinite(y) || !p->cols || !p->rows)
        return;
    if (y > p->y.hi)
        sign_glyph(p, cell_x(p, x), 0, ROLE_WARN, GLYPH_ABOVE);
    else if (y < p->y.lo)
        sign_glyph(p, cell_x(p, x), p->rows - 1, ROLE_WARN, GLYPH_BELOW);
    else
        sign_glyph(p, cell_x(p, x), plot_dot_y(p, y) / plot_grid(p->level).y, role, g);
}

void plot_points(struct plot *p, const struct history *h, enum glyph g, enum role role)
{
    int from, to;
    plot_visible(p, h, &from, &to);
    for (int i = from; i < to && p->cols && p->rows; i++) {
        const struct hist_bucket *b = &h->b[i];
        double x = plot_bucket_x(p, b);
        count_out_of_view(p, b, cell_x(p, x));
        if (b->count)
            plot_mark(p, x, b->value, g, role);
    }
}

void plot_letters(struct plot *p, const struct history *h, char letter, enum role role)
{
    int from, to;
    plot_visible(p, h, &from, &to);
    for (int i = from; i < to && p->cols && p->rows; i++) {
        const struct hist_bucket *b = &h->b[i];
        double x = plot_bucket_x(p, b);
        count_out_of_view(p, b, cell_x(p, x));
        if (b->count && b->value >= p->y.lo && b->value <= p->y.hi)
            plot_sign(p, cell_x(p, x), plot_dot_y(p, b->value) / plot_grid(p->level).y, role,
                      (unsigned char)letter);
    }
}

void plot_letter(struct plot *p, const struct history *h, enum plot_smooth s, char letter,
                 enum role role)
{
    int i = h->n - 1;
    while (i >= 0 && !h->b[i].count)
        i--;
    if (i < 0 || !in_view(p, plot_bucket_x(p, &h->b[i])))
        return;
    const struct hist_bucket *b = &h->b[i];
    int row = plot_dot_y(p, bucket_sum(b, s) / b->count) / plot_grid(p->level).y;
    if (row < p->rows)
        plot_sign(p, cell_x(p, plot_bucket_x(p, b)), row, role, (unsigned char)letter);
}

void plot_here(struct plot *p, double x, double y)
{
    static const char words[] = "you are here";
    const int n = sizeof words - 1;
    int col = cell_x(p, x), row = plot_dot_y(p, y) / plot_grid(p->level).y;
    plot_mark(p, x, y, GLYPH_HERE, ROLE_FOCUS);
    if (!in_view(p, x) || row < 1 || row > p->rows || col + 2 + n > p->cols)
        return;
    for (int i = 0; i < n; i++)
        plot_sign(p, col + 2 + i, row - 1, ROLE_FOCUS, (unsigned char)words[i]);
}

void plot_edit(struct plot *p, double x)
{
    if (in_view(p, x) && p->cols)
        sign_glyph(p, cell_x(p, x), p->rows, ROLE_WARN, GLYPH_EDIT);
}

void plot_cursor(struct plot *p, double x)
{
    if (in_view(p, x) && p->cols)
        p->cursor = cell_x(p, x);
}
