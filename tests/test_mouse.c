/* Clicks: on tabs, on rows of every list, into plots; and none through a popup. */
#include "tests/app_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/screen_check.h"

static const char config[] = "[model]\ntype = mlp\nhidden = 16\n[data]\nformat = synthetic\nrows = 600\n"
                             "[optimizer]\nlr = 1e-3\n[train]\nmax_steps = 1000000\nbatch_size = 20\n"
                             "[eval]\nevery = 100\n[checkpoint]\nevery = no\n[log]\ntensorboard = no\n";

static void click(struct rig *r, int x, int y)
{
    app_key(&r->app, &(struct key_event){.code = KEY_CLICK, .x = x, .y = y});
    rig_turn(r);
}

/* Where a text stands on the screen. */
static struct rect find(struct rig *r, const char *text)
{
    for (int y = 0; y < r->c.h; y++) {
        const char *row = screen_row(&r->c, y), *at = strstr(row, text);
        char before[2048];
        if (!at)
            continue;
        snprintf(before, sizeof before, "%.*s", (int)(at - row), row);
        return (struct rect){text_width(before), y, text_width(text), 1};
    }
    for (int y = 0; y < r->c.h; y++)
        print_error("%s\n", screen_row(&r->c, y));
    fail_msg("nowhere \"%s\"", text);
    return (struct rect){0};
}

static void click_on(struct rig *r, const char *text)
{
    struct rect at = find(r, text);
    click(r, at.x + 1, at.y);
}

/* The text of the selected row. */
static const char *selected_row(struct rig *r)
{
    for (int y = 1; y < r->c.h - 1; y++)
        for (int x = 0; x < r->c.w; x++)
            if (canvas_at(&r->c, x, y)->select)
                return screen_row(&r->c, y);
    return "";
}

static bool is_paused(struct rig *r)
{
    return r->app.session->model.text.state == RUN_PAUSED;
}

static bool has_scores(struct rig *r)
{
    return r->app.session && r->app.session->model.have_report;
}

static void start(struct rig *r)
{
    rig_open(r, 120, 40, GLYPHS_BRAILLE, config);
    rig_form(r);
    rig_press(r, "r");
    rig_wait(r, has_scores, 20);
    rig_press(r, "Space");
    rig_wait(r, is_paused, 10);
}

static void test_tabs(void **state)
{
    static const char *const names[] = {"loss",    "lr",     "memory", "eval", "state",
                                        "compare", "system", "log",    "data", "overview"};
    struct rig r;
    char open[32];
    (void)state;
    start(&r);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct rect at = find(&r, names[i]);
        assert_int_equal(at.y, 0);
        click(&r, at.x, 0);
        snprintf(open, sizeof open, " %s]", names[i]);
        assert_true(rig_shows(&r, open));
    }
    rig_close(&r);
}

static void test_lists_of_views(void **state)
{
    struct rig r;
    (void)state;
    start(&r);
    rig_press(&r, "4");
    click_on(&r, "linear.1.bias");
    assert_non_null(strstr(selected_row(&r), "linear.1.bias"));
    click_on(&r, "adafactor_torch"); /* the other table */
    assert_non_null(strstr(selected_row(&r), "adafactor_torch"));
    click_on(&r, "linear.0.bias");
    click_on(&r, "linear.0.bias"); /* again: Enter */
    assert_true(rig_shows(&r, "[6 state]"));
    rig_press(&r, "2");
    click_on(&r, "eval_accuracy");
    click_on(&r, "eval_accuracy");
    assert_true(rig_shows(&r, "── eval_accuracy "));
    rig_press(&r, "9");
    click_on(&r, "info  ");
    assert_true(rig_shows(&r, "frozen"));
    assert_non_null(strstr(selected_row(&r), "info  "));
    rig_press(&r, "5");
    click_on(&r, " 2 2  ");
    assert_non_null(strstr(selected_row(&r), ">2 2  "));
    rig_close(&r);
}

static int64_t cursor_step(struct rig *r)
{
    long long step = -1;
    for (int y = 0; y < r->c.h && step < 0; y++)
        sscanf(screen_row(&r->c, y), " step %lld", &step);
    return step;
}

