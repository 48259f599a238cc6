/* The last words of a run, on the normal screen: result, figures, loss curve, files, how to go on
 * (screens-more.md "Exit page"). For the console and for `train`. */
#ifndef TT_TUI_EXIT_PAGE_H
#define TT_TUI_EXIT_PAGE_H

#include "engine/base/str.h"
#include "tui/canvas.h"
#include "tui/uimodel.h"

/* At most 80 columns a line, no colours. */
void exit_page(const struct uimodel *m, enum glyph_level level, struct strbuf *out);

#endif
