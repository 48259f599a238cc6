/* The loop between a terminal and the console: keys, signals, what the run publishes, frames. */
#ifndef TT_TUI_CONSOLE_LOOP_H
#define TT_TUI_CONSOLE_LOOP_H

#include "tui/app.h"

/* Until the app wants to leave. The screen is open and the signals are installed. */
void console_loop(struct app *a);

#endif
