/* The state inspector: its picture, other sizes, its keys, reports of a run that goes on and of one
 * that is over. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/sys.h"
#include "engine/train/inspect.h"
#include "optimizers/table.h"
#include "tests/config_support.h"
#include "tests/run_fixture.h"
#include "tests/screen.h"
#include "tests/train_support.h"
#include "tests/screen_check.h"
#include "tui/session.h"

#define LIN1 "distilbert.transformer.layer.5.ffn.lin1.weight"

/* ---- the run of the picture ----------------------------------------------------------------- */

struct inspected {
    struct run_fixture f;
    struct run_config rc; /* with an 8-bit optimizer */
    struct view *view;
    struct inspect_report report;
    struct canvas c;
};

static void eight_bits(struct memory_plan *p)
{
    static const char *const states[] = {"state1", "absmax1", "state2", "absmax2"};
    p->nstate = 4;
    for (int k = 0; k < 4; k++)
        str_copy(p->state[k].name, sizeof p->state[k].name, states[k]);
    for (int i = 0; i < p->tensors; i++) {
        struct plan_tensor *t = &p->tensor[i];
        bool coded = t->len >= 4096 && !strstr(t->name, "embeddings");
        for (int k = 0; k < 4; k++)
            t->state_bytes[k] = k % 2 == 0 ? (coded ? 1 : 4) * t->len
                                : coded    ? 4 * t->len / 256
                                           : -1;
    }
}

static void finish(struct run_fixture *f)
{
    struct run_status *s = &f->st;
    s->state = RUN_FINISHED;
    str_copy(s->name, sizeof s->name, "sst2-adamw8bit");
    str_copy(f->m.path, sizeof f->m.path, "nowhere");
    s->step = s->max_steps;
    s->train_seconds = 4851;
    s->best = 0.9048;
    s->best_step = 4500;
    f->m.live = false;
    fixture_poll(f);
    f->m.text = f->m.st;
}

/* About what momentum looks like: most of it near 0, few values far out. */
static void fill(struct inspect_bins *b, double lo, double hi, double middle, double width,
                 double most, double tail)
{
    b->lo = lo;
    b->hi = hi;
    for (int i = 0; i < INSPECT_BINS; i++) {
        double x = fabs(((i + 0.5) / INSPECT_BINS - middle) / width);
        b->count[i] = llrint(most * exp(-x * x) + tail * exp(-x));
    }
}

static void fill_report(struct inspect_report *r, int64_t step)
{
    static const unsigned char code[] = {191, 203, 57, 153};
    static const float value[] = {2.31e-5f, 5.96e-5f, -4.13e-5f, 1.49e-6f};
    *r = (struct inspect_report){.of = {.tensor = LIN1, .state = "state1"},
                                 .step = step,
                                 .dtype = DT_U8,
                                 .ndim = 2,
                                 .dim = {3072, 768},
                                 .n = 3072 * 768,
                                 .min = -1.39e-3,
                                 .max = 1.31e-3,
                                 .mean = 7.2e-8,
                                 .rms = 4.95e-5,
                                 .p1 = -1.40e-4,
                                 .p99 = 1.40e-4,
                                 .nlead = 4,
                                 .bits = 8,
                                 .scale = "absmax1",
                                 .blocks = 9216,
                                 .block = 256,
                                 .code_high = 255,
                                 .at_ends = 9580,
                                 .lead_scale = 2.16e-4};
    memcpy(r->lead_code, code, sizeof code);
    memcpy(r->lead, value, sizeof value);
    fill(&r->values, -1.39e-3, 1.39e-3, 0.5, 0.03, 24000, 900);
    fill(&r->scales, 0, 1.4e-3, 0.12, 0.05, 50, 3);
}

static struct view *state_view(struct dashboard *d)
{
    for (int i = 0; i < d->nviews; i++)
        if (!strcmp(d->view[i].cls->name, "state"))
            return &d->view[d->open = i];
    fail();
    return NULL;
}

static void act(struct inspected *s, enum action a, int times)
{
    for (int i = 0; i < times; i++)
        dashboard_action(&s->f.dash, a, &s->f.m);
}

