/* What roles look like (screens.md 1.1), and the names of [ui] theme. */
#ifndef TT_TUI_THEME_H
#define TT_TUI_THEME_H

#include "tui/canvas.h"

enum theme { THEME_ANY, THEME_DARK, THEME_LIGHT, THEME_MONO, THEME_COUNT };

enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_REVERSE = 4 };

struct look {
    int fg; /* index of the terminal's colours, -1: the default */
    unsigned attr;
};

/* `colours`: what the terminal has. Below 8 every theme is mono. */
struct look theme_look(enum theme t, int colours, enum role role);
/* A selected row: reverse whatever the role, so that no dim text stands on it. */
struct look theme_selected(enum role role);

const char *theme_name(enum theme t);
enum theme theme_parse(const char *name); /* THEME_ANY when unknown */

#endif
