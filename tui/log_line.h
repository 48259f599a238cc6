/* One line of the log, as the log view and the overview show it. */
#ifndef TT_TUI_LOG_LINE_H
#define TT_TUI_LOG_LINE_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

/* Clock, step, kind, and as much of the text as fits before column x + w. */
void draw_log_line(struct canvas *c, int x, int y, int w, const struct uimodel *m,
                   const struct log_line *l);
enum role log_role(enum log_kind k);

#endif
