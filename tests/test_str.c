/* Strings, UTF-8, nearest names, and numbers from and to text. */
#include "tests/support.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"

static void test_strbuf(void **state)
{
    (void)state;
    struct strbuf b = STRBUF_INIT;
    for (int i = 0; i < 1000; i++)
        strbuf_addf(&b, "%d,", i);
    assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
    assert_true(str_starts(b.s, "0,1,2,3,"));
    assert_true(str_ends(b.s, ",998,999,"));
    strbuf_clear(&b);
    assert_string_equal(b.s, "");
    strbuf_add(&b, "a\0b", 3);
    assert_memory_equal(b.s, "a\0b", 4);
    char *taken = strbuf_take(&b);
    assert_null(b.s);
    free(taken);
    taken = strbuf_take(&b);
    assert_string_equal(taken, "");
    free(taken);
}

static void test_strlist(void **state)
{
    (void)state;
    struct strlist l = STRLIST_INIT;
    strlist_split(&l, " b , a,,\xc3\xa9\t,z ", ',');
    assert_int_equal(l.n, 5);
    assert_string_equal(l.s[0], "b");
    assert_string_equal(l.s[2], "");
    strlist_sort(&l);
    assert_string_equal(l.s[0], "");
    assert_string_equal(l.s[3], "z");
    assert_string_equal(l.s[4], "\xc3\xa9");
    assert_int_equal(strlist_find(&l, "a"), 1);
    assert_int_equal(strlist_find(&l, "c"), -1);
    strlist_release(&l);
    strlist_split(&l, "  \t", ',');
    assert_int_equal(l.n, 0);
    strlist_release(&l);
}

static void test_ends(void **state)
{
    (void)state;
    assert_true(str_starts("step-12", "step-"));
    assert_false(str_starts("ste", "step-"));
    assert_true(str_ends("a.ini", ".ini"));
    assert_false(str_ends("ini", ".ini"));
    char text[] = " \t a b \r\n";
    assert_string_equal(str_strip(text), "a b");
    char blank[] = " \t";
    assert_string_equal(str_strip(blank), "");
}

static void test_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {
        {"", true},
        {"caf\xc3\xa9 \xe2\x80\x94 \xf0\x9f\x98\x80", true},
        {"\xf4\x8f\xbf\xbf", true},  /* U+10FFFF */
        {"\xf4\x90\x80\x80", false}, /* beyond */
        {"\xc0\x80", false},         /* overlong NUL */
        {"\xe0\x9f\xbf", false},     /* overlong */
        {"\xed\xa0\x80", false},     /* surrogate */
        {"\xc3", false},             /* cut */
        {"\x80", false},             /* no start */
        {"\xff", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(str_is_valid_utf8(cases[i].text, strlen(cases[i].text)), cases[i].valid);
}

static void test_copy(void **state)
{
    (void)state;
    char dst[6];
    str_copy(dst, sizeof dst, "abcdefgh");
    assert_string_equal(dst, "abcde");
    str_copy(dst, sizeof dst, "abcd\xc3\xa9");
    assert_string_equal(dst, "abcd");
    str_copy(dst, sizeof dst, "abc\xc3\xa9");
    assert_string_equal(dst, "abc\xc3\xa9");
    str_copy(dst, 1, "\xe2\x80\x94");
    assert_string_equal(dst, "");
}

static void test_visible(void **state)
{
    (void)state;
    char dst[64];
    assert_string_equal(str_visible(dst, sizeof dst, "a\x1b[2J\n\x7f"), "a^[[2J^J^?");
    assert_string_equal(str_visible(dst, sizeof dst, "\xc2\x9b"), "\\x9b");
    assert_string_equal(str_visible(dst, sizeof dst, "\x9b\xc3"), "\\x9b\\xc3");
    assert_string_equal(str_visible(dst, sizeof dst, "\xe2\x80\xae"), "\\u202e");
    assert_string_equal(str_visible(dst, sizeof dst, "caf\xc3\xa9"), "caf\xc3\xa9");
    assert_string_equal(str_visible(dst, 4, "ab\x01"), "ab"); /* no half of ^A */
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"learning_rate", "label", "adamw", "epochs"};
    assert_int_equal(str_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(str_edit_distance("", "abc"), 3);
    assert_int_equal(str_edit_distance("abc", ""), 3);
    assert_int_equal(str_edit_distance("lable", "label"), 1);
    assert_int_equal(str_nearest("lerning_rate", names, 4), 0);
    assert_int_equal(str_nearest("lable", names, 4), 1);
    assert_int_equal(str_nearest("adamx", names, 4), 2);
    assert_int_equal(str_nearest("momentum", names, 4), -1);
    assert_int_equal(str_nearest("x", names, 0), -1);
    char dst[32];
    assert_string_equal(str_alternatives(dst, sizeof dst, names + 1, 3), "label, adamw or epochs");
    assert_string_equal(str_alternatives(dst, sizeof dst, names + 1, 1), "label");
    assert_string_equal(str_alternatives(dst, sizeof dst, names, 0), "");
}

static void test_integers(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "-",
        "+",
        " 1",
        "1 ",
        "1e3",
        "1.0",
        "0x1",
        "--1",
        "1,000",
        "abc",
        "1_000",
        "9223372036854775808",
    };
    int64_t v = 77;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(str_to_i64(wrong[i], &v));
    assert_int_equal(v, 77);
    assert_true(str_to_i64("-9223372036854775808", &v) && v == INT64_MIN);
    assert_true(str_to_i64("+42", &v) && v == 42);
    assert_true(str_to_i64("007", &v) && v == 7);
}

