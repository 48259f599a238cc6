/* Saving: the lines of the old text, with changed values put into them, dropped keys left out and
 * new keys at the end of their section. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/ini.h"
#include "engine/base/ini_line.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

/* A line of the text to come. */
struct row {
    char *text, *section;
    char *key; /* NULL: no key = value */
    enum ini_line_kind kind;
};

struct document {
    struct row *row;
    size_t n, cap;
    bool crlf;
};

static void insert_row(struct document *d, size_t at, const char *section, const char *text,
                       const struct ini_line *line)
{
    d->row = xgrow(d->row, &d->cap, d->n + 1, sizeof *d->row);
    memmove(&d->row[at + 1], &d->row[at], (d->n - at) * sizeof *d->row);
    d->row[at] = (struct row){.text = xstrdup(text),
                              .section = xstrdup(section),
                              .key = line->kind == INI_LINE_PAIR ? xstrdup(line->name) : NULL,
                              .kind = line->kind};
    d->n++;
}

static void row_release(struct row *r)
{
    free(r->text);
    free(r->section);
    free(r->key);
}

static void document_release(struct document *d)
{
    for (size_t i = 0; i < d->n; i++)
        row_release(&d->row[i]);
    free(d->row);
}

/* An entry that is too long for a line, without the last line end. */
static int long_value(const struct ini_entry *entry, struct strbuf *out, struct err *e)
{
    struct ini_line line;
    const char *text;
    size_t n;
    int rc = 0;
    strbuf_clear(out);
    ini_add_pair(out, entry->key, entry->value);
    out->s[--out->len] = '\0';
    const char *rest = out->s;
    for (size_t left = out->len; !rc && ini_line_next(&rest, &left, &text, &n);)
        rc = ini_line_parse(&line, text, n, e);
    return rc;
}

/* `text` with the value of `entry` in the place of the old one. What results must read back. */
static int with_value(const char *text, const struct ini_line *old, const struct ini_entry *entry,
                      struct strbuf *out, struct err *e)
{
    size_t quoted_size = 2 * strlen(entry->value) + 3;
    char *quoted = xmalloc(quoted_size);
    strbuf_clear(out);
    strbuf_add(out, text, old->value_at);
    if (str_ends(out->s, "="))
        strbuf_adds(out, " ");
    strbuf_adds(out, ini_quote(entry->value, quoted, quoted_size));
    strbuf_adds(out, text + old->value_end);
    free(quoted);

    struct ini_line check = {.kind = INI_LINE_PAIR};
    bool too_long = out->len > INI_LINE_LONGEST;
    int rc = too_long ? long_value(entry, out, e) : ini_line_parse(&check, out->s, out->len, e);
    if (rc == 0 && !too_long && (check.kind != INI_LINE_PAIR || strcmp(check.name, entry->key) ||
                    strcmp(check.value, entry->value)))
        rc = err_set(e, TT_ECONFIG, "can't be told as key = value");
    if (rc)
        err_prefix(e, "%s.%s: ", entry->section, entry->key);
    return rc;
}

/* One line of the old text: as it is, with another value, or dropped with its key. */
static int take_line(struct document *d, const struct ini *ini, char *section, const char *text,
                     struct err *e)
{
    struct ini_line line;
    int rc = ini_line_parse(&line, text, strlen(text), e);
    if (rc)
        return err_prefix(e, "%s: ", ini->path);
    if (line.kind == INI_LINE_SECTION)
        str_copy(section, INI_SECTION_LONGEST + 1, line.name);
    if (line.kind != INI_LINE_PAIR) {
        insert_row(d, d->n, section, text, &line);
        return 0;
    }
    const struct ini_entry *entry = ini_find(ini, section, line.name);
    if (!entry)
        return 0;
    struct strbuf now = STRBUF_INIT;
    strbuf_adds(&now, text);
    if (strcmp(entry->value, line.value))
        rc = with_value(text, &line, entry, &now, e);
    if (rc == 0)
        insert_row(d, d->n, section, now.s, &line);
    strbuf_release(&now);
    return rc;
}

static int take_old_text(struct document *d, const struct ini *ini, struct err *e)
{
    char *data, section[INI_SECTION_LONGEST + 1] = "";
    size_t left, n;
    if (!ini->path || !file_exists(ini->path))
        return 0;
    int rc = ini_read_bytes(ini->path, &data, &left, e);
    if (rc)
        return rc;
    const char *rest = data, *text;
    d->crlf = strstr(data, "\r\n");
    if (str_starts(rest, "\xef\xbb\xbf")) {
        rest += 3;
        left -= 3;
    }
    while (rc == 0 && ini_line_next(&rest, &left, &text, &n)) {
        char *line = xstrndup(text, n);
        rc = take_line(d, ini, section, line, e);
        free(line);
    }
    free(data);
    return rc;
}

static bool holds(const struct document *d, const struct ini_entry *entry)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->row[i].key && !strcmp(d->row[i].section, entry->section) &&
            !strcmp(d->row[i].key, entry->key))
            return true;
    return false;
}

/* Behind the last line of the section that is no comment; the section is made if there is none. */
static size_t place_in_section(struct document *d, const char *section)
{
    for (size_t i = d->n; i-- > 0;)
        if (d->row[i].kind != INI_LINE_BLANK && !strcmp(d->row[i].section, section))
            return i + 1;

    char head[INI_LINE_LONGEST + 3];
    snprintf(head, sizeof head, "[%s]", section);
    if (d->n)
        insert_row(d, d->n, section, "", &(struct ini_line){.kind = INI_LINE_BLANK});
    insert_row(d, d->n, section, head, &(struct ini_line){.kind = INI_LINE_SECTION});
    return d->n;
}

static int add_entry(struct document *d, const struct ini_entry *entry, struct err *e)
{
    struct ini_line line = {.kind = INI_LINE_PAIR};
    str_copy(line.name, sizeof line.name, entry->key);
    char *text = xasprintf("%s = ", entry->key);
    line.value_at = line.value_end = strlen(text);
    struct strbuf whole = STRBUF_INIT;
    int rc = with_value(text, &line, entry, &whole, e);
    if (rc == 0)
        insert_row(d, place_in_section(d, entry->section), entry->section, whole.s, &line);
    strbuf_release(&whole);
    free(text);
    return rc;
}

int ini_save(const struct ini *ini, const char *path, struct err *e)
{
    struct document d = {.row = NULL};
    struct outfile f;
    int rc = take_old_text(&d, ini, e);
    for (size_t i = 0; i < ini->n && rc == 0; i++)
        if (!holds(&d, &ini->e[i]))
            rc = add_entry(&d, &ini->e[i], e);
    if (rc == 0)
        rc = file_create(&f, path, e);
    if (rc == 0) {
        for (size_t i = 0; i < d.n; i++)
            file_printf(&f, "%s%s", d.row[i].text, d.crlf ? "\r\n" : "\n");
        rc = file_commit(&f, e);
    }
    document_release(&d);
    return rc;
}
