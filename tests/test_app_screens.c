/* Launcher, form, picker, questions and live options: against the pictures where a fixture makes the text
 * equal, else against screens of their own. */
#include "tests/app_rig.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/live_options.h"
#include "tui/question.h"

static const char tiny[] = "; a run for pictures\n[model]\ntype = mlp\nhidden = 32\n\n"
                           "[data]\nformat = synthetic\nrows = 3000\n\n"
                           "[optimizer]\nname = adamw\nlr = 1e-3 ; peak\n\n"
                           "[schedule]\nwarmup_ratio = 0.1\n\n"
                           "[train]\nepochs = 3\nbatch_size = 32\n\n"
                           "[eval]\nevery = 50\nbest = accuracy\n";

/* ---- launcher: the picture ------------------------------------------------------------------- */

static const struct {
    const char *name, *model, *data, *optimizer, *schedule;
} pictured_configs[] = {
    {"quickstart.ini", "mlp", "fashion-mnist", "adamw", "linear"},
    {"fashion-convnet.ini", "convnet", "fashion-mnist", "adamw", "linear"},
    {"fashion-mlp.ini", "mlp", "fashion-mnist", "adamw", "linear"},
    {"gan-fashion.ini", "gan", "fashion-mnist", "adam", "constant"},
    {"glosses-distilbert-small.ini", "distilbert", "wordnet-glosses", "adamw", "linear"},
    {"glosses-minilm.ini", "bert", "needs a model", "adamw", "linear"},
    {"distilbert-base-cased-sst2.ini", "distilbert", "sst2", "adamw", "linear"},
    {"bert-finetune.ini", "bert", "needs a file", "adamw", "linear"},
    {"compare-optimizers/", "3 runs", "sst2", "", "linear"},
};

static const struct {
    const char *name, *state;
    int64_t step, max_steps;
    const char *optimizer;
    double best;
    int64_t age; /* seconds */
} pictured_runs[] = {
    {"sst2-adamw", "training", 3742, 6315, "adamw", 0.9060, 0},
    {"fashion-convnet", "finished", 4690, 4690, "adamw", 0.9251, 7300},
    {"sst2-adamw8bit", "finished", 6315, 6315, "adamw8bit", 0.9048, 11000},
    {"sst2-adafactor", "finished", 6315, 6315, "adafactor", 0.9014, 18100},
    {"sst2-lr5e-4", "diverged", 2981, 6315, "adamw", 0.8945, 86400},
    {"gan-fashion", "stopped", 1876, 2814, "adam", -1, 10 * 86400},
};
#define N(array) (sizeof(array) / sizeof((array)[0]))
#define NOON 1795348800 /* 2026-11-22 12:00 UTC: ten days after 12 Nov */

static void add_pictured(struct launcher *l)
{
    l->scan.nconfigs = l->scan.nruns = 0;
    for (size_t i = 0; i < N(pictured_configs); i++) {
        l->scan.config = xgrow(l->scan.config, &l->scan.config_cap, i + 1, sizeof *l->scan.config);
        struct config_entry *c = &l->scan.config[l->scan.nconfigs++];
        memset(c, 0, sizeof *c);
        str_copy(c->name, sizeof c->name, pictured_configs[i].name);
        str_copy(c->model, sizeof c->model, pictured_configs[i].model);
        str_copy(c->data, sizeof c->data, pictured_configs[i].data);
        str_copy(c->optimizer, sizeof c->optimizer, pictured_configs[i].optimizer);
        str_copy(c->schedule, sizeof c->schedule, pictured_configs[i].schedule);
        c->lacks = !strncmp(c->data, "needs", 5);
    }
    for (size_t i = 0; i < N(pictured_runs); i++) {
        l->scan.run = xgrow(l->scan.run, &l->scan.run_cap, i + 1, sizeof *l->scan.run);
        struct run_entry *e = &l->scan.run[l->scan.nruns++];
        memset(e, 0, sizeof *e);
        str_copy(e->s.name, sizeof e->s.name, pictured_runs[i].name);
        str_copy(e->s.state, sizeof e->s.state, pictured_runs[i].state);
        str_copy(e->s.optimizer, sizeof e->s.optimizer, pictured_runs[i].optimizer);
        str_copy(e->s.best_metric, sizeof e->s.best_metric, pictured_runs[i].best < 0 ? "" : "accuracy");
        e->s.best = pictured_runs[i].best;
        e->s.step = pictured_runs[i].step;
        e->s.max_steps = pictured_runs[i].max_steps;
        e->s.mtime = NOON - pictured_runs[i].age;
        e->live = i == 0;
    }
}

