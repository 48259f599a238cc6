/* Inside of the ini_*.c files: one line taken apart, with the places of its parts. Reading checks
 * with it what inih would cut, saving changes a value in place. */
#ifndef TT_BASE_INI_LINE_H
#define TT_BASE_INI_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/err.h"
#include "engine/base/ini.h"

#define INI_LINE_LONGEST 190    /* bytes; inih cuts near 200 */
#define INI_SECTION_LONGEST 48

enum ini_line_kind { INI_LINE_BLANK /* or a comment */, INI_LINE_SECTION, INI_LINE_PAIR };

struct ini_line {
    enum ini_line_kind kind;
    char name[INI_LINE_LONGEST + 1];  /* of the section or key */
    char value[INI_LINE_LONGEST + 1]; /* without quotes and comment */
    size_t value_at, value_end;       /* place of the value, quotes included, in the line */
};

/* Line `text` of `n` bytes without its line end. What is wrong goes to `e` without FILE:LINE. */
int ini_line_parse(struct ini_line *line, const char *text, size_t n, struct err *e);

/* The next line of `*rest` (`*left` bytes), without LF or CR LF; false at the end. */
bool ini_line_next(const char **rest, size_t *left, const char **text, size_t *n);

/* The file as it is. What fails is a fault of the configuration. */
int ini_read_bytes(const char *path, char **data, size_t *n, struct err *e);

/* Add an entry that is known to be new. */
void ini_add(struct ini *ini, const char *section, const char *key, const char *value, int line,
             enum ini_from from);

#endif
