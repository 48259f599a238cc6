/* Rules, bars, boxes, numbers, lists and text fields against the pictures of tests/screens. */
#include "tests/screen.h"

#include <math.h>
#include <string.h>

#include "tui/keys.h"
#include "tui/widgets.h"

static void check_rule(const char *name, int x, int y, int w, const char *title, const char *text,
                       const char *right)
{
    struct canvas c, picture;
    screen_load(&picture, name);
    canvas_init(&c, picture.w, picture.h, strstr(name, "ascii") ? GLYPHS_ASCII : GLYPHS_BRAILLE);
    draw_rule(&c, x, y, w, title, text, right);
    assert_screen(&c, &picture, ((struct rect){x + 1, y, w - 1, 1})); /* the joint is the view's */
    canvas_release(&c);
    canvas_release(&picture);
}

static void test_rules(void **state)
{
    (void)state;
    check_rule("overview-80x24-braille", 40, 12, 40, "memory", NULL, "1,203.9 MiB");
    check_rule("overview-80x24-braille", 41, 18, 39, "eval", NULL, "step 3,500");
    check_rule("overview-80x24-ascii", 40, 12, 40, "memory", NULL, "1,203.9 MiB");
    check_rule("evaluation-80x24-braille", 0, 1, 80, "evaluation", "10,000 rows, * best accuracy",
               "fashion-convnet");
    check_rule("overview-80x24-braille", 0, 1, 80, "loss", " ⠒⠒ EMA 0.95   ⢕⢕ raw min-max   ◆ eval",
               "sst2-adamw");
    check_rule("state-80x24-braille", 31, 1, 49, "state1", "after step 6,315", "sst2-adamw8bit");
    check_rule("form-80x24-braille", 43, 10, 37, "schedule linear", NULL, "warm-up 632");
}

static void test_rule_leaves_out_whole_parts(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c, 30, 5, GLYPHS_BRAILLE);
    draw_rule(&c, 0, 0, 30, "loss", "EMA 0.95", "sst2");
    draw_rule(&c, 0, 1, 22, "loss", "EMA 0.95", "sst2");
    draw_rule(&c, 0, 2, 15, "loss", "EMA 0.95", "sst2");
    draw_rule(&c, 0, 3, 8, "loss", "EMA 0.95", "sst2");
    assert_string_equal(screen_row(&c, 0), "── loss EMA 0.95 ───── sst2 ──");
    assert_string_equal(screen_row(&c, 1), "── loss EMA 0.95 ─────        ");
    assert_string_equal(screen_row(&c, 2), "── loss ───────               ");
    assert_string_equal(screen_row(&c, 3), "────────                      ");
    canvas_release(&c);
}

struct bar {
    const char *picture;
    int x, y, w;
    double fraction;
    bool progress;
};

