/* Cells of a plot while its layers are drawn, and what the files of the plot share. */
#ifndef TT_TUI_PLOT_CELL_H
#define TT_TUI_PLOT_CELL_H

#include "tui/plot.h"

struct plot_cell {
    uint8_t layer;  /* number of the topmost layer with a dot here, from 1; 0: empty */
    uint8_t bits;   /* its dots */
    uint8_t role;
    bool raw;       /* it is the raw range */
    char ascii;     /* its character at the ascii level */
    uint32_t sign;  /* code point of a mark above all dots; 0: none */
    uint8_t sign_role;
};

/* Dots of a cell at a level. */
struct plot_grid {
    int x, y;
};
struct plot_grid plot_grid(enum glyph_level level);

/* x per number on the axis, by p->by; sets the unit of time. */
double plot_x_scale(struct plot *p, double range);
/* Buckets whose x lies in the view: [*from, *to). */
void plot_visible(const struct plot *p, const struct history *h, int *from, int *to);
int plot_dot_x(const struct plot *p, double x); /* dot column; may lie outside */
int plot_dot_y(const struct plot *p, double y); /* dot row; may lie outside */
bool plot_pattern_has(enum plot_pattern pattern, int dot_column);
char plot_pattern_ascii(enum plot_pattern pattern);
/* A sign in a cell; (col, rows) is the x axis. Outside: dropped. */
void plot_sign(struct plot *p, int col, int row, enum role role, uint32_t ch);

#endif
