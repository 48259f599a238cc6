/* Layouts at every size: inside the content, apart from each other; and those of the pictures. */
#include "tests/support.h"

#include <string.h>

#include "tui/layout.h"
#include "tui/plot.h"

/* Every struct layout_* is made of rectangles (that of the overview after its class). */
#define RECTS(l, first)                                                                            \
    &(l).first, (sizeof(l) - offsetof(__typeof__(l), first)) / sizeof(struct rect)

static bool overlap(struct rect a, struct rect b)
{
    return a.w > 0 && a.h > 0 && b.w > 0 && b.h > 0 && a.x < b.x + b.w && b.x < a.x + a.w &&
           a.y < b.y + b.h && b.y < a.y + a.h;
}

static void check(const struct rect *r, size_t n, int w, int h)
{
    struct rect content = layout_content(w, h);
    for (size_t i = 0; i < n; i++) {
        assert_true(r[i].w >= 0 && r[i].h >= 0);
        if (r[i].w && r[i].h) {
            assert_true(r[i].x >= content.x && r[i].x + r[i].w <= content.x + content.w);
            assert_true(r[i].y >= content.y && r[i].y + r[i].h <= content.y + content.h);
        }
        for (size_t j = i + 1; j < n; j++)
            assert_false(overlap(r[i], r[j]));
    }
}

static void check_views(int w, int h, int count)
{
    struct layout_overview overview = layout_overview(w, h);
    struct layout_loss loss = layout_loss(w, h);
    struct layout_lr lr = layout_lr(w, h);
    struct layout_memory memory = layout_memory(w, h, count);
    struct layout_eval eval = layout_eval(w, h, count);
    struct layout_samples samples = layout_samples(w, h);
    struct layout_state inspector = layout_state(w, h);
    struct layout_compare compare = layout_compare(w, h, count);
    struct layout_system sys = layout_system(w, h);
    struct layout_data data = layout_data(w, h, count);
    struct layout_launcher launcher = layout_launcher(w, h, count, 2 * count);
    struct layout_form form = layout_form(w, h);
    check(RECTS(overview, loss), w, h);
    check(RECTS(loss, plot), w, h);
    check(RECTS(lr, plot), w, h);
    check(RECTS(memory, ledger), w, h);
    check(RECTS(eval, history), w, h);
    check(RECTS(samples, pictures), w, h);
    check(RECTS(inspector, tree), w, h);
    check(RECTS(compare, plot), w, h);
    check(RECTS(sys, phases), w, h);
    check(RECTS(data, files), w, h);
    check(RECTS(launcher, configs), w, h);
    check(RECTS(form, choices), w, h);
}

static void test_all_sizes(void **state)
{
    (void)state;
    static const int counts[] = {0, 3, 200};
    for (int h = 1; h <= 80; h++)
        for (int w = 1; w <= 250; w++)
            check_views(w, h, counts[(w + h) % 3]);
}

