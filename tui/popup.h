/* Boxes over a layer: where they stand, and the lines inside them. */
#ifndef TT_TUI_POPUP_H
#define TT_TUI_POPUP_H

#include "tui/canvas.h"

/* w x h in the middle of the content rows, cut to the canvas. */
struct rect popup_rect(const struct canvas *c, int w, int h);
/* A line across the inside of the box, in row y of the canvas. */
void popup_rule(struct canvas *c, struct rect box, int y);
/* Mark row y of the box as selected. */
void popup_select(struct canvas *c, struct rect box, int y);

#endif
