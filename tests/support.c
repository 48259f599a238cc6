/* Paths, temporary folders, golden files, comparison of numbers. */
#include "tests/support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/die.h"
#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

static struct strlist kept;    /* what the functions below have returned */
static struct strlist folders; /* to be removed */
static pid_t owner;            /* who removes them: not a forked child */

static void clean_up(void)
{
    for (size_t i = 0; i < folders.n && getpid() == owner; i++)
        file_remove_tree(folders.s[i], NULL);
    strlist_release(&folders);
    strlist_release(&kept);
}

static void begin(void)
{
    if (owner)
        return;
    owner = getpid();
    atexit(clean_up);
}

/* Keeps `s`, which it takes over, and returns it. */
static const char *keep(char *s)
{
    begin();
    kept.s = xgrow(kept.s, &kept.cap, kept.n + 1, sizeof *kept.s);
    return kept.s[kept.n++] = s;
}

const char *test_path(const char *rel)
{
    const char *top = getenv("srcdir");
    return keep(file_join(top ? top : ".", rel));
}

const char *test_temp_dir(void)
{
    const char *base = getenv("TMPDIR");
    char *name = xasprintf("%s/traintui-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(name))
        die(1, "can't make a folder like %s", name);
    begin();
    strlist_add(&folders, name);
    return keep(name);
}

const char *test_path_in(const char *dir, const char *name)
{
    return keep(file_join(dir, name));
}

const char *test_write_file(const char *dir, const char *name, const char *text)
{
    struct err e = ERR_INIT;
    const char *path = test_path_in(dir, name);
    if (file_write_all(path, text, strlen(text), &e))
        fail_msg("%s", e.msg);
    return path;
}

const char *test_read_file(const char *path, size_t *n)
{
    struct err e = ERR_INIT;
    char *data;
    size_t size;
    if (file_read(path, SIZE_MAX, &data, &size, &e))
        fail_msg("%s", e.msg);
    if (n)
        *n = size;
    return keep(data);
}

const char *test_golden(const char *rel, size_t *n)
{
    return test_read_file(test_path_in(test_path("tests/golden"), rel), n);
}

/* How far `a` is off, in units of what is allowed: up to 1 is close. Another kind of number, or any
 * difference where none is allowed, is infinitely far. */
static double distance(double a, double b, double rel, double abs)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    double off = fabs(a - b) / (abs + rel * fabs(b));
    return isfinite(a) && isfinite(b) ? off : (double)INFINITY;
}

static void fail_close(double a, double b, double rel, double abs, const char *what,
                       const char *file, int line)
{
    print_error("%s = %.17g is not close to %.17g: off by %.3g, allowed %.3g (rel %g, abs %g)\n",
                what, a, b, fabs(a - b), abs + rel * fabs(b), rel, abs);
    _fail(file, line);
}

void test_close(double a, double b, double rel, double abs, const char *what, const char *file,
                int line)
{
    if (!(distance(a, b, rel, abs) <= 1))
        fail_close(a, b, rel, abs, what, file, line);
}

/* Compares element by element through `at`, which knows the type. */
static void close_arrays(const void *a, const void *b, double (*at)(const void *, size_t), size_t n,
                         double rel, double abs, const char *what, const char *file, int line)
{
    size_t worst = 0, bad = 0;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double off = distance(at(a, i), at(b, i), rel, abs);
        bad += !(off <= 1);
        if (off > most) {
            most = off;
            worst = i;
        }
    }
    if (!bad)
        return;
    char element[256];
    snprintf(element, sizeof element, "%zu of %zu elements are off, worst: %s[%zu]", bad, n, what,
             worst);
    fail_close(at(a, worst), at(b, worst), rel, abs, element, file, line);
}

static double at_f32(const void *p, size_t i)
{
    return (double)((const float *)p)[i];
}

static double at_f64(const void *p, size_t i)
{
    return ((const double *)p)[i];
}

void test_close_f32(const float *a, const float *b, size_t n, double rel, double abs,
                    const char *what, const char *file, int line)
{
    close_arrays(a, b, at_f32, n, rel, abs, what, file, line);
}

void test_close_f64(const double *a, const double *b, size_t n, double rel, double abs,
                    const char *what, const char *file, int line)
{
    close_arrays(a, b, at_f64, n, rel, abs, what, file, line);
}
