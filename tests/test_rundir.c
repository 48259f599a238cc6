/* Run directories: names, making, the lock, finding the run to resume, what a run says of
 * itself. */
#include "tests/support.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/io/rundir.h"

static void assert_says(const struct err *e, int rc, int code, const char *text)
{
    assert_int_equal(rc, code);
    assert_int_equal(e->code, code);
    if (!strstr(e->msg, text))
        fail_msg("\"%s\" does not say \"%s\"", e->msg, text);
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

/* ---- names --------------------------------------------------------------------------------- */

static void assert_chosen(const char *dir, const char *wanted, const char *stem, const char *right)
{
    struct err e = ERR_INIT;
    char *name;

    assert_int_equal(rundir_choose(dir, wanted, stem, &name, &e), 0);
    assert_string_equal(name, right);
    free(name);
}

static void names(void **state)
{
    const char *dir = test_temp_dir();
    struct err e = ERR_INIT;
    struct rundir r;
    char *name;

    (void)state;
    assert_chosen(test_path_in(dir, "absent"), NULL, "sst2", "sst2");
    assert_chosen(dir, NULL, "sst2", "sst2");
    make_run(&r, dir, "sst2");
    rundir_close(&r);
    assert_chosen(dir, NULL, "sst2", "sst2-2");
    make_run(&r, dir, "sst2-2");
    rundir_close(&r);
    assert_chosen(dir, NULL, "sst2", "sst2-3");
    assert_chosen(dir, "été 1", "sst2", "été 1");

    int rc = rundir_choose(dir, "sst2", "sst2", &name, &e);
    assert_says(&e, rc, TT_ECONFIG, "--resume");
    assert_says(&e, rc, TT_ECONFIG, "another name");
    assert_null(name);
}

static void bad_names(void **state)
{
    static const char *const bad[] = {"",
                                      ".",
                                      "..",
                                      "a/b",
                                      "../a",
                                      "a\nb",
                                      "a\x1b[2J",
                                      "a\x7f",
                                      "\xc2\x9b"
                                      "31m",
                                      "\xff",
                                      "._a"};
    const char *dir = test_temp_dir();
    char longest[300];
    struct rundir r;
    char *name;

    (void)state;
    memset(longest, 'n', sizeof longest);
    longest[256] = '\0';
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        const char *text = i < sizeof bad / sizeof *bad ? bad[i] : longest;
        struct err e = ERR_INIT;
        assert_says(&e, rundir_choose(dir, text, "s", &name, &e), TT_ECONFIG, "run.name");
        assert_says(&e, rundir_choose(dir, NULL, text, &name, &e), TT_ECONFIG, "run.name");
        assert_says(&e, rundir_create(&r, dir, text, &e), TT_ECONFIG, "run.name");
        for (const char *p = e.msg; *p; p++)
            assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
    }
    assert_int_equal(count_names(dir), 0);
}

/* ---- making and locking -------------------------------------------------------------------- */

static void creation(void **state)
{
    const char *dir = test_temp_dir(), *deep = test_path_in(dir, "a/b");
    struct err e = ERR_INIT;
    struct rundir r, other;

    (void)state;
    make_run(&r, deep, "run");
    assert_string_equal(r.path, test_path_in(deep, "run"));
    assert_string_equal(r.name, "run");
    assert_true(rundir_in_use(r.path));
    assert_says(&e, rundir_create(&other, deep, "run", &e), TT_ECONFIG, "exists");
    assert_true(rundir_in_use(r.path));
    assert_says(&e, rundir_open(&other, r.path, &e), TT_ECONFIG, "in use");
    rundir_close(&r);
    assert_false(rundir_in_use(test_path_in(deep, "run")));

    assert_int_equal(rundir_open(&r, test_path_in(deep, "./run/"), &e), 0);
    assert_string_equal(r.path, test_path_in(deep, "run"));
    assert_string_equal(r.name, "run");
    rundir_close(&r);
    assert_says(&e, rundir_open(&r, test_path_in(dir, "none"), &e), TT_ECONFIG, "no such run");
}