static void draw(struct inspected *s, int w, int h, enum glyph_level level)
{
    canvas_release(&s->c);
    canvas_init(&s->c, w, h, level);
    fixture_draw(&s->f, "6", &s->c);
}

/* The trainer's answer. */
static void answer(struct inspected *s, const struct inspect_report *r)
{
    hub_inspect(s->f.hub, r);
    s->view->cls->poll(s->view, &s->f.m, s->f.hub);
}

static void open_picture(struct inspected *s)
{
    memset(s, 0, sizeof *s);
    fixture_sst2(&s->f);
    eight_bits(&s->f.m.plan);
    config_good(&s->rc, MLP "[data]\nformat = synthetic\n[optimizer]\nname = adamw8bit\n");
    s->f.m.rc = &s->rc;
    s->view = state_view(&s->f.dash);
    canvas_init(&s->c, 80, 24, GLYPHS_BRAILLE);
    s->f.m.path[0] = '\0'; /* there is no checkpoint to read */
    s->view->cls->poll(s->view, &s->f.m, NULL);
    draw(s, 80, 24, GLYPHS_BRAILLE);
    act(s, ACTION_LAST, 1); /* as far up as the picture shows, then down to its tensor */
    draw(s, 80, 24, GLYPHS_BRAILLE);
    act(s, ACTION_UP, 19);
    draw(s, 80, 24, GLYPHS_BRAILLE);
    act(s, ACTION_DOWN, 10);
    fixture_poll(&s->f);
}

static void close_picture(struct inspected *s)
{
    canvas_release(&s->c);
    fixture_release(&s->f);
    run_config_release(&s->rc);
}

/* Without the tabs, which are the same over all views. */
static void golden(struct inspected *s, const char *name)
{
    canvas_fill(&s->c, (struct rect){0, 0, s->c.w, 1}, ROLE_TEXT, ' ');
    screen_check(&s->c, false);
    screen_golden(&s->c, name);
}

static void test_picture(void **state)
{
    (void)state;
    struct inspected s;
    struct canvas picture;
    open_picture(&s);
    finish(&s.f);
    fill_report(&s.report, 6315);
    answer(&s, &s.report);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    screen_load(&picture, "state-80x24-braille");
    assert_screen(&s.c, &picture,
                  ((struct rect){0, 1, 11, 1})); /* there it counts rows, not tensors */
    assert_non_null(strstr(screen_row(&s.c, 1), "tensors 95 of 104"));
    assert_screen(&s.c, &picture, ((struct rect){21, 1, 59, 1}));
    assert_screen(&s.c, &picture, ((struct rect){0, 2, 80, 5})); /* facts, and the rule below */
    assert_screen(&s.c, &picture, ((struct rect){0, 7, 39, 6})); /* tree, labels of the histogram */
    assert_screen(&s.c, &picture, ((struct rect){0, 13, 39, 1}));
    assert_screen(&s.c, &picture, ((struct rect){0, 14, 80, 1}));
    assert_screen(&s.c, &picture, ((struct rect){0, 15, 32, 3}));
    assert_screen(&s.c, &picture, ((struct rect){0, 18, 80, 6})); /* block, status, hints */
    canvas_release(&picture);
    golden(&s, "inspector");
    draw(&s, 80, 24, GLYPHS_ASCII);
    golden(&s, "inspector");
    draw(&s, 40, 12, GLYPHS_BRAILLE);
    golden(&s, "inspector");
    draw(&s, 120, 40, GLYPHS_BRAILLE);
    golden(&s, "inspector");
    draw(&s, 200, 50, GLYPHS_BRAILLE);
    golden(&s, "inspector");
    close_picture(&s);
}