static void test_bars(void **state)
{
    (void)state;
    static const struct bar bars[] = {
        {"overview-80x24-braille", 11, 13, 20, 3742 / 6315.0, true},
        {"overview-80x24-braille", 11, 14, 20, 1637 / 2105.0, true},
        {"overview-80x24-ascii", 11, 13, 20, 3742 / 6315.0, true},
        {"overview-80x24-ascii", 11, 14, 20, 1637 / 2105.0, true},
        {"overview-40x12-braille", 6, 6, 25, 3742 / 6315.0, true},
        {"overview-200x50-braille", 11, 25, 46, 3742 / 6315.0, true},
        {"overview-200x50-braille", 11, 26, 46, 1637 / 2105.0, true},
        {"system-80x24-braille", 23, 14, 20, 196.0 / 200, true},
        {"system-80x24-braille", 30, 2, 49, 0.001 / 0.742, false},
        {"system-80x24-braille", 30, 3, 49, 0.229 / 0.742, false},
        {"system-80x24-braille", 30, 4, 49, 0.452 / 0.742, false},
        {"system-80x24-braille", 30, 5, 49, 0.011 / 0.742, false},
        {"system-80x24-braille", 30, 6, 49, 0.047 / 0.742, false},
        {"overview-80x24-braille", 69, 13, 10, 501.9 / 1203.9, false},
        {"overview-80x24-braille", 69, 14, 10, 250.9 / 1203.9, false},
        {"overview-80x24-braille", 69, 16, 10, 416 / 1262342592.0, false},
        {"overview-80x24-braille", 69, 17, 10, 200.1 / 1203.9, false},
        {"overview-80x24-ascii", 69, 16, 10, 416 / 1262342592.0, false},
        {"memory-120x40-braille", 101, 5, 18, 526264752 / 1262342592.0, false},
        {"memory-120x40-braille", 101, 10, 18, 1, false},
        {"data-80x24-braille", 41, 5, 14, 0.442, false},
        {"data-80x24-braille", 41, 6, 14, 0.558, false},
    };
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        const struct bar *b = &bars[i];
        struct canvas c, picture;
        screen_load(&picture, b->picture);
        canvas_init(&c, picture.w, picture.h,
                    strstr(b->picture, "ascii") ? GLYPHS_ASCII : GLYPHS_BRAILLE);
        if (b->progress)
            draw_progress(&c, b->x, b->y, b->w, b->fraction);
        else
            draw_amount(&c, b->x, b->y, b->w, b->fraction, ROLE_SERIES1);
        assert_screen(&c, &picture, ((struct rect){b->x, b->y, b->w, 1}));
        canvas_release(&c);
        canvas_release(&picture);
    }
}

static void test_bars_are_honest(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c, 6, 4, GLYPHS_BRAILLE);
    draw_progress(&c, 0, 0, 4, 0.9999);
    draw_progress(&c, 0, 1, 4, 1);
    draw_progress(&c, 0, 2, 4, 1e-9);
    draw_progress(&c, 0, 3, 4, 0);
    assert_string_equal(screen_row(&c, 0), "━━━╸  ");
    assert_string_equal(screen_row(&c, 1), "━━━━  ");
    assert_string_equal(screen_row(&c, 2), "╸───  ");
    assert_string_equal(screen_row(&c, 3), "────  ");
    c.level = GLYPHS_BLOCK;
    draw_progress(&c, 0, 0, 4, 0.9999);
    draw_progress(&c, 0, 1, 4, NAN);
    assert_string_equal(screen_row(&c, 0), "■■■─  ");
    assert_string_equal(screen_row(&c, 1), "────  ");
    canvas_release(&c);
}

/* What stands beside the box is what the picture with the popup has there. */
static void check_box(const char *below, const char *with, struct rect box, int rows,
                      const char *title, const char *right)
{
    struct canvas c, picture;
    screen_load(&c, below);
    screen_load(&picture, with);
    for (int i = 9 * c.w; i < c.w * c.h; i++) /* planned learning rates are dim, not a curve */
        if (strstr(below, "learning-rate") && i % c.w > 51 && c.cell[i].role == ROLE_RAW)
            c.cell[i].role = ROLE_DIM;
    draw_box(&c, box, title, right);
    assert_screen(&c, &picture, ((struct rect){0, 1, box.x + 1, rows}));
    assert_screen(&c, &picture,
                  ((struct rect){box.x + box.w - 1, 1, c.w - box.x - box.w + 1, rows}));
    assert_screen(&c, &picture, ((struct rect){box.x, box.y, box.w, 1}));
    assert_screen(&c, &picture, ((struct rect){box.x, box.y + box.h - 1, box.w, 1}));
    canvas_release(&c);
    canvas_release(&picture);
}

static void test_box_cuts_no_word(void **state)
{
    (void)state;
    check_box("overview-80x24-braille", "quit-80x24-braille", (struct rect){12, 6, 56, 11}, 21,
              "leave sst2-adamw?", NULL);
    check_box("form-80x24-braille", "picker-80x24-braille", (struct rect){6, 3, 68, 16}, 20,
              "optimizer", "8 of 18");
    check_box("learning-rate-80x24-braille", "live-edit-80x24-braille", (struct rect){8, 3, 64, 16},
              20, "options that may change now", NULL);
}

