/* Scripted sessions of the console: choose, edit, save, start, steer and leave a run. */
#include "tests/app_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/sys.h"
#include "engine/io/rundir.h"

static const char small[] = "; a small run\n[model]\ntype = mlp\nhidden = 16 ; one layer\n\n"
                            "[data]\nformat = synthetic\nrows = 600\n\n"
                            "[optimizer]\nname = adamw\nlr = 1e-3\n\n"
                            "[train]\nepochs = 2\nbatch_size = 20\n\n"
                            "[log]\ntensorboard = no\n";

/* Many steps: it goes on until it is told to stop. */
static const char endless[] = "[model]\ntype = mlp\nhidden = 64\n[data]\nformat = synthetic\nrows = 600\n"
                              "[optimizer]\nlr = 1e-3\n[train]\nmax_steps = 10000000\nbatch_size = 20\n"
                              "[eval]\nevery = no\n[checkpoint]\nevery = no\n[log]\nevery = 100\n"
                              "tensorboard = no\n";

/* ---- what is waited for ----------------------------------------------------------------------- */

static enum run_state state_of(const struct rig *r)
{
    return r->app.session ? r->app.session->model.st.state : RUN_STARTING;
}

static bool form_is_open(struct rig *r)
{
    return !strcmp(rig_top(r), "form");
}

static bool run_is_open(struct rig *r)
{
    return !strcmp(rig_top(r), "run");
}

static bool is_training(struct rig *r)
{
    return r->app.session && r->app.session->model.st.step > 20 && state_of(r) == RUN_TRAINING;
}

static bool is_paused(struct rig *r)
{
    return state_of(r) == RUN_PAUSED && r->app.session->model.text.state == RUN_PAUSED;
}

static bool is_over(struct rig *r)
{
    return r->app.session && !app_run_is_live(&r->app);
}

static bool leaves(struct rig *r)
{
    return r->app.leave;
}

static bool has_plan(struct rig *r)
{
    const struct form *f = rig_form_of(r);
    return !f->facts.reading && f->facts.have_plan;
}

static bool has_facts(struct rig *r)
{
    return !rig_form_of(r)->facts.reading;
}

static void start_run(struct rig *r)
{
    rig_form(r);
    rig_press(r, "r");
    rig_wait(r, is_training, 20);
}

/* ---- launcher --------------------------------------------------------------------------------- */

static bool lists_three(struct rig *r)
{
    return rig_shows(r, "broken.ini") && rig_shows(r, "other.ini") && rig_shows(r, "run.ini");
}

static bool says_data(struct rig *r)
{
    return rig_shows(r, " data   synthetic: 600 train rows, 100 eval rows, 10 labels");
}

static void test_launcher(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    test_write_file("configs", "other.ini", "[model]\ntype = mlp\n[data]\ntrain = gone/rows.csv\n");
    test_write_file("configs", "broken.ini", "[model]\ntype = mlpp\n");
    ((struct launcher *)app_top(&r.app))->configs_at = 0;
    rig_wait(&r, lists_three, 5);
    assert_true(rig_shows(&r, "needs a file"));
    assert_true(rig_shows(&r, "no runs in ./runs"));
    rig_press(&r, "/ r u n");
    assert_true(rig_shows(&r, "configs 1 of 3 /run"));
    assert_false(rig_shows(&r, "other.ini  "));
    rig_press(&r, "Enter");
    rig_wait(&r, says_data, 10);
    assert_true(rig_shows(&r, "run: 60 steps, needs"));
    rig_press(&r, "Enter");
    assert_string_equal(rig_top(&r), "form");
    rig_press(&r, "Esc");
    assert_string_equal(rig_top(&r), "launcher");
    rig_press(&r, "Esc / z z z");
    assert_true(rig_shows(&r, "no name contains \"zzz\""));
    rig_press(&r, "Esc q");
    assert_true(r.app.leave);
    rig_close(&r);
}

static void test_launcher_writes_a_config(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    rig_press(&r, "n m y Enter");
    assert_string_equal(rig_top(&r), "form");
    assert_string_equal(test_read_file("configs/my.ini", NULL), small);
    rig_press(&r, "Esc n m y Enter");
    assert_string_equal(rig_top(&r), "launcher");
    assert_true(rig_shows(&r, "configs/my.ini exists"));
    rig_close(&r);
}

