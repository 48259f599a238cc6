/* Text over several rows, broken at blanks where there are some. */
#ifndef TT_TUI_WRAP_H
#define TT_TUI_WRAP_H

#include <stddef.h>

#include "tui/canvas.h"

/* Bytes of the first row of a text, of at most `cols` columns; at least one character. */
size_t wrap_bytes(const char *text, int cols);
/* Draws what fits into `r`; returns the rows that the whole text takes. NULL canvas: only counts. */
int draw_wrapped(struct canvas *c, struct rect r, enum role role, const char *text);

#endif
