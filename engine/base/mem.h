/* Host memory that never comes back NULL: no memory ends the process through die(). */
#ifndef TT_BASE_MEM_H
#define TT_BASE_MEM_H

#include <stddef.h>

void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);  /* product checked */
void *xrealloc(void *p, size_t n);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s); /* NULL gives NULL */
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Grow a dynamic array: makes room for `need` elements, doubling. `*cap` counts elements. */
void *xgrow(void *p, size_t *cap, size_t need, size_t size);

#endif
