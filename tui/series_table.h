/* All metrics of a run in a table: last, extremes, mean, how many points. */
#ifndef TT_TUI_SERIES_TABLE_H
#define TT_TUI_SERIES_TABLE_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

/* Series that have a value, the loss first; returns how many. */
int known_series(const struct uimodel *m, int out[SERIES_COUNT]);
/* `chosen`: a row is marked as selected; `shown`: the series that is plotted. */
void draw_series_table(struct canvas *c, struct rect r, const struct uimodel *m, struct list *l,
                       bool chosen, int shown);

#endif
