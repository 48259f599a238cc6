/* The plots of a run that several screens show: a metric with its rule and legend, the learning
 * rate, the points of a score. */
#ifndef TT_TUI_RUN_PLOT_H
#define TT_TUI_RUN_PLOT_H

#include "tui/plot_window.h"

/* One metric over the run, as a view keeps it. */
struct series_plot {
    int series;             /* enum series; 0: loss */
    enum plot_smooth smooth;
    bool log;
    bool marks;             /* edits are marked on the axis */
    struct plot_window window;
    struct plot_range range;
    struct plot drawn;      /* geometry and counts of the last drawing */
};

/* Rows of the plot and its x axis. Without data: words where the first value will appear. */
void draw_series_plot(struct canvas *c, struct rect area, const struct uimodel *m,
                      struct series_plot *sp);
/* The rule above: name, legend, with `counts` what lies out of view or is not finite; run name. */
void draw_series_rule(struct canvas *c, struct rect pane, const struct uimodel *m,
                      const struct series_plot *sp, bool counts);

/* Used and planned learning rate, "you are here", edits of the schedule. */
/* Where the y axis of a series ends at the latest; 0: anywhere. */
double series_top(int series);
void draw_rate_plot(struct canvas *c, struct rect area, const struct uimodel *m,
                    struct plot_window *w);
/* Largest rate of the run, used or planned; NaN: unknown. */
double peak_rate(const struct uimodel *m);
/* The rate of a step: used, or planned; NaN: unknown. */
double rate_of_step(const struct uimodel *m, int64_t step);

/* Points of a score of evaluations, the best with its own sign. */
void draw_score_plot(struct canvas *c, struct rect area, const struct uimodel *m, enum metric k,
                     struct plot_range *range);

/* The metric that decides the best, else the loss. */
enum metric best_metric(const struct uimodel *m);
/* Name of the run for the right end of the first rule, its middle cut to `cols`. */
char *run_title(const struct uimodel *m, enum glyph_level level, char *dst, size_t size, int cols);

#endif