/* A plain state has no scales: its pane shows the copies so far. */
static void test_plain_state(void **state)
{
    (void)state;
    struct inspected s;
    open_picture(&s);
    act(&s, ACTION_UP, 1); /* sa_layer_norm.bias, too small for codes */
    fill_report(&s.report, 0);
    str_copy(s.report.of.tensor, sizeof s.report.of.tensor,
             "distilbert.transformer.layer.5.sa_layer_norm.bias");
    s.report.dtype = DT_F32;
    s.report.ndim = 1;
    s.report.dim[0] = s.report.n = 768;
    s.report.bits = 0;
    s.report.nlead = 32;
    for (int i = 0; i < 32; i++)
        s.report.lead[i] = (float)(i - 8) * 1e-5f;
    s.report.nonfinite = 2;
    for (int i = 0; i < 8; i++) {
        s.report.step = 3400 + 50 * i;
        s.report.rms = 2e-5 + 1e-6 * i * i;
        answer(&s, &s.report);
    }
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    golden(&s, "inspector-plain");
    assert_non_null(strstr(screen_row(&s.c, 5), "zeros 0.0 %   nan/inf 2"));
    assert_int_equal(canvas_at(&s.c, 55, 5)->role, ROLE_BAD);
    act(&s, ACTION_LOG_SCALE, 1);
    act(&s, ACTION_RIGHT, 2);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_non_null(strstr(screen_row(&s.c, 6), " count ──"));
    close_picture(&s);
}

static const struct command *sent(struct inspected *s)
{
    static struct command c;
    c = (struct command){.kind = COMMAND_STOP};
    s->view->cls->poll(s->view, &s->f.m, s->f.hub);
    hub_receive(s->f.hub, &c);
    return &c;
}

/* The view asks once, waits for the answer, and asks again after 50 steps, for another tensor or
 * state, and when it is told to. */
static void test_questions(void **state)
{
    (void)state;
    struct inspected s;
    open_picture(&s);
    const struct command *c = sent(&s);
    assert_int_equal(c->kind, COMMAND_INSPECT);
    assert_string_equal(c->key, LIN1);
    assert_string_equal(c->value, "state1");
    assert_int_equal(sent(&s)->kind, COMMAND_STOP); /* nothing: it waits */
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_non_null(strstr(screen_row(&s.c, 2), "comes at the end of this step"));
    fill_report(&s.report, 3742);
    answer(&s, &s.report);
    assert_int_equal(sent(&s)->kind, COMMAND_STOP);
    s.f.st.step = 3791;
    fixture_poll(&s.f);
    assert_int_equal(sent(&s)->kind, COMMAND_STOP);
    s.f.st.step = 3792;
    fixture_poll(&s.f);
    assert_int_equal(sent(&s)->kind, COMMAND_INSPECT);
    s.report.step = 3792;
    answer(&s, &s.report);
    act(&s, ACTION_START, 1);
    assert_int_equal(sent(&s)->kind, COMMAND_INSPECT);
    answer(&s, &s.report);
    act(&s, ACTION_RIGHT, 1);
    assert_int_equal(sent(&s)->first, 256);
    s.report.of.first = 256;
    answer(&s, &s.report);
    act(&s, ACTION_NEXT_PART, 1);
    c = sent(&s);
    assert_string_equal(c->value, "state2"); /* not absmax1: scales go with their state */
    assert_int_equal(c->first, 0);
    answer(&s, &s.report); /* of what was wanted before */
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_non_null(strstr(screen_row(&s.c, 1), "state2"));
    assert_non_null(strstr(screen_row(&s.c, 2), "comes at the end of this step"));
    assert_string_equal(sent(&s)->value, "state2"); /* so it has asked again */
    str_copy(s.report.of.state, sizeof s.report.of.state, "state2");
    s.report.of.first = 0;
    answer(&s, &s.report);
    act(&s, ACTION_NEXT_PART, 1);
    assert_string_equal(sent(&s)->value, INSPECT_WEIGHTS);
    close_picture(&s);
}

static void test_filter_and_picker(void **state)
{
    (void)state;
    struct inspected s;
    struct key_event key = {.code = 'o'};
    open_picture(&s);
    act(&s, ACTION_FILTER, 1);
    for (const char *p = "out_lin.b"; *p; p++) {
        key.code = (uint32_t)*p;
        assert_true(dashboard_key(&s.f.dash, &key, &s.f.m));
    }
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_non_null(strstr(screen_row(&s.c, 1), "tensors 6 of 104 /out_li…"));
    assert_non_null(strstr(screen_row(&s.c, 23), "/out_lin.b_"));
    assert_true(s.f.dash.nviews > 0);
    key.code = KEY_ESCAPE;
    assert_true(dashboard_key(&s.f.dash, &key, &s.f.m));
    draw(&s, 40, 12, GLYPHS_BRAILLE); /* the filter has opened the picker */
    golden(&s, "inspector-picker");
    act(&s, ACTION_ENTER, 1);
    draw(&s, 40, 12, GLYPHS_BRAILLE);
    assert_non_null(strstr(screen_row(&s.c, 11), "Enter tensors"));
    close_picture(&s);
}