static void say_pictured(struct launcher *l)
{
    static const char *const lines[][2] = {
        {"model", "distilbert 6 x 768, 65,783,042 parameters, weights found"},
        {"data", "sst2: 67,349 train rows, 872 eval rows, 2 labels"},
        {"train", "adamw lr 2.00e-05, linear, warm-up 632 of 6,315 steps, batch 32"}};
    for (int i = 0; i < 3; i++) {
        l->label[i] = lines[i][0];
        str_copy(l->line[i], sizeof l->line[i], lines[i][1]);
    }
    str_copy(l->title, sizeof l->title, "distilbert-base-cased-sst2.ini");
    str_copy(l->status, sizeof l->status,
             "distilbert-base-cased-sst2: 6,315 steps, needs 1.18 GiB of 22.1 free: fits");
    str_copy(l->machine, sizeof l->machine, "cpu, 2 cores, 22.1 of 23.4 GiB free");
}

/* All of it but "1 of 9", where ours names the seventh. */
static void test_launcher_picture(void **state)
{
    (void)state;
    struct rig r;
    struct canvas picture;
    setenv("TZ", "UTC", 1);
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, tiny);
    struct launcher *l = (struct launcher *)app_top(&r.app);
    add_pictured(l);
    for (int p = 0; p < PARTS; p++) {
        int n = p == PART_CONFIGS ? l->scan.nconfigs : l->scan.nruns;
        l->row[p] = xreallocarray(l->row[p], (size_t)n, sizeof *l->row[p]);
        for (int i = 0; i < n; i++)
            l->row[p][i] = i;
        l->list[p].n = n;
        list_select(&l->list[p], p == PART_CONFIGS ? 6 : 0);
    }
    say_pictured(l);
    l->unix_now = NOON;
    app_draw(&r.app, &r.c);
    screen_load(&picture, "launcher-80x24-braille");
    assert_screen(&r.c, &picture, ((struct rect){0, 0, 80, 18}));
    assert_screen(&r.c, &picture, ((struct rect){0, 18, 71, 1}));
    assert_screen(&r.c, &picture, ((struct rect){72, 18, 8, 1}));
    assert_screen(&r.c, &picture, ((struct rect){0, 19, 80, 5}));
    assert_true(strstr(screen_row(&r.c, 18), " 7 of 9 ") != NULL);
    canvas_release(&picture);
    rig_close(&r);
}

static bool says_data(struct rig *r)
{
    return rig_shows(r, "3,000 train rows");
}

static void test_launcher_screens(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_ASCII, tiny);
    test_write_file("configs", "other.ini", "[model]\ntype = mlp\n[data]\ntrain = gone/rows.csv\n");
    test_write_file("configs", "wrong.ini", "[model]\ntype = mlpp\n");
    struct launcher *l = (struct launcher *)app_top(&r.app);
    l->configs_at = 0;
    rig_wait(&r, says_data, 10); /* run.ini stays selected */
    str_copy(l->machine, sizeof l->machine, "cpu, 2 cores, 22.1 of 23.4 GiB free");
    str_copy(l->status, sizeof l->status, "run: 282 steps, needs 10.9 MiB of 22.1 GiB free: fits");
    app_draw(&r.app, &r.c);
    rig_golden(&r, "launcher-tiny");
    canvas_resize(&r.c, 120, 40);
    r.c.level = GLYPHS_BRAILLE;
    app_draw(&r.app, &r.c);
    rig_golden(&r, "launcher-tiny");
    canvas_resize(&r.c, 40, 12);
    app_draw(&r.app, &r.c);
    rig_golden(&r, "launcher-tiny");
    rig_close(&r);
}

/* ---- questions ------------------------------------------------------------------------------- */

static void test_question_picture(void **state)
{
    (void)state;
    struct rig r;
    struct canvas picture;
    struct question q = {.title = "leave sst2-adamw?", .back = "back to the run",
                         .intro = "paused at step 3,742; last checkpoint: step 3,500"};
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, tiny);
    question_add(&q, 'b', "back to the run");
    str_copy(question_add(&q, 'd', "detach")->cost, 48, "the run stays paused");
    str_copy(question_add(&q, 's', "save and stop")->cost, 48, "checkpoint step-3742");
    str_copy(question_add(&q, 'x', "stop without saving")->cost, 48, "loses 242 steps");
    app_push(&r.app, question_new(&r.app, &q));
    rig_turn(&r);
    screen_load(&picture, "quit-80x24-braille");
    assert_screen(&r.c, &picture, ((struct rect){12, 6, 56, 11}));
    assert_screen(&r.c, &picture, ((struct rect){0, 23, 80, 1}));
    canvas_release(&picture);
    rig_resize(&r, 40, 12, GLYPHS_BRAILLE);
    rig_press(&r, "Down Down Down"); /* the low box: every answer, and what the selected one costs */
    assert_true(rig_shows(&r, " paused at step 3,742; last "));
    assert_true(rig_shows(&r, "   b  back to the run "));
    assert_true(rig_shows(&r, "   s  save and stop "));
    assert_true(rig_shows(&r, " > x  stop without saving "));
    assert_true(rig_shows(&r, " loses 242 steps "));
    rig_press(&r, "Up Up Up");
    assert_true(rig_shows(&r, " Enter or a letter chooses "));
    rig_close(&r);
}