/* Whatever stands in the way: TT_ECONFIG, and nothing new. */
static void creation_refused(void **state)
{
    const char *dir = test_temp_dir(), *file = test_write_file(dir, "file", "x");
    const char *locked = test_path_in(dir, "locked");
    struct err e = ERR_INIT;
    struct rundir r;

    (void)state;
    assert_says(&e, rundir_create(&r, file, "run", &e), TT_ECONFIG, file);
    assert_says(&e, rundir_create(&r, test_path_in(file, "runs"), "run", &e), TT_ECONFIG, file);
    assert_says(&e, rundir_create(&r, dir, "file", &e), TT_ECONFIG, "exists");
    assert_says(&e, rundir_create(&r, "/proc", "run", &e), TT_ECONFIG, "/proc/run");
    assert_int_equal(count_names(dir), 1);

    for (int n = 1; n <= 2; n++) { /* the folder's sync, and the parents' */
        file_fail_at(n, EIO);
        int rc = rundir_create(&r, test_path_in(dir, "new/deep"), "run", &e);
        file_fail_at(0, 0);
        if (rc == 0)
            rundir_close(&r);
        else
            assert_int_equal(count_names(dir), 1);
        assert_int_equal(rc, n == 1 ? TT_ECONFIG : 0);
    }
    if (geteuid() == 0) /* root may write everywhere */
        return;
    assert_int_equal(mkdir(locked, 0555), 0);
    assert_says(&e, rundir_create(&r, locked, "run", &e), TT_ECONFIG, "Permission denied");
    assert_says(&e, rundir_create(&r, test_path_in(locked, "a"), "b", &e), TT_ECONFIG,
                "Permission");
}

