/* The table of roles and themes. */
#include "tui/theme.h"

#include <string.h>

/* A colour of each theme on terminals with 256 colours and one for those with 8 or 16; the
 * attributes that go with the colours, and those of terminals without the former or without any. */
static const struct {
    short colour[3]; /* any, dark, light */
    short basic;
    unsigned attr, basic_attr, mono_attr;
} roles[ROLE_COUNT] = {
    [ROLE_TEXT] = {{-1, -1, -1}, -1, 0, 0, 0},
    [ROLE_DIM] = {{243, 246, 242}, -1, 0, LOOK_DIM, LOOK_DIM},
    [ROLE_TITLE] = {{-1, -1, -1}, -1, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD},
    [ROLE_BORDER] = {{242, 240, 248}, -1, 0, LOOK_DIM, LOOK_DIM},
    [ROLE_FOCUS] = {{30, 80, 24}, 6, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD},
    [ROLE_OK] = {{28, 114, 28}, 2, 0, 0, 0},
    [ROLE_WARN] = {{130, 214, 130}, 3, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD},
    [ROLE_BAD] = {{161, 203, 160}, 1, LOOK_BOLD, LOOK_BOLD, LOOK_REVERSE},
    [ROLE_RAW] = {{243, 242, 247}, -1, 0, LOOK_DIM, LOOK_DIM},
    [ROLE_SERIES1] = {{31, 75, 25}, 6, 0, 0, 0},
    [ROLE_SERIES2] = {{133, 176, 90}, 5, 0, 0, 0},
    [ROLE_SERIES3] = {{64, 114, 28}, 2, 0, 0, 0},
    [ROLE_SERIES4] = {{130, 215, 130}, 3, 0, 0, 0},
    [ROLE_SERIES5] = {{98, 141, 57}, 1, 0, 0, 0},
    [ROLE_SERIES6] = {{66, 152, 30}, -1, 0, 0, 0},
    [ROLE_SELECT] = {{-1, -1, -1}, -1, LOOK_REVERSE, LOOK_REVERSE, LOOK_REVERSE},
    [ROLE_CURSOR] = {{30, 80, 24}, 6, 0, 0, LOOK_BOLD},
    [ROLE_STATUS] = {{-1, -1, -1}, -1, LOOK_REVERSE, LOOK_REVERSE, LOOK_REVERSE},
    [ROLE_STATUS_WARN] = {{130, 214, 130}, 3, LOOK_REVERSE, LOOK_REVERSE, LOOK_REVERSE | LOOK_BOLD},
    [ROLE_STATUS_BAD] = {{161, 203, 160}, 1, LOOK_REVERSE, LOOK_REVERSE, LOOK_REVERSE | LOOK_BOLD},
    [ROLE_KEY] = {{-1, -1, -1}, -1, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD},
};

static const char *const names[THEME_COUNT] = {"any", "dark", "light", "mono"};

struct look theme_look(enum theme t, int colours, enum role role)
{
    if (t == THEME_MONO || colours < 8)
        return (struct look){-1, roles[role].mono_attr};
    if (colours < 256)
        return (struct look){roles[role].basic, roles[role].basic_attr};
    return (struct look){roles[role].colour[t], roles[role].attr};
}

struct look theme_selected(enum role role)
{
    return (struct look){-1, LOOK_REVERSE | (roles[role].mono_attr & LOOK_BOLD)};
}

const char *theme_name(enum theme t)
{
    return names[t];
}

enum theme theme_parse(const char *name)
{
    for (enum theme t = 0; t < THEME_COUNT; t++)
        if (!strcmp(name, names[t]))
            return t;
    return THEME_ANY;
}
