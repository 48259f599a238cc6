/* Where a step goes, and what that says. */
#ifndef TT_TUI_PHASES_H
#define TT_TUI_PHASES_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

/* A line for each phase from (x, y): seconds, share, and a bar up to column `end`. */
void draw_phase_lines(struct canvas *c, int x, int y, int rows, int end, const struct uimodel *m);

#define VERDICT_STEPS 100

/* What bounds the run: a word and the numbers that decide it. */
struct verdict {
    char word[32], evidence[96], more[96];
};
void make_verdict(const struct uimodel *m, struct verdict *v);

#endif
