/* Options by table: defaults, parsing with messages, text of values. */
#include "engine/base/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/base/opt_type.h"
#include "engine/base/str.h"

#define TEXT_MAX 4096

static void *at(const struct opt_desc *d, void *values)
{
    return (char *)values + d->at;
}

void opt_defaults(const struct opt_desc *table, void *values)
{
    for (const struct opt_desc *d = table; d->key; d++)
        opt_types[d->type].set_default(d, at(d, values));
}

void opt_release(const struct opt_desc *table, void *values)
{
    for (const struct opt_desc *d = table; d->key; d++)
        if (opt_types[d->type].owned) {
            char **text = at(d, values);
            free(*text);
            *text = NULL;
        }
}

void opt_copy(const struct opt_desc *table, void *dst, const void *src)
{
    for (const struct opt_desc *d = table; d->key; d++) {
        memcpy(at(d, dst), opt_at(d, src), opt_types[d->type].size);
        if (opt_types[d->type].owned)
            *(char **)at(d, dst) = xstrdup(*(char *const *)opt_at(d, src));
    }
}

const struct opt_desc *opt_find(const struct opt_desc *table, const char *key)
{
    for (const struct opt_desc *d = table; d->key; d++)
        if (!strcmp(d->key, key))
            return d;
    return NULL;
}

/* `WHAT"TEXT" (ALLOWED; did you mean NAME)`, the hint only when one of the names is near. */
static int refuse(struct err *e, const char *what, const char *text, const char *allowed,
                  const char *const *names, size_t n)
{
    char found[160];
    int i = str_nearest(text, names, n);
    str_visible(found, sizeof found, text);
    return err_set(e, TT_ECONFIG, "%s\"%s\" (%s%s%s)", what, found, allowed,
                   i < 0 ? "" : "; did you mean ", i < 0 ? "" : names[i]);
}

int opt_parse(const struct opt_desc *d, void *values, const char *text, struct err *e)
{
    const struct opt_type_class *type = &opt_types[d->type];
    if (*text ? type->parse(d, at(d, values), text) : type->unset && type->unset(d, at(d, values)))
        return 0;

    char allowed[640];
    struct strlist names = STRLIST_INIT;
    if (d->type == OPT_CHOICE)
        strlist_split(&names, d->choices, '|');
    int rc = refuse(e, "", text, opt_allowed(d, allowed, sizeof allowed),
                    (const char *const *)names.s, names.n);
    strlist_release(&names);
    return rc;
}

int opt_unknown(const char *what, const char *text, const char *const *known, size_t n,
                struct err *e)
{
    char kind[64], all[640];
    snprintf(kind, sizeof kind, "unknown %s ", what);
    return refuse(e, kind, text, str_alternatives(all, sizeof all, known, n), known, n);
}

char *opt_format(const struct opt_desc *d, const void *values, char *dst, size_t size)
{
    opt_types[d->type].format(d, opt_at(d, values), dst, size);
    return dst;
}

char *opt_text(const struct opt_desc *d, const void *values)
{
    char text[TEXT_MAX];
    if (d->type != OPT_STR && d->type != OPT_PATH)
        return xstrdup(opt_format(d, values, text, sizeof text));
    const char *s = *(char *const *)opt_at(d, values);
    return xstrdup(s ? s : "");
}

/* A value of any type, to hold a default. */
union value {
    bool b;
    int64_t i;
    double r;
    char *s;
    int c;
    struct every e;
};

static void set_default(const struct opt_desc *d, union value *v)
{
    BUG_ON(opt_types[d->type].size > sizeof *v);
    opt_types[d->type].set_default(d, v);
}

static void release(const struct opt_desc *d, union value *v)
{
    if (opt_types[d->type].owned)
        free(v->s);
}

char *opt_format_default(const struct opt_desc *d, char *dst, size_t size)
{
    union value v;
    set_default(d, &v);
    opt_types[d->type].format(d, &v, dst, size);
    release(d, &v);
    return dst;
}

char *opt_show(const struct opt_desc *d, const void *values, char *dst, size_t size)
{
    opt_types[d->type].show(d, opt_at(d, values), dst, size);
    if (!*dst)
        str_copy(dst, size, "—");
    return dst;
}

bool opt_is_default(const struct opt_desc *d, const void *values)
{
    char now[TEXT_MAX], normal[TEXT_MAX];
    opt_format(d, values, now, sizeof now);
    opt_format_default(d, normal, sizeof normal);
    return !strcmp(now, normal);
}

char *opt_allowed(const struct opt_desc *d, char *dst, size_t size)
{
    opt_types[d->type].allowed(d, dst, size);
    return dst;
}

bool opt_choice(const struct opt_desc *d, int n, char *dst, size_t size)
{
    const char *s = d->choices;
    for (int i = 0; s && i < n; i++) {
        s = strchr(s, '|');
        s += s != NULL;
    }
    if (!s || n < 0)
        return false;
    size_t len = strcspn(s, "|");
    snprintf(dst, size, "%.*s", (int)len, s);
    return true;
}
