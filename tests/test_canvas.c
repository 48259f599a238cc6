/* The grid: clipping, wide characters, marks, unsafe text, the glyph levels, cutting of names. */
#include "tests/screen.h"

#include <string.h>

#include "tui/glyph.h"

static void check_put(int x, struct rect clip, const char *text, const char *right)
{
    struct canvas c;
    canvas_init(&c, 10, 1, GLYPHS_BRAILLE);
    canvas_clip(&c, clip);
    assert_int_equal(canvas_put(&c, x, 0, ROLE_TITLE, text), text_width(text));
    assert_string_equal(screen_row(&c, 0), right);
    canvas_release(&c);
}

static void test_put(void **state)
{
    (void)state;
    const struct rect all = {0, 0, 10, 1}, middle = {3, 0, 4, 1};
    check_put(2, all, "loss", "  loss    ");
    check_put(-2, all, "loss", "ss        ");
    check_put(8, all, "loss", "        lo");
    check_put(1, middle, "overview", "   ervi   ");
    check_put(0, (struct rect){-5, -5, 3, 3}, "loss", "          ");
    check_put(0, all, "日本", "日本      ");
    check_put(9, all, "日", "          ");
    check_put(-1, all, "日x", " x        ");
    check_put(2, middle, "日x", "    x     ");
    check_put(0, all, "e\u0301x", "e\u0301x        ");
    check_put(0, all, "\u0301x", "x         ");
}

static void test_unsafe_text_is_shown(void **state)
{
    (void)state;
    const struct rect all = {0, 0, 10, 1};
    check_put(0, all, "a\033[2J", "a^[[2J    ");
    check_put(0, all, "a\tb\x7f", "a^Ib^?    ");
    check_put(0, all,
              "\x9b"
              "1",
              "\\x9b1     ");
    check_put(0, all,
              "\xc2\x9b"
              "1",
              "\\x9b1     ");
    check_put(0, all,
              "a\u202e"
              "b",
              "a\\u202eb  ");
    check_put(0, all,
              "a\u200b"
              "b",
              "ab        ");
}

static void test_wide_characters_stay_whole(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c, 6, 1, GLYPHS_BRAILLE);
    canvas_put(&c, 0, 0, ROLE_TEXT, "日本語");
    canvas_put(&c, 1, 0, ROLE_TEXT, "x");
    assert_string_equal(screen_row(&c, 0), " x本語");
    canvas_put(&c, 4, 0, ROLE_TEXT, "y");
    assert_string_equal(screen_row(&c, 0), " x本y ");
    canvas_release(&c);
}

static void test_levels(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c, 14, 3, GLYPHS_BLOCK);
    canvas_put(&c, 0, 0, ROLE_TEXT, "── é — 日⢕ x");
    assert_string_equal(screen_row(&c, 0), "── é - ??? x  ");
    c.level = GLYPHS_ASCII;
    canvas_put(&c, 0, 1, ROLE_TEXT, "── é — 日⢕ e\u0301");
    assert_string_equal(screen_row(&c, 1), "-- ? - ??? e  ");
    assert_int_equal(canvas_glyph(&c, 0, 2, ROLE_TEXT, GLYPH_DONE_HALF), 0);
    assert_int_equal(canvas_glyph(&c, 0, 2, ROLE_TEXT, GLYPH_DONE), 1);
    assert_string_equal(screen_row(&c, 2), "#             ");
    canvas_release(&c);
}

/* Nothing but code page 437 at the block level, nothing but ASCII at the ascii level. */
static void test_glyphs_are_of_their_level(void **state)
{
    (void)state;
    for (enum glyph g = 0; g < GLYPH_COUNT; g++) {
        uint32_t block = glyph_code(GLYPHS_BLOCK, g), ascii = glyph_code(GLYPHS_ASCII, g);
        assert_true(text_width(glyph_text(GLYPHS_BRAILLE, g)) == 1);
        assert_int_equal(glyph_fit(GLYPHS_BLOCK, block), block);
        assert_true(ascii < 0x7f);
    }
    for (uint32_t ch = 0xa0; ch < 0x3000; ch++)
        assert_in_range(glyph_fit(GLYPHS_ASCII, ch), ' ', '~');
    assert_int_equal(glyph_fit(GLYPHS_BLOCK, 0x2026), '~');
    assert_int_equal(glyph_fit(GLYPHS_ASCII, 0x2192), '>');
    assert_int_equal(glyph_fit(GLYPHS_BLOCK, 0x2584), 0x2584);
}

