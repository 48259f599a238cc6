/* Runs side by side on the screen: the picture, other sizes, pins, a file of a million lines, and
 * another run looked at beside one that goes on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/sys.h"
#include "tests/app_rig.h"
#include "tests/compare_support.h"
#include "tests/run_fixture.h"
#include "tests/train_support.h"
#include "tests/screen_check.h"

/* In a fresh folder. */
static void begin(void)
{
    assert_int_equal(chdir(test_temp_dir()), 0);
}

/* The run of the dashboard has its line too. */
static void make_own(void)
{
    const char *path = test_path_in(make_dir("sst2-adamw"), "metrics.jsonl");
    FILE *f = fopen(path, "w");
    put_first_line(f, "sst2-adamw", "adamw", 501.9, 6315, 42);
    fclose(f);
}

/* ---- the view ------------------------------------------------------------------------------- */

struct compared {
    struct run_fixture f;
    struct view *view;
    struct canvas c;
};

static void settle(struct compared *s)
{
    for (int i = 0; i < 50; i++) {
        s->f.m.now += 1;
        s->view->cls->poll(s->view, &s->f.m, s->f.hub);
    }
}

static void open_view(struct compared *s)
{
    memset(s, 0, sizeof *s);
    fixture_sst2(&s->f);
    for (int i = 0; i < s->f.dash.nviews; i++)
        if (!strcmp(s->f.dash.view[i].cls->name, "compare"))
            s->view = &s->f.dash.view[s->f.dash.open = i];
    canvas_init(&s->c, 80, 24, GLYPHS_BRAILLE);
    settle(s);
}

static void close_view(struct compared *s)
{
    canvas_release(&s->c);
    fixture_release(&s->f);
}

static void draw(struct compared *s, int w, int h, enum glyph_level level)
{
    canvas_release(&s->c);
    canvas_init(&s->c, w, h, level);
    fixture_draw(&s->f, "7", &s->c);
}

static unsigned act(struct compared *s, enum action a)
{
    return dashboard_action(&s->f.dash, a, &s->f.m);
}

static bool shows(const struct compared *s, const char *text)
{
    for (int y = 0; y < s->c.h; y++)
        if (strstr(screen_row(&s->c, y), text))
            return true;
    return false;
}

/* Without the tabs, which are the same over all views. */
static void golden(struct compared *s, const char *name)
{
    canvas_fill(&s->c, (struct rect){0, 0, s->c.w, 1}, ROLE_TEXT, ' ');
    screen_check(&s->c, false);
    screen_golden(&s->c, name);
}

static void test_picture(void **state)
{
    (void)state;
    struct compared s;
    struct canvas picture;
    begin();
    make_own();
    make_run(&made_adafactor);
    make_run(&made_adamw8bit);
    open_view(&s);
    s.f.m.queue = s.f.m.queued = 3;
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    screen_load(&picture, "compare-80x24-braille");
    assert_screen(&s.c, &picture, ((struct rect){0, 1, 80, 1}));
    assert_screen(&s.c, &picture, ((struct rect){0, 2, 6, 13})); /* labels of the loss */
    assert_screen(&s.c, &picture, ((struct rect){0, 15, 80, 9}));
    canvas_release(&picture);
    assert_int_equal(canvas_at(&s.c, 51, 17)->role, ROLE_OK);
    golden(&s, "compare-runs");
    draw(&s, 80, 24, GLYPHS_ASCII);
    golden(&s, "compare-runs");
    draw(&s, 40, 12, GLYPHS_BRAILLE);
    golden(&s, "compare-runs");
    draw(&s, 200, 50, GLYPHS_BRAILLE);
    golden(&s, "compare-runs");
    draw(&s, 120, 40, GLYPHS_BRAILLE);
    golden(&s, "compare-runs");
    act(&s, ACTION_NEXT_PART); /* learning rate */
    while (!shows(&s, "eval_accuracy")) {
        act(&s, ACTION_NEXT_PART);
        draw(&s, 80, 24, GLYPHS_BRAILLE);
    }
    act(&s, ACTION_X_AXIS);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    golden(&s, "compare-points");
    close_view(&s);
}