static void test_numbers(void **state)
{
    (void)state;
    char s[64];
    const enum glyph_level level = GLYPHS_BRAILLE;
    assert_string_equal(fmt_loss(s, sizeof s, 0.08764, level), "0.0876");
    assert_string_equal(fmt_loss(s, sizeof s, 0, level), "0.0000");
    assert_string_equal(fmt_loss(s, sizeof s, 0.00099, level), "9.90e-04");
    assert_string_equal(fmt_loss(s, sizeof s, 1234, level), "1.23e+03");
    assert_string_equal(fmt_loss(s, sizeof s, 999.99999, level), "1.00e+03");
    assert_string_equal(fmt_loss(s, sizeof s, NAN, level), "—");
    assert_string_equal(fmt_loss(s, sizeof s, NAN, GLYPHS_ASCII), "-");
    assert_string_equal(fmt_loss(s, sizeof s, -INFINITY, level), "-inf");
    assert_string_equal(fmt_rate(s, sizeof s, 7.2468e-6, level), "7.25e-06");
    assert_string_equal(fmt_score(s, sizeof s, 0.9025, level), "0.9025");
    assert_string_equal(fmt_percent(s, sizeof s, 0.41687), "41.7 %");
    assert_string_equal(fmt_percent_down(s, sizeof s, 3742 / 6315.0), "59.2 %");
    assert_string_equal(fmt_percent_down(s, sizeof s, 0.99999), "99.9 %");
    assert_string_equal(fmt_percent_down(s, sizeof s, 0.609), "60.9 %");
    assert_string_equal(fmt_percent_down(s, sizeof s, 1), "100.0 %");
    assert_string_equal(fmt_mib(s, sizeof s, 416), "416 B");
    assert_string_equal(fmt_mib(s, sizeof s, 1024), "1.0 KiB");
    assert_string_equal(fmt_mib(s, sizeof s, 52428), "51.2 KiB");
    assert_string_equal(fmt_mib(s, sizeof s, 52429), "0.1 MiB");
    assert_string_equal(fmt_mib(s, sizeof s, 1262342592), "1,203.9 MiB");
    assert_string_equal(fmt_mib(s, sizeof s, 526264752), "501.9 MiB");
    assert_string_equal(fmt_speed(s, sizeof s, 43.1, level), "43.1");
    assert_string_equal(fmt_speed(s, sizeof s, 574.3, level), "574");
    assert_string_equal(fmt_speed(s, sizeof s, 99.97, level), "100");
    assert_string_equal(fmt_speed(s, sizeof s, 12345.6, level), "12,346");
    assert_string_equal(fmt_seconds(s, sizeof s, 0.742, level), "0.742 s");
    assert_string_equal(fmt_seconds(s, sizeof s, 0.0124, level), "12.4 ms");
    assert_string_equal(fmt_seconds(s, sizeof s, 0.00124, level), "1.24 ms");
    assert_string_equal(fmt_seconds(s, sizeof s, 0.0000849, level), "85 µs");
    assert_string_equal(fmt_seconds(s, sizeof s, 0.0000849, GLYPHS_ASCII), "85 us");
    assert_string_equal(fmt_measured(s, sizeof s, NAN, level), "nan");
    assert_string_equal(fmt_measured(s, sizeof s, 0.0876, level), "0.0876");
    assert_string_equal(fmt_age(s, sizeof s, 179.9, level), "0:02:59");
    assert_string_equal(fmt_age(s, sizeof s, NAN, GLYPHS_ASCII), "-");
}

static const char *item_name(void *user, int i)
{
    return ((const char *const *)user)[i];
}

static void test_list_follows_its_item(void **state)
{
    (void)state;
    static const char *const few[] = {"adam", "adamw", "lion"};
    static const char *const more[] = {"adafactor", "adagrad", "adam", "adamw", "lion", "sgd"};
    struct list l = {0};
    list_update(&l, 3, item_name, (void *)few, 2);
    list_move(&l, LIST_DOWN);
    list_update(&l, 3, item_name, (void *)few, 2);
    assert_string_equal(l.name, "adamw");
    int row = l.selected - l.top;
    list_update(&l, 6, item_name, (void *)more, 2);
    assert_int_equal(l.selected, 3);
    assert_int_equal(l.selected - l.top, row);
    list_update(&l, 1, item_name, (void *)few, 2); /* gone: the last row there is */
    assert_string_equal(l.name, "adam");
    list_update(&l, 0, item_name, NULL, 2);
    assert_int_equal(l.selected, 0);
}