/* A finished run opens its views, a stopped one is resumed with r. */
static void test_launcher_runs(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    rig_form(&r);
    rig_press(&r, "Enter");
    rig_wait(&r, is_over, 30);
    rig_press(&r, "q");
    assert_true(r.app.leave);
    app_release(&r.app);
    app_init(&r.app, r.app.optims);
    app_push(&r.app, launcher_new(&r.app));
    rig_turn(&r);
    assert_true(rig_shows(&r, "finished        60/60  adamw"));
    rig_press(&r, "Tab r");
    assert_true(rig_shows(&r, "run is finished"));
    rig_press(&r, "Enter");
    assert_string_equal(rig_top(&r), "run");
    assert_true(rig_shows(&r, "finished"));
    rig_press(&r, "s");
    assert_true(rig_shows(&r, "s: no run"));
    rig_press(&r, "Esc");
    assert_string_equal(rig_top(&r), "launcher");
    rig_close(&r);
}

/* ---- form ------------------------------------------------------------------------------------- */

static void test_form_edits(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    struct form *f = rig_form(&r);
    rig_press(&r, "Down Down Down Down Down");
    assert_string_equal(form_selected(f)->name, "optimizer.lr");
    rig_press(&r, "Enter ^U 2 e - 5 x Enter");
    assert_true(f->entry.open);
    assert_true(rig_shows(&r, "\"2e-5x\": a number from 0"));
    assert_int_equal(form_changes(f), 0);
    rig_press(&r, "Backspace Up Enter");
    assert_false(f->entry.open);
    assert_string_equal(ini_get(&f->ini, "optimizer", "lr"), "5e-05");
    assert_true(rig_shows(&r, "1 change, not saved"));
    assert_true(rig_shows(&r, "from the file: 1e-3, line 12."));
    rig_press(&r, "/ a m s g Enter");
    assert_string_equal(form_selected(f)->name, "optimizer.amsgrad");
    rig_press(&r, "Space Esc");
    assert_string_equal(ini_get(&f->ini, "optimizer", "amsgrad"), "yes");
    assert_true(rig_shows(&r, "2 changes, not saved"));
    rig_press(&r, "Esc");
    assert_string_equal(rig_top(&r), "question");
    rig_press(&r, "Enter"); /* the safe answer */
    assert_string_equal(rig_top(&r), "form");
    rig_press(&r, "s");
    assert_int_equal(form_changes(f), 0);
    const char *saved = test_read_file("configs/run.ini", NULL);
    assert_true(strstr(saved, "hidden = 16 ; one layer\n") != NULL);
    assert_true(strstr(saved, "lr = 5e-05\n") != NULL);
    assert_true(strstr(saved, "amsgrad = yes\n") != NULL);
    rig_press(&r, "Esc");
    assert_string_equal(rig_top(&r), "launcher");
    rig_close(&r);
}

/* The plan follows a change at once: within 50 ms, here with room for a slow build. */
static void test_form_plans(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    struct form *f = rig_form(&r);
    int64_t adamw = f->facts.plan.state_bytes;
    assert_true(adamw > 0);
    rig_press(&r, "Tab");
    assert_int_equal(f->pane, PANE_OPTIMIZERS);
    double start = sys_now();
    rig_press(&r, "Home Enter");
    assert_true(sys_now() - start < 0.5);
    assert_string_equal(f->rc.optim_cls->name, "sgd");
    assert_true(f->facts.plan.state_bytes < adamw);
    assert_false(f->facts.reading); /* the data is the same */
    rig_press(&r, "S-Tab Home Down Down Down Right");
    assert_string_not_equal(f->rc.optim_cls->name, "sgd");
    rig_press(&r, "Left");
    assert_string_equal(f->rc.optim_cls->name, "sgd");
    rig_press(&r, "/ r o w s Enter Enter ^U 9 0 0 Enter");
    rig_wait(&r, has_plan, 10);
    assert_int_equal(f->facts.train.rows, 900);
    assert_int_equal(f->facts.plan.length.max_steps, 90);
    rig_close(&r);
}

static void test_form_picks(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    struct form *f = rig_form(&r);
    rig_press(&r, "Down Down Down Enter");
    assert_string_equal(rig_top(&r), "picker");
    rig_press(&r, "/ f a c t Enter");
    assert_true(rig_shows(&r, " 2 of "));
    rig_press(&r, "Home Enter");
    assert_string_equal(rig_top(&r), "form");
    assert_string_equal(f->rc.optim_cls->name, "adafactor");
    rig_press(&r, "Enter / l i o n Esc Esc");
    assert_string_equal(f->rc.optim_cls->name, "adafactor");
    rig_close(&r);
}

