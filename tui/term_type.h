/* What terminfo says of a terminal's name. Touches no terminal. */
#ifndef TT_TUI_TERM_TYPE_H
#define TT_TUI_TERM_TYPE_H

/* The type itself or, where its entry is missing, one that it most likely resembles; NULL: none is known. */
const char *term_type_known(const char *type);
/* How many colours a screen would have on a terminal of that type, which becomes the one that it is taken
 * for; -1: none can be drawn. */
int term_type_colours(const char **type);

#endif
