/* Data sets for tests, opened by options written as in a config. */
#ifndef TT_TESTS_DATA_SUPPORT_H
#define TT_TESTS_DATA_SUPPORT_H

#include "engine/data/dataset.h"

struct opened {
    struct data_opts o;
    struct dataset train, eval;
    struct err e;
    int rc;
};

/* dataset_open, dataset_peek with the options of the text: one "key = value" a line. */
void data_open(struct opened *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void data_peek(struct opened *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void data_close(struct opened *d);

/* "tests/golden/data/NAME". */
const char *data_golden(const char *name);
/* A file NAME of n bytes (0: a string) in a fresh folder; its path. */
const char *data_file(const char *name, const char *content, size_t n);

/* Training on such a file must fail with `code` and the message; "%s" in it stands for the path. */
void data_refused(const char *name, const char *content, size_t n, const char *options, int code,
                  const char *message);

#endif
