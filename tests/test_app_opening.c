/* A run whose files take long to read: a log.txt that gives nothing until the test lets it. */
#include "tests/app_rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/screen_check.h"
#include "tests/train_support.h"

static const char config[] = "[model]\ntype = mlp\n[data]\nformat = synthetic\nrows = 60\n";

static bool shows_run(struct rig *r)
{
    return !strcmp(rig_top(r), "run") && rig_shows(r, "[1 overview]");
}

/* Trains a run in the current folder; its log.txt is a pipe from now on. Returns the end to write to. */
static int slow_run(void)
{
    char dir[4096];
    struct outcome out;
    assert_non_null(getcwd(dir, sizeof dir));
    train_run(train_config(dir, "slow", "[train]\nmax_steps = 3\nbatch_size = 10\n"), false, &out);
    if (out.code)
        fail_msg("%s", out.msg);
    assert_int_equal(unlink("runs/slow/log.txt"), 0);
    assert_int_equal(mkfifo("runs/slow/log.txt", 0600), 0);
    int fd = open("runs/slow/log.txt", O_RDWR);
    assert_true(fd >= 0);
    return fd;
}

static void test_box(void **state)
{
    static const char line[] = "2026-11-30 10:00:00 1 info the only line\n";
    struct rig r;
    (void)state;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, config);
    int pipe = slow_run();
    app_show_run(&r.app, "runs/slow");
    rig_turn(&r);
    assert_string_equal(rig_top(&r), "opening");
    assert_true(rig_shows(&r, "─ opening slow ─"));
    assert_true(rig_shows(&r, " of metrics "));
    screen_check(&r.c, false);
    rig_press(&r, "? Esc");
    assert_string_equal(rig_top(&r), "opening");
    rig_resize(&r, 40, 12, GLYPHS_ASCII);
    screen_check(&r.c, false);
    rig_press(&r, "Esc"); /* given up: the thread frees what it comes to have */
    assert_string_equal(rig_top(&r), "launcher");
    rig_resize(&r, 80, 24, GLYPHS_BRAILLE);
    app_show_run(&r.app, "runs/slow");
    assert_int_equal(write(pipe, line, sizeof line - 1), sizeof line - 1);
    close(pipe);
    rig_wait(&r, shows_run, 20);
    rig_close(&r);
}

static void test_at_once(void **state)
{
    struct rig r;
    char dir[4096];
    struct outcome out;
    (void)state;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, config);
    assert_non_null(getcwd(dir, sizeof dir));
    train_run(train_config(dir, "quick", "[train]\nmax_steps = 3\nbatch_size = 10\n"), false, &out);
    app_show_run(&r.app, "runs/quick");
    rig_wait(&r, shows_run, 20);
    rig_press(&r, "Esc");
    app_show_run(&r.app, "runs/nothing");
    rig_turn(&r);
    assert_string_equal(rig_top(&r), "launcher");
    assert_true(rig_shows(&r, "runs/nothing"));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
