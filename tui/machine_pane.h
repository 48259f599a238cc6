/* What the machine gives to a run and what the console itself takes of it. */
#ifndef TT_TUI_MACHINE_PANE_H
#define TT_TUI_MACHINE_PANE_H

#include "engine/train/machine.h"
#include "tui/uimodel.h"
#include "tui/widgets.h"

/* Of the console, per second. */
struct console_cost {
    double cpu;    /* share of a core; NaN: not yet known */
    double frames;
    double bytes;  /* to the terminal; NaN: unknown */
};

/* `beside`: the pane stands right of another one. */
void draw_machine_pane(struct canvas *c, struct rect r, const struct uimodel *m,
                       const struct machine_reading *reading, const struct console_cost *cost,
                       bool beside);

#endif
