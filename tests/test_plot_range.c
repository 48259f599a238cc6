/* Which values a plot's y axis reaches: tight, constant, bounded, following. */
#include "tests/screen.h"

#include <math.h>
#include <string.h>

#include "tui/plot.h"

/* A plot of 10 x 5 cells over steps 0 to 19, so that a dot column is a step. */
static void small_plot(struct plot *p, struct canvas *c, enum glyph_level level, double hi)
{
    canvas_init(c, 16, 6, level);
    plot_begin(p, c, (struct rect){0, 0, 16, 6}, 5, "");
    plot_x_fixed(p, 0, 19);
    plot_y_fixed(p, 0, hi);
}

/* Eight intervals of 0.2 would leave half of the rows blank: four of 0.25 do not. */
static void test_tight_range(void **state)
{
    (void)state;
    struct canvas c;
    struct plot p;
    struct plot_range range = {0};
    canvas_init(&c, 60, 26, GLYPHS_BRAILLE);
    plot_begin(&p, &c, (struct rect){0, 0, 60, 26}, 5, "step");
    assert_int_equal(p.rows, 25);
    plot_y_range(&p, &range, 0.25, 0.87, 0.87, false, 1);
    assert_close(p.y.hi, 1, 1e-12, 0);
    assert_int_equal(p.y.intervals, 4);
    range = (struct plot_range){0};
    plot_y_range(&p, &range, 0.03, 0.75, 0.75, false, 1); /* as far with eight: they stay */
    assert_close(p.y.hi, 0.8, 1e-12, 0);
    assert_int_equal(p.y.intervals, 8);
    plot_end(&p, &c);
    canvas_release(&c);
}

/* A series that does not move is a line in a range of its own size, not from -1 to 1 and not all of the
 * height; each tick has its label, however small the range. */
static void test_constant(void **state)
{
    (void)state;
    static const double values[][2] = {{0.5, 0.5},   {0.25, 0.25},      {250, 250},  {-3, -3}, {0, 0},
                                       {1e-3, 1e-3}, {0.999e-3, 1e-3},  {2e-5, 2e-5}, {0.34567, 0.34568},
                                       {7, 7.00001}, {1.2345e7, 1.2345e7}};
    struct canvas c;
    canvas_init(&c, 60, 12, GLYPHS_BRAILLE);
    for (size_t i = 0; i < 2 * sizeof values / sizeof *values; i++) {
        struct plot p;
        struct plot_range range = {0};
        double lo = values[i / 2][0], hi = values[i / 2][1], size = hi ? fabs(hi) : 1;
        plot_begin(&p, &c, (struct rect){0, 0, 60, 12}, 8, "step");
        p.labels = i % 2 ? LABELS_RATES : LABELS_PLAIN;
        plot_y_range(&p, &range, lo, hi, hi, false, 1);
        assert_true(p.y.lo <= lo && hi <= p.y.hi && p.y.lo < p.y.hi);
        assert_true(p.y.hi - p.y.lo <= 2 * size);
        for (int k = 0; k <= p.y.intervals; k++) {
            char text[32];
            axis_label(text, sizeof text, p.y.lo + k * p.y.step, p.y.step, p.labels, p.gutter);
            assert_string_not_equal(text, "");
        }
        plot_end(&p, &c);
    }
    canvas_release(&c);
}

/* The axis of a score ends at 1, with round ticks; a value beyond it, which can't be, is shown. */
static void test_top(void **state)
{
    (void)state;
    static const double values[][3] = {{0.81, 0.97, 1}, {0.5, 1, 1}, {0.02, 0.99, 1}, {0.999, 0.9999, 1},
                                       {-0.3, 0.95, 1}, {0.2, 1.3, 0}, {0.3, 0.4, 0}};
    struct canvas c;
    canvas_init(&c, 60, 12, GLYPHS_BRAILLE);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct plot p;
        struct plot_range range = {0};
        plot_begin(&p, &c, (struct rect){0, 0, 60, 12}, 8, "step");
        p.top = 1;
        plot_y_range(&p, &range, values[i][0], values[i][1], values[i][1], false, 1);
        assert_true(p.y.lo <= values[i][0] + 1e-12 && values[i][1] <= p.y.hi + 1e-12);
        assert_close(p.y.lo + p.y.intervals * p.y.step, p.y.hi, 1e-12, 1e-12);
        if (values[i][2] > 0)
            assert_close(p.y.hi, 1, 1e-12, 0);
        plot_end(&p, &c);
    }
    canvas_release(&c);
}

static void test_range_follows(void **state)
{
    (void)state;
    struct canvas c;
    struct plot p;
    struct plot_range range = {0};
    small_plot(&p, &c, GLYPHS_BRAILLE, 1);
    plot_y_range(&p, &range, 0.1, 0.7, 0.6, false, 100);
    assert_close(p.y.hi, 0.8, 1e-12, 0);
    plot_y_range(&p, &range, 0.1, 1.7, 0.6, false, 100); /* grows at once */
    assert_close(p.y.hi, 2, 1e-12, 0);
    plot_y_range(&p, &range, 0.1, 0.7, 0.6, false, 101);
    plot_y_range(&p, &range, 0.1, 0.7, 0.6, false, 105);
    assert_close(p.y.hi, 2, 1e-12, 0);
    range.hold = true;
    plot_y_range(&p, &range, 0.1, 0.7, 0.6, false, 107);
    assert_close(p.y.hi, 2, 1e-12, 0);
    range.hold = false;
    plot_y_range(&p, &range, 0.1, 0.7, 0.6, false, 107); /* less than half for 5 s */
    assert_close(p.y.hi, 0.8, 1e-12, 0);
    plot_end(&p, &c);
    canvas_release(&c);
}

static void test_range_leaves_rare_values_out(void **state)
{
    (void)state;
    struct canvas c;
    struct plot p;
    struct history h;
    const struct history *all[] = {&h};
    struct plot_range range = {0};
    history_init(&h);
    for (int i = 0; i < 400; i++)
        history_add(&h, i, 0, 0, i == 100 || i == 200 ? 50 : i == 300 ? 3.5 : 1 + (i % 7) / 10.0);
    small_plot(&p, &c, GLYPHS_BRAILLE, 1);
    plot_x_fixed(&p, 0, 400);
    plot_y_history(&p, &range, all, 1, SMOOTH_OFF, false, 1);
    assert_close(range.hi, 3.5, 0, 0); /* two of 400 lie above the 99.5 % point */
    plot_raw(&p, &h);
    assert_int_equal(p.above, 2);
    plot_end(&p, &c);
    history_release(&h);
    canvas_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tight_range),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_top),
        cmocka_unit_test(test_range_follows),
        cmocka_unit_test(test_range_leaves_rare_values_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
