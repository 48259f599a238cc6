/* A config that is edited on disk while its run goes on: the message, the live options with what the file
 * says, taking it, and who may. */
#include "tests/app_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "optimizers/table.h"
#include "tui/live_options.h"
#include "tui/run_layer.h"

#define HEAD "[model]\ntype = mlp\nhidden = 64\n[data]\nformat = synthetic\nrows = 600\n"
#define TAIL "[train]\nmax_steps = 10000000\nbatch_size = 20\n[checkpoint]\nevery = no\n"
#define RATE "[optimizer]\nlr = 1e-3\n"
#define QUIET "[eval]\nevery = no\n[log]\nevery = 100\ntensorboard = no\n"

static const char endless[] = HEAD RATE TAIL QUIET;

static void edit(const char *text)
{
    test_write_file("configs", "run.ini", text);
}

static const struct config_watch *watch(struct rig *r, int file)
{
    return &r->app.session->disk.file[file];
}

/* ---- a run that goes on ----------------------------------------------------------------------- */

static bool is_training(struct rig *r)
{
    return r->app.session && r->app.session->model.st.step > 5 &&
           r->app.session->model.st.state == RUN_TRAINING;
}

static bool leaves(struct rig *r)
{
    return r->app.leave;
}

static void start_run(struct rig *r)
{
    rig_open(r, 80, 24, GLYPHS_BRAILLE, endless);
    rig_form(r);
    rig_press(r, "r");
    rig_wait(r, is_training, 20);
}

static void stop_run(struct rig *r)
{
    rig_press(r, "q x");
    rig_wait(r, leaves, 10);
    rig_close(r);
}

static bool shows_changed(struct rig *r)
{
    return rig_shows(r, " run.ini changed on disk: 2 options, 1 live; o shows them");
}

static bool shows_three(struct rig *r)
{
    return rig_shows(r, " run.ini changed on disk: 3 options, 3 live; o shows them");
}

static bool shows_taken_back(struct rig *r)
{
    return rig_shows(r, " run.ini is as the run has it");
}

static bool has_taken(struct rig *r)
{
    return rig_shows(r, " schedule.scale 1 -> 0.5 from step");
}

static bool shows_mistake(struct rig *r)
{
    return rig_shows(r, " run.ini:15: schedule.scale: \"half\" (a number from 0 up)");
}

static bool all_settled(struct rig *r)
{
    return !watch(r, DISK_STARTED_FROM)->n;
}

/* Seen, shown, taken: at a step border, into the journal, the log and the run's config. */
static void test_taken(void **state)
{
    (void)state;
    struct rig r;
    start_run(&r);
    edit(HEAD "[optimizer]\nlr = 2e-3\n" TAIL QUIET "[schedule]\nscale = 0.5\n");
    rig_wait(&r, shows_changed, 10);
    rig_press(&r, "9");
    assert_true(rig_shows(&r, "info  run.ini changed on disk: 2 options, 1 live"));
    rig_press(&r, "o");
    assert_string_equal(rig_top(&r), "live options");
    assert_true(rig_shows(&r, "schedule.scale                1.00       0.50  file: Enter"));
    assert_true(rig_shows(&r, "optimizer.lr 0.001 -> 0.002: holds from a resume on"));
    rig_press(&r, "Enter");
    assert_string_equal(rig_top(&r), "run");
    rig_wait(&r, has_taken, 10);
    assert_true(strstr(test_read_file("runs/run/config.ini", NULL), "scale = 0.5\n") != NULL);
    assert_int_equal(r.app.session->model.nedits, 1);
    assert_int_equal(watch(&r, DISK_STARTED_FROM)->n, 1);
    assert_int_equal(watch(&r, DISK_STARTED_FROM)->live, 0);
    rig_press(&r, "o");
    assert_false(rig_shows(&r, "file: Enter"));
    assert_true(rig_shows(&r, "run.ini: 1 differs, 0 live"));
    rig_press(&r, "Esc");
    assert_non_null(strstr(test_read_file("runs/run/log.txt", NULL), "run.ini changed on disk"));
    stop_run(&r);
}

static void test_all_taken(void **state)
{
    (void)state;
    struct rig r;
    start_run(&r);
    edit(HEAD RATE TAIL "[log]\nevery = 50\ntensorboard = no\n[eval]\nevery = 70\n"
                        "[schedule]\nscale = 0.5\n");
    rig_wait(&r, shows_three, 10);
    rig_press(&r, "o Down a");
    assert_string_equal(rig_top(&r), "run");
    rig_wait(&r, all_settled, 10);
    const struct run_config *rc = &r.app.session->rc;
    assert_int_equal(rc->log.every.n, 50);
    assert_int_equal(rc->eval.every.n, 70);
    rig_press(&r, "o");
    assert_false(rig_shows(&r, "run.ini"));
    assert_true(rig_shows(&r, "need a restart"));
    rig_press(&r, "Esc");
    double end = sys_now() + 2.5; /* what the trainer has written there is no news */
    while (sys_now() < end) {
        usleep(20000);
        rig_turn(&r);
        assert_false(rig_shows(&r, "on disk"));
    }
    assert_non_null(strstr(test_read_file("runs/run/config.ini", NULL), "every = 70\n"));
    stop_run(&r);
}

