/* Plots and axes against the pictures of tests/screens, and what a plot must not hide. */
#include "tests/screen.h"

#include <math.h>
#include <string.h>

#include "tui/bars.h"
#include "tui/plot.h"

/* The run of the pictures: linear, warm-up 632 of 6315 steps, peak 2e-5; scale 0.8 from step
 * 2001 on. */
enum { TOTAL = 6315, WARMUP = 632, NOW = 3742, EDIT = 2000 };

static double rate(void *scaled, double step)
{
    double s = step - 1, factor = s < WARMUP ? s / WARMUP : (TOTAL - s) / (TOTAL - WARMUP);
    return 2e-5 * factor * (scaled && step > EDIT ? 0.8 : 1);
}

static int scaled; /* its address tells rate() to apply the edit */

static void rate_plot(struct plot *p, struct canvas *c, struct rect area)
{
    plot_begin(p, c, area, 8, "step");
    p->labels = LABELS_RATES;
    plot_x_range(p, TOTAL, TOTAL);
    plot_y_fixed(p, 0, 2e-5);
}

static void draw_used_and_planned(struct canvas *c, struct rect area)
{
    struct plot p;
    struct history used;
    history_init(&used);
    for (int step = 1; step <= NOW; step++)
        history_add(&used, step, 0, 0, rate(&scaled, step));
    rate_plot(&p, c, area);
    plot_history(&p, &used, SMOOTH_OFF, ROLE_SERIES1, PATTERN_SOLID);
    plot_line(&p, rate, &scaled, NOW + 1, TOTAL, ROLE_DIM, PATTERN_PLANNED);
    plot_edit(&p, EDIT);
    plot_here(&p, NOW, rate(&scaled, NOW));
    plot_end(&p, c);
    history_release(&used);
}

static void draw_schedule(struct canvas *c, struct rect area)
{
    struct plot p;
    rate_plot(&p, c, area);
    plot_line(&p, rate, NULL, 1, TOTAL, ROLE_SERIES1, PATTERN_SOLID);
    plot_end(&p, c);
}

static void check_picture(const char *name, struct rect area,
                          void (*draw)(struct canvas *, struct rect))
{
    struct canvas c, picture;
    screen_load(&picture, name);
    canvas_init(&c, picture.w, picture.h, GLYPHS_BRAILLE);
    draw(&c, area);
    assert_screen(&c, &picture, area);
    canvas_release(&c);
    canvas_release(&picture);
}

static void test_learning_rate(void **state)
{
    (void)state;
    check_picture("learning-rate-80x24-braille", (struct rect){0, 2, 80, 14},
                  draw_used_and_planned);
    check_picture("overview-120x40-braille", (struct rect){76, 2, 44, 6}, draw_used_and_planned);
    check_picture("overview-200x50-braille", (struct rect){121, 2, 79, 10}, draw_used_and_planned);
}

static void test_schedule_preview(void **state)
{
    (void)state;
    check_picture("form-80x24-braille", (struct rect){43, 11, 37, 6}, draw_schedule);
    check_picture("form-120x40-braille", (struct rect){81, 21, 39, 10}, draw_schedule);
}

static const struct {
    int step;
    double loss, accuracy;
} evaluations[] = {{500, 0.3214, 0.8670},  {1000, 0.2846, 0.8853}, {1500, 0.2701, 0.8945},
                   {2000, 0.2668, 0.8979}, {2500, 0.2655, 0.9037}, {3000, 0.2689, 0.9060},
                   {3500, 0.2812, 0.9025}};

static void add_evaluations(struct history *h, bool accuracy)
{
    history_init(h);
    for (size_t i = 0; i < sizeof evaluations / sizeof *evaluations; i++)
        history_add(h, evaluations[i].step, 0, 0,
                    accuracy ? evaluations[i].accuracy : evaluations[i].loss);
}

static void draw_accuracy(struct canvas *c, struct rect area)
{
    struct plot p;
    struct history h;
    const struct history *all[] = {&h};
    struct plot_range range = {0};
    add_evaluations(&h, true);
    plot_begin(&p, c, area, 8, "step");
    plot_x_range(&p, NOW, TOTAL);
    plot_y_history(&p, &range, all, 1, SMOOTH_OFF, false, 1);
    plot_points(&p, &h, GLYPH_EVAL, ROLE_SERIES2);
    plot_mark(&p, 3000, 0.9060, GLYPH_BEST, ROLE_OK);
    plot_end(&p, c);
    history_release(&h);
}