/* Each mistake is shown, blocks the start, and can be put right. */
static void test_form_repairs(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE,
             "[model]\ntype = mlp\n[data]\nformat = synthetic\nrows = 600\n"
             "[optimizer]\nname = adamq\nlr = fast\nbetax = 1\n[train]\nbatch_size = 20\n");
    struct form *f = rig_form(&r);
    assert_int_equal(f->nbroken, 3);
    assert_true(rig_shows(&r, "configs/run.ini:7: unknown optimizer \"adamq\""));
    rig_press(&r, "r");
    assert_string_equal(rig_top(&r), "form");
    rig_press(&r, "Down Down Down Right");
    assert_int_equal(f->nbroken, 2);
    rig_press(&r, "/ l r Enter Enter ^U 1 e - 4 Enter Esc");
    assert_int_equal(f->nbroken, 1);
    rig_press(&r, "/ b e t a x Enter Del");
    assert_int_equal(f->nbroken, 0);
    rig_press(&r, "Esc");
    rig_wait(&r, has_plan, 10);
    assert_true(rig_shows(&r, " ready   90 steps"));
    rig_close(&r);
}

static void test_form_says_what_is_wrong_with_the_data(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, "[model]\ntype = mlp\n[data]\ntrain = gone.csv\n");
    rig_form(&r);
    assert_true(rig_shows(&r, "gone.csv: no such file"));
    rig_press(&r, "Enter");
    assert_string_equal(rig_top(&r), "form");
    rig_press(&r, "Down Down Enter / s y n t h Enter Enter");
    rig_wait(&r, has_plan, 10);
    assert_true(rig_shows(&r, " ready "));
    rig_close(&r);
}

/* ---- runs ------------------------------------------------------------------------------------- */

static void test_run_to_its_end(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    rig_press(&r, "Enter");
    rig_wait(&r, has_facts, 10);
    rig_press(&r, "Enter");
    rig_wait(&r, run_is_open, 10);
    rig_wait(&r, is_over, 30);
    assert_int_equal(state_of(&r), RUN_FINISHED);
    assert_false(r.app.leave); /* the picture stays */
    rig_press(&r, "2 3 4 5 9 1 ?");
    assert_string_equal(rig_top(&r), "help");
    rig_press(&r, "Esc q");
    assert_true(r.app.leave);
    assert_int_equal(r.app.err.code, 0);
    assert_true(file_exists("runs/run/final/model.safetensors"));
    rig_close(&r);
}

static void test_steering(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, endless);
    start_run(&r);
    rig_press(&r, "Space");
    rig_wait(&r, is_paused, 10);
    int64_t step = r.app.session->model.st.step;
    rig_press(&r, "2 3 1");
    assert_int_equal(r.app.session->model.st.step, step);
    rig_press(&r, ".");
    for (int i = 0; i < 200 && r.app.session->model.st.step == step; i++) {
        usleep(5000);
        rig_turn(&r);
    }
    assert_int_equal(r.app.session->model.st.step, step + 1);
    rig_press(&r, "e");
    assert_true(rig_shows(&r, "e: evaluation is off (eval.every = no)"));
    rig_press(&r, "o Enter ^U 0 . 5 Enter");
    assert_string_equal(rig_top(&r), "run");
    for (int i = 0; i < 200 && !rig_shows(&r, "schedule.scale 1 -> 0.5 from step"); i++) {
        usleep(5000);
        rig_turn(&r);
    }
    assert_true(rig_shows(&r, "schedule.scale 1 -> 0.5 from step"));
    assert_true(strstr(test_read_file("runs/run/config.ini", NULL), "scale = 0.5\n") != NULL);
    rig_press(&r, "q");
    assert_string_equal(rig_top(&r), "question");
    assert_true(rig_shows(&r, "paused at step"));
    assert_true(rig_shows(&r, "loses all "));
    rig_press(&r, "Esc");
    assert_string_equal(rig_top(&r), "run");
    rig_press(&r, "q s");
    rig_wait(&r, leaves, 10);
    assert_int_equal(r.app.err.code, TT_ESTOPPED);
    assert_int_equal(state_of(&r), RUN_STOPPED);
    char *saved = ckpt_dir("runs/run", r.app.session->model.st.step);
    assert_true(file_is_dir(saved));
    free(saved);
    rig_close(&r);
}

