/* The grammar of one line: blank, comment, [section] or key = value. */
#include "engine/base/ini_line.h"

#include <string.h>

#include "engine/base/str.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t skip_blanks(const char *s, size_t at, size_t n)
{
    while (at < n && is_blank(s[at]))
        at++;
    return at;
}

static void copy_span(char *dst, const char *s, size_t from, size_t to)
{
    while (from < to && is_blank(s[from]))
        from++;
    while (to > from && is_blank(s[to - 1]))
        to--;
    memcpy(dst, s + from, to - from);
    dst[to - from] = '\0';
}

/* Where the comment begins that stands after a blank at or behind `at`; `n` when there is none. */
static size_t comment_at(const char *s, size_t at, size_t n)
{
    for (size_t i = at; i < n; i++)
        if (s[i] == ';' && i > 0 && is_blank(s[i - 1]))
            return i;
    return n;
}

static int not_understood(const char *s, size_t n, struct err *e)
{
    char text[INI_LINE_LONGEST + 1], visible[4 * INI_LINE_LONGEST];
    copy_span(text, s, 0, n);
    return err_set(e, TT_ECONFIG, "\"%s\" (key = value, [section] or ; comment)",
                   str_visible(visible, sizeof visible, text));
}

static int check_bytes(const char *s, size_t n, struct err *e)
{
    if (n > INI_LINE_LONGEST)
        return err_set(e, TT_ECONFIG, "line of %zu bytes (at most %d)", n, INI_LINE_LONGEST);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return err_set(e, TT_ECONFIG, "%s 0x%02x in column %zu (plain text)",
                           c ? "control character" : "NUL byte", c, i + 1);
    }
    return 0;
}

static int parse_section(struct ini_line *line, const char *s, size_t at, size_t n, struct err *e)
{
    const char *close = memchr(s + at, ']', n - at);
    size_t end = close ? (size_t)(close - s) : n;
    if (!close || comment_at(s, at, n) < end)
        return err_set(e, TT_ECONFIG, "section without its ] (a line like [train])");
    size_t rest = skip_blanks(s, end + 1, n);
    if (rest < n && comment_at(s, end + 1, n) != rest)
        return err_set(e, TT_ECONFIG, "text after the ] (nothing, or a blank and ; comment)");
    if (end - at - 1 > INI_SECTION_LONGEST) /* with the blanks, which inih counts */
        return err_set(e, TT_ECONFIG, "section name of %zu bytes (at most %d)", end - at - 1,
                       INI_SECTION_LONGEST);
    copy_span(line->name, s, at + 1, end);
    if (!line->name[0])
        return err_set(e, TT_ECONFIG, "section without a name (a line like [train])");
    line->kind = INI_LINE_SECTION;
    return 0;
}

/* From the quote at `at`: \" and \\ stand for " and \, any other \ for itself. */
static int parse_quoted(struct ini_line *line, const char *s, size_t at, size_t n, struct err *e)
{
    size_t used = 0, i = at + 1;
    for (; i < n && s[i] != '"'; i++) {
        if (s[i] == '\\' && i + 1 < n && (s[i + 1] == '"' || s[i + 1] == '\\'))
            i++;
        line->value[used++] = s[i];
    }
    line->value[used] = '\0';
    if (i == n)
        return err_set(e, TT_ECONFIG, "value without its closing \"");
    line->value_end = i + 1;
    size_t rest = skip_blanks(s, i + 1, n);
    if (rest < n && comment_at(s, i + 1, n) != rest)
        return err_set(e, TT_ECONFIG, "text after the closing \" (a blank and ; comment)");
    return 0;
}

static int parse_pair(struct ini_line *line, const char *s, size_t at, size_t n, struct err *e)
{
    size_t end = at;
    while (end < n && s[end] != '=' && s[end] != ':')
        end++;
    if (end == n || s[end] == ':' || comment_at(s, at, n) < end)
        return not_understood(s, n, e);
    copy_span(line->name, s, at, end);
    if (!line->name[0])
        return not_understood(s, n, e);

    line->kind = INI_LINE_PAIR;
    line->value_at = skip_blanks(s, end + 1, n);
    if (line->value_at < n && s[line->value_at] == '"')
        return parse_quoted(line, s, line->value_at, n, e);
    size_t stop = comment_at(s, end + 1, n);
    if (line->value_at > stop)
        line->value_at = stop;
    copy_span(line->value, s, line->value_at, stop);
    line->value_end = line->value_at + strlen(line->value);
    return 0;
}

int ini_line_parse(struct ini_line *line, const char *text, size_t n, struct err *e)
{
    int rc = check_bytes(text, n, e);
    if (rc)
        return rc;
    *line = (struct ini_line){.kind = INI_LINE_BLANK};
    size_t at = skip_blanks(text, 0, n);
    if (n - at >= 3 && !memcmp(text + at, "\xef\xbb\xbf", 3))
        return err_set(e, TT_ECONFIG, "byte-order mark (only at the start of the file)");
    if (at == n || text[at] == ';' || text[at] == '#')
        return 0;
    return text[at] == '[' ? parse_section(line, text, at, n, e) : parse_pair(line, text, at, n, e);
}

bool ini_line_next(const char **rest, size_t *left, const char **text, size_t *n)
{
    if (*left == 0)
        return false;
    const char *end = memchr(*rest, '\n', *left);
    size_t whole = end ? (size_t)(end - *rest) + 1 : *left;
    *text = *rest;
    *n = end ? whole - 1 : whole;
    if (*n && (*text)[*n - 1] == '\r')
        (*n)--;
    *rest += whole;
    *left -= whole;
    return true;
}