static void test_accuracy_points(void **state)
{
    (void)state;
    check_picture("overview-120x40-braille", (struct rect){76, 10, 44, 10}, draw_accuracy);
    check_picture("overview-200x50-braille", (struct rect){121, 14, 79, 10}, draw_accuracy);
}

/* The gutter, the x axis with the foot of the cursor, and the evaluations of a loss plot. */
static void check_loss_frame(const char *name, struct rect area, enum glyph_level level,
                             double x_end, double cursor)
{
    struct canvas c, picture;
    struct plot p;
    struct history h;
    const int x = area.x + 6, foot = area.y + area.h - 1;
    screen_load(&picture, name);
    canvas_init(&c, picture.w, picture.h, level);
    add_evaluations(&h, false);
    plot_begin(&p, &c, area, 5, "step");
    plot_x_range(&p, NOW, x_end);
    plot_y_fixed(&p, 0, 0.8);
    plot_cursor(&p, cursor);
    plot_points(&p, &h, GLYPH_EVAL, ROLE_SERIES2);
    plot_end(&p, &c);
    assert_screen(&c, &picture, ((struct rect){area.x, area.y, 6, area.h}));
    assert_screen(&c, &picture, ((struct rect){area.x, foot, area.w, 1}));
    for (int y = area.y; y < foot; y++)
        for (int i = x; i < area.x + area.w; i++)
            if (canvas_at(&c, i, y)->role == ROLE_SERIES2)
                assert_screen(&c, &picture, ((struct rect){i, y, 1, 1}));
    history_release(&h);
    canvas_release(&c);
    canvas_release(&picture);
}

static void test_loss_frame(void **state)
{
    (void)state;
    const double none = -1;
    check_loss_frame("overview-80x24-braille", (struct rect){0, 2, 80, 10}, GLYPHS_BRAILLE, TOTAL,
                     none);
    check_loss_frame("loss-80x24-braille", (struct rect){0, 2, 80, 18}, GLYPHS_BRAILLE, TOTAL,
                     2871);
    check_loss_frame("overview-80x24-ascii", (struct rect){0, 2, 80, 10}, GLYPHS_ASCII, TOTAL,
                     none);
    check_loss_frame("loss-80x24-ascii", (struct rect){0, 2, 80, 18}, GLYPHS_ASCII, TOTAL, 2871);
    check_loss_frame("overview-40x12-braille", (struct rect){0, 2, 40, 4}, GLYPHS_BRAILLE, TOTAL,
                     none);
    check_loss_frame("loss-120x40-braille", (struct rect){0, 2, 120, 26}, GLYPHS_BRAILLE, TOTAL,
                     2871);
    check_loss_frame("overview-120x40-braille", (struct rect){0, 2, 75, 18}, GLYPHS_BRAILLE, TOTAL,
                     none);
    check_loss_frame("overview-200x50-braille", (struct rect){0, 2, 120, 22}, GLYPHS_BRAILLE, TOTAL,
                     none);
}

static void test_axis_of_a_finished_run(void **state)
{
    (void)state;
    struct canvas c, picture;
    struct plot p;
    screen_load(&picture, "exit-page-80x21-braille");
    canvas_init(&c, picture.w, picture.h, GLYPHS_BRAILLE);
    plot_begin(&p, &c, (struct rect){2, 8, 76, 6}, 5, "step");
    plot_x_range(&p, NOW, NOW);
    plot_y_fixed(&p, 0, 0.8);
    plot_end(&p, &c);
    assert_screen(&c, &picture, ((struct rect){0, 13, 80, 1}));
    assert_screen(&c, &picture, ((struct rect){0, 8, 8, 6}));
    canvas_release(&c);
    canvas_release(&picture);
}

static void test_log_axis(void **state)
{
    (void)state;
    struct canvas c, picture;
    struct plot p;
    struct plot_range range = {0};
    screen_load(&picture, "compare-80x24-braille");
    canvas_init(&c, picture.w, picture.h, GLYPHS_BRAILLE);
    plot_begin(&p, &c, (struct rect){0, 2, 80, 14}, 5, "step");
    plot_x_range(&p, TOTAL, TOTAL);
    plot_y_range(&p, &range, 0.07, 0.72, 0.72, true, 1);
    plot_end(&p, &c);
    assert_screen(&c, &picture, ((struct rect){0, 2, 6, 14}));
    assert_screen(&c, &picture, ((struct rect){0, 15, 80, 1}));
    canvas_release(&c);
    canvas_release(&picture);
}

