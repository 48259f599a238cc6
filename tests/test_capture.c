/* What is printed while the screen is open: lines of the log, and again when it is closed. */
#include "tests/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/log.h"
#include "tui/capture.h"

static char logged[4096];

static void sink(void *user, const struct log_line *l)
{
    (void)user;
    size_t n = strlen(logged);
    snprintf(logged + n, sizeof logged - n, "%s %s\n", log_kind_name(l->kind), l->text);
}

static void print(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* Runs with descriptor 2 on a file, which comes back as text. */
static const char *stderr_of(void (*body)(void))
{
    const char *path = test_path_in(test_temp_dir(), "err");
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    dup2(fileno(f), STDERR_FILENO);
    body();
    dup2(saved, STDERR_FILENO);
    close(saved);
    fclose(f);
    return test_read_file(path, NULL);
}

static void print_some(void)
{
    struct err e = ERR_INIT;
    logged[0] = 0;
    assert_int_equal(capture_open(&e), 0);
    print(STDERR_FILENO, "libfoo: no policy set\nand half ");
    print(STDOUT_FILENO, "on stdout\n");
    assert_true(capture_read());
    assert_false(capture_read());
    assert_string_equal(logged, "out [stdout] on stdout\nout [stderr] libfoo: no policy set\n");
    print(STDERR_FILENO, "a line");
    capture_close();
    capture_replay();
}

static void test_lines(void **state)
{
    (void)state;
    log_set_sink(sink, NULL);
    const char *text = stderr_of(print_some);
    log_set_sink(NULL, NULL);
    assert_string_equal(logged, "out [stdout] on stdout\nout [stderr] libfoo: no policy set\n"
                                "out [stderr] and half a line\n");
    assert_non_null(strstr(text, "libfoo: no policy set\nand half a line"));
    assert_non_null(strstr(text, "on stdout\n"));
}

/* A flood while nobody reads is dropped, never waited for; the descriptors come back. */
static void flood(void)
{
    struct err e = ERR_INIT;
    char block[1000];
    memset(block, 'x', sizeof block);
    assert_int_equal(capture_open(&e), 0);
    for (int i = 0; i < 1000; i++)
        (void)!write(STDERR_FILENO, block, sizeof block);
    capture_close();
    print(STDERR_FILENO, "after\n");
}

static void test_flood(void **state)
{
    (void)state;
    assert_string_equal(stderr_of(flood), "after\n");
}

static void crash_with_something_in_the_pipe(void)
{
    struct err e = ERR_INIT;
    assert_int_equal(capture_open(&e), 0);
    print(STDERR_FILENO, "last words\n");
    capture_emergency();
    print(STDERR_FILENO, "crashed\n");
    capture_close();
}

static void test_emergency(void **state)
{
    (void)state;
    assert_string_equal(stderr_of(crash_with_something_in_the_pipe), "last words\ncrashed\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_emergency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