static void test_list_keeps_away_from_the_edge(void **state)
{
    (void)state;
    static const char *names[100];
    struct list l = {0};
    for (int i = 0; i < 100; i++)
        names[i] = "x";
    list_update(&l, 100, item_name, (void *)names, 10);
    for (int i = 0; i < 7; i++)
        list_move(&l, LIST_DOWN);
    assert_int_equal(l.top, 0);
    list_move(&l, LIST_DOWN);
    assert_int_equal(l.top, 1); /* row 8: two below it are seen */
    list_move(&l, LIST_PAGE_DOWN);
    assert_int_equal(l.selected, 17);
    assert_int_equal(l.top, 10);
    list_move(&l, LIST_LAST);
    assert_int_equal(l.selected, 99);
    assert_int_equal(l.top, 90);
    list_move(&l, LIST_FIRST);
    assert_int_equal(l.top, 0);
    for (int rows = 1; rows < 12; rows++) { /* always in sight */
        list_update(&l, 100, item_name, (void *)names, rows);
        list_select(&l, 50);
        assert_in_range(l.selected - l.top, 0, rows - 1);
    }
}

static void test_filter(void **state)
{
    (void)state;
    struct list l = {.filter = "AdamW"};
    assert_true(list_match(&l, "schedulefree_adamw"));
    assert_false(list_match(&l, "adam"));
    strcpy(l.filter, "");
    assert_true(list_match(&l, ""));
    strcpy(l.filter, "é");
    assert_true(list_match(&l, "CAFÉ"));
    assert_false(list_match(&l, "cafe"));
}

static void type(struct field *f, uint32_t code, bool pasted, bool taken)
{
    assert_int_equal(field_key(f, &(struct key_event){.code = code, .pasted = pasted}), taken);
}

static void test_field(void **state)
{
    (void)state;
    struct field f;
    field_set(&f, "2e-5");
    type(&f, KEY_LEFT_ARROW, false, true);
    type(&f, 'x', false, true);
    assert_string_equal(f.text, "2e-x5");
    type(&f, KEY_BACKSPACE_KEY, false, true);
    type(&f, KEY_DELETE_KEY, false, true);
    assert_string_equal(f.text, "2e-");
    type(&f, KEY_HOME_KEY, false, true);
    type(&f, 0xe9, false, true);
    type(&f, KEY_RIGHT_ARROW, false, true);
    type(&f, KEY_LEFT_ARROW, false, true);
    type(&f, KEY_LEFT_ARROW, false, true);
    assert_int_equal(f.at, 0);
    type(&f, KEY_DELETE_KEY, false, true);
    assert_string_equal(f.text, "2e-");
    type(&f, KEY_ENTER_KEY, false, false);
    type(&f, KEY_ESCAPE, false, false);
    type(&f, KEY_UP_ARROW, false, false);
    type(&f, KEY_ENTER_KEY, true, true); /* pasted: no command, no text */
    type(&f, KEY_UP_ARROW, true, true);
    type(&f, '9', true, true);
    assert_string_equal(f.text, "92e-");
    type(&f, KEY_CTRL('U'), false, true);
    assert_string_equal(f.text, "");
    type(&f, KEY_BACKSPACE_KEY, false, true);
    for (int i = 0; i < 600; i++)
        type(&f, 'a', false, true);
    assert_int_equal(f.len, (int)sizeof f.text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_rule_leaves_out_whole_parts),
        cmocka_unit_test(test_bars),
        cmocka_unit_test(test_bars_are_honest),
        cmocka_unit_test(test_box_cuts_no_word),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_list_follows_its_item),
        cmocka_unit_test(test_list_keeps_away_from_the_edge),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_field),
    };
    return cmocka_run_group_tests_name("widgets", tests, NULL, NULL);
}