/* A child that holds the lock until it is killed. */
static pid_t hold_lock(const char *path)
{
    int ready[2];
    char byte;

    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rundir r;
        if (rundir_open(&r, path, NULL) != 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void lock_of_a_process(void **state)
{
    const char *dir = test_temp_dir(), *path = test_path_in(dir, "run");
    struct err e = ERR_INIT;
    struct run_summary s;
    struct rundir r;

    (void)state;
    make_run(&r, dir, "run");
    s = (struct run_summary){.state = "training", .best = NAN, .step = 3};
    assert_int_equal(rundir_write_summary(&r, &s, &e), 0);
    rundir_close(&r);

    pid_t child = hold_lock(path);
    assert_true(rundir_in_use(path));
    assert_says(&e, rundir_open(&r, path, &e), TT_ECONFIG, "in use");
    assert_int_equal(rundir_read_summary(path, &s, &e), 0);
    assert_string_equal(s.state, "training");

    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_false(rundir_in_use(path));
    assert_int_equal(rundir_read_summary(path, &s, &e), 0);
    assert_string_equal(s.state, "killed");
    assert_int_equal(s.step, 3);
    test_write_file(path, "metrics.jsonl", "{\"step\":10,\"loss\":0.5}\n{\"step\":20,\"lo");
    assert_int_equal(rundir_read_summary(path, &s, &e), 0);
    assert_int_equal(s.step, 10); /* of its last whole line */
    assert_int_equal(rundir_open(&r, path, &e), 0);
    rundir_close(&r);
}

/* The lock is not handed on to programs that a run starts. */
static void lock_is_not_inherited(void **state)
{
    struct rundir r;

    (void)state;
    make_run(&r, test_temp_dir(), "run");
    assert_int_equal(fcntl(r.lock, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    rundir_close(&r);
}

static void leftovers_are_removed(void **state)
{
    const char *dir = test_temp_dir();
    struct rundir r;
    struct err e = ERR_INIT;

    (void)state;
    make_run(&r, dir, "run");
    test_write_file(r.path, ".tmp-77-0", "half a file");
    test_write_file(r.path, "log.txt", "kept");
    rundir_close(&r);
    assert_int_equal(rundir_open(&r, test_path_in(dir, "run"), &e), 0);
    assert_false(file_exists(test_path_in(r.path, ".tmp-77-0")));
    assert_true(file_exists(test_path_in(r.path, "log.txt")));
    rundir_close(&r);
}

/* ---- finding runs -------------------------------------------------------------------------- */

static void resolve(void **state)
{
    const char *dir = test_temp_dir();
    struct err e = ERR_INIT;
    struct rundir r;
    char *path;

    (void)state;
    make_run(&r, dir, "run");
    assert_int_equal(rundir_resolve(dir, "run", &path, &e), 0);
    assert_string_equal(path, r.path);
    free(path);
    assert_int_equal(rundir_resolve("elsewhere", r.path, &path, &e), 0);
    assert_string_equal(path, r.path);
    free(path);
    rundir_close(&r);
    assert_says(&e, rundir_resolve(dir, "other", &path, &e), TT_ECONFIG, "no such run: other");
    assert_null(path);
    assert_says(&e, rundir_resolve("elsewhere", dir, &path, &e), TT_ECONFIG, "no such run");
}

static void add_run(const char *dir, const char *name, const char *config, const char *run_state)
{
    struct run_summary s = {.best = NAN};
    struct err e = ERR_INIT;
    struct rundir r;

    make_run(&r, dir, name);
    str_copy(s.config, sizeof s.config, config);
    str_copy(s.state, sizeof s.state, run_state);
    assert_int_equal(rundir_write_summary(&r, &s, &e), 0);
    rundir_close(&r);
}

static void assert_newest(const char *dir, const char *stem, const char *name)
{
    char *path = rundir_newest(dir, stem, true);
    if (name)
        assert_string_equal(path, test_path_in(dir, name));
    else
        assert_null(path);
    free(path);
}

static void newest_unfinished(void **state)
{
    const char *dir = test_temp_dir();

    (void)state;
    assert_newest(test_path_in(dir, "absent"), "a", NULL);
    add_run(dir, "a", "a", "stopped");
    assert_newest(dir, "a", "a");
    add_run(dir, "a-2", "a", "failed");
    add_run(dir, "a-10", "a", "training"); /* killed: nobody holds its lock */
    add_run(dir, "a-9", "a", "stopped");
    assert_newest(dir, "a", "a-10");
    add_run(dir, "a-11", "a", "finished");
    add_run(dir, "a-12", "a", "early");
    add_run(dir, "a-13", "a-13", "stopped"); /* of another config file */
    add_run(dir, "a-014", "a", "stopped");
    add_run(dir, "a-x", "a", "stopped");
    add_run(dir, "ab", "ab", "stopped");
    assert_int_equal(mkdir(test_path_in(dir, "a-20"), 0777), 0); /* not a run */
    assert_newest(dir, "a", "a-10");
    assert_newest(dir, "ab", "ab");
    assert_newest(dir, "b", NULL);
    char *any = rundir_newest(dir, "a", false);
    assert_string_equal(any, test_path_in(dir, "a-12"));
    free(any);
}

/* run.json holds the beginning of a long name only. */
static void newest_of_a_long_stem(void **state)
{
    const char *dir = test_temp_dir();
    char stem[101], name[112];

    (void)state;
    memset(stem, 'x', sizeof stem - 1);
    stem[sizeof stem - 1] = '\0';
    snprintf(name, sizeof name, "%s-2", stem);
    add_run(dir, stem, stem, "finished");
    add_run(dir, name, stem, "stopped");
    assert_newest(dir, stem, name);
}

static void summary(void **state)
{
    const char *dir = test_temp_dir();
    struct run_summary s = {.config = "sst2",
                            .state = "diverged",
                            .optimizer = "adamw8bit",
                            .model = "distilbert",
                            .best_metric = "eval_\"f1\"",
                            .best = 0.1,
                            .step = 7,
                            .max_steps = 1LL << 40};
    struct run_summary back;
    struct err e = ERR_INIT;
    struct rundir r;

    (void)state;
    make_run(&r, dir, "run");
    assert_int_equal(rundir_read_summary(r.path, &back, &e), 0);
    assert_string_equal(back.state, "training");
    assert_int_equal(rundir_write_summary(&r, &s, &e), 0);
    rundir_close(&r);
    assert_int_equal(rundir_read_summary(test_path_in(dir, "run"), &back, &e), 0);
    assert_string_equal(back.name, "run");
    assert_string_equal(back.config, s.config);
    assert_string_equal(back.state, s.state);
    assert_string_equal(back.optimizer, s.optimizer);
    assert_string_equal(back.model, s.model);
    assert_string_equal(back.best_metric, s.best_metric);
    assert_true(back.best == 0.1);
    assert_int_equal(back.step, 7);
    assert_int_equal(back.max_steps, s.max_steps);
    assert_true(back.mtime > 0);

    test_write_file(test_path_in(dir, "run"), "run.json", "{\"state\":");
    assert_says(&e, rundir_read_summary(test_path_in(dir, "run"), &back, &e), TT_EDATA, "run.json");
    assert_says(&e, rundir_read_summary(dir + 1, &back, &e), TT_ECONFIG, "no such run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(bad_names),
        cmocka_unit_test(creation),
        cmocka_unit_test(creation_refused),
        cmocka_unit_test(lock_of_a_process),
        cmocka_unit_test(lock_is_not_inherited),
        cmocka_unit_test(leftovers_are_removed),
        cmocka_unit_test(resolve),
        cmocka_unit_test(newest_unfinished),
        cmocka_unit_test(newest_of_a_long_stem),
        cmocka_unit_test(summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