static void test_cutting(void **state)
{
    (void)state;
    char text[128];
    assert_string_equal(
        text_cut_middle(GLYPHS_BRAILLE, text, sizeof text, "distilbert-base-cased-sst2.ini", 27),
        "distil…-base-cased-sst2.ini");
    assert_string_equal(text_cut_dotted(GLYPHS_BRAILLE, text, sizeof text,
                                        "distilbert.transformer.layer.0.ffn.lin1.weight", 37),
                        "…transformer.layer.0.ffn.lin1.weight");
    assert_string_equal(text_cut_dotted(GLYPHS_BRAILLE, text, sizeof text,
                                        "distilbert.transformer.layer.0.ffn.lin1.weight", 26),
                        "…layer.0.ffn.lin1.weight");
    assert_string_equal(text_cut_dotted(GLYPHS_ASCII, text, sizeof text, "word_embeddings", 6),
                        "~dings");
    assert_string_equal(text_cut_end(GLYPHS_BRAILLE, text, sizeof text, "a small triumph", 8),
                        "a small…");
    assert_string_equal(text_cut_end(GLYPHS_BRAILLE, text, sizeof text, "日本語", 4), "日…");
    assert_string_equal(text_cut_end(GLYPHS_BRAILLE, text, sizeof text, "loss", 4), "loss");
    assert_string_equal(text_cut_end(GLYPHS_BRAILLE, text, sizeof text, "loss", 0), "");
    static const char clauses[] = "32 samples: 27,350 samples/s, 574 tokens/s";
    assert_string_equal(text_cut_clause(GLYPHS_BRAILLE, text, sizeof text, clauses, 42), clauses);
    assert_string_equal(text_cut_clause(GLYPHS_BRAILLE, text, sizeof text, clauses, 41),
                        "32 samples: 27,350 samples/s");
    assert_string_equal(text_cut_clause(GLYPHS_BRAILLE, text, sizeof text, clauses, 20),
                        "32 samples: 27,350 …");
    assert_string_equal(text_cut_middle(GLYPHS_BRAILLE, text, sizeof text, "overview", 1), "…");
}

/* No cut is wider than asked for, whatever the width of the characters. */
static void test_cuts_fit(void **state)
{
    (void)state;
    static const char *const texts[] = {"日本語.テスト.x", "a.bb.ccc.dddd",
                                        "e\u0301e\u0301e\u0301e\u0301", "a\tb\033c"};
    char *(*const cuts[])(enum glyph_level, char *, size_t, const char *,
                          int) = {text_cut_middle, text_cut_dotted, text_cut_end};
    for (size_t t = 0; t < 4; t++)
        for (size_t i = 0; i < 3; i++)
            for (int cols = -1; cols < 20; cols++) {
                char text[128];
                cuts[i](GLYPHS_BRAILLE, text, sizeof text, texts[t], cols);
                assert_true(text_width(text) <= (cols > 0 ? cols : 0));
            }
}

static void test_roles_and_selection(void **state)
{
    (void)state;
    struct canvas c;
    struct strbuf roles = STRBUF_INIT;
    canvas_init(&c, 6, 2, GLYPHS_BRAILLE);
    canvas_put(&c, 0, 0, ROLE_DIM, "ab");
    canvas_right(&c, 6, 0, ROLE_BAD, "nan");
    canvas_put(&c, 0, 1, ROLE_SERIES1, "x");
    canvas_select(&c, (struct rect){1, 1, 9, 1});
    canvas_roles(&c, &roles);
    assert_string_equal(roles.s, "dd.bbb\n1#####\n");
    strbuf_release(&roles);
    canvas_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_unsafe_text_is_shown),
        cmocka_unit_test(test_wide_characters_stay_whole),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_glyphs_are_of_their_level),
        cmocka_unit_test(test_cutting),
        cmocka_unit_test(test_cuts_fit),
        cmocka_unit_test(test_roles_and_selection),
    };
    return cmocka_run_group_tests_name("canvas", tests, NULL, NULL);
}
