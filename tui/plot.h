/* Plots of screens.md 4: round ticks on row centres, per-column minimum and maximum, gaps,
 * marks. A plot is computed from its rectangle and data alone, then drawn in layers into dots or
 * cells. */
#ifndef TT_TUI_PLOT_H
#define TT_TUI_PLOT_H

#include "tui/axis.h"
#include "tui/canvas.h"
#include "tui/history.h"

enum plot_x { PLOT_STEP, PLOT_TIME, PLOT_EPOCH };

/* R4(n): 4 * floor((n - 1) / 4) + 1, at least 3. */
int plot_rows(int n);

/* How a line is drawn: solid, the patterns of the second to sixth line, a plan (every third
 * dot). */
enum plot_pattern {
    PATTERN_SOLID, PATTERN_2, PATTERN_3, PATTERN_4, PATTERN_5, PATTERN_6, PATTERN_PLANNED
};
/* Legend of a pattern in `cells` cells: "⠒⠒⠒", "⠂⠂⠂"; of the raw range: "⢕⢕". */
char *plot_legend(enum glyph_level level, enum plot_pattern p, int cells, char *dst, size_t size);
const char *plot_legend_raw(enum glyph_level level);

struct plot {
    struct rect area;   /* gutter, axis, dots and the x-axis row below (area.h = R + 1) */
    int gutter;         /* columns of the y labels: 5 losses, 6 counts, 8 rates */
    int rows, cols;     /* of dots' cells */
    struct axis y;
    enum axis_labels labels; /* LABELS_RATES: y labels always as 2.0e-05 */
    double top;         /* no value is larger: the axis of a score ends at 1; 0: any is possible */
    double x0, x1, x_step;
    enum plot_x by;
    const char *unit;   /* at the end of the x axis: "step" */
    enum glyph_level level;
    struct plot_cell *cell; /* [(rows + 1) * cols]: topmost layer; last row: signs on the x axis */
    int layers;             /* drawn so far */
    int cursor;             /* its cell column, -1: none */
    int64_t above, below, nonfinite; /* out of the view, counted by plot_raw and plot_points */
};

/* Range of the x axis: 0 .. smallest of 1, 2, 2.5, 5 x 10^k at or above 1.02 * now, at most `end`
 * (0: no end). By time the values are seconds; the axis shows s, min or h. */
void plot_x_range(struct plot *p, double now, double end);
/* A zoomed or panned range as given. */
void plot_x_fixed(struct plot *p, double x0, double x1);
/* x of a bucket by p->by: step, seconds or epoch. */
double plot_bucket_x(const struct plot *p, const struct hist_bucket *b);
/* y range from the values (screens.md 4): `smooth_max` the largest smoothed value, `raw_995` the
 * 99.5 % point of the raw ones, `min` the smallest. fixed: lo..hi as given (percent, schedules).
 * Keeps the old range in `old` while it fits (grows at once, shrinks after 5 s of less than
 * half). */
struct plot_range {
    double lo, hi;      /* in force */
    double small_since; /* sys_now() since when less than half is needed; 0: not */
    bool hold;          /* a cursor is on */
};
void plot_y_range(struct plot *p, struct plot_range *old, double min, double smooth_max,
                  double raw_995, bool log, double now);
void plot_y_fixed(struct plot *p, double lo, double hi);
/* Of values that labels of its gutter can't tell apart, a wider one than axis_linear gives. */
struct axis plot_axis(const struct plot *p, double lo, double hi, int intervals);
enum plot_smooth { SMOOTH_95, SMOOTH_99, SMOOTH_OFF };
/* The same from the buckets of n histories that lie in x0 .. x1. */
void plot_y_history(struct plot *p, struct plot_range *old, const struct history *const *h, int n,
                    enum plot_smooth s, bool log, double now);

/* First of all: sets the geometry (p is overwritten, by = PLOT_STEP). Then by and labels where they
 * differ, the x range, the y range, the layers, plot_end. */
void plot_begin(struct plot *p, struct canvas *c, struct rect area, int gutter, const char *unit);
/* Layers, lowest first: raw, lines (a later one over an earlier one), cursor, marks. */

/* Minimum and maximum of each dot column; signs for what is out of view or not finite. */
void plot_raw(struct plot *p, const struct history *h);
/* A function of the step, for schedules: its mean over the steps of each dot column. */
void plot_line(struct plot *p, double (*y)(void *user, double x), void *user, double x_from,
               double x_to, enum role role, unsigned pattern);
/* A curve: the mean of each dot column, joined where steps were measured. */
void plot_history(struct plot *p, const struct history *h, enum plot_smooth s, enum role role,
                  unsigned pattern);
void plot_points(struct plot *p, const struct history *h, enum glyph g, enum role role);
/* Points as a letter each, where several series share a plot. */
void plot_letters(struct plot *p, const struct history *h, char letter, enum role role);
void plot_mark(struct plot *p, double x, double y, enum glyph g, enum role role);
/* The letter of a line in the cell of its newest point. */
void plot_letter(struct plot *p, const struct history *h, enum plot_smooth s, char letter,
                 enum role role);
/* "you are here": the sign at (x, y), the words above it to the right where they fit. */
void plot_here(struct plot *p, double x, double y);
void plot_edit(struct plot *p, double x);   /* tick on the axis row */
void plot_cursor(struct plot *p, double x);
/* Axes, dots and marks into the canvas; frees what plot_begin took. */
void plot_end(struct plot *p, struct canvas *c);
double plot_x_at(const struct plot *p, int dot_column); /* value of a dot column */
int plot_dots_x(const struct plot *p);                  /* dot columns */

#endif
