/* Reading metrics.jsonl back: for a resume, which cuts it, and for the views of other runs. */
#include "engine/io/metrics_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT ((size_t)4 << 30)

/* The next line of *text as an object, NULL when it is none; *line and *len tell where it is. */
static json_t *next_line(const char **text, const char *end, const char **line, size_t *len)
{
    const char *stop = memchr(*text, '\n', (size_t)(end - *text));

    *line = *text;
    *len = (size_t)((stop ? stop : end) - *text);
    *text = stop ? stop + 1 : end;
    json_t *object = json_loadb(*line, *len, 0, NULL);
    if (!json_is_object(object)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static void write_until(struct outfile *out, const char *text, size_t n, int64_t step)
{
    const char *end = text + n, *line;
    size_t len;

    for (bool first = true; text < end; first = false) {
        json_t *object = next_line(&text, end, &line, &len);
        json_t *at = json_object_get(object, "step");
        if (object && (first || !at || json_integer_value(at) <= step)) {
            file_write(out, line, len);
            file_write(out, "\n", 1);
        }
        json_decref(object);
    }
}

int metrics_truncate(const char *path, int64_t step, struct err *e)
{
    struct outfile out;
    char *text;
    size_t n;

    if (!file_exists(path))
        return 0;
    int rc = file_read(path, FILE_LIMIT, &text, &n, e);
    if (rc)
        return rc;
    rc = file_create(&out, path, e);
    if (!rc) {
        write_until(&out, text, n, step);
        rc = file_commit(&out, e);
    }
    free(text);
    return rc;
}

int metrics_read(const char *path, int (*line)(void *user, const struct metrics_value *v, int n),
                 void *user, struct err *e)
{
    struct metrics_value v[METRICS_VALUES];
    char *text, *rest;
    size_t n;

    int rc = file_read(path, FILE_LIMIT, &text, &n, e);
    if (rc)
        return rc;
    rest = text;
    strsep(&rest, "\n");
    for (char *one; (one = strsep(&rest, "\n"));) {
        int count = metrics_numbers(one, strlen(one), v);
        if (count >= 0 && line(user, v, count))
            break;
    }
    free(text);
    return 0;
}
