/* A strict JSON scanner over a text in memory: no tree, no allocation, texts unescaped in place.
 * For headers that may hold a million entries, where every number must be a whole one and every
 * name may hold any character. */
#ifndef TT_IO_JSON_SCAN_H
#define TT_IO_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/err.h"

/* Functions that return int: negative is an error, told in `e` with path and place. */
struct json_scan {
    char *p, *start, *end; /* *end is a NUL, which no rule accepts; the rest is valid UTF-8 */
    const char *path;
    struct err *e;
};

int scan_bad(const struct json_scan *c, const char *why);
void scan_blanks(struct json_scan *c);
/* The next character, or word, after blanks: read over it when it is the wanted one. */
bool scan_take(struct json_scan *c, char want);
bool scan_word(struct json_scan *c, const char *word);
/* A text, unescaped and terminated in place; U+0000 becomes the bytes C0 80. */
int scan_string(struct json_scan *c, char **out);
/* Next element of an array or object whose opening bracket was read: 1 there is one, 0 it is
 * closed. `first` is true before the first call. */
int scan_item(struct json_scan *c, bool *first, char close);
/* The same for an object: 1 and the key, the colon read. */
int scan_member(struct json_scan *c, bool *first, char **key);
/* An array of whole numbers of 64 bits. The first `cap` go to `v`; *n counts all of them. */
int scan_numbers(struct json_scan *c, uint64_t *v, int cap, int *n);
/* Any value, checked and dropped; `depth` counts the brackets around it. */
int scan_skip(struct json_scan *c, int depth);

#endif
