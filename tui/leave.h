/* Ways of leaving the terminal. */
#ifndef TT_TUI_LEAVE_H
#define TT_TUI_LEAVE_H

#include "tui/app.h"

/* The last words about a run of this process, or one that was attached to, on the normal screen; those of
 * its queue before it in a line each. */
void leave_print_page(const struct app *a, enum glyph_level level);
/* The run of this process goes on without a screen, in a session of its own, with the log of the run for
 * what is printed. Without a run: the program ends. */
void leave_terminal(struct app *a);

#endif