static void check_bars(const char *name, struct bars b, double most)
{
    struct canvas c, picture;
    double count[80] = {0};
    screen_load(&picture, name);
    canvas_init(&c, picture.w, picture.h, GLYPHS_BRAILLE);
    count[3] = most;
    b.count = count;
    bars_draw(&c, &b);
    assert_screen(&c, &picture, ((struct rect){b.area.x, b.area.y, b.gutter + 1, b.area.h}));
    assert_screen(&c, &picture, ((struct rect){b.area.x, b.area.y + b.area.h - 1, b.area.w, 1}));
    canvas_release(&c);
    canvas_release(&picture);
}

static void test_histogram_axes(void **state)
{
    (void)state;
    check_bars("state-80x24-braille",
               (struct bars){{32, 7, 48, 7}, 6, NULL, -1.39e-3, 1.39e-3, "", true}, 8e5);
    check_bars("state-80x24-braille", (struct bars){{32, 15, 48, 3}, 6, NULL, 0, 1.5e-3, "", false},
               1600);
    check_bars("data-80x24-braille", (struct bars){{0, 8, 80, 5}, 6, NULL, 1, 73, "tokens", false},
               3950);
}

static void test_bar_heights(void **state)
{
    (void)state;
    const double count[] = {0, 1, 50, 100, 400};
    struct bars b = {{0, 0, 12, 5}, 6, count, 0, 4, "", false};
    struct canvas c;
    canvas_init(&c, 12, 5, GLYPHS_BRAILLE);
    bars_draw(&c, &b);
    assert_string_equal(screen_row(&c, 0), "   400┤    █");
    assert_string_equal(screen_row(&c, 2), "   200┤    █");
    assert_string_equal(screen_row(&c, 3), "      │ ▁▄██");
    canvas_release(&c);
}

/* A plot of 10 x 5 cells over steps 0 to 19, so that a dot column is a step. */
static void small_plot(struct plot *p, struct canvas *c, enum glyph_level level, double hi)
{
    canvas_init(c, 16, 6, level);
    plot_begin(p, c, (struct rect){0, 0, 16, 6}, 5, "");
    plot_x_fixed(p, 0, 19);
    plot_y_fixed(p, 0, hi);
}

static void test_outliers_are_marked_and_counted(void **state)
{
    (void)state;
    struct canvas c;
    struct plot p;
    struct history h;
    history_init(&h);
    for (int i = 0; i < 20; i++)
        history_add(&h, i, 0, 0, i == 4 || i == 5 ? 7 : i == 9 ? -3 : i == 14 ? (double)NAN : 0.5);
    small_plot(&p, &c, GLYPHS_BRAILLE, 1);
    plot_raw(&p, &h);
    assert_int_equal(p.above, 2);
    assert_int_equal(p.below, 1);
    assert_int_equal(p.nonfinite, 1);
    plot_end(&p, &c);
    assert_string_equal(screen_row(&c, 0), " 1.00┤  ↑    ×  ");
    assert_string_equal(screen_row(&c, 4), " 0.00┤    ↓     ");
    assert_int_equal(canvas_at(&c, 13, 0)->role, ROLE_BAD);
    assert_int_equal(canvas_at(&c, 8, 0)->role, ROLE_WARN);
    history_release(&h);
    canvas_release(&c);
}

static void test_gaps(void **state)
{
    (void)state;
    struct canvas c;
    struct plot p;
    struct history h;
    history_init(&h);
    for (int i = 0; i < 20; i++)
        if (i < 6 || i > 9)
            history_add(&h, i, 0, 0, i == 14 ? (double)INFINITY : 0.5);
    small_plot(&p, &c, GLYPHS_BRAILLE, 1);
    plot_history(&p, &h, SMOOTH_OFF, ROLE_SERIES1, PATTERN_SOLID);
    plot_end(&p, &c);
    assert_string_equal(screen_row(&c, 2), " 0.50┤⠤⠤⠤  ⠤⠤⠠⠤⠤");
    history_release(&h);
    canvas_release(&c);
}

