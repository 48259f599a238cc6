/* Errors, death, memory, arenas, element types, log lines. */
#include "tests/support.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/die.h"
#include "engine/base/dtype.h"
#include "engine/base/err.h"
#include "engine/base/log.h"
#include "engine/base/mem.h"

static void test_err(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    assert_int_equal(err_set(&e, TT_EDATA, "label \"%s\" (%d or %d)", "x", 0, 1), TT_EDATA);
    assert_int_equal(e.code, TT_EDATA);
    assert_string_equal(e.msg, "label \"x\" (0 or 1)");
    assert_int_equal(err_prefix(&e, "%s:%d: ", "a.csv", 3), TT_EDATA);
    assert_string_equal(e.msg, "a.csv:3: label \"x\" (0 or 1)");
    err_set(&e, TT_EFAIL, "again: %s", e.msg); /* the old message as an argument */
    assert_string_equal(e.msg, "again: a.csv:3: label \"x\" (0 or 1)");
    errno = ENOSPC;
    assert_int_equal(err_errno(&e, TT_EFAIL, "can't write %s", "f"), TT_EFAIL);
    assert_string_equal(e.msg, "can't write f: No space left on device");
    assert_int_equal(err_set(NULL, TT_ECONFIG, "nobody listens"), TT_ECONFIG);
}

static void test_err_is_cut_whole(void **state)
{
    (void)state;
    char text[2000];
    for (int i = 0; i < 1998; i += 3)
        memcpy(text + i, "\xe2\x80\x94", 4);
    struct err e;
    err_set(&e, TT_EFAIL, "%s", text);
    assert_int_equal(strlen(e.msg) % 3, 0);
    assert_int_equal(strlen(e.msg), 1023);
    err_set(&e, TT_EFAIL, "x%s", text);
    assert_int_equal(strlen(e.msg), 1 + 1020);
    err_prefix(&e, "%s", text);
    assert_int_equal(strlen(e.msg), 1023);
}

static void test_exit_status(void **state)
{
    (void)state;
    for (int code = 0; code >= TT_ERESOURCE; code--)
        assert_int_equal(err_exit_status(code), -code);
    assert_int_equal(err_exit_status(-7), 1);
    assert_int_equal(err_exit_status(3), 1);
}

/* Runs `last` in a child; gives what it wrote to stderr and how it ended. */
static int end_of(void (*last)(void), char *text, size_t size)
{
    int pipe_end[2], status;
    assert_int_equal(pipe(pipe_end), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipe_end[1], STDERR_FILENO);
        last();
        _exit(99);
    }
    close(pipe_end[1]);
    size_t used = 0;
    for (ssize_t n; (n = read(pipe_end[0], text + used, size - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = '\0';
    close(pipe_end[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void say_hook(void)
{
    fputs("hook ", stderr);
}

static void die_in_hook(void)
{
    die(5, "inner");
}

static void last_die(void)
{
    die_set_hook(say_hook);
    die(6, "no %s", "more");
}

static void last_die_twice(void)
{
    die_set_hook(die_in_hook);
    die(6, "outer");
}

static void last_bug(void)
{
    die_set_hook(say_hook);
    BUG_ON(1 + 1 == 2);
}

static void last_product(void)
{
    free(xcalloc(SIZE_MAX / 2, 3));
}

static void test_death(void **state)
{
    (void)state;
    char text[512];
    int status = end_of(last_die, text, sizeof text);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 6);
    assert_string_equal(text, "hook traintui: no more\n");

    status = end_of(last_die_twice, text, sizeof text);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);

    status = end_of(last_bug, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "hook traintui: BUG at "));
    assert_non_null(strstr(text, "1 + 1 == 2"));

    status = end_of(last_product, text, sizeof text);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 6);
    assert_non_null(strstr(text, "out of memory"));
}

static void test_mem(void **state)
{
    (void)state;
    char *p = xmalloc(0);
    assert_non_null(p);
    free(p);
    assert_null(xstrdup(NULL));
    p = xstrndup("abcdef", 3);
    assert_string_equal(p, "abc");
    free(p);
    p = xstrndup("ab", 3);
    assert_string_equal(p, "ab");
    free(p);
    p = xasprintf("%d-%s", 7, "x");
    assert_string_equal(p, "7-x");
    free(p);

    size_t cap = 0;
    int *v = NULL;
    for (int i = 0; i < 1000; i++) {
        v = xgrow(v, &cap, (size_t)i + 1, sizeof *v);
        v[i] = i;
    }
    assert_int_equal(v[999], 999);
    assert_in_range(cap, 1000, 2000);
    free(v);
}

static void test_arena(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1000);
    unsigned char *first = NULL;
    for (int round = 0; round < 3; round++) {
        long before = test_heap_calls();
        for (int i = 0; i < 100; i++) {
            size_t n = (size_t)i * 37 % 900;
            unsigned char *p = arena_alloc(&a, n);
            assert_int_equal((uintptr_t)p % 64, 0);
            for (size_t j = 0; j < n; j++)
                assert_int_equal(p[j], 0);
            memset(p, 0xff, n);
            if (round == 0 && i == 0)
                first = p;
            if (i == 0)
                assert_ptr_equal(p, first);
        }
        char *large = arena_alloc(&a, 5000);
        memset(large, 0xff, 5000);
        assert_string_equal(arena_strdup(&a, "text"), "text");
        if (round > 0)
            assert_int_equal(test_heap_calls(), before); /* blocks are kept */
        arena_reset(&a);
    }
    arena_release(&a);
    assert_null(a.first);
}

