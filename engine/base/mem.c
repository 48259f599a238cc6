/* Allocation that ends the process instead of returning NULL. */
#include "engine/base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/err.h"

static void *have(void *p, size_t n)
{
    if (!p)
        die(err_exit_status(TT_ERESOURCE), "out of memory: can't get %zu bytes", n);
    return p;
}

static size_t product(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        die(err_exit_status(TT_ERESOURCE), "out of memory: can't get %zu x %zu bytes", n, size);
    return bytes;
}

void *xmalloc(size_t n)
{
    return have(malloc(n ? n : 1), n);
}

void *xcalloc(size_t n, size_t size)
{
    size_t bytes = product(n, size);
    return have(calloc(bytes ? bytes : 1, 1), bytes);
}

void *xrealloc(void *p, size_t n)
{
    return have(realloc(p, n ? n : 1), n);
}

void *xreallocarray(void *p, size_t n, size_t size)
{
    return xrealloc(p, product(n, size));
}

char *xstrdup(const char *s)
{
    return s ? xstrndup(s, strlen(s)) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    char *copy = xmalloc(len + 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *xasprintf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    BUG_ON(n < 0);
    char *text = xmalloc((size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return text;
}

void *xgrow(void *p, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return p;
    size_t more = *cap > SIZE_MAX / 2 ? need : *cap * 2;
    if (more < 16)
        more = 16;
    *cap = more < need ? need : more;
    return xreallocarray(p, *cap, size);
}
