/* Reads text data whole and refuses what no reader of rows could make sense of. */
#include "engine/data/text_file.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/str.h"

static const struct {
    const char *bytes, *name;
} other_files[] = {
    {"\xff\xfe", "UTF-16 text"},
    {"\xfe\xff", "UTF-16 text"},
    {"PAR1", "a Parquet file"},
    {"ARROW1", "an Arrow file"},
    {"\xff\xff\xff\xff", "an Arrow stream"},
    {"PK\x03\x04", "a zip archive"},
    {"BZh", "a bzip2 file"},
    {"\xfd"
     "7zXZ",
     "an xz file"},
    {"\x28\xb5\x2f\xfd", "a zstd file"},
};

static int64_t line_at(const char *text, const char *place)
{
    int64_t line = 1;
    while ((text = memchr(text, '\n', (size_t)(place - text)))) {
        text++;
        line++;
    }
    return line;
}

static int check_kind(const char *path, const char *data, size_t n, struct err *e)
{
    if (n == 0)
        return err_set(e, TT_EDATA, "%s: is empty (rows of data)", path);
    for (size_t i = 0; i < sizeof other_files / sizeof *other_files; i++) {
        size_t len = strlen(other_files[i].bytes);
        if (n >= len && !memcmp(data, other_files[i].bytes, len))
            return err_set(e, TT_EDATA, "%s: is %s (text in UTF-8, plain or gzip)", path,
                           other_files[i].name);
    }
    return 0;
}

/* The first line that is not UTF-8; lines are whole characters, so each can be judged alone. */
static const char *broken_line(const char *text, const char *end)
{
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((stop ? stop : end) - text);
        if (!str_is_valid_utf8(text, n))
            return text;
        text += n + 1;
    }
    return end;
}

static int check_bytes(const char *path, const struct text_file *t, struct err *e)
{
    size_t n = (size_t)(t->end - t->text);
    const char *bad = memchr(t->text, '\0', n);
    if (bad)
        return err_set(e, TT_EDATA, "%s:%lld: a NUL byte (text in UTF-8)", path,
                       (long long)line_at(t->text, bad));
    if (!str_is_valid_utf8(t->text, n))
        return err_set(e, TT_EDATA, "%s:%lld: bytes that are no UTF-8 (text in UTF-8)", path,
                       (long long)line_at(t->text, broken_line(t->text, t->end)));
    const char *cr = memchr(t->text, '\r', n);
    if (cr && cr + 1 < t->end && !memchr(t->text, '\n', n))
        return err_set(e, TT_EDATA, "%s:1: all line ends are CR (LF or CR LF)", path);
    return 0;
}

int text_file_read(struct text_file *t, const char *path, struct err *e)
{
    size_t n;
    *t = (struct text_file){0};
    int rc = file_read_gz(path, DATA_FILE_LIMIT, &t->data, &n, e);
    if (rc)
        return rc;
    bool mark = n >= 3 && !memcmp(t->data, "\xef\xbb\xbf", 3);
    t->text = t->data + (mark ? 3 : 0);
    t->end = t->data + n;
    rc = check_kind(path, t->data, n, e);
    if (!rc)
        rc = check_bytes(path, t, e);
    if (rc)
        text_file_release(t);
    return rc;
}

void text_file_release(struct text_file *t)
{
    free(t->data);
    *t = (struct text_file){0};
}

char *text_quote(char dst[TEXT_QUOTE], const char *src)
{
    char cut[40], shown[TEXT_QUOTE - 8];
    str_copy(cut, sizeof cut, src);
    str_visible(shown, sizeof shown, cut);
    snprintf(dst, TEXT_QUOTE, "\"%s%s\"", shown, strlen(cut) < strlen(src) ? "..." : "");
    return dst;
}