static void test_reals(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",    ".",   "-",     "e5",    " 1",        "1 ", "1e",
                                        "0x1", "1,5", "1.2.3", "2e-5x", "nan(char)", "1-2"};
    double v = 77;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(str_to_f64(wrong[i], &v));
    assert_true(v == 77);
    assert_true(str_to_f64("2e-5", &v) && v == 2e-5);
    assert_true(str_to_f64("-.5", &v) && v == -0.5);
    assert_true(str_to_f64("1e999", &v) && isinf(v));
    assert_true(str_to_f64("-inf", &v) && v == -HUGE_VAL);
    assert_true(str_to_f64("nan", &v) && isnan(v));
}

static void test_real_text(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0.1, "0.1"},
        {5e-5, "5e-05"},
        {1, "1"},
        {1000, "1000"},
        {65783042, "65783042"},
        {1e22, "1e+22"},
        {0, "0"},
        {-0.25, "-0.25"},
        {0.0001, "0.0001"},
        {1e-8, "1e-08"},
        {1.0 / 3, "0.3333333333333333"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {HUGE_VAL, "inf"},
        {-HUGE_VAL, "-inf"},
        {(double)NAN, "nan"},
    };
    char dst[40];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(str_f64(dst, sizeof dst, cases[i].v), cases[i].text);

    double v = 1, back; /* every text reads back as the same value */
    for (int i = 0; i < 2000; i++) {
        v = v * -1.7320508075688772 + 1e-3 / (i + 1);
        if (fabs(v) > 1e300)
            v *= 1e-300;
        assert_true(str_to_f64(str_f64(dst, sizeof dst, v), &back) && back == v);
    }
}

static void test_units(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } sizes[] = {
        {0, "0 B"},
        {416, "416 B"},
        {1023, "1023 B"},
        {1024, "1.0 KiB"},
        {1024 * 1023.96, "1.0 MiB"},
        {12.5 * 1048576, "12.5 MiB"},
        {250.94 * 1048576, "250.9 MiB"},
        {1.18 * 1073741824, "1.18 GiB"},
        {22.125 * 1073741824, "22.12 GiB"},
        {3.0 * 1099511627776, "3.00 TiB"},
        {-1, "—"},
        {(double)NAN, "—"},
    };
    static const struct {
        double seconds;
        const char *text;
    } times[] = {
        {0, "0:00:00"},
        {59.999, "0:00:59"},
        {3599, "0:59:59"},
        {4872, "1:21:12"},
        {359999, "99:59:59"},
        {360000, "4d04:00"},
        {5 * 86400 + 3 * 3600 + 12 * 60 + 59, "5d03:12"},
        {-1, "—"},
        {(double)NAN, "—"},
        {HUGE_VAL, "—"},
    };
    char dst[40];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_string_equal(str_bytes(dst, sizeof dst, sizes[i].bytes), sizes[i].text);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        assert_string_equal(str_duration(dst, sizeof dst, times[i].seconds), times[i].text);
    assert_string_equal(str_commas(dst, sizeof dst, 65783042), "65,783,042");
    assert_string_equal(str_commas(dst, sizeof dst, 999), "999");
    assert_string_equal(str_commas(dst, sizeof dst, -1000), "-1,000");
    assert_string_equal(str_commas(dst, sizeof dst, INT64_MIN), "-9,223,372,036,854,775,808");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strbuf),  cmocka_unit_test(test_strlist),
        cmocka_unit_test(test_ends),    cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_copy),    cmocka_unit_test(test_visible),
        cmocka_unit_test(test_nearest), cmocka_unit_test(test_integers),
        cmocka_unit_test(test_reals),   cmocka_unit_test(test_real_text),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests_name("str", tests, NULL, NULL);
}
