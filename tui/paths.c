/* Paths relative to the current folder. */
#include "tui/paths.h"

#include <string.h>
#include <unistd.h>

#include "engine/base/str.h"

char *path_from_here(char *dst, size_t size, const char *path)
{
    char here[4096];
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (n > 1 && str_starts(path, here) && path[n] == '/')
        path += n + 1;
    str_copy(dst, size, path);
    return dst;
}
