/* Columns of a text, and the three ways of cutting it. */
#include "tui/text.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "tui/canvas.h"

/* Characters that change the order of text or end a line: shown by their number. */
static bool is_unsafe(uint32_t ch)
{
    return (ch >= 0x202a && ch <= 0x202e) || (ch >= 0x2066 && ch <= 0x2069) || ch == 0x2028 ||
           ch == 0x2029;
}

static void show_as(struct text_unit *u, const char *fmt, unsigned v)
{
    u->ch = 0;
    snprintf(u->shown, sizeof u->shown, fmt, v);
    u->width = (int)strlen(u->shown);
}

static void classify(struct text_unit *u, uint32_t ch)
{
    u->ch = ch;
    u->width = utf8proc_charwidth((utf8proc_int32_t)ch);
    if (u->width > 0)
        return;
    utf8proc_category_t kind = utf8proc_category((utf8proc_int32_t)ch);
    u->combining = kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME;
    if (!u->combining && kind != UTF8PROC_CATEGORY_CF)
        show_as(u, "\\u%04x", ch);
}

bool text_next(const char **s, struct text_unit *u)
{
    *u = (struct text_unit){0};
    unsigned char byte = (unsigned char)**s;
    if (!byte)
        return false;
    utf8proc_int32_t ch = byte;
    utf8proc_ssize_t n = 1;
    if (byte >= 0x80)
        n = utf8proc_iterate((const utf8proc_uint8_t *)*s, -1, &ch);
    *s += n > 0 ? n : 1;
    if (n <= 0)
        show_as(u, "\\x%02x", byte);
    else if (ch < 0x20 || ch == 0x7f)
        show_as(u, "^%c", (unsigned)ch ^ 0x40);
    else if (ch >= 0x80 && ch < 0xa0)
        show_as(u, "\\x%02x", (unsigned)ch);
    else if (is_unsafe((uint32_t)ch))
        show_as(u, "\\u%04x", (unsigned)ch);
    else if (ch < 0x7f)
        *u = (struct text_unit){.ch = (uint32_t)ch, .width = 1};
    else
        classify(u, (uint32_t)ch);
    return true;
}

int text_width(const char *text)
{
    int w = 0;
    for (struct text_unit u; text_next(&text, &u);)
        w += u.width;
    return w;
}

/* Bytes of the longest start of `text` that takes at most `cols` columns. */
static size_t head_bytes(const char *text, int cols)
{
    const char *at = text, *end = text;
    int w = 0;
    for (struct text_unit u; text_next(&at, &u) && w + u.width <= cols; end = at)
        w += u.width;
    return (size_t)(end - text);
}

/* The longest end of `text` that takes at most `cols` columns and starts with no combining mark. */
static const char *tail(const char *text, int cols)
{
    int rest = text_width(text);
    struct text_unit u;
    for (const char *next = text; rest > cols && text_next(&next, &u); text = next)
        rest -= u.width;
    for (const char *next = text; text_next(&next, &u) && u.combining; text = next)
        ;
    return text;
}

static char *join(char *dst, size_t size, const char *text, size_t head, const char *mark,
                  const char *end)
{
    snprintf(dst, size, "%.*s%s%s", (int)head, text, mark, end);
    return dst;
}

/* True when nothing has to be cut, or no column is there at all; dst is then done. */
static bool fits(char *dst, size_t size, const char *text, int cols)
{
    if (cols > 0 && text_width(text) > cols)
        return false;
    str_copy(dst, size, cols > 0 ? text : "");
    return true;
}

char *text_cut_middle(enum glyph_level level, char *dst, size_t size, const char *text, int cols)
{
    if (fits(dst, size, text, cols))
        return dst;
    int head = (cols - 1) / 4;
    return join(dst, size, text, head_bytes(text, head), glyph_text(level, GLYPH_CUT),
                tail(text, cols - 1 - head));
}

char *text_cut_dotted(enum glyph_level level, char *dst, size_t size, const char *text, int cols)
{
    if (fits(dst, size, text, cols))
        return dst;
    const char *part = text;
    for (const char *dot; text_width(part) > cols - 1 && (dot = strchr(part, '.')); part = dot + 1)
        ;
    if (text_width(part) > cols - 1)
        part = tail(text, cols - 1);
    return join(dst, size, text, 0, glyph_text(level, GLYPH_CUT), part);
}

char *text_cut_end(enum glyph_level level, char *dst, size_t size, const char *text, int cols)
{
    if (fits(dst, size, text, cols))
        return dst;
    return join(dst, size, text, head_bytes(text, cols - 1), glyph_text(level, GLYPH_CUT), "");
}

char *text_cut_clause(enum glyph_level level, char *dst, size_t size, const char *text, int cols)
{
    size_t n = strlen(text);
    for (size_t i = n; i-- > 0 && text_width(text) > cols;)
        if (strchr(",;", text[i]) && text[i + 1] == ' ') {
            str_copy(dst, size < i + 1 ? size : i + 1, text);
            if (text_width(dst) <= cols)
                return dst;
        }
    return text_cut_end(level, dst, size, text, cols);
}
