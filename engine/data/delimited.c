/* The record reader of CSV and TSV. */
#include "engine/data/delimited.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"

/* Where a cell ends decides how the record goes on. */
enum ending { END_BAD = -1, END_CELL, END_RECORD };

/* Over blank lines, to the first byte of a record; false at the end of the text. */
static bool skip_blank_lines(struct delimited *d)
{
    for (char *p = d->p; p < d->end; p++) {
        if (*p == '\n') {
            d->p = p + 1;
            d->line++;
        } else if (*p == d->dialect->separator || !strchr(" \t\r", *p)) {
            return true;
        }
    }
    return false;
}

static void add_cell(struct delimited *d, char *text)
{
    d->cell = xgrow(d->cell, &d->cap, d->n + 1, sizeof *d->cell);
    d->cell[d->n++] = str_strip(text);
}

/* At a separator, a line end or the end of the text: step over it. */
static enum ending end_cell(struct delimited *d)
{
    char c = *d->p;
    if (d->p < d->end)
        d->p++;
    if (c == '\n')
        d->line++;
    return c == d->dialect->separator ? END_CELL : END_RECORD;
}

static enum ending plain_cell(struct delimited *d)
{
    char *text = d->p, separator = d->dialect->separator;
    while (d->p < d->end && *d->p != separator && *d->p != '\n')
        d->p++;
    char *stop = d->p;
    enum ending ending = end_cell(d);
    *stop = '\0'; /* the CR of a CR LF goes with the blanks */
    add_cell(d, text);
    return ending;
}

/* The cell behind an opening quote, moved together over the doubled quotes; NULL: never closed. */
static char *unquote(struct delimited *d)
{
    char *to = d->p, *text = to;
    for (; d->p < d->end; d->p++) {
        if (*d->p == '"') {
            if (d->p[1] != '"')
                break;
            d->p++;
        } else if (*d->p == '\n') {
            d->line++;
        }
        *to++ = *d->p;
    }
    if (d->p == d->end)
        return NULL;
    d->p++; /* `to` lies before it */
    *to = '\0';
    return text;
}

static enum ending quoted_cell(struct delimited *d, struct err *e)
{
    int64_t opened = d->line;
    d->p++;
    char *text = unquote(d);
    if (!text) {
        err_set(e, TT_EDATA, "%s:%lld: a quote opens here and never closes (tsv has no quoting)",
                d->path, (long long)opened);
        return END_BAD;
    }
    while (d->p < d->end && strchr(" \t\r", *d->p) && *d->p != d->dialect->separator)
        d->p++;
    if (d->p < d->end && *d->p != d->dialect->separator && *d->p != '\n') {
        err_set(e, TT_EDATA, "%s:%lld: text behind a closing quote (a separator or the line's end)",
                d->path, (long long)d->line);
        return END_BAD;
    }
    add_cell(d, text);
    return end_cell(d);
}

int delimited_next(struct delimited *d, struct err *e)
{
    d->n = 0;
    if (!skip_blank_lines(d))
        return 0;
    d->start = d->line;
    enum ending ending;
    do
        ending = d->dialect->quotes && *d->p == '"' ? quoted_cell(d, e) : plain_cell(d);
    while (ending == END_CELL);
    return ending == END_BAD ? TT_EDATA : 1;
}

void delimited_release(struct delimited *d)
{
    free(d->cell);
    d->cell = NULL;
    d->n = d->cap = 0;
}
