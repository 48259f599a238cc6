/* The screen and the promise to give it back: on every way out of the program the terminal is as it was,
 * whether it ends politely, through die(), by a fatal signal, or because the terminal itself is gone. */
#ifndef TT_TUI_SCREEN_GUARD_H
#define TT_TUI_SCREEN_GUARD_H

#include "tui/term.h"

/* term_open, descriptors 1 and 2 captured, the die hook and the handlers of fatal signals installed. */
int screen_open(const struct term_opts *o, struct err *e);
/* The terminal back, then all that was captured; may be called twice. */
void screen_close(void);
/* The terminal is gone, or belongs to others: from now on nothing is written to it. */
void screen_abandon(void);
/* Give it back and stop the job as ^Z does. False: the job was continued, the screen is ours again. True:
 * it is stopped and we go on without a screen, until screen_take_back. */
bool screen_suspend(void);
/* After SIGCONT: is the job in the foreground, where it may use its terminal? */
bool screen_in_front(void);
void screen_take_back(void);

#endif
