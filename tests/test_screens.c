/* The dashboard of made-up runs: against the pictures where all figures are known, against files
 * kept beside them elsewhere, at all sizes and levels. */
#include "tests/shot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/screen_check.h"
#include "tui/exit_page.h"
#include "tui/help.h"

static struct canvas picture; /* of the design */

static void load(const char *name)
{
    canvas_release(&picture);
    screen_load(&picture, name);
}

/* Rows of the screen are those of a picture that has no others. */
static void assert_rows(struct shot *s, int from, int n)
{
    for (int y = 0; y < n; y++)
        assert_string_equal(screen_row(&s->c, from + y), screen_row(&picture, y));
}

#define ROWS(from, to) ((struct rect){0, from, s.c.w, (to) - (from) + 1})
#define COLS(x, w, from, to) ((struct rect){x, from, w, (to) - (from) + 1})

/* ---- pictures ------------------------------------------------------------------------------- */

static void overview(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    load("overview-80x24-braille");
    assert_screen(&s.c, &picture, ROWS(0, 1));
    assert_screen(&s.c, &picture, COLS(0, 6, 2, 11));
    assert_screen(&s.c, &picture, ROWS(11, 23));
    shot_keep(&s, "sst2-overview");
    shot_finish(&s);
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_ASCII);
    shot_take(&s, "1");
    load("overview-80x24-ascii");
    assert_screen(&s.c, &picture, ROWS(0, 1));
    assert_screen(&s.c, &picture, ROWS(11, 23));
    shot_keep(&s, "sst2-overview");
    shot_finish(&s);
    shot_start(&s, fixture_sst2, 40, 12, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    load("overview-40x12-braille");
    assert_screen(&s.c, &picture, ROWS(0, 1));
    assert_screen(&s.c, &picture, ROWS(5, 11));
    shot_keep(&s, "sst2-overview");
    shot_finish(&s);
}

static void overview_wide(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 120, 40, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    load("overview-120x40-braille");
    assert_screen(&s.c, &picture, ROWS(0, 1));
    assert_screen(&s.c, &picture, COLS(75, 45, 2, 19)); /* learning rate, accuracy: all is known */
    assert_screen(&s.c, &picture, ROWS(19, 28));
    assert_screen(&s.c, &picture, COLS(0, 81, 29, 31)); /* the verdict has other evidence */
    assert_screen(&s.c, &picture, ROWS(32, 39));
    shot_keep(&s, "sst2-overview");
    shot_finish(&s);
    shot_start(&s, fixture_sst2, 200, 50, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    load("overview-200x50-braille");
    assert_screen(&s.c, &picture, COLS(120, 80, 1, 23));
    assert_screen(&s.c, &picture, ROWS(24, 33));
    assert_screen(&s.c, &picture, COLS(0, 134, 34, 36));
    assert_screen(&s.c, &picture, ROWS(37, 49));
    shot_keep(&s, "sst2-overview");
    shot_finish(&s);
}

/* A cursor moves by dot columns of 34 steps: from the newest step it can't stand on 2,871. */
static void jump_to_spike(struct shot *s)
{
    struct run_fixture *f = &s->f;
    int n = f->m.nedits;
    shot_take(s, "2");
    f->m.edits[0].step = 2871; /* a mark to jump to */
    shot_act(s, ACTION_PREV_MARK, 3);
    f->m.edits[0].step = 2000;
    f->m.nedits = 0; /* the picture's axis has none */
    shot_take(s, "2");
    f->m.nedits = n;
}

static void loss(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    jump_to_spike(&s);
    load("loss-80x24-braille");
    assert_screen(&s.c, &picture, ROWS(0, 1));
    assert_screen(&s.c, &picture, COLS(0, 6, 2, 18));
    assert_screen(&s.c, &picture, COLS(48, 1, 2, 10)); /* the cursor and the spike */
    assert_screen(&s.c, &picture, ROWS(19, 23));
    shot_keep(&s, "sst2-loss-cursor");
    shot_finish(&s);
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_ASCII);
    jump_to_spike(&s);
    load("loss-80x24-ascii");
    assert_screen(&s.c, &picture, ROWS(0, 1));
    assert_screen(&s.c, &picture, ROWS(19, 23));
    shot_keep(&s, "sst2-loss-cursor");
    shot_finish(&s);
    shot_start(&s, fixture_sst2, 120, 40, GLYPHS_BRAILLE);
    jump_to_spike(&s);
    load("loss-120x40-braille");
    assert_screen(&s.c, &picture, ROWS(0, 1));
    assert_screen(&s.c, &picture, ROWS(27, 27));
    assert_screen(&s.c, &picture, ROWS(30, 30));
    assert_screen(&s.c, &picture, COLS(0, 36, 31, 34)); /* loss, scores: last values */
    assert_screen(&s.c, &picture, ROWS(32, 33));
    shot_finish(&s);
}

