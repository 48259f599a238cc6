/* The console on this terminal: for the command without a name and for `attach`. */
#ifndef TT_TUI_CONSOLE_H
#define TT_TUI_CONSOLE_H

#include "tui/app.h"

/* Until it is left; `app` has its layers. Returns the code that is the exit status. */
int console_run(struct app *app, struct err *e);

#endif
