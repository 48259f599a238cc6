/* Training without a screen, for `train` and for a console without a terminal. */
#ifndef TT_TUI_CMD_TRAIN_H
#define TT_TUI_CMD_TRAIN_H

#include "tui/cmd.h"

int train_headless(const struct cmd_args *a, struct err *e);

#endif