/* ---- live options ---------------------------------------------------------------------------- */

static const char pictured_options[] =
    "[model]\ntype = mlp\n[data]\nformat = synthetic\n[optimizer]\nlr = 2e-5\n"
    "[schedule]\nscale = 0.8\nwarmup_steps = 632\n"
    "[train]\nmax_steps = 6315\nmax_grad_norm = 0.5\n"
    "[eval]\nevery = 500\n[checkpoint]\nevery = 500\n[log]\nevery = 10\n";

/* Rows whose words are those of the option table are left out. */
static void test_live_options_picture(void **state)
{
    (void)state;
    struct rig r;
    struct canvas picture;
    struct err e = ERR_INIT;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, pictured_options);
    struct session *s = xcalloc(1, sizeof *s);
    uimodel_init(&s->model);
    dashboard_init(&s->dash);
    assert_int_equal(run_config_load(&s->rc, "configs/run.ini", NULL, 0, r.app.optims, &e), 0);
    uimodel_start(&s->model, &s->rc, NULL, NULL);
    s->model.have_sched = true;
    s->model.st.step = 3742;
    s->model.st.max_steps = 6315;
    assert_int_equal(sched_init(&s->model.sched, s->rc.sched_cls, &s->rc.sched, s->rc.sched_own, 2e-5,
                                6315, &e), 0);
    str_copy(s->model.path, sizeof s->model.path, "runs/sst2-adamw");
    r.app.session = s;
    app_push(&r.app, live_options_new(&r.app));
    app_key(&r.app, &(struct key_event){.code = KEY_ENTER_KEY});
    app_key(&r.app, &(struct key_event){.code = KEY_CTRL('U')});
    for (const char *at = "1.00"; *at; at++)
        app_key(&r.app, &(struct key_event){.code = (unsigned char)*at});
    app_draw(&r.app, &r.c);
    screen_load(&picture, "live-edit-80x24-braille");
    assert_screen(&r.c, &picture, ((struct rect){8, 3, 64, 9}));
    assert_screen(&r.c, &picture, ((struct rect){8, 13, 64, 6}));
    assert_screen(&r.c, &picture, ((struct rect){0, 23, 80, 1}));
    canvas_release(&picture);
    rig_close(&r);
}

/* ---- form and picker -------------------------------------------------------------------------- */

/* What depends on the machine. */
static void fix_machine(struct form *f)
{
    f->facts.plan.free_bytes = (int64_t)22 << 30;
    f->facts.plan.largest_batch = 3688;
    f->facts.plan.fits = true;
}

static void test_form_screens(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, tiny);
    struct form *f = rig_form(&r);
    fix_machine(f);
    rig_press(&r, "Down Down Down Down Down");
    rig_golden(&r, "form-tiny");
    rig_resize(&r, 80, 24, GLYPHS_BLOCK);
    rig_golden(&r, "form-tiny");
    rig_resize(&r, 80, 24, GLYPHS_ASCII);
    rig_golden(&r, "form-tiny");
    rig_resize(&r, 120, 40, GLYPHS_BRAILLE);
    rig_golden(&r, "form-tiny");
    rig_resize(&r, 40, 12, GLYPHS_BRAILLE);
    rig_golden(&r, "form-tiny");
    rig_close(&r);
}

static void test_form_editing_screen(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, tiny);
    struct form *f = rig_form(&r);
    rig_press(&r, "Down Down Down Down Down Enter ^U");
    rig_type(&r, "2e-5x");
    rig_press(&r, "Enter");
    fix_machine(f);
    rig_turn(&r);
    rig_golden(&r, "form-error");
    rig_close(&r);
}

