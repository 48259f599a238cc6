/* Opens data sets for tests. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "tests/data_support.h"

typedef int open_fn(const struct data_opts *o, uint64_t seed, struct dataset *train,
                    struct dataset *eval, struct err *e);

static void set_option(struct data_opts *o, const char *line)
{
    struct strlist part = STRLIST_INIT;
    struct err e = ERR_INIT;
    strlist_split(&part, line, '=');
    const struct opt_desc *d = part.n == 2 ? opt_find(data_opts_table, part.s[0]) : NULL;
    if (part.n && !d)
        fail_msg("%s: not an option with a value", line);
    if (d && opt_parse(d, o, part.s[1], &e))
        fail_msg("%s: %s", line, e.msg);
    strlist_release(&part);
}

static void open_with(struct opened *d, open_fn *open, const char *fmt, va_list ap)
{
    char text[4096];
    struct strlist line = STRLIST_INIT;
    vsnprintf(text, sizeof text, fmt, ap);
    *d = (struct opened){.e = ERR_INIT};
    opt_defaults(data_opts_table, &d->o);
    strlist_split(&line, text, '\n');
    for (size_t i = 0; i < line.n; i++)
        set_option(&d->o, line.s[i]);
    strlist_release(&line);
    d->rc = open(&d->o, 42, &d->train, &d->eval, &d->e);
}

void data_open(struct opened *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    open_with(d, dataset_open, fmt, ap);
    va_end(ap);
}

void data_peek(struct opened *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    open_with(d, dataset_peek, fmt, ap);
    va_end(ap);
}

void data_close(struct opened *d)
{
    dataset_release(&d->train);
    dataset_release(&d->eval);
    opt_release(data_opts_table, &d->o);
}

const char *data_golden(const char *name)
{
    return test_path_in(test_path("tests/golden/data"), name);
}

const char *data_file(const char *name, const char *content, size_t n)
{
    struct err e = ERR_INIT;
    const char *path = test_path_in(test_temp_dir(), name);
    if (file_write_all(path, content, n ? n : strlen(content), &e))
        fail_msg("%s", e.msg);
    return path;
}

void data_refused(const char *name, const char *content, size_t n, const char *options, int code,
                  const char *message)
{
    struct opened d;
    const char *path = data_file(name, content, n), *mark = strstr(message, "%s");
    data_open(&d, "train = %s\n%s", path, options);
    size_t before = mark ? (size_t)(mark - message) : strlen(message);
    char *wanted =
        xasprintf("%.*s%s%s", (int)before, message, mark ? path : "", mark ? mark + 2 : "");
    assert_string_equal(d.e.msg, wanted);
    assert_int_equal(d.rc, code);
    assert_int_equal(d.train.rows, 0);
    free(wanted);
    data_close(&d);
}