static void learning_rate(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "3");
    load("learning-rate-80x24-braille");
    assert_screen(&s.c, &picture, ROWS(0, 23));
    shot_keep(&s, "sst2-learning-rate");
    shot_finish(&s);
}

static void memory(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "4");
    load("memory-80x24-braille");
    assert_screen(&s.c, &picture, ROWS(0, 23));
    shot_keep(&s, "sst2-memory");
    shot_act(&s, ACTION_NEXT_PART, 1);
    shot_take(&s, "4");
    load("memory-others-rows-12-21-80x10-braille");
    canvas_put(&picture, 0, 1, ROLE_TEXT, ">"); /* the picture shows no selection */
    assert_rows(&s, 12, 10);
    shot_finish(&s);
    shot_start(&s, fixture_sst2, 120, 40, GLYPHS_BRAILLE);
    shot_take(&s, "4");
    load("memory-120x40-braille");
    assert_screen(&s.c, &picture, ROWS(0, 38));
    shot_finish(&s);
}

static void evaluation(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_fashion, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "5");
    shot_act(&s, ACTION_DOWN, 6);
    shot_take(&s, "5");
    load("evaluation-80x24-braille");
    assert_screen(&s.c, &picture, ROWS(0, 24));
    shot_keep(&s, "fashion-evaluation");
    shot_finish(&s);
}

static void log_view(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "9");
    load("log-80x24-braille");
    assert_screen(&s.c, &picture, ROWS(0, 23));
    shot_keep(&s, "sst2-log");
    shot_finish(&s);
}

static void help(void **state)
{
    struct shot s;
    struct list l = {0};
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    load("help-80x24-braille");
    help_draw(&s.c, &l);
    screen_check(&s.c, true);
    assert_screen(&s.c, &picture, ROWS(0, 23));
    shot_keep(&s, "help-page");
    shot_finish(&s);
}

static void pause_run(struct shot *s)
{
    s->f.st.state = RUN_PAUSED;
    s->f.st.paused_at = s->f.now + 1 - 252;
    s->f.st.saved_at -= 251;
    fixture_poll(&s->f);
}

static void paused(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    pause_run(&s);
    shot_take(&s, "1");
    load("paused-last-two-rows-80x2-braille");
    assert_rows(&s, 22, 2);
    shot_keep(&s, "sst2-paused");
    shot_finish(&s);
}

static void diverged(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_diverged, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "2");
    load("diverged-80x24-braille");
    assert_screen(&s.c, &picture, ROWS(0, 0));
    assert_screen(&s.c, &picture, ROWS(19, 23));
    assert_non_null(strstr(screen_row(&s.c, 1), "× 4 nan/inf ─"));
    assert_non_null(strstr(screen_row(&s.c, 2), "×"));
    shot_keep(&s, "diverged-loss");
    shot_finish(&s);
}

static void too_small(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 32, 8, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    load("too-small-32x8-braille");
    assert_screen(&s.c, &picture, ROWS(0, 7));
    canvas_resize(&s.c, 20, 5);
    fixture_draw(&s.f, "1", &s.c);
    assert_string_equal(screen_row(&s.c, 0), "too small: 20x5, nee");
    assert_string_equal(screen_row(&s.c, 4), "loss 0.0876         ");
    canvas_resize(&s.c, 1, 1);
    fixture_draw(&s.f, "1", &s.c);
    assert_string_equal(screen_row(&s.c, 0), " ");
    shot_finish(&s);
}