/* The column that was clicked on has the cursor, and the values beside are those of its step. */
static void test_plots(void **state)
{
    struct rig r;
    (void)state;
    start(&r);
    for (int view = 2; view <= 3; view++) {
        int x = 40, y = 8;
        rig_press(&r, view == 2 ? "2" : "3");
        click(&r, x, y);
        bool there = false;
        for (int row = 2; row < 30; row++)
            there |= canvas_at(&r.c, x, row)->role == ROLE_CURSOR;
        assert_true(there);
        click(&r, x + 10, y);
        there = false;
        for (int row = 2; row < 30; row++)
            there |= canvas_at(&r.c, x, row)->role == ROLE_CURSOR;
        assert_false(there);
        rig_press(&r, "Esc");
    }
    rig_press(&r, "2");
    click(&r, 119, 8); /* to the right of what was measured: its last step */
    assert_true(cursor_step(&r) <= r.app.session->model.text.step);
    rig_close(&r);
}

static bool lists_optimizers(struct rig *r)
{
    return rig_shows(r, "sgd ");
}

static void test_launcher_and_form(void **state)
{
    struct rig r;
    (void)state;
    rig_open(&r, 80, 24, GLYPHS_BRAILLE, config);
    test_write_file("configs", "second.ini", config);
    test_write_file("configs", "third.ini", config);
    app_release(&r.app);
    app_init(&r.app, r.app.optims);
    app_push(&r.app, launcher_new(&r.app));
    rig_turn(&r);
    click_on(&r, "third.ini");
    assert_non_null(strstr(selected_row(&r), "third.ini"));
    click_on(&r, "second.ini");
    assert_non_null(strstr(selected_row(&r), "second.ini"));
    click_on(&r, "second.ini");
    assert_string_equal(rig_top(&r), "form");
    assert_true(rig_shows(&r, "configs/second.ini"));
    click_on(&r, "weight_decay");
    assert_non_null(strstr(selected_row(&r), "weight_decay"));
    click_on(&r, "optimizer   ");
    click_on(&r, "optimizer   ");
    assert_string_equal(rig_top(&r), "picker");
    click_on(&r, "lamb ");
    assert_true(rig_shows(&r, "│>  lamb "));
    click_on(&r, "lamb ");
    assert_string_equal(rig_top(&r), "form");
    assert_non_null(strstr(selected_row(&r), "lamb"));
    rig_wait(&r, lists_optimizers, 20);
    click_on(&r, "sgd "); /* the list beside */
    assert_non_null(strstr(selected_row(&r), "sgd "));
    rig_close(&r);
}

/* A popup lies over all that is below it. */
static void test_popup(void **state)
{
    struct rig r;
    (void)state;
    start(&r);
    int x = find(&r, "loss").x;
    rig_press(&r, "o");
    assert_string_equal(rig_top(&r), "live options");
    click(&r, x, 0);
    click(&r, 3, 8);
    assert_string_equal(rig_top(&r), "live options");
    assert_true(rig_shows(&r, "[1 overview]"));
    rig_press(&r, "Esc");
    click(&r, x, 0);
    assert_true(rig_shows(&r, "[2 loss]"));
    click(&r, -1, -1);
    click(&r, 500, 500);
    rig_close(&r);
}

/* Anywhere, on any screen: nothing crashes, nothing is overlapped. */
static void test_everywhere(void **state)
{
    static const char *const keys[] = {"1", "2", "3", "4", "5",   "6", "7",
                                       "8", "9", "d", "?", "Esc", "o", "Esc"};
    struct rig r;
    (void)state;
    start(&r);
    srand(3);
    for (int i = 0; i < 1500 && !r.app.leave; i++) {
        if (i % 5 == 0)
            rig_press(&r, keys[(size_t)rand() % (sizeof keys / sizeof *keys)]);
        if (i % 40 == 0)
            rig_resize(&r, 40 + rand() % 160, 12 + rand() % 40, GLYPHS_BRAILLE);
        click(&r, rand() % r.c.w, rand() % r.c.h);
        screen_check(&r.c, !strcmp(rig_top(&r), "run"));
    }
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tabs),  cmocka_unit_test(test_lists_of_views),
        cmocka_unit_test(test_plots), cmocka_unit_test(test_launcher_and_form),
        cmocka_unit_test(test_popup), cmocka_unit_test(test_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
