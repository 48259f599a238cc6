/* Queues in the console: a folder, a [sweep], optimizers marked in the picker; one run after the other under
 * the same view, and what ends one. */
#include "tests/app_rig.h"

#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"

#define BASE "[model]\ntype = mlp\nhidden = 16\n[data]\nformat = synthetic\nrows = 600\n" \
             "[log]\ntensorboard = no\n[train]\nbatch_size = 20\n"
#define SHORT BASE "max_steps = 40\n"
#define LONG BASE "max_steps = 10000000\n[eval]\nevery = no\n[checkpoint]\nevery = no\n"

static int wanted; /* number of a run */

static bool run_is_on(struct rig *r)
{
    const struct session *s = r->app.session;
    return s && s->model.queue == wanted && s->model.st.step > 0 && session_live(s);
}

static bool is_over(struct rig *r)
{
    return r->app.session && !app_run_is_live(&r->app);
}

static bool leaves(struct rig *r)
{
    return r->app.leave;
}

static void wait_for_run(struct rig *r, int number)
{
    wanted = number;
    rig_wait(r, run_is_on, 30);
}

/* configs/cmp with a.ini, b.ini ..., selected in the launcher. */
static void open_folder(struct rig *r, const char *a, const char *b, const char *c)
{
    rig_open(r, 80, 24, GLYPHS_BRAILLE, SHORT);
    assert_int_equal(mkdir("configs/cmp", 0777), 0);
    test_write_file("configs/cmp", "a.ini", a);
    test_write_file("configs/cmp", "b.ini", b);
    test_write_file("configs/cmp", "c.ini", c);
    ((struct launcher *)app_top(&r->app))->configs_at = 0;
    rig_turn(r);
    rig_press(r, "Down Enter");
    assert_string_equal(rig_top(r), "question");
}

static void test_folder(void **state)
{
    (void)state;
    struct rig r;
    open_folder(&r, SHORT, SHORT "[optimizer]\nname = lion\n", SHORT);
    assert_true(rig_shows(&r, "3 runs: a, b, c"));
    rig_press(&r, "l");
    assert_true(rig_shows(&r, "b.ini"));
    rig_press(&r, "Esc Enter Enter");
    assert_string_equal(rig_top(&r), "run");
    rig_press(&r, "7");
    rig_wait(&r, is_over, 30);
    assert_true(rig_shows(&r, "[7 compare]")); /* it stayed open */
    assert_true(rig_shows(&r, "queue 3 of 3"));
    assert_true(rig_shows(&r, " A ")); /* and kept its letters */
    assert_string_equal(uimodel_name(&r.app.session->model), "c");
    assert_int_equal(r.app.queue_paths.n, 3);
    for (size_t i = 0; i < 3; i++) {
        struct run_summary sum;
        struct err e = ERR_INIT;
        assert_int_equal(rundir_read_summary(r.app.queue_paths.s[i], &sum, &e), 0);
        assert_string_equal(sum.state, "finished");
        assert_string_equal(sum.optimizer, i == 1 ? "lion" : "adamw");
    }
    rig_press(&r, "q");
    assert_true(r.app.leave);
    assert_int_equal(r.app.err.code, 0);
    rig_close(&r);
}

/* A run that can't start, or diverges, leaves the others to go on; its code is that of the whole. */
static void test_failures_are_passed(void **state)
{
    (void)state;
    struct rig r;
    open_folder(&r, SHORT, "[model]\ntype = mlp\n[data]\ntrain = gone.csv\n", SHORT);
    rig_press(&r, "r");
    rig_wait(&r, is_over, 30);
    assert_string_equal(uimodel_name(&r.app.session->model), "c");
    assert_int_equal(r.app.queue_paths.n, 2);
    rig_press(&r, "q");
    assert_int_equal(r.app.err.code, TT_EDATA);
    assert_non_null(strstr(r.app.err.msg, "gone.csv"));
    rig_close(&r);
}

static void test_first_failure_is_told(void **state)
{
    (void)state;
    struct rig r;
    open_folder(&r, "[model]\ntype = mlp\n[data]\ntrain = gone.csv\n", SHORT, SHORT);
    rig_press(&r, "r");
    assert_string_equal(rig_top(&r), "launcher");
    assert_true(rig_shows(&r, "gone.csv: no such file"));
    assert_false(app_run_is_live(&r.app));
    rig_close(&r);
}

/* `n` in the question of q: this run is saved, the next one starts. Then a stop ends the queue. */
static void test_next_and_stop(void **state)
{
    (void)state;
    struct rig r;
    struct run_summary sum;
    struct err e = ERR_INIT;
    open_folder(&r, LONG, LONG, LONG);
    rig_press(&r, "r");
    wait_for_run(&r, 1);
    rig_press(&r, "q");
    assert_true(rig_shows(&r, "n  save, go on with the next run"));
    assert_true(rig_shows(&r, "run 2 of 3"));
    rig_press(&r, "n");
    wait_for_run(&r, 2);
    assert_int_equal(rundir_read_summary(r.app.queue_paths.s[0], &sum, &e), 0);
    assert_string_equal(sum.state, "stopped");
    rig_press(&r, "q s");
    rig_wait(&r, leaves, 30);
    assert_int_equal(r.app.queue_paths.n, 2);
    assert_int_equal(r.app.err.code, TT_ESTOPPED);
    rig_close(&r);
}

