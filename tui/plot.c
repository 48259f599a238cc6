/* Geometry of a plot, its patterns, and the way of its cells into the canvas. */
#include "tui/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/glyph.h"
#include "tui/plot_cell.h"

int plot_rows(int n)
{
    int rows = n > 0 ? 4 * ((n - 1) / 4) + 1 : 1;
    return rows < 3 ? 3 : rows;
}

struct plot_grid plot_grid(enum glyph_level level)
{
    static const struct plot_grid grids[] = {{2, 4}, {1, 2}, {1, 1}};
    return grids[level];
}

static const struct {
    const char *dots; /* by dot column, repeated */
    char ascii;
} patterns[] = {
    [PATTERN_SOLID] = {"1", '*'},     [PATTERN_2] = {"111000", '+'}, [PATTERN_3] = {"10", 'o'},
    [PATTERN_4] = {"1100", 'x'},      [PATTERN_5] = {"1000", '#'},   [PATTERN_6] = {"111010", '@'},
    [PATTERN_PLANNED] = {"100", '.'},
};

bool plot_pattern_has(enum plot_pattern pattern, int dot_column)
{
    const char *dots = patterns[pattern].dots;
    return dot_column >= 0 && dots[(size_t)dot_column % strlen(dots)] == '1';
}

char plot_pattern_ascii(enum plot_pattern pattern)
{
    return patterns[pattern].ascii;
}

void plot_begin(struct plot *p, struct canvas *c, struct rect area, int gutter, const char *unit)
{
    *p = (struct plot){
        .area = area, .gutter = gutter, .unit = unit, .level = c->level, .cursor = -1};
    p->rows = area.h > 1 ? area.h - 1 : 0;
    p->cols = area.w > gutter + 1 ? area.w - gutter - 1 : 0;
    p->x1 = 1;
    p->y = axis_linear(0, 1, axis_intervals(p->rows));
    p->cell = xcalloc((size_t)(p->rows + 1) * (size_t)p->cols + 1, sizeof *p->cell);
}

int plot_dots_x(const struct plot *p)
{
    return p->cols * plot_grid(p->level).x;
}

double plot_x_at(const struct plot *p, int dot_column)
{
    int last = plot_dots_x(p) - 1;
    return last > 0 ? p->x0 + (p->x1 - p->x0) * dot_column / last : p->x0;
}

/* Keeps conversions to int defined for values far outside. */
static double bounded(double v, double limit)
{
    return v > limit ? limit : v > -limit ? v : -limit;
}

int plot_dot_x(const struct plot *p, double x)
{
    double columns = plot_dots_x(p);
    return (int)lrint(bounded((x - p->x0) / (p->x1 - p->x0) * (columns - 1), 2 * columns));
}

int plot_dot_y(const struct plot *p, double y)
{
    int dots = plot_grid(p->level).y;
    double part = bounded(axis_part(&p->y, y), 3);
    return (int)floor((1 - part) * (p->rows - 1) * dots + (dots - 1) / 2.0 + 0.5);
}

static uint32_t braille(uint8_t bits)
{
    return 0x2800 + (uint32_t)bits;
}

static uint32_t block(const struct plot_cell *cell)
{
    static const uint32_t halves[] = {' ', 0x2580, 0x2584, 0x2588};
    return cell->raw ? 0x2591 : halves[cell->bits & 3];
}

static uint32_t cell_code(const struct plot *p, const struct plot_cell *cell)
{
    switch (p->level) {
    case GLYPHS_BRAILLE: return braille(cell->bits);
    case GLYPHS_BLOCK: return block(cell);
    case GLYPHS_ASCII: break;
    }
    return (unsigned char)cell->ascii;
}

static void draw_cell(const struct plot *p, struct canvas *c, int col, int row)
{
    const struct plot_cell *cell = &p->cell[row * p->cols + col];
    int x = p->area.x + p->gutter + 1 + col, y = p->area.y + row;
    bool cursor = col == p->cursor;
    if (row == p->rows && *p->unit && col >= p->cols - (int)strlen(p->unit) - 1)
        return; /* the unit stays whole */
    if (cell->sign)
        canvas_code(c, x, y, cell->sign_role, cell->sign);
    else if (cell->layer)
        canvas_code(c, x, y, cursor && cell->raw ? ROLE_CURSOR : cell->role, cell_code(p, cell));
    else if (cursor)
        canvas_glyph(c, x, y, ROLE_CURSOR, row < p->rows ? GLYPH_CURSOR : GLYPH_CURSOR_FOOT);
}

void plot_end(struct plot *p, struct canvas *c)
{
    struct plot_grid grid = plot_grid(p->level);
    double scale = plot_x_scale(p, p->x1 - p->x0);
    struct axis_x ax = {p->x0 / scale, p->x1 / scale, p->x_step / scale, p->cols, grid.x, p->unit};
    axis_draw_y(c, p->area.x, p->area.y, p->gutter, p->rows, &p->y, p->labels);
    axis_draw_x(c, p->area.x + p->gutter, p->area.y + p->rows, &ax);
    for (int row = 0; row <= p->rows; row++)
        for (int col = 0; col < p->cols; col++)
            draw_cell(p, c, col, row);
    free(p->cell);
    p->cell = NULL;
}

char *plot_legend(enum glyph_level level, enum plot_pattern pattern, int cells, char *dst,
                  size_t size)
{
    static const char *const dots[2][2] = {{" ", "⠐"}, {"⠂", "⠒"}};
    dst[0] = '\0';
    for (int i = 0; i < cells; i++) {
        char one[8] = {plot_pattern_ascii(pattern)};
        if (level == GLYPHS_BRAILLE)
            str_copy(one, sizeof one,
                     dots[plot_pattern_has(pattern, 2 * i)][plot_pattern_has(pattern, 2 * i + 1)]);
        else if (level == GLYPHS_BLOCK)
            str_copy(one, sizeof one, plot_pattern_has(pattern, i) ? "▀" : " ");
        size_t n = strlen(dst);
        str_copy(dst + n, size - n, one);
    }
    return dst;
}

const char *plot_legend_raw(enum glyph_level level)
{
    static const char *const raw[] = {"⢕⢕", "░░", "::"};
    return raw[level];
}