/* Rounds whose large object comes at another place each time soon need no new block. */
static void test_arena_settles(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1024);
    long before = 0;
    for (int round = 0; round < 900; round++) {
        if (round == 9)
            before = test_heap_calls();
        arena_reset(&a);
        for (int i = 0; i < 9; i++)
            arena_alloc(&a, i == round % 9 ? 8192 : 1024);
    }
    assert_int_equal(test_heap_calls(), before);
    arena_release(&a);
}

static void test_dtype(void **state)
{
    (void)state;
    for (int t = 0; t < DT_COUNT; t++) {
        assert_int_equal(dtype_parse(dtype_name(t)), t);
        assert_in_range(dtype_size(t), 1, 8);
        assert_non_null(dtype_short(t));
    }
    assert_int_equal(dtype_parse("F31"), -1);
    assert_int_equal(dtype_size(DT_BF16), 2);
    assert_string_equal(dtype_short(DT_U8), "u8");
}

static void test_half_floats(void **state)
{
    (void)state;
    assert_true(f32_from_f16(0x3c00) == 1.0f);
    assert_true(f32_from_f16(0xc000) == -2.0f);
    assert_true(f32_from_f16(0x7bff) == 65504.0f);
    assert_true(f32_from_f16(0x0001) == 0x1p-24f);
    assert_true(f32_from_f16(0x83ff) == -1023 * 0x1p-24f);
    assert_true(f32_from_f16(0x0400) == 0x1p-14f);
    assert_true(f32_from_f16(0x8000) == 0 && signbit(f32_from_f16(0x8000)));
    assert_true(isinf(f32_from_f16(0x7c00)) && isnan(f32_from_f16(0x7e00)));

    assert_int_equal(bf16_from_f32(1.0f), 0x3f80);
    assert_int_equal(bf16_from_f32(1.0f + 0x1p-8f), 0x3f80);     /* a tie: to even, down */
    assert_int_equal(bf16_from_f32(1.0f + 3 * 0x1p-8f), 0x3f82); /* a tie: to even, up */
    assert_int_equal(bf16_from_f32(1.0f + 0x1.01p-8f), 0x3f81);
    assert_int_equal(bf16_from_f32(3.4028235e38f), 0x7f80);
    assert_true(isnan(f32_from_bf16(bf16_from_f32(nanf("1")))));
    for (unsigned v = 0; v < 0x10000; v++) {
        float f = f32_from_bf16((unsigned short)v);
        if (!isnan(f))
            assert_int_equal(bf16_from_f32(f), v);
    }
}

struct seen {
    struct log_line last;
    int n;
};

static void remember(void *user, const struct log_line *line)
{
    struct seen *s = user;
    s->last = *line;
    s->n++;
}

static void *say_much(void *unused)
{
    for (int i = 0; i < 500; i++)
        log_line(LOG_INFO, "line %d", i);
    return unused;
}

static void test_log(void **state)
{
    (void)state;
    struct seen seen = {.n = 0};
    log_line(LOG_INFO, "nobody");
    log_set_sink(remember, &seen);
    log_line(LOG_WARN, "a%sb", "\x1b[31m\n");
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.last.step, -1);
    assert_int_equal(seen.last.kind, LOG_WARN);
    assert_string_equal(seen.last.text, "a^[[31m^Jb");
    assert_true(seen.last.time > 1500000000);

    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    log_set_step(12);
    long before = test_heap_calls();
    log_line(LOG_INFO, "%s %d %g", text, 7, 0.1);
    assert_int_equal(test_heap_calls(), before);
    assert_int_equal(strlen(seen.last.text), LOG_TEXT - 1);
    assert_int_equal(seen.last.step, 12);

    pthread_t other;
    seen.n = 0;
    pthread_create(&other, NULL, say_much, NULL);
    say_much(NULL);
    pthread_join(other, NULL);
    assert_int_equal(seen.n, 1000);
    log_set_sink(NULL, NULL);
    log_line(LOG_INFO, "nobody");
    assert_int_equal(seen.n, 1000);
    for (int k = 0; k < LOG_KINDS; k++)
        assert_non_null(log_kind_name(k));
    assert_string_equal(log_kind_name(LOG_EVAL), "eval");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_err),           cmocka_unit_test(test_err_is_cut_whole),
        cmocka_unit_test(test_exit_status),   cmocka_unit_test(test_death),
        cmocka_unit_test(test_mem),           cmocka_unit_test(test_arena),
        cmocka_unit_test(test_arena_settles), cmocka_unit_test(test_dtype),
        cmocka_unit_test(test_half_floats),   cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
