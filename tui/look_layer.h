/* Another run, opened from the views of the one in hand, which goes on below: its directory in the
 * same views; Esc leads back. */
#ifndef TT_TUI_LOOK_LAYER_H
#define TT_TUI_LOOK_LAYER_H

#include "tui/app.h"

extern const struct layer_class look_layer_class;

/* What can't be read is told as a message. */
void look_at_run(struct app *a, const char *run_path);

#endif
