/* An INI file as text: sections, keys, values, each with where it came from. Read through inih,
 * after refusing what inih would cut or join. What a key means is not known here (see
 * engine/train/run_config.h).
 *
 * `;` after a blank starts a comment, so does `#` at the start of a line, not inside a value. A
 * value that holds " ;" or begins or ends with a blank is written in double quotes, where \" and \\
 * stand for " and \. A value that is longer than a line goes on in lines `key+ = the rest`. */
#ifndef TT_BASE_INI_H
#define TT_BASE_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/err.h"
#include "engine/base/str.h"

enum ini_from { INI_FILE, INI_SET, INI_FORM, INI_SWEEP }; /* the file, --set, the console's form, one
                                                             of the values of [sweep] */

struct ini_entry {
    char *section, *key, *value;
    int line; /* of the file; 0 for the others */
    enum ini_from from;
};

struct ini {
    char *path; /* of the file; NULL: text without a file */
    struct ini_entry *e;
    size_t n, cap;
};

/* Unreadable file, a line over 190 bytes or a section name over 48 (what inih would cut), a
 * duplicate key, a key before the first section, a line that is neither section, comment nor
 * key = value, control characters: TT_ECONFIG, "FILE:LINE: ...". `ini` is empty after a failure. */
int ini_read(struct ini *ini, const char *path, struct err *e);
int ini_read_text(struct ini *ini, const char *path, const char *text, size_t n, struct err *e);
void ini_release(struct ini *ini);
void ini_copy(struct ini *dst, const struct ini *src); /* dst uninitialised */

const struct ini_entry *ini_find(const struct ini *ini, const char *section, const char *key);
const char *ini_get(const struct ini *ini, const char *section, const char *key); /* or NULL */
void ini_put(struct ini *ini, const char *section, const char *key, const char *value,
             enum ini_from from); /* replaces; "" and NULL remove */

/* "section.key=value" of --set; the section may itself hold dots (the last dot parts it), but a key of
 * [sweep] is "section.key" itself. */
int ini_put_assignment(struct ini *ini, const char *text, struct err *e);

const char *ini_origin(const struct ini_entry *e); /* "--set", "form", "sweep"; "" of a file */
/* "FILE:LINE", "--set section.key", "form section.key" or "sweep section.key": where an entry came from. */
char *ini_where(const struct ini *ini, const struct ini_entry *e, char *dst, size_t size);

/* The text of `key = value` with quotes where needed. */
char *ini_quote(const char *value, char *dst, size_t size);
/* The same as a line, or as several when it is too long for one. */
void ini_add_pair(struct strbuf *out, const char *key, const char *value);

/* Write to `path` the text of ini->path with the values of `ini` in it: comments and order stay,
 * keys gone are left out, new ones go to the end of their section. What could not be read again is
 * refused. Atomic. */
int ini_save(const struct ini *ini, const char *path, struct err *e);

#endif
