/* Growing strings, lists of strings, and the small text helpers everyone needs. */
#ifndef TT_BASE_STR_H
#define TT_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Always terminated once anything was added; `s` is NULL only while empty and never used. */
struct strbuf {
    char *s;
    size_t len, cap;
};
#define STRBUF_INIT {NULL, 0, 0}

void strbuf_add(struct strbuf *b, const char *data, size_t n);
void strbuf_adds(struct strbuf *b, const char *s);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_clear(struct strbuf *b);   /* empty, memory kept */
void strbuf_release(struct strbuf *b); /* memory freed */
char *strbuf_take(struct strbuf *b);   /* caller frees; the buffer is empty after; never NULL */

/* Strings it owns, in order. */
struct strlist {
    char **s;
    size_t n, cap;
};
#define STRLIST_INIT {NULL, 0, 0}

void strlist_add(struct strlist *l, const char *s);
int strlist_find(const struct strlist *l, const char *s); /* index or -1 */
const char *strlist_repeated(const struct strlist *l); /* one that is there twice, or NULL */
/* The parts of `text`, blanks stripped, empty ones too; a blank text has none. */
void strlist_split(struct strlist *l, const char *text, char sep);
void strlist_sort(struct strlist *l); /* by code point */
void strlist_release(struct strlist *l);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
char *str_strip(char *s); /* blanks at both ends cut in place; returns the new start */
bool str_is_valid_utf8(const char *s, size_t n);
/* Copy with truncation; `dst` is always terminated, never in the middle of a UTF-8 character. */
void str_copy(char *dst, size_t size, const char *src);
/* Control characters as ^X, C1 and broken bytes as \x9b: safe to print. Returns dst. */
char *str_visible(char *dst, size_t size, const char *src);

/* The whole text as a number: no blanks, no trailing rest, locale-free. */
bool str_to_i64(const char *s, int64_t *out);
bool str_to_f64(const char *s, double *out); /* decimal, or inf, nan: callers range-check */

/* Index of the name nearest to `s` (edit distance at most a third of the longer one), or -1. */
int str_nearest(const char *s, const char *const *names, size_t n);
/* Characters added, dropped, replaced, or swapped with their neighbour. */
size_t str_edit_distance(const char *a, const char *b);
/* "a, b or c". */
char *str_alternatives(char *dst, size_t size, const char *const *names, size_t n);

/* 65783042 -> "65,783,042". */
char *str_commas(char *dst, size_t size, int64_t v);
/* Binary units as on screen: "416 B", "12.5 MiB", "1.18 GiB". */
char *str_bytes(char *dst, size_t size, double bytes);
/* h:mm:ss rounded down, from 100 h "4d03:12". Negative: "—". */
char *str_duration(char *dst, size_t size, double seconds);
/* The shortest text that reads back as the same double: 0.1, 5e-05, 1. */
char *str_f64(char *dst, size_t size, double v);

#endif
