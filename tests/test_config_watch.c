/* A config file that is edited while its run goes on. */
#include "tests/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "optimizers/table.h"
#include "tui/config_watch.h"

#define BASE "[model]\ntype = mlp\n[data]\nformat = synthetic\n"

static const char *dir;
static struct config_watch w;
static struct run_config in_force;
static double now;

static void write_config(const char *more)
{
    char text[1024];
    snprintf(text, sizeof text, BASE "%s", more);
    test_write_file(dir, "run.ini", text);
}

#define FIRST "[optimizer]\nname = adamw\nlr = 0.1\namsgrad = yes\n"

/* A run of run.ini with these --set. */
static void start_with(const char *const *set, size_t nset)
{
    struct err e = ERR_INIT;
    dir = test_temp_dir();
    now = 100;
    write_config(FIRST);
    const char *path = test_path_in(dir, "run.ini");
    if (run_config_load(&in_force, path, set, nset, optim_classes, &e))
        fail_msg("%s", e.msg);
    config_watch_start(&w, path, &in_force, optim_classes);
}

static int start(void **state)
{
    (void)state;
    start_with(NULL, 0);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    config_watch_release(&w);
    run_config_release(&in_force);
    return 0;
}

/* Two looks: a file counts once it has stayed the same. */
static bool poll_later(void)
{
    bool told = config_watch_poll(&w, now += 2, &in_force);
    return config_watch_poll(&w, now += 2, &in_force) || told;
}

