/* metrics.jsonl: one object a line. Building a line makes no heap call. A line that gets too long
 * stays valid JSON: the members that find no room are left out. */
#ifndef TT_IO_METRICS_FILE_H
#define TT_IO_METRICS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/file.h"

struct json_line {
    char s[16384];
    size_t n;
    int depth;       /* open brackets */
    int lost;        /* brackets opened since the line was full, none of them written */
    bool need_comma; /* a member was written at this level */
    bool full;       /* a member was left out */
};

void json_begin(struct json_line *l);
void json_i64(struct json_line *l, const char *key, int64_t v);
void json_f64(struct json_line *l, const char *key, double v); /* shortest exact; or null */
void json_f32(struct json_line *l, const char *key, double v); /* 9 digits; or null */
/* Control characters are escaped, bytes that are no UTF-8 become U+FFFD; NULL is null. */
void json_str(struct json_line *l, const char *key, const char *v);
void json_bool(struct json_line *l, const char *key, int v);
/* Open a bracket that json_close closes; key NULL in an array. */
void json_open_object(struct json_line *l, const char *key);
void json_open_array(struct json_line *l, const char *key);
void json_close(struct json_line *l, char bracket); /* '}' or ']' */
/* Closes the outer object; returns the text, terminated, without newline. */
const char *json_end(struct json_line *l);

/* Cut a metrics.jsonl back to lines with step <= `step` (for a resume), atomically. A line that is
 * no JSON object (the last one, cut short) is dropped; the describing first line and lines without
 * a step stay. Absent file: fine. */
int metrics_truncate(const char *path, int64_t step, struct err *e);

/* A number of a parsed line, for readers (views of finished runs, compare). */
struct metrics_value {
    char key[48];
    double value; /* null: NaN */
};
#define METRICS_VALUES 64

/* The numbers and nulls of a line, which is changed; TT_EDATA: it is no JSON object. */
int metrics_numbers(char *text, size_t len, struct metrics_value v[METRICS_VALUES]);

/* Calls `line` for every line after the first with its numbers, METRICS_VALUES of them at most, and
 * stops when it returns nonzero. Broken lines are skipped: the file may be growing. */
int metrics_read(const char *path, int (*line)(void *user, const struct metrics_value *v, int n),
                 void *user, struct err *e);

#endif
