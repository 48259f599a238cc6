/* The hint row: which keys do something now. A view writes its words, "Space pause  s save";
 * drawing parts keys from words and drops from the right what does not fit. */
#ifndef TT_TUI_HINTS_H
#define TT_TUI_HINTS_H

#include <stddef.h>

#include "tui/canvas.h"
#include "tui/keys.h"
#include "tui/uimodel.h"

/* Append "KEY word" with the key in force; of a pair "KEY SEP KEY word", arrows as "↑↓" and
 * "←→". */
void hint_add(char *dst, size_t size, enum action a, const char *word);
void hint_pair(char *dst, size_t size, enum action a, enum action b, const char *sep,
               const char *word);
/* pause or resume, save, evaluate, options: what the run can be asked for; nothing when it is
 * over. */
void hint_run(char *dst, size_t size, const struct uimodel *m);

/* What can be done about a run that ended before its time: resume, change options; true: there
 * is one. */
bool hint_ended(char *dst, size_t size, const struct uimodel *m);
/* The row with other words pinned to its right end than help and quit. */
void draw_pinned(struct canvas *c, const char *hints, const char *pinned);

/* Can the run be asked for something, and for an evaluation? */
bool run_takes_commands(const struct uimodel *m);
bool run_evaluates(const struct uimodel *m);

#endif