static void test_stop_without_saving(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, endless);
    start_run(&r);
    rig_press(&r, "q x");
    rig_wait(&r, leaves, 10);
    assert_int_equal(r.app.err.code, TT_EFAIL);
    assert_false(file_exists("runs/run/final"));
    char *saved = ckpt_dir("runs/run", r.app.session->model.st.step);
    assert_false(file_exists(saved));
    free(saved);
    rig_close(&r);
}

/* The run goes on behind the question, whose figures stay those of the status row. */
static void test_quit_figures(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, endless);
    start_run(&r);
    rig_press(&r, "q");
    const struct run_status *st = &r.app.session->model.text;
    int64_t first = st->step;
    for (int i = 0; i < 1000 && st->step == first; i++) {
        usleep(5000);
        rig_turn(&r);
    }
    assert_true(st->step > first);
    char step[32], text[64];
    str_commas(step, sizeof step, st->step);
    snprintf(text, sizeof text, "training at step %s;", step);
    assert_true(rig_shows(&r, text));
    snprintf(text, sizeof text, "loses all %s step", step);
    assert_true(rig_shows(&r, text));
    snprintf(text, sizeof text, "checkpoint step-%lld ", (long long)st->step);
    assert_true(rig_shows(&r, text));
    rig_press(&r, "x");
    rig_wait(&r, leaves, 10);
    rig_close(&r);
}

static void test_interrupt(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, endless);
    rig_press(&r, "^C");
    assert_true(rig_shows(&r, "^C again leaves"));
    assert_false(r.app.leave);
    start_run(&r);
    rig_press(&r, "q ^C"); /* inside a question: its safe stop */
    assert_string_equal(rig_top(&r), "run");
    rig_wait(&r, leaves, 10);
    assert_int_equal(r.app.err.code, TT_ESTOPPED);
    rig_close(&r);
}

/* Stopped, then resumed from the launcher: it goes on where it was. */
static void test_resume(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, endless);
    start_run(&r);
    rig_press(&r, "q s");
    rig_wait(&r, leaves, 10);
    int64_t step = r.app.session->model.st.step;
    app_release(&r.app);
    app_init(&r.app, r.app.optims);
    app_push(&r.app, launcher_new(&r.app));
    rig_turn(&r);
    assert_true(rig_shows(&r, "stopped"));
    rig_press(&r, "Tab r");
    rig_wait(&r, run_is_open, 10);
    rig_wait(&r, is_training, 10);
    assert_true(r.app.session->model.st.step >= step);
    rig_press(&r, "^C");
    rig_wait(&r, leaves, 10);
    assert_false(file_exists("runs/run-2"));
    rig_close(&r);
}

/* A run that diverged asks how to go on. */
static void test_diverged(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE,
             "[model]\ntype = mlp\nhidden = 4\n[data]\ntrain = rows.csv\nnonfinite = keep\n"
             "[train]\nmax_steps = 50\nbatch_size = 4\n[log]\ntensorboard = no\n");
    test_write_file(".", "rows.csv", "a,b,label\n1,nan,0\n2,nan,1\n3,nan,0\n4,nan,1\n");
    rig_form(&r);
    rig_press(&r, "Enter");
    rig_wait(&r, is_over, 30);
    assert_int_equal(state_of(&r), RUN_DIVERGED);
    rig_press(&r, "r");
    assert_string_equal(rig_top(&r), "question");
    assert_true(rig_shows(&r, "resume, schedule.scale halved"));
    rig_press(&r, "Esc o");
    assert_string_equal(rig_top(&r), "form");
    assert_true(rig_shows(&r, "Resume training"));
    rig_press(&r, "s");
    assert_true(rig_shows(&r, "its record"));
    rig_press(&r, "Esc q");
    assert_true(r.app.leave);
    assert_int_equal(r.app.err.code, TT_EDIVERGED);
    rig_close(&r);
}

