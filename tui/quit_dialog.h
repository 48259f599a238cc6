/* The questions about a run: how to leave it, how to go on with one that ended too early. */
#ifndef TT_TUI_QUIT_DIALOG_H
#define TT_TUI_QUIT_DIALOG_H

#include "tui/app.h"

void quit_dialog(struct app *a);
/* Diverged, stopped or failed: from its newest checkpoint, as it was or more carefully. */
void resume_dialog(struct app *a);

#endif
