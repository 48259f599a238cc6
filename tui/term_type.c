/* Names of terminals. */
#include "tui/term_type.h"

#include <stddef.h>
#include <termcap.h>

const char *term_type_known(const char *type)
{
    static const char *const likely[] = {"xterm-256color", "xterm", "vt100"};
    if (tgetent(NULL, type) == 1)
        return type;
    for (size_t i = 0; i < sizeof likely / sizeof *likely; i++)
        if (tgetent(NULL, likely[i]) == 1)
            return likely[i];
    return NULL;
}

int term_type_colours(const char **type)
{
    char room[64], *area = room;
    const char *known = *type && **type ? term_type_known(*type) : NULL;
    if (!known || tgetent(NULL, known) != 1 || !tgetstr("cm", &area))
        return -1;
    int colours = tgetnum("Co");
    *type = known;
    return colours > 0 ? colours : 0;
}
