/* Paths as people read them. */
#ifndef TT_TUI_PATHS_H
#define TT_TUI_PATHS_H

#include <stddef.h>

/* As seen from the current folder, where it lies below that. */
char *path_from_here(char *dst, size_t size, const char *path);

#endif
