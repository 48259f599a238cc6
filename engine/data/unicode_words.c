/* Words of a text by the table of unicode_map.h; UTF-8 read and written a character at a time. */
#include <string.h>

#include "engine/data/unicode_map.h"

/* Bytes that a character with this first byte has; 0 for a byte that starts none. */
static size_t char_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2)
        return 0;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
}

size_t utf8_decode(const unsigned char *p, const unsigned char *end, uint32_t *code, bool *bad)
{
    /* Least second byte and one past the greatest, where the first alone does not say it. */
    unsigned char lead = p[0], low = 0x80, high = 0xc0;
    size_t len = char_length(lead);
    if (lead == 0xe0)
        low = 0xa0;
    if (lead == 0xf0)
        low = 0x90;
    if (lead == 0xed)
        high = 0xa0;
    if (lead == 0xf4)
        high = 0x90;
    uint32_t value = len == 1 ? lead : lead & (0x7fu >> len);
    size_t n = 1;
    for (; n < len && p + n < end && p[n] >= low && p[n] < high; n++) {
        value = value << 6 | (p[n] & 0x3f);
        low = 0x80;
        high = 0xc0;
    }
    if (n == len) {
        *code = value;
        return n;
    }
    *code = 0xfffd;
    *bad = true;
    return n;
}

size_t utf8_encode(char dst[4], uint32_t code)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; code >>= 6)
        dst[i] = (char)(0x80 | (code & 0x3f));
    dst[0] = (char)(lead[n] | code);
    return n;
}

/* What a character outside ASCII adds to the word. */
static void add_char(struct word_scan *s, uint32_t cell, const unsigned char *p, size_t n)
{
    const char *from = (const char *)p;
    size_t chars = 1;
    if (cell >> 2) {
        const char *text = s->map->text + (cell >> 2);
        chars = (size_t)text[0];
        n = (size_t)text[1];
        from = text + 2;
    }
    s->chars += chars;
    if (s->chars <= s->most) {
        memcpy(s->word + s->len, from, n);
        s->len += n;
    }
}

/* ASCII characters of a word from `p` on. */
static const unsigned char *add_ascii(struct word_scan *s, const unsigned char *p)
{
    const unsigned char *start = p, *stop = s->end;
    size_t room = s->most > s->chars ? s->most - s->chars : 0;
    char *to = s->word + s->len;
    for (; p < stop && *p < 0x80 && s->map->ascii[*p].kind == CHAR_WORD; p++)
        if ((size_t)(p - start) < room)
            *to++ = (char)s->map->ascii[*p].byte;
    s->len = (size_t)(to - s->word);
    s->chars += (size_t)(p - start);
    return p;
}

bool word_next(struct word_scan *s)
{
    static const unsigned char replacement[] = {0xef, 0xbf, 0xbd};
    s->len = s->chars = 0;
    while (s->p < s->end) {
        uint32_t code = *s->p;
        size_t n = 1;
        bool bad = false;
        if (code >= 0x80)
            n = utf8_decode(s->p, s->end, &code, &bad);
        s->invalid |= bad;
        uint32_t cell = unicode_map_cell(s->map, code);
        enum char_kind kind = cell & 3;
        if (s->chars && (kind == CHAR_ALONE || kind == CHAR_SPACE))
            return true;
        if (kind == CHAR_WORD && code < 0x80) {
            s->p = add_ascii(s, s->p);
            continue;
        }
        if (kind == CHAR_WORD || kind == CHAR_ALONE)
            add_char(s, cell, bad ? replacement : s->p, bad ? sizeof replacement : n);
        s->p += n;
        if (kind == CHAR_ALONE)
            return true;
    }
    return s->chars > 0;
}
