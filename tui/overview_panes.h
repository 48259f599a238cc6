/* The panes of the overview that hold text. A pane begins with the row of its rule; one that
 * stands right of another has its separator in its first column, the joint of which the caller
 * draws. */
#ifndef TT_TUI_OVERVIEW_PANES_H
#define TT_TUI_OVERVIEW_PANES_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

void draw_progress_pane(struct canvas *c, struct rect r, const struct uimodel *m);
void draw_memory_pane(struct canvas *c, struct rect r, const struct uimodel *m);
void draw_eval_pane(struct canvas *c, struct rect r, const struct uimodel *m);

/* "best 0.9060 @3,000" as far as it fits into `cols`: without the step, then nothing; "" when
 * unknown. */
char *best_words(const struct uimodel *m, enum metric k, enum glyph_level level, int cols,
                 char *dst, size_t size);
/* Where a first evaluation comes, or that there is none. */
char *no_evaluation_words(const struct uimodel *m, char *dst, size_t size);
/* The scores that stand for a problem: two, then the loss. */
const enum metric *main_metrics(const struct uimodel *m);
/* The value of the last evaluation as it is shown, and its role: the best so far, not finite, neither. */
char *last_score(const struct uimodel *m, enum metric k, enum glyph_level level, char *dst, size_t size);
enum role last_score_role(const struct uimodel *m, enum metric k);

#endif
