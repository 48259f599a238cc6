/* Descriptors 1 and 2 while the screen is open: what is printed there (a library, a child) becomes lines
 * of the log instead of holes in the picture, and is printed again when the screen is closed. */
#ifndef TT_TUI_CAPTURE_H
#define TT_TUI_CAPTURE_H

#include <stdbool.h>

#include "engine/base/err.h"

int capture_open(struct err *e);
/* The descriptors come back; what was still on its way is taken. */
void capture_close(void);
/* To poll for; -1 when not open. */
void capture_fds(int fds[2]);
/* Take what has come; true: something did. */
bool capture_read(void);
/* All that was captured, onto descriptor 2. */
void capture_replay(void);
/* Give the descriptors back at once, with what waits in the pipes. Async-signal-safe. */
void capture_emergency(void);

#endif
