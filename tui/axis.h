/* Axes of plots and histograms: round ticks, labels of a fixed width (screens.md principle 16,
 * section 4). */
#ifndef TT_TUI_AXIS_H
#define TT_TUI_AXIS_H

#include "tui/canvas.h"

struct axis {
    double lo, hi, step; /* step: of the ticks; log axis: factor */
    bool log;
    int intervals;
};

enum axis_labels { LABELS_PLAIN, LABELS_RATES /* 2.0e-05 */ };

/* Smallest of 1, 2, 2.5, 5 x 10^k at or above v > 0. */
double axis_round_up(double v);
/* Intervals of a plot of `rows` rows, so that labels sit on row centres. */
int axis_intervals(int rows);
/* Round ends and ticks around lo .. hi; a constant gets a span of 2 % of itself (1 when 0). */
struct axis axis_linear(double lo, double hi, int intervals);
struct axis axis_log(double lo, double hi, int intervals); /* lo > 0 */
/* 0 at lo, 1 at hi. NaN on a log axis for what has no place there. */
double axis_part(const struct axis *a, double v);

/* A label in at most `width` columns: "0.80", "1,000", "2.0e-05", "5e-04"; "" where none fits.
 * `step` is the distance of the ticks. */
char *axis_label(char *dst, size_t size, double v, double step, enum axis_labels labels, int width);

/* The y axis of `rows` rows: labels in `gutter` columns from x, then the axis. */
void axis_draw_y(struct canvas *c, int x, int y, int gutter, int rows, const struct axis *a,
                 enum axis_labels labels);

/* An x axis under `cols` cells of `dots` dot columns each. */
struct axis_x {
    double x0, x1, step;
    int cols, dots;
    const char *unit; /* at its end; "": none */
};
/* Tick distance: cuts the range into at most max(3, pane/15) parts. */
double axis_x_step(double x0, double x1, int pane);
int axis_x_dot(const struct axis_x *a, double x); /* dot column of a value */
/* (x, y) is the corner; ticks, labels and unit follow to its right. */
void axis_draw_x(struct canvas *c, int x, int y, const struct axis_x *a);

#endif