/* The run takes a value. */
static void take(const char *section, const char *key, const char *value)
{
    void *values;
    struct err e = ERR_INIT;
    const struct opt_desc *d = run_config_find(&in_force, section, key, &values);
    assert_non_null(d);
    assert_int_equal(opt_parse(d, values, value, &e), 0);
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
    write_config(FIRST);
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
    write_config(FIRST);
    assert_true(poll_later());
    assert_int_equal(w.n, 0);
    assert_string_equal(config_watch_say(&w, line, sizeof line), "run.ini is as the run has it");
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

/* Gone, unreadable as a file, empty, huge, with a NUL inside: not a word, and what was told holds. */
static void file_goes(void **state)
{
    (void)state;
    write_config(FIRST "[schedule]\nscale = 0.5\n");
    assert_true(poll_later());
    unlink(w.path);
    assert_false(poll_later());
    assert_int_equal(mkdir(w.path, 0777), 0);
    assert_false(poll_later());
    assert_int_equal(rmdir(w.path), 0);
    assert_int_equal(mkfifo(w.path, 0666), 0);
    assert_false(poll_later());
    unlink(w.path);
    test_write_file(dir, "run.ini", "");
    assert_false(poll_later());
    assert_int_equal(truncate(w.path, (off_t)1 << 30), 0);
    assert_false(poll_later());
    assert_int_equal(truncate(w.path, 100), 0);
    assert_false(poll_later());
    unlink(w.path);
    assert_int_equal(symlink("run.ini", w.path), 0);
    assert_false(poll_later());
    unlink(w.path);
    assert_int_equal(w.n, 1);
    write_config(FIRST "[schedule]\nscale = 0.5\n"); /* back as it was told */
    assert_false(poll_later());
    write_config(FIRST "[schedule]\nscale = 2\n");
    assert_true(poll_later());
    assert_string_equal(find("schedule.scale")->now, "2");
}

static void unreadable(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip();
    write_config(FIRST "[schedule]\nscale = 0.5\n");
    chmod(w.path, 0);
    assert_false(poll_later());
    chmod(w.path, 0600);
    assert_true(poll_later());
}

/* As editors save: a new file takes the place; and a link that points to another file. */
static void replaced(void **state)
{
    char other[4096];
    (void)state;
    write_config(FIRST "[schedule]\nscale = 0.5\n");
    assert_true(poll_later());
    test_write_file(dir, "new.ini", BASE FIRST "[schedule]\nscale = 0.25\n");
    snprintf(other, sizeof other, "%s/new.ini", dir);
    assert_int_equal(rename(other, w.path), 0);
    assert_true(poll_later());
    assert_string_equal(find("schedule.scale")->now, "0.25");
    test_write_file(dir, "new.ini", BASE FIRST "[schedule]\nscale = 4\n");
    unlink(w.path);
    assert_int_equal(symlink("new.ini", w.path), 0);
    assert_true(poll_later());
    assert_string_equal(find("schedule.scale")->now, "4");
    test_write_file(dir, "new.ini", BASE FIRST "[schedule]\nscale = 5\n");
    assert_true(poll_later());
    assert_string_equal(find("schedule.scale")->now, "5");
}

/* At most one look a second, and a text that was the same in two of them. */
static void looks_once_a_second(void **state)
{
    (void)state;
    poll_later();
    write_config(FIRST "[schedule]\nscale = 2\n");
    assert_false(config_watch_poll(&w, now + 0.5, &in_force));
    assert_false(config_watch_poll(&w, now + 1, &in_force));
    assert_false(config_watch_poll(&w, now + 1.5, &in_force));
    write_config(FIRST "[schedule]\nscale = 3.5\n"); /* written in two pieces */
    assert_false(config_watch_poll(&w, now + 2, &in_force));
    assert_true(config_watch_poll(&w, now + 3, &in_force));
    assert_string_equal(find("schedule.scale")->now, "3.5");
}

/* What the console changes is no change of the file, what the file said and the run took neither. */
static void in_force_counts(void **state)
{
    (void)state;
    take("schedule", "scale", "0.7");
    assert_false(poll_later());
    write_config(FIRST "[schedule]\nscale = 0.5\n[log]\nevery = 7\n");
    assert_true(poll_later());
    assert_int_equal(w.live, 2);
    assert_string_equal(find("schedule.scale")->was, "0.7");
    take("schedule", "scale", "0.5");
    assert_false(poll_later());
    assert_int_equal(w.n, 1);
    assert_string_equal(find("log.every")->shown, "7");
    take("schedule", "scale", "0.9"); /* the console again: the file says nothing new about it */
    write_config(FIRST "[schedule]\nscale = 0.5\n[log]\nevery = 8\n");
    assert_true(poll_later());
    assert_int_equal(w.n, 1);
    write_config(FIRST "[schedule]\nscale = 1\n[log]\nevery = 8\n");
    assert_true(poll_later());
    assert_string_equal(find("schedule.scale")->was, "0.9");
}

static void comments_say_nothing(void **state)
{
    (void)state;
    write_config("; hello\n" FIRST "[keys]\nquit = z\n");
    assert_false(poll_later());
}

/* --set holds for what the file says nothing new about. */
static void overruled(void **state)
{
    static const char *const set[] = {"optimizer.lr=0.3", "schedule.scale=0.5"};
    (void)state;
    start_with(set, 2);
    write_config(FIRST "[eval]\nevery = 7\n");
    assert_true(poll_later());
    assert_int_equal(w.n, 1);
    write_config("[optimizer]\nname = adamw\nlr = 0.2\namsgrad = yes\n[schedule]\nscale = 0.5\n");
    assert_true(poll_later());
    assert_int_equal(w.n, 1);
    assert_string_equal(find("optimizer.lr")->was, "0.3");
    assert_string_equal(find("optimizer.lr")->now, "0.2");
}

/* The trainer's own config: what it writes there is what the run has. */
static void of_the_run(void **state)
{
    char path[4096], line[128];
    struct err e = ERR_INIT;
    (void)state;
    config_watch_release(&w);
    snprintf(path, sizeof path, "%s/config.ini", dir);
    assert_int_equal(run_config_write(&in_force, path, &e), 0);
    config_watch_start(&w, path, NULL, optim_classes);
    assert_false(poll_later());
    take("schedule", "scale", "0.5");
    assert_int_equal(run_config_write(&in_force, path, &e), 0);
    assert_false(poll_later());
    take("schedule", "scale", "0.25"); /* somebody writes what the run does not have */
    assert_int_equal(run_config_write(&in_force, path, &e), 0);
    take("schedule", "scale", "0.5");
    assert_true(poll_later());
    assert_true(find("schedule.scale")->live);
    assert_non_null(strstr(config_watch_say(&w, line, sizeof line), "/config.ini changed on disk: "));
    take("schedule", "scale", "0.25");
    assert_int_equal(run_config_write(&in_force, path, &e), 0);
    assert_false(poll_later());
    assert_int_equal(w.n, 0);
}

static void no_file(void **state)
{
    struct config_watch none;
    (void)state;
    config_watch_start(&none, NULL, NULL, optim_classes);
    assert_false(config_watch_poll(&none, 10, &in_force));
    config_watch_release(&none);
    config_watch_start(&none, "/nowhere/run.ini", NULL, optim_classes);
    assert_false(config_watch_poll(&none, 10, &in_force));
    config_watch_release(&none);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        CASE(nothing), CASE(live_and_others), CASE(another_choice), CASE(taken_back), CASE(mistakes),
        CASE(file_goes), CASE(unreadable), CASE(replaced), CASE(looks_once_a_second),
        CASE(in_force_counts), CASE(comments_say_nothing), CASE(of_the_run), CASE(no_file),
        cmocka_unit_test_teardown(overruled, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
