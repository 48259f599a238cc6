/* A recursive-descent scanner whose only recursion is over fields that nobody asked for. */
#include "engine/io/json_scan.h"

#include <string.h>

#include "engine/base/str.h"

#define DEPTH_MAX 64

int scan_bad(const struct json_scan *c, const char *why)
{
    return err_set(c->e, TT_EDATA, "%s: header, byte %zu: %s", c->path, (size_t)(c->p - c->start),
                   why);
}

void scan_blanks(struct json_scan *c)
{
    while (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r')
        c->p++;
}

bool scan_take(struct json_scan *c, char want)
{
    scan_blanks(c);
    if (*c->p != want)
        return false;
    c->p++;
    return true;
}

bool scan_word(struct json_scan *c, const char *word)
{
    scan_blanks(c);
    if (!str_starts(c->p, word))
        return false;
    c->p += strlen(word);
    return true;
}

static bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

/* The four digits of a \u escape; -1 when they are none. */
static long hex4(struct json_scan *c)
{
    static const char digits[] = "0123456789abcdef";
    long v = 0;

    for (int i = 0; i < 4; i++, c->p++) {
        char lower = *c->p >= 'A' && *c->p <= 'F' ? (char)(*c->p + 32) : *c->p;
        const char *d = lower ? strchr(digits, lower) : NULL;
        if (!d)
            return -1;
        v = v * 16 + (d - digits);
    }
    return v;
}

static char *put_utf8(char *dst, unsigned long u)
{
    if (u >= 0x10000) {
        *dst++ = (char)(0xf0 | u >> 18);
        *dst++ = (char)(0x80 | (u >> 12 & 0x3f));
        *dst++ = (char)(0x80 | (u >> 6 & 0x3f));
    } else if (u >= 0x800) {
        *dst++ = (char)(0xe0 | u >> 12);
        *dst++ = (char)(0x80 | (u >> 6 & 0x3f));
    } else if (u >= 0x80 || u == 0) {
        *dst++ = (char)(0xc0 | u >> 6);
    } else {
        *dst++ = (char)u;
        return dst;
    }
    *dst++ = (char)(0x80 | (u & 0x3f));
    return dst;
}

/* After the backslash. */
static int unescape(struct json_scan *c, char **dst)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *simple = *c->p ? strchr(from, *c->p) : NULL;
    long u, low;

    if (simple) {
        c->p++;
        *(*dst)++ = to[simple - from];
        return 0;
    }
    if (*c->p != 'u')
        return scan_bad(c, "unknown escape in a string");
    c->p++;
    u = hex4(c);
    if (u < 0)
        return scan_bad(c, "broken \\u escape (four hexadecimal digits)");
    if (u >= 0xd800 && u < 0xe000) {
        low = u < 0xdc00 && str_starts(c->p, "\\u") ? (c->p += 2, hex4(c)) : -1;
        if (low < 0xdc00 || low >= 0xe000)
            return scan_bad(c, "half of a surrogate pair");
        u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
    }
    *dst = put_utf8(*dst, (unsigned long)u);
    return 0;
}

int scan_string(struct json_scan *c, char **out)
{
    char *dst;
    int rc;

    if (!scan_take(c, '"'))
        return scan_bad(c, "text in double quotes expected");
    *out = dst = c->p;
    while (*c->p != '"') {
        if ((unsigned char)*c->p < 0x20)
            return scan_bad(c, c->p == c->end ? "text without its end"
                                              : "control character in a text");
        if (*c->p != '\\') {
            *dst++ = *c->p++;
            continue;
        }
        c->p++;
        rc = unescape(c, &dst);
        if (rc)
            return rc;
    }
    *dst = '\0';
    c->p++;
    return 0;
}

static int scan_u64(struct json_scan *c, uint64_t *out)
{
    uint64_t v = 0;

    scan_blanks(c);
    if (!is_digit(*c->p) || (*c->p == '0' && is_digit(c->p[1])))
        return scan_bad(c, "a whole number from 0 expected");
    for (; is_digit(*c->p); c->p++) {
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*c->p - '0'), &v))
            return scan_bad(c, "number above 64 bits");
    }
    if (*c->p == '.' || *c->p == 'e' || *c->p == 'E')
        return scan_bad(c, "a whole number expected, without point or exponent");
    *out = v;
    return 0;
}

int scan_item(struct json_scan *c, bool *first, char close)
{
    if (scan_take(c, close))
        return 0;
    if (!*first && !scan_take(c, ','))
        return scan_bad(c, close == ']' ? "\",\" or \"]\" expected" : "\",\" or \"}\" expected");
    *first = false;
    scan_blanks(c);
    return *c->p == close ? scan_bad(c, "\",\" before a closing bracket") : 1;
}

int scan_member(struct json_scan *c, bool *first, char **key)
{
    int rc = scan_item(c, first, '}');

    if (rc <= 0)
        return rc;
    rc = scan_string(c, key);
    if (rc)
        return rc;
    return scan_take(c, ':') ? 1 : scan_bad(c, "\":\" expected");
}

static int skip_digits(struct json_scan *c)
{
    if (!is_digit(*c->p))
        return scan_bad(c, "a digit expected");
    while (is_digit(*c->p))
        c->p++;
    return 0;
}

static int skip_number(struct json_scan *c)
{
    int rc;

    if (*c->p == '-')
        c->p++;
    if (*c->p == '0' && is_digit(c->p[1]))
        return scan_bad(c, "number with a leading zero");
    rc = skip_digits(c);
    if (!rc && *c->p == '.') {
        c->p++;
        rc = skip_digits(c);
    }
    if (!rc && (*c->p == 'e' || *c->p == 'E')) {
        c->p++;
        if (*c->p == '+' || *c->p == '-')
            c->p++;
        rc = skip_digits(c);
    }
    return rc;
}

int scan_skip(struct json_scan *c, int depth)
{
    bool first = true;
    char *key;
    int rc;

    if (depth > DEPTH_MAX)
        return scan_bad(c, "nested too deep");
    scan_blanks(c);
    if (*c->p == '"')
        return scan_string(c, &key);
    if (scan_word(c, "true") || scan_word(c, "false") || scan_word(c, "null"))
        return 0;
    if (scan_take(c, '{')) {
        while ((rc = scan_member(c, &first, &key)) > 0) {
            rc = scan_skip(c, depth + 1);
            if (rc)
                break;
        }
        return rc;
    }
    if (scan_take(c, '[')) {
        while ((rc = scan_item(c, &first, ']')) > 0) {
            rc = scan_skip(c, depth + 1);
            if (rc)
                break;
        }
        return rc;
    }
    return skip_number(c);
}

int scan_numbers(struct json_scan *c, uint64_t *v, int cap, int *n)
{
    bool first = true;
    uint64_t extra;
    int rc;

    *n = 0;
    if (!scan_take(c, '['))
        return scan_bad(c, "an array of whole numbers expected");
    while ((rc = scan_item(c, &first, ']')) > 0) {
        rc = scan_u64(c, *n < cap ? &v[*n] : &extra);
        if (rc)
            return rc;
        ++*n;
    }
    return rc;
}