static void test_distant_steps_are_joined(void **state)
{
    (void)state;
    struct canvas c;
    struct plot p;
    struct history h;
    history_init(&h);
    for (int i = 0; i < 20; i += 6)
        history_add(&h, i, 0, 0, 0.5);
    small_plot(&p, &c, GLYPHS_BRAILLE, 1);
    plot_history(&p, &h, SMOOTH_OFF, ROLE_SERIES1, PATTERN_SOLID);
    plot_end(&p, &c);
    assert_string_equal(screen_row(&c, 2), " 0.50┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠄");
    history_release(&h);
    canvas_release(&c);
}

/* Half-way dots of a steep piece fall to the even column, as in the pictures of the learning
 * rate. */
static void test_steep_pieces(void **state)
{
    (void)state;
    static const char *const right[3][2] = {{" 0.50┤     ⢇    ", "     │     ⢸    "},
                                            {" 0.50┤    █     ", "     │     █    "},
                                            {" 0.50+    *     ", "     |     *    "}};
    struct canvas c;
    struct plot p;
    for (enum glyph_level level = GLYPHS_BRAILLE; level <= GLYPHS_ASCII; level++) {
        struct history h;
        int steps = level == GLYPHS_BRAILLE ? 20 : 10;
        history_init(&h);
        for (int i = 0; i < steps; i++)
            history_add(&h, i, 0, 0, i <= steps / 2 - (level != GLYPHS_BRAILLE));
        small_plot(&p, &c, level, 1);
        plot_x_fixed(&p, 0, steps - 1);
        plot_history(&p, &h, SMOOTH_OFF, ROLE_SERIES1, PATTERN_SOLID);
        plot_end(&p, &c);
        assert_string_equal(screen_row(&c, 2), right[level][0]);
        assert_string_equal(screen_row(&c, 3), right[level][1]);
        history_release(&h);
        canvas_release(&c);
    }
}

/* Of many values in one column the range is drawn: chequered dots, or cells. */
static void test_raw_range(void **state)
{
    (void)state;
    static const char *const right[] = {"     │     ⢕    ", "     │     ░    ", "     |     :    "};
    struct canvas c;
    struct plot p;
    for (enum glyph_level level = GLYPHS_BRAILLE; level <= GLYPHS_ASCII; level++) {
        struct history h;
        history_init(&h);
        for (int i = 0; i < 200; i++)
            history_add(&h, i < 100 ? 10 : 11, 0, 0, i % 2);
        small_plot(&p, &c, level, 1);
        plot_raw(&p, &h);
        plot_end(&p, &c);
        assert_string_equal(screen_row(&c, 3), right[level]);
        history_release(&h);
        canvas_release(&c);
    }
}