static void test_sizes(void **state)
{
    (void)state;
    struct compared s;
    begin();
    make_own();
    make_run(&made_adafactor);
    open_view(&s);
    for (int h = 12; h <= 60; h += 3)
        for (int w = 40; w <= 200; w += 7) {
            draw(&s, w, h, GLYPHS_BRAILLE);
            assert_true(shows(&s, "A") && shows(&s, "B"));
            assert_true(shows(&s, "state"));
        }
    close_view(&s);
}

static void test_one_run(void **state)
{
    (void)state;
    struct compared s;
    begin();
    make_own();
    open_view(&s);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, "one run; a adds another"));
    close_view(&s);
}

/* Space pauses the run until a row is selected; then it pins, six at most. Runs that can't be held
 * against this one are listed and not pinned. */
static void test_pins(void **state)
{
    (void)state;
    struct compared s;
    struct made m = made_adafactor;
    char names[8][24];
    begin();
    make_own();
    for (int i = 0; i < 8; i++) {
        snprintf(names[i], sizeof names[i], "sst2-x%d", i);
        m.name = names[i];
        m.steps = 500;
        make_run(&m);
    }
    open_view(&s);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, " F "));
    assert_true(shows(&s, "sst2-x4"));
    assert_true(shows(&s, "runs 6 of 9"));
    assert_true(shows(&s, "Space pause"));
    assert_int_equal(act(&s, ACTION_PAUSE), REACT_NONE);
    act(&s, ACTION_LAST);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, "Space pin"));
    assert_true(shows(&s, ">      sst2-x7"));
    act(&s, ACTION_PAUSE);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, "six runs are pinned"));
    act(&s, ACTION_FIRST);
    act(&s, ACTION_DOWN);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(act(&s, ACTION_PAUSE)); /* B goes */
    act(&s, ACTION_LAST);
    act(&s, ACTION_PAUSE); /* and is the last one now */
    settle(&s);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, ">B ⠒⠂  sst2-x7"));
    act(&s, ACTION_BACK);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, "Space pause"));
    close_view(&s);
}

static void test_incomparable(void **state)
{
    (void)state;
    struct compared s;
    struct made m = made_adafactor;
    begin();
    make_own();
    make_run(&made_adamw8bit);
    m.name = "bad";
    make_run(&m);
    make_summary("runs/bad", &m, "diverged");
    m.name = "other";
    make_run(&m);
    test_write_file("runs/other", "metrics.jsonl", "{\"model\":\"mlp\",\"optimizer\":\"sgd\"}\n");
    open_view(&s);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, " A ⠒⠒⠒ sst2-adamw "));
    assert_true(shows(&s, "       bad "));
    assert_true(shows(&s, "       other "));
    assert_true(shows(&s, " B ⠒⠂  sst2-adamw8bit"));
    close_view(&s);
}

static void type(struct compared *s, const char *text)
{
    struct key_event k = {0};
    for (; *text; text++) {
        k.code = (unsigned char)*text == '\n' ? KEY_ENTER_KEY : (unsigned char)*text;
        assert_true(dashboard_key(&s->f.dash, &k, &s->f.m));
    }
}

static void test_add_by_name(void **state)
{
    (void)state;
    struct compared s;
    begin();
    make_own();
    make_run(&made_adafactor);
    assert_int_equal(mkdir("elsewhere", 0777), 0);
    assert_int_equal(rename("runs/sst2-adafactor", "elsewhere/far"), 0);
    open_view(&s);
    act(&s, ACTION_ADD);
    type(&s, "elsewhere/fa");
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, " run directory or name  elsewhere/fa_"));
    type(&s, "r\n");
    settle(&s);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, "B ⠒⠂  far            adafactor"));
    assert_true(shows(&s, "B 0.8968"));
    act(&s, ACTION_ADD);
    type(&s, "nothing\n");
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_true(shows(&s, "no such run"));
    close_view(&s);
}

