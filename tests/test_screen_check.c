/* That the checks of a screen find what they look for: a good screen, spoiled in one place. */
#include "tests/shot.h"

#include <string.h>

#include "tests/screen_check.h"
#include "tui/glyph.h"
#include "tui/widgets.h"

struct spoiled {
    int defect;
    const char *view;
    int x, y;
    const char *text; /* put there; NULL: the row is selected from there on */
    enum role role;
};

/* Places of the 80x24 screens of the SST-2 run. */
static const struct spoiled cases[] = {
    {2, "1", 11, 18, "3,742.5.1", ROLE_TEXT},
    {2, "1", 11, 18, "37,42 ", ROLE_TEXT},
    {4, "1", 3, 12, "run now───", ROLE_TEXT},
    {4, "1", 25, 20, " 12.5 Mi ", ROLE_TEXT},
    {8, "4", 69, 3, "20.8 %  ", ROLE_TEXT},
    {10, "1", 30, 20, "125 MB ", ROLE_TEXT},
    {10, "1", 30, 20, "accuracy 90.5 % ", ROLE_TEXT},
    {10, "1", 30, 20, "step 3.7k ", ROLE_TEXT},
    {12, "1", 33, 13, "59.4", ROLE_TEXT},
    {13, "1", 11, 13, "━━━━━━━━━━━━━━━━━━━━", ROLE_SERIES1},
    {13, "1", 11, 13, "────────────────────", ROLE_SERIES1},
    {16, "1", 20, 11, "12", ROLE_DIM},
    {17, "1", 70, 11, "        ", ROLE_DIM},
    {23, "1", 0, 0, " 1 overview ", ROLE_KEY},
    {23, "1", 0, 22, "              ", ROLE_STATUS},
    {23, "9", 0, 4, NULL, ROLE_TEXT},
    {27, "1", 50, 23, "                              ", ROLE_TEXT},
};

static void put(struct canvas *c, const struct spoiled *s)
{
    if (!s->text)
        canvas_select(c, (struct rect){s->x, s->y, c->w, 1});
    else
        canvas_put(c, s->x, s->y, s->role, s->text);
}

static void spoiled_in_one_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shot s;
        shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
        shot_take(&s, cases[i].view);
        put(&s.c, &cases[i]);
        int found = screen_defect(&s.c, true);
        if (found != cases[i].defect)
            fail_msg("case %zu: defect %d, not %d", i, found, cases[i].defect);
        shot_finish(&s);
    }
}

/* What the canvas itself keeps away. */
static void characters(void **state)
{
    (void)state;
    static const struct {
        int defect, x;
        uint32_t ch;
        enum glyph_level level;
    } c[] = {{1, 79, 0x65e5, GLYPHS_BRAILLE}, {25, 30, 1, GLYPHS_BRAILLE}, {25, 30, 0x9b, GLYPHS_BRAILLE},
             {25, 0, 0, GLYPHS_BRAILLE},      {26, 30, 0x2801, GLYPHS_BLOCK}, {26, 30, 0xe9, GLYPHS_ASCII}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct shot s;
        shot_start(&s, fixture_sst2, 80, 24, c[i].level);
        shot_take(&s, "1");
        s.c.cell[20 * s.c.w + c[i].x].ch = c[i].ch;
        assert_int_equal(screen_defect(&s.c, true), c[i].defect);
        shot_finish(&s);
    }
}

/* 3 and 29: a box over a screen, and lists in it. */
static void boxes(void **state)
{
    (void)state;
    struct shot s;
    const struct rect box = {20, 15, 30, 6};
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    draw_box(&s.c, box, "box", NULL);
    canvas_put(&s.c, 22, 17, ROLE_TEXT, ">");
    canvas_select(&s.c, (struct rect){21, 17, 28, 1});
    assert_int_equal(screen_defect(&s.c, true), 0);
    canvas_put(&s.c, 22, 18, ROLE_TEXT, ">");
    canvas_select(&s.c, (struct rect){21, 18, 28, 1});
    assert_int_equal(screen_defect(&s.c, true), 29);
    shot_take(&s, "1");
    draw_box(&s.c, box, "box", NULL);
    canvas_put(&s.c, 50, 17, ROLE_TEXT, "lf");
    assert_int_equal(screen_defect(&s.c, true), 3);
    shot_finish(&s);
}

/* 5, 18, 21: of plots. */
static void plots(void **state)
{
    (void)state;
    struct shot s;
    shot_start(&s, fixture_sst2, 80, 24, GLYPHS_BRAILLE);
    shot_take(&s, "1");
    canvas_put(&s.c, 1, 4, ROLE_DIM, "1.0x");
    assert_int_equal(screen_defect(&s.c, true), 5);
    shot_take(&s, "2");
    for (int y = 2; y < 22; y++)
        for (int x = 0; x < 80; x++)
            if (canvas_at(&s.c, x, y)->ch == glyph_code(GLYPHS_BRAILLE, GLYPH_EVAL))
                canvas_put(&s.c, x, y, ROLE_TEXT, " ");
    assert_int_equal(screen_defect(&s.c, true), 18);
    shot_take(&s, "2");
    for (int x = 0; x < 80; x++)
        if (canvas_at(&s.c, x, 1)->ch == glyph_code(GLYPHS_BRAILLE, GLYPH_ABOVE))
            canvas_put(&s.c, x, 1, ROLE_TEXT, " ");
    assert_int_equal(screen_defect(&s.c, true), 21);
    shot_finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spoiled_in_one_place),
        cmocka_unit_test(characters),
        cmocka_unit_test(boxes),
        cmocka_unit_test(plots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
