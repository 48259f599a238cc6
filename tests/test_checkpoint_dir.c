/* Checkpoints: which folder counts as one, which one goes, and that a save that fails or is killed
 * at any point leaves all as it was. */
#define _GNU_SOURCE 1
#include "tests/support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include "engine/io/rundir.h"

/* Stands in front of the C library's: a file system that can't exchange two names. */
static bool no_exchange;

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    if (no_exchange) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

static size_t count_names(const char *dir)
{
    struct strlist names = STRLIST_INIT;
    assert_int_equal(file_list(dir, NULL, &names, NULL), 0);
    size_t n = names.n;
    strlist_release(&names);
    return n;
}

static void make_run(struct rundir *r, const char *dir, const char *name)
{
    struct err e = ERR_INIT;
    if (rundir_create(r, dir, name, &e) != 0)
        fail_msg("%s", e.msg);
}

static int put(const struct ckpt_writer *w, const char *name, const char *text, struct err *e)
{
    char *path = ckpt_path(w, name);
    int rc = file_write_all(path, text, strlen(text), e);
    free(path);
    return rc;
}

/* As the trainer does it. `mark` tells two saves of one step apart. */
static int save(const struct rundir *r, int64_t step, const char *mark, struct err *e)
{
    struct ckpt_writer w;
    int64_t bytes = 0;

    int rc = ckpt_begin(&w, r, step, e);
    if (rc)
        return rc;
    rc = put(&w, "model.safetensors", mark, e);
    if (!rc)
        rc = put(&w, "optimizer.safetensors", "moments", e);
    if (!rc)
        rc = put(&w, "state.json", "{\"loss\": 0.10000000000000001, \"step\": 1}", e);
    if (rc)
        ckpt_abort(&w);
    else
        rc = ckpt_commit(&w, &bytes, e);
    if (!rc)
        assert_true(bytes > (int64_t)strlen(mark) + 7 + 40);
    return rc;
}

static void save_steps(const struct rundir *r, const int64_t *steps, int n)
{
    struct err e = ERR_INIT;
    for (int i = 0; i < n; i++) {
        if (save(r, steps[i], "weights", &e) != 0)
            fail_msg("%s", e.msg);
    }
}

