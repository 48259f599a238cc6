/* Where a step goes, and what that says. */
#ifndef TT_TUI_PHASES_H
#define TT_TUI_PHASES_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

/* A line for each phase from (x, y): seconds, share, and a bar up to column `end`. Parts add up
 * to the step as they are shown. */
void draw_phase_lines(struct canvas *c, int x, int y, int rows, int end,
                      const struct run_status *s);

#define VERDICT_STEPS 100

/* What bounds the run: a word and the numbers that decide it. */
struct verdict {
    char word[32], evidence[96]; /* no word: too early, and the evidence says so */
    double data, compute, update; /* shares of a step */
};
void make_verdict(const struct run_status *s, struct verdict *v);

#endif
