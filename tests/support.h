/* What all tests share beside cmocka: paths, temporary folders, golden files, comparison of
 * numbers. Includes cmocka.h with what it needs. Strings returned live until the program ends. */
#ifndef TT_TESTS_SUPPORT_H
#define TT_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* `rel` below the source folder, $srcdir (else the current folder): "tests/golden/x.json". */
const char *test_path(const char *rel);

/* A fresh empty folder below $TMPDIR, removed at exit. */
const char *test_temp_dir(void);
/* "DIR/NAME". */
const char *test_path_in(const char *dir, const char *name);

/* A text file NAME in `dir`; returns its path. */
const char *test_write_file(const char *dir, const char *name, const char *text);
/* The whole file, terminated; `n` may be NULL. The test fails when it can't be read. */
const char *test_read_file(const char *path, size_t *n);
/* The same for "tests/golden/REL". */
const char *test_golden(const char *rel, size_t *n);

/* Calls of malloc and its kin so far; -1 where they are not counted (sanitizer builds). */
long test_heap_calls(void);

/* |a - b| <= abs + rel * |b|, `b` being what is right; NaN is close to NaN, an infinity to itself.
 * On failure both values are printed, of arrays the worst element and its place. */
#define assert_close(a, b, rel, abs) test_close(a, b, rel, abs, #a, __FILE__, __LINE__)
#define assert_close_f32(a, b, n, rel, abs)                                                        \
    test_close_f32(a, b, n, rel, abs, #a, __FILE__, __LINE__)
#define assert_close_f64(a, b, n, rel, abs)                                                        \
    test_close_f64(a, b, n, rel, abs, #a, __FILE__, __LINE__)

void test_close(double a, double b, double rel, double abs, const char *what, const char *file,
                int line);
void test_close_f32(const float *a, const float *b, size_t n, double rel, double abs,
                    const char *what, const char *file, int line);
void test_close_f64(const double *a, const double *b, size_t n, double rel, double abs,
                    const char *what, const char *file, int line);

#endif
