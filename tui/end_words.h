/* What is said of a run that ended badly: what happened, and what is safe. */
#ifndef TT_TUI_END_WORDS_H
#define TT_TUI_END_WORDS_H

#include "tui/canvas.h"
#include "tui/uimodel.h"

/* Did it diverge or fail? */
bool ended_badly(const struct uimodel *m);
/* "loss nan at steps 2,979 to 2,981: train.max_nonfinite 3 reached" */
char *end_cause(const struct uimodel *m, char *dst, size_t size);
/* "weights are as after step 2,978; nothing saved since step 2,500" */
char *end_safe(const struct uimodel *m, char *dst, size_t size);
/* Both as the two lines of a pane. */
void draw_end_words(struct canvas *c, struct rect r, const struct uimodel *m);

#endif