/* Every size: nothing outside of the view, no text in the separator. */
static void test_sizes(void **state)
{
    (void)state;
    struct inspected s;
    open_picture(&s);
    fill_report(&s.report, 3742);
    answer(&s, &s.report);
    for (int h = 12; h <= 60; h += 3)
        for (int w = 40; w <= 200; w += 7) {
            draw(&s, w, h, GLYPHS_BRAILLE);
            struct layout_state l = layout_state(w, h);
            for (int y = 2; y < h - 2 && l.tree.w; y++) {
                uint32_t ch = canvas_at(&s.c, l.tree.w, y)->ch;
                assert_true(ch == 0x2502 || ch == 0x251c);
            }
        }
    close_picture(&s);
}

static void test_before_the_first_step(void **state)
{
    (void)state;
    struct inspected s;
    open_picture(&s);
    s.f.st.step = 0;
    s.f.st.state = RUN_STARTING;
    fixture_poll(&s.f);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_non_null(strstr(screen_row(&s.c, 2), "states are created with the first step"));
    assert_int_equal(sent(&s)->kind, COMMAND_STOP);
    close_picture(&s);
}

/* ---- real runs ------------------------------------------------------------------------------ */

static bool shows(const struct canvas *c, const char *text)
{
    for (int y = 0; y < c->h; y++)
        if (strstr(screen_row(c, y), text))
            return true;
    return false;
}

static void wait_for(struct session *s, struct canvas *c, const char *text)
{
    double until = sys_now() + 20;
    do {
        usleep(5000);
        session_poll(s, sys_now());
        dashboard_draw(&s->dash, c, &s->model);
    } while (!shows(c, text) && sys_now() < until);
    if (!shows(c, text))
        fail_msg("no \"%s\" on the screen", text);
}

static const char config_text[] =
    "[optimizer]\nname = adamw8bit\nmin_8bit_size = 64\n[train]\nmax_steps = 30\n"
    "[checkpoint]\nevery = 10\n";

static void test_run_from_disk(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    struct session *s;
    struct canvas c;
    struct err e = ERR_INIT;
    train_run(train_config(dir, "disk", config_text), false, &o);
    assert_int_equal(o.code, 0);
    assert_int_equal(session_load(&s, test_path_in(dir, "runs/disk"), optim_classes, &e), 0);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    state_view(&s->dash);
    wait_for(s, &c, "u8[16×12], absmax1 f32[1], block 256");
    assert_true(shows(&c, "state1 after step 30"));
    assert_true(shows(&c, " linear.0 "));
    dashboard_action(&s->dash, ACTION_PREV_PART, &s->model);
    wait_for(s, &c, "weights after step 30");
    canvas_release(&c);
    session_free(s);
}

static void test_run_that_goes_on(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    const char *config = train_config(dir, "live", "[train]\nmax_steps = 1000000\n");
    struct run_config rc;
    struct session *s;
    struct canvas c;
    struct err e = ERR_INIT;
    assert_int_equal(run_config_load(&rc, config, NULL, 0, optim_classes, &e), 0);
    assert_int_equal(session_start(&s, &rc, NULL, &e), 0);
    canvas_init(&c, 80, 24, GLYPHS_BRAILLE);
    state_view(&s->dash);
    wait_for(s, &c, "f32[16×12]");
    dashboard_action(&s->dash, ACTION_PREV_PART, &s->model);
    wait_for(s, &c, "gradients after step");
    wait_for(s, &c, "values over time");
    session_stop_now(s);
    session_free(s);
    atomic_store(&hub_stop_request, 0);
    canvas_release(&c);
    run_config_release(&rc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture),       cmocka_unit_test(test_plain_state),
        cmocka_unit_test(test_questions),     cmocka_unit_test(test_filter_and_picker),
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_before_the_first_step),
        cmocka_unit_test(test_run_from_disk), cmocka_unit_test(test_run_that_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
