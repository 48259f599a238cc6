/* A config file that is edited while its run goes on. */
#include "tests/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "optimizers/table.h"
#include "tui/config_watch.h"

#define BASE "[model]\ntype = mlp\n[data]\nformat = synthetic\n"

static const char *dir;
static struct config_watch w;
static double now;

static void write_config(const char *more)
{
    char text[1024];
    snprintf(text, sizeof text, BASE "%s", more);
    test_write_file(dir, "run.ini", text);
}

static int start(void **state)
{
    (void)state;
    dir = test_temp_dir();
    now = 100;
    write_config("[optimizer]\nname = adamw\nlr = 0.1\namsgrad = yes\n");
    config_watch_start(&w, test_path_in(dir, "run.ini"), optim_classes);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    config_watch_release(&w);
    return 0;
}

static bool poll_later(void)
{
    return config_watch_poll(&w, now += 2);
}

static const struct config_change *find(const char *key)
{
    for (size_t i = 0; i < w.n; i++)
        if (!strcmp(w.change[i].key, key))
            return &w.change[i];
    fail_msg("%s is not among the changes", key);
    return NULL;
}

static void nothing(void **state)
{
    (void)state;
    assert_false(poll_later());
    write_config("[optimizer]\nname = adamw\nlr = 0.1\namsgrad = yes\n");
    assert_false(poll_later());
}

static void live_and_others(void **state)
{
    char line[128];
    (void)state;
    write_config("[optimizer]\nname = adamw\nlr = 0.2\namsgrad = yes\n[schedule]\nscale = 0.5\n"
                 "[eval]\nevery = 7\n; a comment\n");
    assert_true(poll_later());
    assert_int_equal(w.n, 3);
    assert_int_equal(w.live, 2);
    assert_true(find("schedule.scale")->live);
    assert_string_equal(find("schedule.scale")->was, "1");
    assert_string_equal(find("schedule.scale")->now, "0.5");
    assert_string_equal(find("eval.every")->now, "7");
    assert_false(find("optimizer.lr")->live);
    assert_string_equal(find("optimizer.lr")->reason, "holds from a resume on");
    assert_string_equal(config_watch_say(&w, line, sizeof line),
                        "run.ini changed on disk: 3 options, 2 live");
    assert_false(poll_later());
}

/* Options of another optimizer come, those of the one before go. */
static void another_choice(void **state)
{
    (void)state;
    write_config("[optimizer]\nname = sgd\nlr = 0.1\nmomentum = 0.9\n");
    assert_true(poll_later());
    assert_string_equal(find("optimizer.name")->now, "sgd");
    assert_string_equal(find("optimizer.momentum")->now, "0.9");
    assert_string_equal(find("optimizer.amsgrad")->was, "yes");
    assert_string_equal(find("optimizer.name")->reason, "belongs to a new run");
    assert_int_equal(w.live, 0);
}

static void taken_back(void **state)
{
    char line[128];
    (void)state;
    write_config("[schedule]\nscale = 0.5\n");
    assert_true(poll_later());
    write_config("[optimizer]\nname = adamw\nlr = 0.1\namsgrad = yes\n");
    assert_true(poll_later());
    assert_int_equal(w.n, 0);
    assert_string_equal(config_watch_say(&w, line, sizeof line), "run.ini is as it was at the start");
}

static void mistakes(void **state)
{
    char line[256];
    (void)state;
    write_config("[schedule]\nscale = half\n");
    assert_true(poll_later());
    assert_int_equal(w.n, 0);
    assert_non_null(strstr(config_watch_say(&w, line, sizeof line), "run.ini:6: schedule.scale"));
    write_config("[schedule]\nscale = 0.5\n");
    assert_true(poll_later());
    assert_int_equal(w.err.code, 0);
    assert_int_equal(w.live, 1);
}

static void file_goes(void **state)
{
    (void)state;
    unlink(w.path);
    assert_false(poll_later());
    write_config("[schedule]\nscale = 2\n");
    assert_true(poll_later());
}

static void looks_once_a_second(void **state)
{
    (void)state;
    poll_later();
    write_config("[schedule]\nscale = 2\n");
    assert_false(config_watch_poll(&w, now + 0.5));
    assert_true(config_watch_poll(&w, now + 1));
}

static void no_file(void **state)
{
    struct config_watch none;
    (void)state;
    config_watch_start(&none, NULL, optim_classes);
    assert_false(config_watch_poll(&none, 10));
    config_watch_release(&none);
    config_watch_start(&none, "/nowhere/run.ini", optim_classes);
    assert_false(config_watch_poll(&none, 10));
    config_watch_release(&none);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        CASE(nothing),  CASE(live_and_others), CASE(another_choice),      CASE(taken_back),
        CASE(mistakes), CASE(file_goes),       CASE(looks_once_a_second), CASE(no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
