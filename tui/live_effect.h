/* What a new value of a live option does to the run, in words. */
#ifndef TT_TUI_LIVE_EFFECT_H
#define TT_TUI_LIVE_EFFECT_H

#include "tui/uimodel.h"

/* Place of an option, "section.key", in the dialog; those that are not known come last. */
size_t live_effect_order(const char *key);
/* "step 3,743 on: lr 7.24e-06 -> 9.06e-06". */
void live_effect_describe(const struct uimodel *m, const char *key, const char *now, const char *next,
                          char *dst, size_t size);

#endif