static bool shows_own_config(struct rig *r)
{
    return rig_shows(r, " run/config.ini changed on disk: 1 option, ");
}

/* A mistake is told with its line and put right; then the run's own config is the one that speaks. */
static void test_mistake_and_own_config(void **state)
{
    (void)state;
    struct rig r;
    start_run(&r);
    edit(HEAD RATE TAIL "[schedule]\nscale = half\n" QUIET);
    rig_wait(&r, shows_mistake, 10);
    rig_press(&r, "o");
    assert_true(rig_shows(&r, " run.ini:15: schedule.scale: "));
    assert_false(rig_shows(&r, "file: Enter"));
    rig_press(&r, "Esc");
    edit(endless);
    rig_wait(&r, shows_taken_back, 10);
    struct strbuf text = STRBUF_INIT;
    const char *own = test_read_file("runs/run/config.ini", NULL), *at = strstr(own, "max_grad_norm = 1\n");
    assert_non_null(at);
    strbuf_addf(&text, "%.*smax_grad_norm = 2\n%s", (int)(at - own), own, strchr(at, '\n') + 1);
    test_write_file("runs/run", "config.ini", text.s);
    strbuf_release(&text);
    rig_wait(&r, shows_own_config, 10);
    rig_press(&r, "o");
    assert_true(rig_shows(&r, "train.max_grad_norm"));
    assert_true(rig_shows(&r, "run/config.ini: 1 differs, 1 live"));
    rig_press(&r, "e Backspace 3 Enter"); /* another value than that of the file */
    assert_string_equal(rig_top(&r), "run");
    assert_true(r.app.session->rc.train.max_grad_norm == 3);
    stop_run(&r);
}

/* ---- the popup -------------------------------------------------------------------------------- */

static const char pictured[] =
    "[model]\ntype = mlp\n[data]\nformat = synthetic\n[optimizer]\nlr = 2e-5\n"
    "[schedule]\nscale = 0.8\nwarmup_steps = 632\n"
    "[train]\nmax_steps = 6315\nmax_grad_norm = 0.5\n"
    "[eval]\nevery = 500\n[checkpoint]\nevery = 500\n[log]\nevery = 10\n";
static const char edited[] =
    "[run]\nseed = 7\n[model]\ntype = mlp\nhidden = 512\n[data]\nformat = synthetic\n"
    "[optimizer]\nlr = 3e-5\n[schedule]\nscale = 1\nwarmup_steps = 632\n"
    "[train]\nmax_steps = 8000\nmax_grad_norm = 0.5\nbatch_size = 64\n"
    "[eval]\nevery = 500\nbatch_size = 64\n[checkpoint]\nevery = 500\n[log]\nevery = 10\n"
    "[ui]\nfps = 5\n";

/* A run of another process that may be looked at only, or be changed; its config is in place. */
static struct session *made_up_session(struct rig *r, bool reads_only)
{
    struct err e = ERR_INIT;
    struct session *s = xcalloc(1, sizeof *s);
    uimodel_init(&s->model);
    dashboard_init(&s->dash);
    s->thread.hub = hub_new();
    assert_int_equal(run_config_load(&s->rc, "configs/run.ini", NULL, 0, optim_classes, &e), 0);
    uimodel_start(&s->model, &s->rc, NULL, NULL);
    s->attached = s->model.attached = true;
    s->model.reads_only = reads_only;
    s->model.live = s->model.have_sched = true;
    s->model.st.state = RUN_TRAINING;
    s->model.st.step = 3742;
    s->model.st.max_steps = 6315;
    s->model.text = s->model.st;
    assert_int_equal(sched_init(&s->model.sched, s->rc.sched_cls, &s->rc.sched, s->rc.sched_own, 2e-5,
                                6315, &e), 0);
    str_copy(s->model.path, sizeof s->model.path, "runs/sst2-adamw");
    disk_changes_start(&s->disk, &s->rc, "runs/sst2-adamw", optim_classes);
    r->app.session = s;
    app_push(&r->app, run_layer_new(&r->app));
    return s;
}

static void edit_made_up(struct session *s, const char *text)
{
    edit(text);
    disk_changes_poll(&s->disk, 1000, &s->rc);
    disk_changes_poll(&s->disk, 1002, &s->rc);
}

static void draw(struct rig *r, int w, int h, enum glyph_level level)
{
    canvas_resize(&r->c, w, h);
    r->c.level = level;
    app_draw(&r->app, &r->c);
}

static void press(struct rig *r, uint32_t code)
{
    app_key(&r->app, &(struct key_event){.code = code});
    app_draw(&r->app, &r->c);
}