/* On the terminal's end the queue goes on to its last run. */
static void test_lost_terminal(void **state)
{
    (void)state;
    struct rig r;
    open_folder(&r, SHORT, SHORT, SHORT);
    rig_press(&r, "r");
    app_key(&r.app, &(struct key_event){.code = KEY_GONE});
    rig_wait(&r, leaves, 30);
    assert_int_equal(r.app.queue_paths.n, 3);
    assert_int_equal(r.app.err.code, 0);
    rig_close(&r);
}

/* What is over is passed, what was cut goes on. */
static void test_go_on(void **state)
{
    (void)state;
    struct rig r;
    open_folder(&r, SHORT, LONG, SHORT);
    rig_press(&r, "r");
    wait_for_run(&r, 2);
    rig_press(&r, "q s");
    rig_wait(&r, leaves, 30);
    int64_t step = r.app.session->model.st.step;
    app_release(&r.app);
    app_init(&r.app, r.app.optims);
    app_push(&r.app, launcher_new(&r.app));
    rig_turn(&r);
    rig_press(&r, "Down Enter");
    assert_true(rig_shows(&r, "g  go on with the queue"));
    assert_true(rig_shows(&r, "1 of 3 are over"));
    rig_press(&r, "g");
    wait_for_run(&r, 2);
    assert_true(r.app.session->model.st.step >= step);
    assert_string_equal(uimodel_name(&r.app.session->model), "b");
    rig_press(&r, "q n");
    rig_wait(&r, is_over, 30);
    assert_string_equal(uimodel_name(&r.app.session->model), "c");
    rig_close(&r);
}

/* ---- the form --------------------------------------------------------------------------------- */

static bool has_plan(struct rig *r)
{
    const struct form *f = rig_form_of(r);
    return !f->facts.reading && f->facts.have_plan;
}

static void test_sweep_in_the_form(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, SHORT "[sweep]\noptimizer.lr = 1e-3, 1e-4\n");
    assert_true(rig_shows(&r, "2 runs"));
    struct form *f = rig_form(&r);
    rig_wait(&r, has_plan, 10);
    assert_int_equal(f->runs, 2);
    assert_true(rig_shows(&r, "2 runs, 40 steps"));
    assert_true(rig_shows(&r, "2 runs of 40 steps"));
    rig_press(&r, "/ s w e e p . Enter Enter");
    rig_type(&r, ", fast");
    rig_press(&r, "Enter");
    assert_true(f->entry.open);
    assert_true(rig_shows(&r, "\"fast\" (a number from 0"));
    rig_press(&r, "Backspace Backspace Backspace Backspace 1 e - 5 Enter Esc");
    assert_int_equal(f->runs, 3);
    rig_press(&r, "r");
    rig_wait(&r, is_over, 30);
    assert_string_equal(uimodel_name(&r.app.session->model), "run-1e-5");
    assert_int_equal(r.app.session->model.queued, 3);
    rig_close(&r);
}

static void test_marked_in_the_picker(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, SHORT);
    struct form *f = rig_form(&r);
    rig_press(&r, "Down Down Down Enter Space / l i o n Enter Home Space");
    assert_true(rig_shows(&r, "Enter queue of 2 runs"));
    rig_press(&r, "Enter");
    assert_string_equal(rig_top(&r), "form");
    assert_string_equal(ini_get(&f->ini, "sweep", "optimizer.name"), "adamw, lion");
    assert_true(rig_shows(&r, "adamw, lion >"));
    assert_true(rig_shows(&r, "[sweep]"));
    assert_int_equal(f->runs, 2);
    rig_press(&r, "Enter Home Space Enter"); /* a third one */
    assert_int_equal(f->runs, 3);
    rig_press(&r, "s");
    assert_non_null(strstr(test_read_file("configs/run.ini", NULL), "optimizer.name = adafactor, adamw, lion\n"));
    rig_press(&r, "Right"); /* one alone again */
    assert_null(ini_get(&f->ini, "sweep", "optimizer.name"));
    assert_int_equal(f->runs, 1);
    assert_false(rig_shows(&r, "[sweep]"));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folder),
        cmocka_unit_test(test_failures_are_passed),
        cmocka_unit_test(test_first_failure_is_told),
        cmocka_unit_test(test_next_and_stop),
        cmocka_unit_test(test_lost_terminal),
        cmocka_unit_test(test_go_on),
        cmocka_unit_test(test_sweep_in_the_form),
        cmocka_unit_test(test_marked_in_the_picker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
