/* The values under the cursor of a plot; without one, of the newest step. */
#ifndef TT_TUI_READING_H
#define TT_TUI_READING_H

#include "tui/run_plot.h"

void draw_reading(struct canvas *c, struct rect r, const struct uimodel *m,
                  const struct series_plot *sp);
/* A value of a series in its own format. */
char *show_metric(char *dst, size_t size, int series, double v, enum glyph_level level);

#endif