static void test_picker_screen(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, tiny);
    struct form *f = rig_form(&r);
    rig_press(&r, "Down Down Down Enter / a d a m Down");
    fix_machine(f);
    rig_turn(&r);
    assert_string_equal(rig_top(&r), "picker");
    rig_golden(&r, "picker-tiny");
    rig_press(&r, "Esc Esc Up Up Enter");
    fix_machine(f);
    rig_turn(&r);
    rig_golden(&r, "picker-models");
    rig_close(&r);
}

struct pictured_optimizer {
    const char *name;
    int64_t bytes;
    struct plan_row state[4];
};

/* The plan of the picture: DistilBERT, 65,783,042 parameters. */
static void plan_pictured(struct memory_plan *p)
{
    const int64_t each = 263132168;
    static const struct pictured_optimizer shown[] = {
        {"adam", 526264752, {{.name = "exp_avg", .type = "f32"}, {.name = "exp_avg_sq", .type = "f32"},
                             {.name = "step", .type = "f32"}}},
        {"adam8bit", 269272000, {{.name = "state1", .type = "u8"}, {.name = "state2", .type = "u8"},
                                 {.name = "absmax1", .type = "f32"}, {.name = "absmax2", .type = "f32"}}},
        {"adamw", 526264752, {{.name = "step", .type = "f32"}, {.name = "exp_avg", .type = "f32"},
                              {.name = "exp_avg_sq", .type = "f32"}}},
        {"adamw8bit", 269272000, {{.name = "state1", .type = "u8"}, {.name = "state2", .type = "u8"},
                                  {.name = "absmax1", .type = "f32"}, {.name = "absmax2", .type = "f32"}}},
    };
    p->parameters = 65783042;
    p->state_bytes = 526264752;
    p->total_bytes = 2 * each + p->state_bytes + 196706304 + 13107200;
    for (int i = 0; i < p->noptim; i++)
        for (size_t k = 0; k < N(shown); k++)
            if (!strcmp(p->optim[i].name, shown[k].name)) {
                p->optim[i].bytes = shown[k].bytes;
                memcpy(p->optim[i].state, shown[k].state, sizeof shown[k].state);
                p->optim[i].nstate = 0;
                while (p->optim[i].nstate < 4 && *shown[k].state[p->optim[i].nstate].name)
                    p->optim[i].nstate++;
            }
}

/* Columns and figures of the picker, row by row of those optimizers; the box around them. */
static void test_picker_picture(void **state)
{
    (void)state;
    struct rig r;
    struct canvas picture;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, tiny);
    struct form *f = rig_form(&r);
    rig_press(&r, "Down Down Down Enter / a d a m Down Down");
    plan_pictured(&f->facts.plan);
    rig_turn(&r);
    screen_load(&picture, "picker-80x24-braille");
    assert_screen(&r.c, &picture, ((struct rect){6, 3, 68, 6}));  /* to adamw */
    assert_screen(&r.c, &picture, ((struct rect){6, 10, 68, 1})); /* adamw8bit, selected */
    assert_screen(&r.c, &picture, ((struct rect){6, 14, 68, 1}));
    assert_screen(&r.c, &picture, ((struct rect){6, 17, 36, 1})); /* run 1,203.9 -> 958.8 MiB; keeps lr */
    assert_screen(&r.c, &picture, ((struct rect){6, 18, 68, 1}));
    assert_screen(&r.c, &picture, ((struct rect){0, 23, 80, 1}));
    canvas_release(&picture);
    rig_close(&r);
}

/* ---- every size ------------------------------------------------------------------------------- */

/* Nothing is drawn outside, nothing crashes; ends of rows hold what fits. */
static void draw_at_all_sizes(struct rig *r)
{
    for (int h = 1; h <= 52; h += h < 26 ? 1 : 5)
        for (int w = 1; w <= 180; w += w < 84 ? 3 : 17)
            for (int level = 0; level < 3; level++)
                rig_resize(r, w, h, (enum glyph_level)level);
    rig_resize(r, 80, 24, GLYPHS_BRAILLE);
}

static void test_sizes(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, tiny);
    draw_at_all_sizes(&r);
    rig_form(&r);
    draw_at_all_sizes(&r);
    rig_press(&r, "Down Down Down Enter");
    draw_at_all_sizes(&r);
    rig_press(&r, "Esc Down Down Enter 1 Enter Esc");
    assert_string_equal(rig_top(&r), "question");
    draw_at_all_sizes(&r);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launcher_picture),
        cmocka_unit_test(test_launcher_screens),
        cmocka_unit_test(test_question_picture),
        cmocka_unit_test(test_live_options_picture),
        cmocka_unit_test(test_form_screens),
        cmocka_unit_test(test_form_editing_screen),
        cmocka_unit_test(test_picker_screen),
        cmocka_unit_test(test_picker_picture),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
