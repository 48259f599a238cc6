/* Entries of an INI file: finding, changing, where they came from, how they are quoted. */
#include "engine/base/ini.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/ini_line.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

static void entry_release(struct ini_entry *e)
{
    free(e->section);
    free(e->key);
    free(e->value);
}

void ini_add(struct ini *ini, const char *section, const char *key, const char *value, int line,
             enum ini_from from)
{
    ini->e = xgrow(ini->e, &ini->cap, ini->n + 1, sizeof *ini->e);
    ini->e[ini->n++] = (struct ini_entry){.section = xstrdup(section),
                                          .key = xstrdup(key),
                                          .value = xstrdup(value),
                                          .line = line,
                                          .from = from};
}

void ini_release(struct ini *ini)
{
    for (size_t i = 0; i < ini->n; i++)
        entry_release(&ini->e[i]);
    free(ini->e);
    free(ini->path);
    *ini = (struct ini){.path = NULL};
}

void ini_copy(struct ini *dst, const struct ini *src)
{
    *dst = (struct ini){.path = xstrdup(src->path)};
    for (size_t i = 0; i < src->n; i++) {
        const struct ini_entry *e = &src->e[i];
        ini_add(dst, e->section, e->key, e->value, e->line, e->from);
    }
}

static size_t find(const struct ini *ini, const char *section, const char *key)
{
    size_t i = 0;
    while (i < ini->n && (strcmp(ini->e[i].section, section) || strcmp(ini->e[i].key, key)))
        i++;
    return i;
}

const struct ini_entry *ini_find(const struct ini *ini, const char *section, const char *key)
{
    size_t i = find(ini, section, key);
    return i < ini->n ? &ini->e[i] : NULL;
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
    const struct ini_entry *e = ini_find(ini, section, key);
    return e ? e->value : NULL;
}

void ini_put(struct ini *ini, const char *section, const char *key, const char *value,
             enum ini_from from)
{
    size_t i = find(ini, section, key);
    bool there = i < ini->n, given = value && *value;
    if (!there && given) {
        ini_add(ini, section, key, value, 0, from);
    } else if (there && given) {
        char *copy = xstrdup(value);
        free(ini->e[i].value);
        ini->e[i].value = copy;
        ini->e[i].line = 0;
        ini->e[i].from = from;
    } else if (there) {
        entry_release(&ini->e[i]);
        ini->n--;
        memmove(&ini->e[i], &ini->e[i + 1], (ini->n - i) * sizeof *ini->e);
    }
}

int ini_put_assignment(struct ini *ini, const char *text, struct err *e)
{
    static const char form[] = "section.key=value", sweep[] = "sweep.";
    char visible[256];
    str_visible(visible, sizeof visible, text);
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return err_set(e, TT_ECONFIG, "--set \"%s\" (no control characters)", visible);

    char *copy = xstrdup(text), *value = strchr(copy, '=');
    if (value)
        *value++ = '\0';
    char *section = str_strip(copy), *key = value ? strrchr(section, '.') : NULL;
    if (key && str_starts(section, sweep))
        key = section + strlen(sweep) - 1;
    if (key)
        *key++ = '\0';
    int rc = 0;
    if (!key || !*str_strip(section) || !*(key = str_strip(key)))
        rc = err_set(e, TT_ECONFIG, "--set \"%s\" (%s)", visible, form);
    else if (strlen(section) > INI_SECTION_LONGEST)
        rc = err_set(e, TT_ECONFIG, "--set %s: section name of %zu bytes (at most %d)", visible,
                     strlen(section), INI_SECTION_LONGEST);
    else
        ini_put(ini, section, key, str_strip(value), INI_SET);
    free(copy);
    return rc;
}

const char *ini_origin(const struct ini_entry *e)
{
    static const char *const names[] = {"", "--set", "form", "sweep"};
    return names[e->from];
}

char *ini_where(const struct ini *ini, const struct ini_entry *e, char *dst, size_t size)
{
    if (e->from == INI_FILE)
        snprintf(dst, size, "%s:%d", ini->path ? ini->path : "config", e->line);
    else
        snprintf(dst, size, "%s %s.%s", ini_origin(e), e->section, e->key);
    return dst;
}

static bool needs_quotes(const char *value)
{
    size_t n = strlen(value);
    bool padded = n && (strchr(" \t", value[0]) || strchr(" \t", value[n - 1]));
    return padded || value[0] == '"' || value[0] == ';' || strstr(value, " ;") ||
           strstr(value, "\t;");
}

char *ini_quote(const char *value, char *dst, size_t size)
{
    if (!needs_quotes(value)) {
        str_copy(dst, size, value);
        return dst;
    }
    struct strbuf b = STRBUF_INIT;
    strbuf_adds(&b, "\"");
    for (const char *p = value; *p; p++) {
        if (*p == '"' || *p == '\\')
            strbuf_adds(&b, "\\");
        strbuf_add(&b, p, 1);
    }
    strbuf_adds(&b, "\"");
    str_copy(dst, size, b.s);
    strbuf_release(&b);
    return dst;
}

#define PIECE 72 /* bytes of a long value in a line: it fits even if each of them is escaped */

void ini_add_pair(struct strbuf *out, const char *key, const char *value)
{
    size_t left = strlen(value), size = 2 * left + 3, start = out->len;
    char *quoted = xmalloc(size);
    strbuf_addf(out, "%s = %s\n", key, ini_quote(value, quoted, size));
    if (out->len - start - 1 > INI_LINE_LONGEST) {
        out->len = start;
        for (const char *more = ""; left; more = "+") {
            size_t n = left < PIECE ? left : PIECE;
            while (n < left && n > 1 && ((unsigned char)value[n] & 0xc0) == 0x80)
                n--;
            char *piece = xstrndup(value, n);
            strbuf_addf(out, "%s%s = %s\n", key, more, ini_quote(piece, quoted, size));
            free(piece);
            value += n;
            left -= n;
        }
    }
    free(quoted);
}
