/* Opening a run from its directory. A long one is read by a thread of its own, with a box over the screen
 * meanwhile; Esc gives up. */
#ifndef TT_TUI_OPENING_H
#define TT_TUI_OPENING_H

#include "tui/app.h"

/* `opened` takes the session over; it is NULL where the run can't be opened, `e` says why. It is called at
 * once for a run that is read in less than half a second, else from a turn of the loop. */
void opening_start(struct app *a, const char *run_path,
                   void (*opened)(struct app *a, struct session *s, const struct err *e));

#endif
