/* One JSON object in a fixed buffer: the lines of metrics.jsonl and of `predict --json`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/str.h"
#include "engine/io/json_text.h"
#include "engine/io/metrics_file.h"

#define DEPTH_MAX 16 /* the end of the buffer is kept for so many closing brackets and the NUL */

static void put(struct json_line *l, const char *text, size_t n)
{
    if (l->full || l->n + n > sizeof l->s - DEPTH_MAX - 1) {
        l->full = true;
        return;
    }
    memcpy(l->s + l->n, text, n);
    l->n += n;
}

static void puts_(struct json_line *l, const char *text)
{
    put(l, text, strlen(text));
}

/* DEL and the controls U+0080 to U+009F: legal in JSON, but not fit for a terminal. */
static bool is_late_control(const unsigned char *p)
{
    return *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0);
}

static void put_text(struct json_line *l, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    bool valid = str_is_valid_utf8(text, strlen(text));
    char out[8];

    put(l, "\"", 1);
    for (; *p; p++) {
        if (*p >= 0x80 && !valid)
            puts_(l, "\\ufffd");
        else if (is_late_control(p))
            put(l, out, (size_t)snprintf(out, sizeof out, "\\u%04x", *p == 0x7f ? 0x7f : *++p));
        else
            put(l, out, json_escape(out, *p));
    }
    put(l, "\"", 1);
}

/* Comma and key of a member; returns where it begins. */
static size_t begin(struct json_line *l, const char *key)
{
    size_t at = l->n;

    if (l->need_comma)
        put(l, ",", 1);
    if (key) {
        put_text(l, key);
        put(l, ":", 1);
    }
    return at;
}

/* A member is there as a whole or not at all. */
static void end(struct json_line *l, size_t at)
{
    if (l->full)
        l->n = at;
    else
        l->need_comma = true;
}

static void literal(struct json_line *l, const char *key, const char *text)
{
    size_t at = begin(l, key);
    puts_(l, text);
    end(l, at);
}

void json_begin(struct json_line *l)
{
    l->s[0] = '{';
    l->n = 1;
    l->depth = 1;
    l->lost = 0;
    l->need_comma = l->full = false;
}

void json_i64(struct json_line *l, const char *key, int64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, v);
    literal(l, key, text);
}

void json_f64(struct json_line *l, const char *key, double v)
{
    char text[40];
    literal(l, key, isfinite(v) ? str_f64(text, sizeof text, v) : "null");
}

void json_f32(struct json_line *l, const char *key, double v)
{
    char text[40] = "null";
    if (isfinite(v))
        snprintf(text, sizeof text, "%.9g", v);
    literal(l, key, text);
}

void json_bool(struct json_line *l, const char *key, int v)
{
    literal(l, key, v ? "true" : "false");
}

void json_str(struct json_line *l, const char *key, const char *v)
{
    if (!v) {
        literal(l, key, "null");
        return;
    }
    size_t at = begin(l, key);
    put_text(l, v);
    end(l, at);
}

static void open_bracket(struct json_line *l, const char *key, const char *bracket)
{
    literal(l, key, bracket);
    if (l->full) {
        l->lost++;
        return;
    }
    BUG_ON(++l->depth > DEPTH_MAX);
    l->need_comma = false;
}

void json_open_object(struct json_line *l, const char *key)
{
    open_bracket(l, key, "{");
}

void json_open_array(struct json_line *l, const char *key)
{
    open_bracket(l, key, "[");
}

void json_close(struct json_line *l, char bracket)
{
    if (l->lost) {
        l->lost--;
        return;
    }
    BUG_ON(--l->depth < 0);
    l->s[l->n++] = bracket;
    l->need_comma = true;
}

const char *json_end(struct json_line *l)
{
    json_close(l, '}');
    BUG_ON(l->depth != 0 || l->lost != 0);
    l->s[l->n] = '\0';
    return l->s;
}
