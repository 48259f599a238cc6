/* Records of delimited text. CSV is RFC 4180: a quote is special only where it opens a cell, quoted
 * cells hold separators, line ends and doubled quotes. TSV as GLUE writes it has no quoting at all.
 * */
#ifndef TT_DATA_DELIMITED_H
#define TT_DATA_DELIMITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/err.h"

struct dialect {
    char separator;
    bool quotes;
};

/* Reads a text in place: cells are terminated and unquoted where they lie. */
struct delimited {
    const struct dialect *dialect;
    const char *path;
    char *p, *end; /* *end is a NUL */
    int64_t line;  /* of p */
    /* The record read last: cells without blanks at either end, valid until the text goes. */
    char **cell;
    size_t n, cap;
    int64_t start; /* line where it begins */
};

/* The next record that is no blank line: 1, 0 at the end, or TT_EDATA. */
int delimited_next(struct delimited *d, struct err *e);
void delimited_release(struct delimited *d); /* the cells, not the text */

#endif