static void assert_steps(const struct rundir *r, const int64_t *right, int n)
{
    int64_t *steps;
    int have = ckpt_list(r->path, &steps, NULL);

    assert_int_equal(have, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(steps[i], right[i]);
    free(steps);
}

static const char *in_step(const struct rundir *r, int64_t step, const char *name)
{
    char *dir = ckpt_dir(r->path, step);
    const char *path = test_path_in(dir, name);
    free(dir);
    return path;
}

static void saving(void **state)
{
    struct err e = ERR_INIT;
    struct rundir r;

    (void)state;
    make_run(&r, test_temp_dir(), "run");
    assert_steps(&r, NULL, 0);
    save_steps(&r, (int64_t[]){10000, 9900, 0, 20}, 4);
    assert_steps(&r, (int64_t[]){0, 20, 9900, 10000}, 4);

    const char *text = test_read_file(in_step(&r, 20, "state.json"), NULL);
    assert_non_null(strstr(text, "\"model.safetensors\": 7"));
    assert_non_null(strstr(text, "0.10000000000000001"));

    assert_int_equal(save(&r, 20, "other weights", &e), 0);
    assert_string_equal(test_read_file(in_step(&r, 20, "model.safetensors"), NULL),
                        "other weights");
    assert_int_equal(count_names(test_path_in(r.path, "checkpoints")), 4);
    rundir_close(&r);
}

static void commit_needs_all_files(void **state)
{
    struct err e = ERR_INIT;
    struct ckpt_writer w;
    struct rundir r;

    (void)state;
    make_run(&r, test_temp_dir(), "run");
    assert_int_equal(ckpt_begin(&w, &r, 1, &e), 0);
    assert_int_equal(put(&w, "model.safetensors", "weights", &e), 0);
    assert_int_equal(put(&w, "state.json", "{}", &e), 0);
    assert_int_equal(ckpt_commit(&w, NULL, &e), TT_EDATA);
    assert_non_null(strstr(e.msg, "does not list optimizer.safetensors"));
    assert_steps(&r, NULL, 0);
    assert_int_equal(count_names(test_path_in(r.path, "checkpoints")), 0);
    rundir_close(&r);
}

static void incomplete_are_skipped(void **state)
{
    struct strlist skipped = STRLIST_INIT;
    struct rundir r;
    int64_t *steps;

    (void)state;
    make_run(&r, test_temp_dir(), "run");
    save_steps(&r, (int64_t[]){1, 2, 3, 4, 5, 6}, 6);
    assert_int_equal(truncate(in_step(&r, 2, "model.safetensors"), 3), 0);
    assert_int_equal(unlink(in_step(&r, 3, "optimizer.safetensors")), 0);
    assert_int_equal(truncate(in_step(&r, 4, "state.json"), 10), 0);
    assert_int_equal(unlink(in_step(&r, 6, "state.json")), 0);
    mkdir(in_step(&r, 7, ""), 0777);
    const char *dir = test_path_in(r.path, "checkpoints");
    mkdir(test_path_in(dir, "step-008"), 0777); /* not names of ours */
    mkdir(test_path_in(dir, "step-9x"), 0777);
    mkdir(test_path_in(dir, "step--1"), 0777);
    mkdir(test_path_in(dir, "._step-9"), 0777);

    assert_int_equal(ckpt_list(r.path, &steps, &skipped), 2);
    assert_int_equal(steps[0], 1);
    assert_int_equal(steps[1], 5);
    free(steps);
    assert_int_equal(skipped.n, 5);
    assert_non_null(strstr(skipped.s[0], "step-2: model.safetensors has 3 bytes (7)"));
    assert_non_null(strstr(skipped.s[1], "step-3: optimizer.safetensors is missing"));
    assert_non_null(strstr(skipped.s[2], "step-4/state.json:"));
    assert_non_null(strstr(skipped.s[3], "step-6/state.json"));
    assert_non_null(strstr(skipped.s[4], "step-7/state.json"));
    strlist_release(&skipped);
    rundir_close(&r);
}

static void orphans_are_removed(void **state)
{
    struct err e = ERR_INIT;
    struct ckpt_writer killed, w;
    struct rundir r;

    (void)state;
    make_run(&r, test_temp_dir(), "run");
    assert_int_equal(ckpt_begin(&killed, &r, 5, &e), 0);
    assert_int_equal(put(&killed, "model.safetensors", "half", &e), 0);
    assert_steps(&r, NULL, 0);
    assert_int_equal(ckpt_begin(&w, &r, 6, &e), 0);
    assert_int_equal(count_names(test_path_in(r.path, "checkpoints")), 1);
    ckpt_abort(&w);
    assert_int_equal(count_names(test_path_in(r.path, "checkpoints")), 0);
    ckpt_abort(&killed);
    rundir_close(&r);
}

/* Every write, sync and rename of a save fails once. The steps before stay, the new one is whole or
 * absent, nothing else is left. */
static void failing_saves(const struct rundir *r, int64_t step)
{
    int64_t before[] = {10, 20}, after[] = {10, 20, 30};
    struct err e = ERR_INIT;
    int rc = -1, n = 0;

    while (rc != 0) {
        file_fail_at(++n, ENOSPC);
        rc = save(r, step, "new weights", &e);
        file_fail_at(0, 0);
        if (rc)
            assert_true(strstr(e.msg, "No space left") != NULL);
        const char *text = test_read_file(in_step(r, 20, "model.safetensors"), NULL);
        assert_true(strcmp(text, "weights") == 0 ||
                    (step == 20 && strcmp(text, "new weights") == 0));
        bool there = file_exists(in_step(r, 30, ""));
        assert_steps(r, there ? after : before, there ? 3 : 2);
        assert_int_equal(count_names(test_path_in(r->path, "checkpoints")), there ? 3 : 2);
        assert_true(rc != 0 || there == (step == 30));
        if (there)
            file_remove_tree(in_step(r, 30, ""), NULL);
        else if (step == 20 && rc)
            save_steps(r, (int64_t[]){20}, 1);
        assert_true(n < 40);
    }
    assert_true(n > 10);
}

static void a_failing_save_changes_nothing(void **state)
{
    struct rundir r;

    (void)state;
    make_run(&r, test_temp_dir(), "run");
    save_steps(&r, (int64_t[]){10, 20}, 2);
    failing_saves(&r, 30);
    failing_saves(&r, 20);
    save_steps(&r, (int64_t[]){20}, 1);
    no_exchange = true;
    failing_saves(&r, 20);
    no_exchange = false;
    rundir_close(&r);
}

/* A process that saves over and over, killed at some moment: what it has told is there. */
static void killed_while_saving(void **state)
{
    struct rundir r;

    (void)state;
    make_run(&r, test_temp_dir(), "run");
    for (int round = 0; round < 20; round++) {
        int told[2];
        int64_t step, last = -1, *steps;
        assert_int_equal(pipe(told), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            for (step = round * 1000;; step++) {
                if (save(&r, step, "weights", NULL) != 0 ||
                    write(told[1], &step, sizeof step) != sizeof step)
                    _exit(1);
            }
        }
        close(told[1]);
        usleep(2000 + 1500 * (useconds_t)round);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(told[0], &step, sizeof step) == sizeof step)
            last = step;
        close(told[0]);
        struct strlist skipped = STRLIST_INIT;
        int n = ckpt_list(r.path, &steps, &skipped);
        assert_int_equal(skipped.n, 0);
        assert_true(last < 0 || (n > 0 && steps[n - 1] >= last));
        free(steps);
        strlist_release(&skipped);
    }
    rundir_close(&r);
}