/* A page of text as a canvas. */
static void draw_text(struct canvas *c, const char *text)
{
    for (int y = 0; *text; y++) {
        char row[512];
        size_t n = strcspn(text, "\n");
        snprintf(row, sizeof row, "%.*s", (int)n, text);
        assert_true(text_width(row) <= 80);
        canvas_put(c, 0, y, ROLE_TEXT, row);
        text += n + 1;
    }
}

static void exit_words(void **state)
{
    struct shot s;
    struct strbuf page = STRBUF_INIT;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 21, GLYPHS_BRAILLE);
    s.f.st.state = RUN_STOPPED;
    s.f.st.exit_code = TT_ESTOPPED;
    s.f.st.saved_step = 3742;
    s.f.st.train_seconds += 2;
    fixture_poll(&s.f);
    exit_page(&s.f.m, GLYPHS_BRAILLE, &page);
    draw_text(&s.c, page.s);
    load("exit-page-80x21-braille");
    assert_screen(&s.c, &picture, ROWS(0, 7));
    assert_screen(&s.c, &picture, COLS(0, 8, 8, 13));
    assert_screen(&s.c, &picture, ROWS(13, 20));
    strbuf_release(&page);
    shot_finish(&s);
}

/* ---- kept screens --------------------------------------------------------------------------- */

static void all_levels(void **state)
{
    static const char *const views[][2] = {{"1", "overview"}, {"2", "loss"}, {"3", "learning-rate"},
                                           {"4", "memory"}, {"9", "log"}};
    (void)state;
    for (enum glyph_level level = GLYPHS_BRAILLE; level <= GLYPHS_ASCII; level++) {
        for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
            struct shot s;
            char name[64];
            shot_start(&s, fixture_sst2, 80, 24, level);
            shot_take(&s, views[i][0]);
            snprintf(name, sizeof name, "sst2-%s", views[i][1]);
            shot_keep(&s, name);
            canvas_resize(&s.c, 40, 12);
            shot_take(&s, views[i][0]);
            shot_keep(&s, name);
            shot_finish(&s);
        }
    }
}

static void fresh_run(struct run_fixture *f)
{
    fixture_fresh(f, "[run]\nname = first\n[model]\ntype = mlp\n[data]\nformat = synthetic\n"
                     "[eval]\nevery = 500\n");
    f->st.state = RUN_TRAINING;
    f->st.max_steps = 2000;
    f->st.epochs = 4;
    f->st.steps_per_epoch = 500;
    f->st.next_eval = 500;
    f->st.lr_scale = f->st.max_grad_norm = 1;
    str_copy(f->st.optimizer, sizeof f->st.optimizer, "adamw");
    fixture_poll(f);
}

/* In the two larger sizes of the drawings, those that are not drawn. */
static void every_view(void **state)
{
    static const struct {
        const char *key, *name;
        void (*make)(struct run_fixture *);
    } views[] = {{"2", "sst2-loss", fixture_sst2},           {"3", "sst2-learning-rate", fixture_sst2},
                 {"4", "sst2-memory", fixture_sst2},         {"5", "fashion-evaluation", fixture_fashion},
                 {"5", "sst2-evaluation", fixture_sst2},     {"9", "sst2-log", fixture_sst2}};
    static const int sizes[][2] = {{120, 40}, {200, 50}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof views / sizeof *views; i++) {
        struct shot s;
        shot_start(&s, views[i / 2].make, sizes[i % 2][0], sizes[i % 2][1], GLYPHS_BRAILLE);
        shot_take(&s, views[i / 2].key);
        shot_keep(&s, views[i / 2].name);
        shot_finish(&s);
    }
}

