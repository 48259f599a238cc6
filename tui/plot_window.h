/* The part of a run that a plot shows: axis, zoom, pan, follow, and the cursor, with the keys
 * for them. A cursor is a step, so it stays where it is when the axis changes. */
#ifndef TT_TUI_PLOT_WINDOW_H
#define TT_TUI_PLOT_WINDOW_H

#include "tui/keys.h"
#include "tui/plot.h"
#include "tui/uimodel.h"

struct plot_window {
    enum plot_x by;
    double span;    /* in units of x; 0: the whole run */
    double end;     /* right edge while frozen */
    bool frozen;    /* false: the newest step is at the right */
    int64_t cursor; /* step; 0: none */
    double x0, x1, dot, full; /* as last drawn: edges, a dot column, right edge of the whole run */
    int64_t last;   /* as last drawn: no click leads beyond */
    const struct uimodel *model; /* as last drawn */
};

/* x of a step and step of an x; beyond what was measured the run goes on as it does now. */
double run_x(const struct uimodel *m, enum plot_x by, double step);
double run_step(const struct uimodel *m, enum plot_x by, double x);

/* Sets p->by and the x range: the whole run to `last` steps (see plot_x_range), or the window. */
void plot_window_apply(struct plot_window *w, struct plot *p, const struct uimodel *m,
                       int64_t last);

/* Cursor, zoom, pan, follow, axis; back takes cursor and zoom away. False: not one of these.
 * Steps up to `last` can be reached. */
bool plot_window_action(struct plot_window *w, enum action a, const struct uimodel *m,
                        int64_t last);

/* The columns of the plot, as drawn: a click on one puts the cursor there, on a step up to `last`. */
void plot_window_hot(struct plot_window *w, const struct canvas *c, const struct plot *p,
                     const struct uimodel *m, int64_t last);
void plot_window_click(struct plot_window *w, struct rect r, int x);

/* Put the cursor on a step and bring it into view. */
void plot_window_cursor(struct plot_window *w, const struct uimodel *m, int64_t step);

#endif