static void test_open_run(void **state)
{
    (void)state;
    struct compared s;
    begin();
    make_own();
    make_run(&made_adafactor);
    open_view(&s);
    draw(&s, 80, 24, GLYPHS_BRAILLE);
    assert_false(act(&s, ACTION_ENTER) & REACT_OPEN_RUN); /* selects the first of the others */
    assert_true(act(&s, ACTION_ENTER) & REACT_OPEN_RUN);
    assert_true(str_ends(s.f.dash.open_run, "/runs/sst2-adafactor"));
    close_view(&s);
}

#define LONG_RUN 1000000

/* Of the processor, as others may use it meanwhile. */
static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A million lines come in pieces: no turn of the loop takes long, and all of them arrive. */
static void test_long_file(void **state)
{
    (void)state;
    struct compared s;
    double longest = 0, start;
    int turns = 0;
    begin();
    make_own();
    open_view(&s);
    const char *dir = make_dir("long");
    FILE *f = fopen(test_path_in(dir, "metrics.jsonl"), "w");
    put_first_line(f, "long", "sgd", 0, LONG_RUN, 42);
    for (int i = 1; i <= LONG_RUN; i++)
        fprintf(
            f,
            "{\"step\":%d,\"epoch\":0.5,\"loss\":0.61,\"learning_rate\":4.5e-05,\"grad_norm\":1.9,"
            "\"samples_per_second\":310.2,\"tokens_per_second\":9800,\"skipped\":0}\n",
            i);
    fclose(f);
    make_summary(dir, &made_adafactor, "finished");
    start = sys_now();
    do {
        double from = thread_seconds();
        s.f.m.now += 0.1;
        s.view->cls->poll(s.view, &s.f.m, s.f.hub);
        longest = fmax(longest, thread_seconds() - from);
        draw(&s, 80, 24, GLYPHS_BRAILLE);
    } while (!shows(&s, "1,000,000") && ++turns < 100000);
    print_message("a million lines: %.2f s in %d turns, the longest %.3f s\n", sys_now() - start,
                  turns, longest);
    assert_true(turns > 10 && turns < 100000);
    assert_true(longest < 0.5);
    close_view(&s);
}

/* ---- the console ---------------------------------------------------------------------------- */

static const char endless[] = "[model]\ntype = mlp\n[data]\nformat = synthetic\nrows = 600\n"
                              "[train]\nmax_steps = 10000000\n[eval]\nevery = no\n"
                              "[checkpoint]\nevery = no\n[log]\ntensorboard = no\n";

static bool is_training(struct rig *r)
{
    return r->app.session && r->app.session->model.st.step > 20;
}

static bool lists_first(struct rig *r)
{
    return rig_shows(r, " B ⠒⠂  first");
}

static bool shows_states(struct rig *r)
{
    return rig_shows(r, "exp_avg after step 20");
}

/* Another run is looked at while the one in hand goes on below; Space pauses it unless a row is
 * selected. */
static void test_look_beside_a_live_run(void **state)
{
    (void)state;
    struct rig r;
    struct outcome o;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, endless);
    train_run(train_config(".", "first", "[train]\nmax_steps = 20\n[checkpoint]\nevery = 20\n"),
              false, &o);
    assert_int_equal(o.code, 0);
    rig_form(&r);
    rig_press(&r, "r");
    rig_wait(&r, is_training, 20);
    rig_press(&r, "7 a");
    rig_type(&r, "first");
    rig_press(&r, "Enter");
    rig_wait(&r, lists_first, 20);
    rig_press(&r, "Enter Enter");
    assert_string_equal(rig_top(&r), "look");
    assert_true(rig_shows(&r, "── first ──"));
    rig_press(&r, "6");
    rig_wait(&r, shows_states, 20);
    rig_press(&r, "Esc");
    assert_string_equal(rig_top(&r), "run");
    assert_true(app_run_is_live(&r.app));
    rig_press(&r, "Esc q");
    assert_string_equal(rig_top(&r), "question");
    session_stop_now(r.app.session);
    rig_close(&r);
    atomic_store(&hub_stop_request, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_one_run),
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_incomparable),
        cmocka_unit_test(test_add_by_name),
        cmocka_unit_test(test_open_run),
        cmocka_unit_test(test_long_file),
        cmocka_unit_test(test_look_beside_a_live_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
