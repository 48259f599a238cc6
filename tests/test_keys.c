/* The action table, names of keys, and [keys] of a config. */
#include "tests/support.h"

#include <string.h>

#include "engine/base/str.h"
#include "tui/keys.h"

static void test_table(void **state)
{
    (void)state;
    for (enum action a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
        const struct action_desc *d = &action_descs[a];
        assert_true(*d->word && *d->keys && *d->help && d->group < GROUP_COUNT);
        for (enum action b = a + 1; b < ACTION_COUNT; b++)
            assert_string_not_equal(d->word, action_descs[b].word);
        struct strlist keys = STRLIST_INIT;
        strlist_split(&keys, d->keys, ' ');
        for (size_t i = 0; i < keys.n; i++) /* a key of two actions would find the first */
            assert_int_equal(key_action(key_parse(keys.s[i])), a);
        assert_string_equal(action_key(a), keys.s[0]);
        strlist_release(&keys);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"Space", "Enter", "Esc", "Tab", "S-Tab", "Up", "PgDn",
                                        "Home",  "F1",    "F2",  "F5",  "^C",    "^L", "a",
                                        "G",     "?",     "[",   "é",   "^"};
    char name[16];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(key_label(key_parse(names[i]), name), names[i]);
    assert_int_equal(key_parse("^C"), 3);
    assert_int_equal(key_parse("F3"), KEY_NONE);
    assert_int_equal(key_parse("ab"), KEY_NONE);
    assert_int_equal(key_parse(""), KEY_NONE);
    assert_int_equal(key_parse("\xff"), KEY_NONE);
    assert_int_equal(key_action(KEY_GONE), ACTION_NONE);
    assert_int_equal(key_action(KEY_NONE), ACTION_NONE);
    assert_int_equal(key_action('Q'), ACTION_NONE);
}

static int configure(const char *text, struct err *e)
{
    struct ini ini;
    *e = (struct err)ERR_INIT;
    assert_int_equal(ini_read_text(&ini, "x.ini", text, strlen(text), e), 0);
    int rc = keys_configure(&ini, e);
    ini_release(&ini);
    return rc;
}

static void test_configure(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(configure("[run]\nname = x\n[keys]\nsave = w ^S\nquit = Esc\nback = q\n", &e),
                     0);
    assert_int_equal(key_action('w'), ACTION_SAVE);
    assert_int_equal(key_action(KEY_CTRL('S')), ACTION_SAVE);
    assert_int_equal(key_action('s'), ACTION_NONE);
    assert_int_equal(key_action(KEY_ESCAPE), ACTION_QUIT);
    assert_int_equal(key_action('q'), ACTION_BACK);
    assert_string_equal(action_key(ACTION_SAVE), "w");
    keys_reset();
    assert_int_equal(key_action('s'), ACTION_SAVE);
}

static void check_refused(const char *text, const char *start, const char *part)
{
    struct err e;
    assert_int_equal(configure(text, &e), TT_ECONFIG);
    assert_true(str_starts(e.msg, start));
    assert_non_null(strstr(e.msg, part));
    assert_int_equal(key_action('s'), ACTION_SAVE); /* nothing was changed */
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("[keys]\nsvae = w\n", "x.ini:2: ", "nearest: save");
    check_refused("[keys]\nzzzzzzzzzzzz = w\n", "x.ini:2: ", " pause ");
    check_refused("[keys]\n\nsave = Hyper\n", "x.ini:3: ", "\"Hyper\"");
    check_refused("[keys]\nsave = e\n", "x.ini:2: ", "evaluate");
    check_refused("[keys]\nsave = 1 2 3 4 5 6\n", "x.ini:2: ", "\"5\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_configure),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