static void test_popup_screens(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, pictured);
    struct session *s = made_up_session(&r, false);
    app_push(&r.app, live_options_new(&r.app));
    draw(&r, 40, 12, GLYPHS_BRAILLE);
    rig_golden(&r, "live-options");
    edit_made_up(s, edited);
    draw(&r, 80, 24, GLYPHS_BRAILLE);
    rig_golden(&r, "disk-edit");
    draw(&r, 80, 24, GLYPHS_ASCII);
    rig_golden(&r, "disk-edit");
    draw(&r, 40, 12, GLYPHS_BRAILLE);
    rig_golden(&r, "disk-edit");
    draw(&r, 120, 40, GLYPHS_BRAILLE);
    rig_golden(&r, "disk-edit");
    press(&r, KEY_DOWN_ARROW);
    press(&r, KEY_DOWN_ARROW);
    press(&r, 'e');
    draw(&r, 40, 12, GLYPHS_BRAILLE);
    rig_golden(&r, "disk-edit-entry");
    rig_close(&r);
}

/* One row is selected, as a whole, from its sign on. */
static void check_selected(const struct canvas *c)
{
    int starts = 0;
    for (int y = 1; y < c->h - 2; y++)
        for (int x = 1; x < c->w; x++)
            if (canvas_at(c, x, y)->select && !canvas_at(c, x - 1, y)->select) {
                assert_int_equal(canvas_at(c, x, y)->ch, '>');
                starts++;
            }
    assert_int_equal(starts, 1);
}

static void draw_all_sizes(struct rig *r, const char *selected, bool typed)
{
    for (int h = 12; h <= 32; h++)
        for (int w = 40; w <= 88; w += 3) {
            draw(r, w, h, (enum glyph_level)(w % 3));
            if (!typed)
                check_selected(&r->c);
            assert_true(rig_shows(r, "run.ini: 8 differ, 2 live"));
            assert_true(rig_shows(r, selected));
        }
}

/* Every size: the file and the selected option are in sight. */
static void test_popup_sizes(void **state)
{
    (void)state;
    struct rig r;
    static const char *const options[] = {"schedule.scale", "train.max_grad_norm", "train.max_steps",
                                          "eval.every", "log.every", "checkpoint.every"};
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, pictured);
    struct session *s = made_up_session(&r, false);
    app_push(&r.app, live_options_new(&r.app));
    edit_made_up(s, edited);
    for (int i = 0; i < 6; i++) {
        draw_all_sizes(&r, options[i], false);
        press(&r, KEY_DOWN_ARROW);
    }
    press(&r, KEY_ENTER_KEY);
    draw_all_sizes(&r, "500_", true);
    rig_close(&r);
}

/* The command that a run of another process would get. */
static struct command next_command(struct session *s)
{
    struct command c = {0};
    if (!hub_receive(s->thread.hub, &c))
        fail_msg("nothing was asked of the run");
    return c;
}

static void test_popup_letters(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, pictured);
    struct session *s = made_up_session(&r, false);
    app_push(&r.app, live_options_new(&r.app));
    press(&r, 'a'); /* nothing differs: no letter does anything */
    assert_string_equal(rig_top(&r), "live options");
    assert_false(rig_shows(&r, "a take"));
    edit_made_up(s, edited);
    draw(&r, 80, 24, GLYPHS_BRAILLE);
    assert_true(rig_shows(&r, "Enter take  a take all 2  e edit"));
    press(&r, KEY_DOWN_ARROW); /* the file says nothing new about it */
    assert_true(rig_shows(&r, "Enter edit, apply  a take all 2"));
    press(&r, 'e');
    assert_true(rig_shows(&r, "Enter edit, apply  a take all 2"));
    press(&r, 'a');
    assert_string_equal(rig_top(&r), "run");
    struct command c = next_command(s);
    assert_string_equal(c.key, "schedule.scale");
    assert_string_equal(c.value, "1");
    c = next_command(s);
    assert_string_equal(c.key, "train.max_steps");
    assert_string_equal(c.value, "8000");
    assert_false(hub_receive(s->thread.hub, &c));
    rig_close(&r);
}

static void test_read_only(void **state)
{
    (void)state;
    struct rig r;
    struct command c;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, pictured);
    struct session *s = made_up_session(&r, true);
    press(&r, 'o');
    assert_string_equal(rig_top(&r), "run");
    assert_true(rig_shows(&r, "o: this run is read-only"));
    edit_made_up(s, edited);
    press(&r, 'o');
    assert_string_equal(rig_top(&r), "live options");
    assert_true(rig_shows(&r, "0.80       1.00  file  "));
    press(&r, KEY_ENTER_KEY);
    assert_string_equal(rig_top(&r), "live options");
    assert_true(rig_shows(&r, "this run is read-only"));
    assert_false(hub_receive(s->thread.hub, &c));
    assert_true(s->rc.sched.scale == 0.8);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),         cmocka_unit_test(test_all_taken),
        cmocka_unit_test(test_mistake_and_own_config), cmocka_unit_test(test_popup_screens),
        cmocka_unit_test(test_popup_sizes),   cmocka_unit_test(test_popup_letters),
        cmocka_unit_test(test_read_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