static void assert_rotation(const int64_t *saved, int n_saved, int64_t keep, int64_t best,
                            const int64_t *left, int n_left)
{
    struct strlist removed = STRLIST_INIT;
    struct err e = ERR_INIT;
    struct rundir r;

    make_run(&r, test_temp_dir(), "run");
    save_steps(&r, saved, n_saved);
    for (int i = 0; i < n_saved; i++) /* times say nothing: the oldest look newest */
        utime(in_step(&r, saved[i], ""), &(struct utimbuf){2000000000 - i, 2000000000 - i});
    assert_int_equal(ckpt_rotate(r.path, keep, best, &removed, &e), 0);
    assert_steps(&r, left, n_left);
    assert_int_equal(removed.n, n_saved - n_left);
    assert_int_equal(count_names(test_path_in(r.path, "checkpoints")), n_left);
    strlist_release(&removed);
    rundir_close(&r);
}

#define STEPS(...) (int64_t[]){__VA_ARGS__}, (int)(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t))

static void rotation(void **state)
{
    (void)state;
    assert_rotation(STEPS(100, 200, 300, 400), 2, 200, STEPS(200, 300, 400));
    assert_rotation(STEPS(100, 200, 300), 1, 100, STEPS(100, 300));
    assert_rotation(STEPS(100, 200, 300), 1, 300, STEPS(300));
    assert_rotation(STEPS(100, 200, 300), 2, 300, STEPS(200, 300));
    assert_rotation(STEPS(100, 200, 300), 1, -1, STEPS(300));
    assert_rotation(STEPS(100, 200, 300), 0, -1, STEPS(100, 200, 300));
    assert_rotation(STEPS(100, 200, 300), 5, -1, STEPS(100, 200, 300));
    assert_rotation(STEPS(9900, 10000), 1, -1, STEPS(10000));
    assert_rotation(STEPS(10000, 9900, 800), 2, -1, STEPS(9900, 10000));
}

/* A damaged newest one must not push out a good one. */
static void rotation_counts_whole_ones(void **state)
{
    struct strlist removed = STRLIST_INIT;
    struct err e = ERR_INIT;
    struct rundir r;

    (void)state;
    make_run(&r, test_temp_dir(), "run");
    save_steps(&r, (int64_t[]){1, 2, 3}, 3);
    assert_int_equal(truncate(in_step(&r, 3, "model.safetensors"), 1), 0);
    assert_int_equal(ckpt_rotate(r.path, 1, -1, &removed, &e), 0);
    assert_steps(&r, (int64_t[]){2}, 1);
    assert_int_equal(removed.n, 1);
    assert_string_equal(removed.s[0], "step-1");
    strlist_release(&removed);
    rundir_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saving),
        cmocka_unit_test(commit_needs_all_files),
        cmocka_unit_test(incomplete_are_skipped),
        cmocka_unit_test(orphans_are_removed),
        cmocka_unit_test(a_failing_save_changes_nothing),
        cmocka_unit_test(killed_while_saving),
        cmocka_unit_test(rotation),
        cmocka_unit_test(rotation_counts_whole_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
