/* Reading: the text goes line by line through inih. Each line is checked first, because inih cuts
 * long lines and names, joins indented lines to the one before and ends at a NUL without a word. */
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/ini.h"
#include "engine/base/ini_line.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

#define FILE_LIMIT (1 << 20)

/* What inih's two callbacks share. */
struct reading {
    struct ini *ini;
    const char *rest;
    size_t left;
    int number; /* of the line, from 1 */
    struct ini_line line;
    struct err err; /* the first mistake; ends the reading */
};

static int at_line(struct reading *r)
{
    return err_prefix(&r->err, "%s:%d: ", r->ini->path, r->number);
}

/* inih's fgets: the next line without its indent. */
static char *give_line(char *dst, int size, void *user)
{
    struct reading *r = user;
    const char *text;
    size_t n;
    if (r->err.code || !ini_line_next(&r->rest, &r->left, &text, &n))
        return NULL;
    r->number++;
    if (ini_line_parse(&r->line, text, n, &r->err)) {
        at_line(r);
        return NULL;
    }
    for (; n && (*text == ' ' || *text == '\t'); n--)
        text++;
    snprintf(dst, (size_t)size, "%.*s", (int)n, text);
    return dst;
}

/* `key+ = more`, in a line after that key's. */
static int take_more(struct reading *r, const char *section, const char *key, const char *value)
{
    struct ini_entry *last = r->ini->n ? &r->ini->e[r->ini->n - 1] : NULL;
    size_t n = strlen(key) - 1;
    if (!last || strcmp(last->section, section) || strlen(last->key) != n || strncmp(last->key, key, n)) {
        err_set(&r->err, TT_ECONFIG, "%s goes on with nothing (a line after that of %.*s)", key, (int)n,
                key);
        return at_line(r) == 0;
    }
    char *whole = xasprintf("%s%s", last->value, value);
    free(last->value);
    last->value = whole;
    return 1;
}

/* inih's handler, for the line given last. A quoted value is ours: inih would end it at " ;". */
static int take_pair(void *user, const char *section, const char *key, const char *value)
{
    struct reading *r = user;
    char name[INI_LINE_LONGEST + 1];
    str_copy(name, sizeof name, section);
    section = str_strip(name);
    if (!*section) {
        err_set(&r->err, TT_ECONFIG, "%s before the first [section]", key);
        return at_line(r) == 0;
    }
    if (value[0] == '"')
        value = r->line.value;
    if (str_ends(key, "+"))
        return take_more(r, section, key, value);
    const struct ini_entry *old = ini_find(r->ini, section, key);
    if (old) {
        err_set(&r->err, TT_ECONFIG, "%s.%s is in line %d already (once)", section, key, old->line);
        return at_line(r) == 0;
    }
    ini_add(r->ini, section, key, value, r->number, INI_FILE);
    return 1;
}

int ini_read_text(struct ini *ini, const char *path, const char *text, size_t n, struct err *e)
{
    *ini = (struct ini){.path = xstrdup(path)};
    struct reading r = {.ini = ini, .rest = text, .left = n};
    if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        r.rest += 3;
        r.left -= 3;
    }
    int failed = ini_parse_stream(give_line, &r, take_pair, &r);
    if (failed && !r.err.code)
        err_set(&r.err, TT_ECONFIG, "%s:%d: not understood (key = value)", path, failed);
    if (!r.err.code)
        return 0;
    ini_release(ini);
    return err_set(e, r.err.code, "%s", r.err.msg);
}

int ini_read_bytes(const char *path, char **data, size_t *n, struct err *e)
{
    struct err failure = ERR_INIT;
    if (file_read(path, FILE_LIMIT, data, n, &failure) == 0)
        return 0;
    return err_set(e, TT_ECONFIG, "%s", failure.msg);
}

int ini_read(struct ini *ini, const char *path, struct err *e)
{
    char *text;
    size_t n;
    *ini = (struct ini){.path = NULL};
    int rc = ini_read_bytes(path, &text, &n, e);
    if (rc)
        return rc;
    rc = ini_read_text(ini, path, text, n, e);
    free(text);
    return rc;
}
