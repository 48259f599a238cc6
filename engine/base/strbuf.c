/* Growing strings and lists of strings. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

void strbuf_add(struct strbuf *b, const char *data, size_t n)
{
    b->s = xgrow(b->s, &b->cap, b->len + n + 1, 1);
    memcpy(b->s + b->len, data, n);
    b->len += n;
    b->s[b->len] = '\0';
}

void strbuf_adds(struct strbuf *b, const char *s)
{
    strbuf_add(b, s, strlen(s));
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    BUG_ON(n < 0);
    b->s = xgrow(b->s, &b->cap, b->len + (size_t)n + 1, 1);
    va_start(ap, fmt);
    vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
}

void strbuf_clear(struct strbuf *b)
{
    b->len = 0;
    if (b->s)
        b->s[0] = '\0';
}

void strbuf_release(struct strbuf *b)
{
    free(b->s);
    *b = (struct strbuf)STRBUF_INIT;
}

char *strbuf_take(struct strbuf *b)
{
    char *s = b->s ? b->s : xstrdup("");
    *b = (struct strbuf)STRBUF_INIT;
    return s;
}

static void add_taken(struct strlist *l, char *s)
{
    l->s = xgrow(l->s, &l->cap, l->n + 1, sizeof *l->s);
    l->s[l->n++] = s;
}

void strlist_add(struct strlist *l, const char *s)
{
    add_taken(l, xstrdup(s));
}

int strlist_find(const struct strlist *l, const char *s)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->s[i], s))
            return (int)i;
    return -1;
}

const char *strlist_repeated(const struct strlist *l)
{
    for (size_t i = 1; i < l->n; i++)
        if (strlist_find(l, l->s[i]) < (int)i)
            return l->s[i];
    return NULL;
}

void strlist_split(struct strlist *l, const char *text, char sep)
{
    if (text[strspn(text, " \t\r\n")] == '\0')
        return;
    for (const char *end; text; text = end ? end + 1 : NULL) {
        end = strchr(text, sep);
        char *part = xstrndup(text, end ? (size_t)(end - text) : strlen(text));
        char *start = str_strip(part);
        memmove(part, start, strlen(start) + 1);
        add_taken(l, part);
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b); /* bytes of UTF-8 sort as code points do */
}

void strlist_sort(struct strlist *l)
{
    if (l->n > 1)
        qsort(l->s, l->n, sizeof *l->s, compare);
}

void strlist_release(struct strlist *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->s[i]);
    free(l->s);
    *l = (struct strlist)STRLIST_INIT;
}
