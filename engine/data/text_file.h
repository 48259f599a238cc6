/* A text file of data in memory: plain or gzip, UTF-8 without a byte-order mark, no NUL bytes, line
 * ends LF or CR LF. Everything else is refused with the line where it shows. */
#ifndef TT_DATA_TEXT_FILE_H
#define TT_DATA_TEXT_FILE_H

#include <stddef.h>

#include "engine/base/err.h"

#define DATA_FILE_LIMIT ((size_t)1 << 38) /* bytes after unpacking: a guard against gzip bombs */

struct text_file {
    char *data;       /* as read, owned */
    char *text, *end; /* the part behind the mark; *end is a NUL. May be changed in place */
};

int text_file_read(struct text_file *t, const char *path, struct err *e);
void text_file_release(struct text_file *t);

/* `src` as an error message shows it: cut to a few dozen bytes, harmless to print, in quotes. */
#define TEXT_QUOTE 64
char *text_quote(char dst[TEXT_QUOTE], const char *src);

#endif
