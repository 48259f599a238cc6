/* The newest evaluations of a run side by side, and how the last one differs from the one
 * before. */
#ifndef TT_TUI_EVAL_HISTORY_H
#define TT_TUI_EVAL_HISTORY_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

void draw_eval_history(struct canvas *c, struct rect r, const struct uimodel *m);

#endif
