/* Histograms: one bar a cell column, labels at the value of a bar that fills the row. */
#ifndef TT_TUI_BARS_H
#define TT_TUI_BARS_H

#include "tui/canvas.h"

struct bars {
    struct rect area;     /* gutter, axis, bars, and the x axis in its last row */
    int gutter;           /* columns of the labels: 6 for counts */
    const double *count;  /* [bars_cols(area.w, gutter)] */
    double x0, x1;        /* values of the first and the last bar */
    const char *unit;     /* at the end of the x axis; "": in the title */
    bool log;             /* one decade of counts a row; several rows a decade where all fit */
};

int bars_cols(int width, int gutter); /* bars that fit */
void bars_draw(struct canvas *c, const struct bars *b);

#endif