/* --start with something wrong: the program ends with its reason. */
static void test_failed_start(void **state)
{
    (void)state;
    struct rig r;
    struct err e = ERR_INIT;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, "[model]\ntype = mlp\n[data]\ntrain = gone.csv\n");
    struct form_spec s = {.path = "configs/run.ini", .start = true, .leave_on_failure = true};
    assert_int_equal(form_open(&r.app, &s, &e), 0);
    rig_wait(&r, leaves, 10);
    assert_int_equal(r.app.err.code, TT_EDATA);
    assert_true(strstr(r.app.err.msg, "gone.csv") != NULL);
    assert_false(file_exists("runs"));
    rig_close(&r);
}

/* Pasted bytes reach a text field and nothing else. */
static void test_paste(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    struct form *f = rig_form(&r);
    app_key(&r.app, &(struct key_event){.code = 'r', .pasted = true});
    app_key(&r.app, &(struct key_event){.code = KEY_ENTER_KEY, .pasted = true});
    rig_turn(&r);
    assert_true(form_is_open(&r));
    assert_int_equal(f->starting, 0);
    rig_press(&r, "Down Down Down Down Down Enter ^U");
    app_key(&r.app, &(struct key_event){.code = '7', .pasted = true});
    app_key(&r.app, &(struct key_event){.code = KEY_ENTER_KEY, .pasted = true});
    assert_string_equal(f->entry.field.text, "7");
    assert_true(f->entry.open);
    rig_close(&r);
}

/* Every screen says "? help", so it is there everywhere; away again it leaves all as it was. */
static void test_help_is_everywhere(void **state)
{
    static const char *const steps[][2] = {
        {"", "launcher"}, {"Enter", "form"},      {"Down Down Down Enter", "picker"},
        {"Esc", "form"},  {"Down Enter", "picker"}, {"Esc Down Down Enter 1 Enter Esc", "question"}};
    struct rig r;
    (void)state;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (i == 1)
            rig_form(&r);
        else
            rig_press(&r, steps[i][0]);
        assert_string_equal(rig_top(&r), steps[i][1]);
        rig_press(&r, "?");
        assert_string_equal(rig_top(&r), "help");
        rig_press(&r, i % 2 ? "?" : "Esc");
        assert_string_equal(rig_top(&r), steps[i][1]);
    }
    rig_close(&r);
}

/* Any keys at any size: nothing crashes, and the way out is always there. */
static void press_at_random(unsigned seed, int n)
{
    static const char *const keys[] = {
        "Enter", "Enter", "Esc", "Esc", "Tab", "S-Tab", "Up", "Down", "Down", "Left", "Right", "PgUp",
        "PgDn", "Home", "End", "Space", "Del", "Backspace", "^U", "r", "s", "o", "e", ".", "1", "2",
        "3", "4", "5", "6", "7", "8", "9", "d", "?", "/", "n", "N", "[", "]", "+", "-", "0", "<", ">",
        "f", "y", "x", "m", "a", "l", "b", "c", "g", "G", "^L", "t", "u", "q"};
    struct rig r;
    srand(seed);
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, small);
    for (int i = 0; i < n; i++) {
        if (rand() % 50 == 0)
            rig_resize(&r, 1 + rand() % 140, 1 + rand() % 50, (enum glyph_level)(rand() % 3));
        rig_press(&r, keys[(size_t)rand() % (sizeof keys / sizeof *keys)]);
        if (!r.app.leave)
            continue;
        app_release(&r.app);
        app_init(&r.app, r.app.optims);
        app_push(&r.app, launcher_new(&r.app));
        rig_turn(&r);
    }
    while (!r.app.leave)
        rig_press(&r, "^C");
    rig_close(&r);
}

static void test_random_keys(void **state)
{
    (void)state;
    press_at_random(1, 1000);
    press_at_random(2, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launcher),
        cmocka_unit_test(test_launcher_writes_a_config),
        cmocka_unit_test(test_launcher_runs),
        cmocka_unit_test(test_form_edits),
        cmocka_unit_test(test_form_plans),
        cmocka_unit_test(test_form_picks),
        cmocka_unit_test(test_form_repairs),
        cmocka_unit_test(test_form_says_what_is_wrong_with_the_data),
        cmocka_unit_test(test_run_to_its_end),
        cmocka_unit_test(test_steering),
        cmocka_unit_test(test_stop_without_saving),
        cmocka_unit_test(test_quit_figures),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_failed_start),
        cmocka_unit_test(test_paste),
        cmocka_unit_test(test_help_is_everywhere),
        cmocka_unit_test(test_random_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