static void before_the_first_step(void **state)
{
    static const char *const keys[] = {"1", "2", "3", "4", "5", "9"};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct shot s;
        char name[64];
        shot_start(&s, fresh_run, 80, 24, GLYPHS_BRAILLE);
        shot_take(&s, keys[i]);
        snprintf(name, sizeof name, "fresh-%s", keys[i]);
        shot_keep(&s, name);
        shot_finish(&s);
    }
}

static void other_states(void **state)
{
    struct shot s;
    (void)state;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    s.f.st.state = RUN_EVALUATING;
    s.f.st.eval_rows = 872;
    s.f.st.eval_rows_done = 412;
    fixture_poll(&s.f);
    shot_take(&s, "1");
    assert_non_null(
        strstr(screen_row(&s.c, 22), " ● evaluating step 3,742/6,315  evaluating 412/872  "));
    s.f.st.state = RUN_FINISHED;
    s.f.st.step = s.f.st.max_steps;
    s.f.st.train_seconds = 4851;
    s.f.st.epoch = 3;
    s.f.st.next_eval = -1;
    fixture_poll(&s.f);
    shot_take(&s, "1");
    assert_non_null(strstr(screen_row(&s.c, 22),
                           " ● finished   step 6,315/6,315   took 1:20:51   best 0.9060 @3,000  "));
    shot_keep(&s, "sst2-finished");
    shot_finish(&s);
}

/* ---- all sizes ------------------------------------------------------------------------------ */

static void all_sizes(void **state)
{
    static void (*const makers[])(struct run_fixture *) = {fixture_sst2, fixture_fashion,
                                                           fixture_diverged, fresh_run};
    static const char *const keys[] = {"1", "2", "3", "4", "5", "9"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct shot s;
        struct list l = {0};
        shot_start(&s, makers[i], 1, 1, (enum glyph_level)(i % 3));
        for (int w = 1; w <= 250; w += w < 130 ? 5 : 17)
            for (int h = 1; h <= 80; h += h < 50 ? 3 : 9)
                for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
                    canvas_resize(&s.c, w, h);
                    shot_take(&s, keys[k]);
                    if (k == 0)
                        help_draw(&s.c, &l);
                }
        shot_finish(&s);
    }
}

/* The same size, other values: nothing of the frame moves, no head, no name. */
static void frame_stands_still(void **state)
{
    static const char *const keys[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "d"};
    static const int sizes[][2] = {{40, 12}, {80, 24}, {120, 40}, {200, 50}};
    (void)state;
    for (size_t k = 0; k < 4 * sizeof keys / sizeof *keys; k++) {
        const int *size = sizes[k % 4];
        struct shot a, b;
        shot_start(&a, fixture_sst2, size[0], size[1], GLYPHS_BRAILLE);
        shot_start(&b, fixture_sst2, size[0], size[1], GLYPHS_BRAILLE);
        b.f.st.loss_ema = 1234;
        b.f.st.grad_norm = NAN;
        b.f.st.samples_per_second = 9876;
        b.f.st.step = 7;
        b.f.st.saved_step = -1;
        fixture_poll(&b.f);
        shot_take(&a, keys[k / 4]);
        shot_take(&b, keys[k / 4]);
        screen_same_frame(&a.c, &b.c);
        shot_finish(&a);
        shot_finish(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overview),
        cmocka_unit_test(overview_wide),
        cmocka_unit_test(loss),
        cmocka_unit_test(learning_rate),
        cmocka_unit_test(memory),
        cmocka_unit_test(evaluation),
        cmocka_unit_test(log_view),
        cmocka_unit_test(help),
        cmocka_unit_test(paused),
        cmocka_unit_test(diverged),
        cmocka_unit_test(too_small),
        cmocka_unit_test(exit_words),
        cmocka_unit_test(all_levels),
        cmocka_unit_test(every_view),
        cmocka_unit_test(before_the_first_step),
        cmocka_unit_test(other_states),
        cmocka_unit_test(all_sizes),
        cmocka_unit_test(frame_stands_still),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    canvas_release(&picture);
    return failed;
}