static void test_classes(void **state)
{
    (void)state;
    static const struct {
        int w, h;
        enum size_class size;
    } cases[] = {{39, 80, SIZE_TOO_SMALL}, {200, 11, SIZE_TOO_SMALL}, {40, 12, SIZE_COMPACT},
                 {71, 50, SIZE_COMPACT},   {200, 19, SIZE_COMPACT},   {72, 20, SIZE_NORMAL},
                 {109, 50, SIZE_NORMAL},   {200, 33, SIZE_NORMAL},    {110, 34, SIZE_WIDE},
                 {169, 50, SIZE_WIDE},     {200, 45, SIZE_WIDE},      {170, 46, SIZE_HUGE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(size_class_of(cases[i].w, cases[i].h), cases[i].size);
}

static void check_rect(struct rect r, int x, int y, int w, int h)
{
    assert_int_equal(r.x, x);
    assert_int_equal(r.y, y);
    assert_int_equal(r.w, w);
    assert_int_equal(r.h, h);
}

static void test_overview_pictures(void **state)
{
    (void)state;
    struct layout_overview l = layout_overview(80, 24);
    check_rect(l.loss, 0, 1, 80, 11);
    check_rect(l.progress, 0, 12, 40, 10);
    check_rect(l.memory, 40, 12, 40, 6);
    check_rect(l.eval, 40, 18, 40, 4);
    l = layout_overview(40, 12);
    check_rect(l.loss, 0, 1, 40, 5);
    check_rect(l.progress, 0, 6, 40, 4);
    l = layout_overview(120, 40);
    check_rect(l.loss, 0, 1, 75, 19);
    check_rect(l.lr, 75, 1, 45, 8);
    check_rect(l.accuracy, 75, 9, 45, 11);
    check_rect(l.progress, 0, 20, 40, 12);
    check_rect(l.memory, 40, 20, 40, 8);
    check_rect(l.eval, 40, 28, 40, 4);
    check_rect(l.phases, 80, 20, 40, 8);
    check_rect(l.verdict, 80, 28, 40, 4);
    check_rect(l.log, 0, 32, 120, 6);
    l = layout_overview(200, 50);
    check_rect(l.loss, 0, 1, 120, 23);
    check_rect(l.lr, 120, 1, 80, 12);
    check_rect(l.accuracy, 120, 13, 80, 11);
    check_rect(l.memory, 66, 24, 67, 8);
    check_rect(l.phases, 133, 24, 67, 8);
    check_rect(l.log, 0, 36, 200, 12);
}

static void test_other_pictures(void **state)
{
    (void)state;
    check_rect(layout_loss(80, 24).plot, 0, 1, 80, 19);
    check_rect(layout_loss(80, 24).reading, 0, 20, 80, 2);
    check_rect(layout_loss(120, 40).plot, 0, 1, 120, 27);
    check_rect(layout_loss(120, 40).series, 0, 30, 120, 8);
    check_rect(layout_lr(80, 24).plot, 0, 1, 80, 15);
    check_rect(layout_lr(80, 24).now, 0, 16, 80, 1);
    check_rect(layout_lr(80, 24).edits, 0, 17, 80, 3);
    check_rect(layout_lr(80, 24).text, 0, 20, 80, 2);
    check_rect(layout_memory(80, 24, 3).ledger, 0, 1, 80, 11);
    check_rect(layout_memory(80, 24, 3).lower, 0, 12, 80, 10);
    check_rect(layout_memory(120, 40, 3).lower, 0, 12, 70, 26);
    check_rect(layout_memory(120, 40, 3).lower2, 70, 12, 50, 26);
    check_rect(layout_eval(80, 24, 10).history, 0, 1, 80, 7);
    check_rect(layout_eval(80, 24, 10).table, 0, 8, 80, 12);
    check_rect(layout_eval(80, 24, 10).confused, 0, 20, 80, 1);
    check_rect(layout_samples(80, 24).networks, 0, 19, 80, 3);
    check_rect(layout_state(80, 24).tree, 0, 1, 31, 21);
    check_rect(layout_state(80, 24).facts, 31, 1, 49, 5);
    check_rect(layout_state(80, 24).values, 31, 6, 49, 8);
    check_rect(layout_state(80, 24).scales, 31, 14, 49, 4);
    check_rect(layout_state(80, 24).block, 31, 18, 49, 4);
    check_rect(layout_compare(80, 24, 3).plot, 0, 1, 80, 15);
    check_rect(layout_compare(80, 24, 3).runs, 0, 16, 80, 4);
    check_rect(layout_compare(80, 24, 3).text, 0, 20, 80, 2);
    check_rect(layout_system(80, 24).phases, 0, 1, 80, 9);
    check_rect(layout_system(80, 24).verdict, 0, 10, 80, 3);
    check_rect(layout_system(80, 24).machine, 0, 13, 80, 9);
    check_rect(layout_data(80, 24, 2).labels, 0, 4, 80, 3);
    check_rect(layout_data(80, 24, 2).tokens, 0, 7, 80, 6);
    check_rect(layout_data(80, 24, 2).batch, 0, 13, 80, 9);
    check_rect(layout_launcher(80, 24, 9, 6).configs, 0, 1, 80, 10);
    check_rect(layout_launcher(80, 24, 9, 6).runs, 0, 11, 80, 7);
    check_rect(layout_launcher(80, 24, 9, 6).detail, 0, 18, 80, 4);
    check_rect(layout_form(80, 24).settings, 0, 1, 42, 18);
    check_rect(layout_form(80, 24).optimizer, 42, 1, 38, 9);
    check_rect(layout_form(80, 24).schedule, 42, 10, 38, 9);
    check_rect(layout_form(80, 24).help, 0, 19, 80, 3);
    check_rect(layout_form(120, 40).choices, 0, 1, 36, 34);
    check_rect(layout_form(120, 40).settings, 36, 1, 44, 34);
    check_rect(layout_form(120, 40).optimizer, 80, 1, 40, 19);
    check_rect(layout_form(120, 40).schedule, 80, 20, 40, 15);
}

/* What the text of screens.md asks for at the smallest sizes of a class. */
static void test_least_rows(void **state)
{
    (void)state;
    for (int h = 20; h < 34; h++) {
        struct layout_overview l = layout_overview(80, h);
        assert_true(l.loss.h >= 5 && l.progress.h >= 10 && l.eval.h == 4 && l.memory.h >= 6);
        assert_int_equal((l.loss.h - 3) % 4, 0);
        assert_true(layout_loss(80, h).reading.h >= 2);
        assert_true(layout_lr(80, h).edits.h >= 2);
        assert_true(layout_launcher(80, h, 40, 40).configs.h >= 4);
        assert_true(layout_launcher(80, h, 40, 40).runs.h >= 4);
        assert_true(layout_compare(80, h, 6).text.h >= 2);
    }
    for (int h = 34; h < 80; h++)
        assert_true(layout_overview(120, h).log.h >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_sizes),         cmocka_unit_test(test_classes),
        cmocka_unit_test(test_overview_pictures), cmocka_unit_test(test_other_pictures),
        cmocka_unit_test(test_least_rows),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