static void test_axis_numbers(void **state)
{
    (void)state;
    static const struct {
        double lo, hi;
        int intervals;
        double axis_lo, axis_hi;
    } cases[] = {{0, 0.75, 4, 0, 0.8},      {0.867, 0.906, 4, 0.86, 0.94},
                 {0, 2e-5, 4, 0, 2e-5},     {0, 1.55, 8, 0, 1.6},
                 {0, 0, 4, 0, 1},           {0.5, 0.5, 2, 0.495, 0.505},
                 {-0.3, 0.9, 4, -0.5, 1.5}, {0, 100, 4, 0, 100},
                 {0, 0.75, 2, 0, 0.8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct axis a = axis_linear(cases[i].lo, cases[i].hi, cases[i].intervals);
        assert_true(a.lo <= cases[i].lo + 1e-9 * a.step && a.hi >= cases[i].hi - 1e-9 * a.step);
        if (i != 5)
            assert_close(a.lo, cases[i].axis_lo, 1e-9, 1e-12);
        if (i != 5)
            assert_close(a.hi, cases[i].axis_hi, 1e-9, 1e-12);
        assert_true(a.hi - a.lo < 0.05 || i != 5);
    }
    assert_close(axis_log(0.07, 0.72, 4).lo, 0.05, 1e-12, 0);
    assert_close(axis_log(1e-4, 1, 4).step, 10, 0, 0);
    assert_int_equal(plot_rows(9), 9);
    assert_int_equal(plot_rows(12), 9);
    assert_int_equal(plot_rows(0), 3);
    assert_int_equal(axis_intervals(5), 2);
    assert_int_equal(axis_intervals(13), 4);
    assert_int_equal(axis_intervals(17), 8);
    assert_int_equal(axis_intervals(21), 4);
}

static void test_axis_labels(void **state)
{
    (void)state;
    static const struct {
        double v, step;
        enum axis_labels labels;
        int width;
        const char *text;
    } cases[] = {
        {0.8, 0.2, LABELS_PLAIN, 5, "0.80"},
        {0, 0.2, LABELS_PLAIN, 5, "0.00"},
        {0.025, 0.025, LABELS_PLAIN, 5, "0.025"},
        {5e-4, 5e-4, LABELS_PLAIN, 5, "5e-04"},
        {2e-8, 2e-8, LABELS_PLAIN, 5, "2e-08"},
        {2e4, 2e-8, LABELS_PLAIN, 5, "2e+04"},
        {1.5e-3, 5e-4, LABELS_PLAIN, 5, ""},
        {1600, 800, LABELS_PLAIN, 6, "1,600"},
        {10000, 5000, LABELS_PLAIN, 5, "1e+04"},
        {25e6, 5e6, LABELS_PLAIN, 6, "25M"},
        {2e-5, 5e-6, LABELS_RATES, 8, "2.0e-05"},
        {0, 5e-6, LABELS_RATES, 8, "0"},
        {1.25e-5, 2.5e-6, LABELS_RATES, 8, "1.25e-05"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        axis_label(text, sizeof text, cases[i].v, cases[i].step, cases[i].labels, cases[i].width);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_legends(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(plot_legend(GLYPHS_BRAILLE, PATTERN_SOLID, 2, text, sizeof text), "⠒⠒");
    assert_string_equal(plot_legend(GLYPHS_BRAILLE, PATTERN_PLANNED, 2, text, sizeof text), "⠂⠐");
    assert_string_equal(plot_legend(GLYPHS_BRAILLE, PATTERN_2, 3, text, sizeof text), "⠒⠂ ");
    assert_string_equal(plot_legend(GLYPHS_BRAILLE, PATTERN_3, 3, text, sizeof text), "⠂⠂⠂");
    assert_string_equal(plot_legend(GLYPHS_ASCII, PATTERN_SOLID, 2, text, sizeof text), "**");
    assert_string_equal(plot_legend_raw(GLYPHS_BRAILLE), "⢕⢕");
}

/* Any size and any values: nothing outside the area, no crash (run under the sanitizers). */
static void test_all_sizes(void **state)
{
    (void)state;
    static const double values[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 1e300, -1e300, 1e-300, 0.5};
    struct history h;
    history_init(&h);
    for (int i = 0; i < 90; i++)
        history_add(&h, i, i / 10.0, i * 0.7, values[i % 9]);
    const struct history *all[] = {&h};
    for (int w = 0; w < 40; w += 3) {
        for (int rows = 0; rows < 12; rows++) {
            struct canvas c;
            struct plot p;
            struct plot_range range = {0};
            canvas_init(&c, 42, 14, (enum glyph_level)(rows % 3));
            canvas_clip(&c, (struct rect){1, 1, w, rows});
            plot_begin(&p, &c, (struct rect){1, 1, w, rows}, 5, "step");
            p.by = (enum plot_x)(w % 3);
            plot_x_range(&p, 89, rows % 2 ? 0 : 95);
            plot_y_history(&p, &range, all, 1, SMOOTH_95, rows % 4 == 1, 1);
            plot_raw(&p, &h);
            plot_history(&p, &h, SMOOTH_95, ROLE_SERIES1, PATTERN_4);
            plot_points(&p, &h, GLYPH_EVAL, ROLE_SERIES2);
            plot_cursor(&p, 40);
            plot_edit(&p, 50);
            plot_here(&p, 60, 0.4);
            plot_letter(&p, &h, SMOOTH_95, 'A', ROLE_SERIES1);
            plot_end(&p, &c);
            canvas_release(&c);
        }
    }
    history_release(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learning_rate),
        cmocka_unit_test(test_schedule_preview),
        cmocka_unit_test(test_accuracy_points),
        cmocka_unit_test(test_loss_frame),
        cmocka_unit_test(test_axis_of_a_finished_run),
        cmocka_unit_test(test_log_axis),
        cmocka_unit_test(test_histogram_axes),
        cmocka_unit_test(test_bar_heights),
        cmocka_unit_test(test_outliers_are_marked_and_counted),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_distant_steps_are_joined),
        cmocka_unit_test(test_steep_pieces),
        cmocka_unit_test(test_raw_range),
        cmocka_unit_test(test_axis_numbers),
        cmocka_unit_test(test_axis_labels),
        cmocka_unit_test(test_legends),
        cmocka_unit_test(test_all_sizes),
    };
    return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
