/* Characters of a glyph level. */
#ifndef TT_TUI_GLYPH_H
#define TT_TUI_GLYPH_H

#include "tui/canvas.h"

/* The code point of a glyph; 0 where the level has none. */
uint32_t glyph_code(enum glyph_level level, enum glyph g);
/* What stands for a character of one column that the level can't show: the form of the same
 * element, or '?'. */
uint32_t glyph_fit(enum glyph_level level, uint32_t ch);

#endif
