/* The panes of the state inspector. Each begins with its rule; one that stands right of the tree
 * has the separator in its first column. */
#ifndef TT_TUI_STATE_PANES_H
#define TT_TUI_STATE_PANES_H

#include "engine/train/inspect.h"
#include "tui/plot.h"
#include "tui/widgets.h"

/* `run`: name of the run, for the right end. */
void draw_facts_pane(struct canvas *c, struct rect r, const struct inspect_report *p,
                     const char *run);
/* Histogram of the values; linear: else a decade of counts a row. */
void draw_values_pane(struct canvas *c, struct rect r, const struct inspect_report *p, bool linear);
void draw_scales_pane(struct canvas *c, struct rect r, const struct inspect_report *p);
/* What stands in its place where there are no scales: the rms of the copies so far. */
void draw_rms_pane(struct canvas *c, struct rect r, const struct history *rms);
/* Leading values, of codes with the codes; returns how many fit. */
int draw_block_pane(struct canvas *c, struct rect r, const struct inspect_report *p);

#endif
