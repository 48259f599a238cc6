/* Text over several rows, broken at blanks where there are some. */
#ifndef TT_TUI_WRAP_H
#define TT_TUI_WRAP_H

#include <stddef.h>

#include "tui/canvas.h"

/* Bytes of the first row of a text, of at most `cols` columns; at least one character. */
size_t wrap_bytes(const char *text, int cols);
/* Draws what fits into `r`; returns the rows that the whole text takes. NULL canvas: only
 * counts. */
int draw_wrapped(struct canvas *c, struct rect r, enum role role, const char *text);

/* A box in the middle of `r` with a text over as many rows as it takes, as far as they fit. */
void draw_text_box(struct canvas *c, struct rect r, const char *title, const char *text);

#endif
