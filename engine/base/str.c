/* Text: UTF-8, safe printing, nearest names. */
#include "engine/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool str_starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

bool str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && !memcmp(s + n - m, suffix, m);
}

char *str_strip(char *s)
{
    while (is_blank(*s))
        s++;
    size_t n = strlen(s);
    while (n && is_blank(s[n - 1]))
        n--;
    s[n] = '\0';
    return s;
}

/* Bytes that a UTF-8 character with this first byte has; 0 for a byte that starts none. */
static size_t utf8_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xc0)
        return 0;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
}

/* Bytes of the UTF-8 character at `s`, and its code point; 0 unless it is whole and well formed. */
static size_t utf8_char(const char *s, size_t n, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)s;
    size_t len = utf8_length(p[0]);
    if (!len || len > n)
        return 0;
    *code = len == 1 ? p[0] : p[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < smallest[len] || *code > 0x10ffff || surrogate ? 0 : len;
}

bool str_is_valid_utf8(const char *s, size_t n)
{
    uint32_t code;
    for (size_t i = 0, len; i < n; i += len)
        if (!(len = utf8_char(s + i, n - i, &code)))
            return false;
    return true;
}

void str_copy(char *dst, size_t size, const char *src)
{
    size_t n = strlen(src);
    if (n >= size) {
        n = size - 1;
        while (n && ((unsigned char)src[n] & 0xc0) == 0x80)
            n--;
    }
    memmove(dst, src, n);
    dst[n] = '\0';
}

static bool is_bidi_control(uint32_t code)
{
    return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

char *str_visible(char *dst, size_t size, const char *src)
{
    size_t used = 0;
    for (size_t rest = strlen(src), taken; rest; src += taken, rest -= taken) {
        uint32_t code = 0;
        char glyph[16];
        taken = utf8_char(src, rest, &code);
        if (!taken) {
            taken = 1;
            snprintf(glyph, sizeof glyph, "\\x%02x", (unsigned char)*src);
        } else if (code < 0x20 || code == 0x7f) {
            snprintf(glyph, sizeof glyph, "^%c", (char)(code ^ 0x40));
        } else if (code >= 0x80 && code < 0xa0) {
            snprintf(glyph, sizeof glyph, "\\x%02x", (unsigned)code);
        } else if (is_bidi_control(code)) {
            snprintf(glyph, sizeof glyph, "\\u%04x", (unsigned)code);
        } else {
            snprintf(glyph, sizeof glyph, "%.*s", (int)taken, src);
        }
        size_t n = strlen(glyph);
        if (used + n >= size)
            break;
        memcpy(dst + used, glyph, n);
        used += n;
    }
    dst[used] = '\0';
    return dst;
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Optimal string alignment: three rows of the table of Wagner and Fischer. */
size_t str_edit_distance(const char *a, const char *b)
{
    size_t m = strlen(b), width = m + 1;
    size_t *rows = xcalloc(3 * width, sizeof *rows);
    size_t *before = rows, *last = rows + width, *now = rows + 2 * width;
    for (size_t j = 0; j <= m; j++)
        now[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t *t = before;
        before = last;
        last = now;
        now = t;
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t replace = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = min3(last[j] + 1, now[j - 1] + 1, replace);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    size_t distance = now[m];
    free(rows);
    return distance;
}

int str_nearest(const char *s, const char *const *names, size_t n)
{
    int best = -1;
    size_t least = SIZE_MAX, len = strlen(s);
    for (size_t i = 0; i < n; i++) {
        size_t longer = strlen(names[i]) > len ? strlen(names[i]) : len;
        size_t d = str_edit_distance(s, names[i]);
        if (3 * d <= longer && d < least) {
            best = (int)i;
            least = d;
        }
    }
    return best;
}

char *str_alternatives(char *dst, size_t size, const char *const *names, size_t n)
{
    struct strbuf b = STRBUF_INIT;
    for (size_t i = 0; i < n; i++)
        strbuf_addf(&b, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", names[i]);
    str_copy(dst, size, b.s ? b.s : "");
    strbuf_release(&b);
    return dst;
}
