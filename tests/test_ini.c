/* INI files: what is read, what is refused and where, changing and saving. */
#include "tests/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/ini.h"
#include "engine/base/str.h"

static void must_read(struct ini *ini, const char *text)
{
    struct err e = ERR_INIT;
    if (ini_read_text(ini, "t.ini", text, strlen(text), &e))
        fail_msg("%s", e.msg);
}

static void assert_value(const struct ini *ini, const char *section, const char *key,
                         const char *value, int line)
{
    const struct ini_entry *e = ini_find(ini, section, key);
    assert_non_null(e);
    assert_string_equal(e->value, value);
    assert_int_equal(e->line, line);
    assert_int_equal(e->from, INI_FILE);
}

static void test_read(void **state)
{
    (void)state;
    struct ini ini;
    must_read(&ini, "\xef\xbb\xbf; a comment\n"
                    "# another\r\n"
                    "\n"
                    "[train]\r\n"
                    "epochs = 3\r\n"
                    "    batch_size=32   ; thirty-two\n"
                    "\tlr =\t2e-5\t;x\n"
                    "empty =\n"
                    "[optimizer.discriminator] ; second network\n"
                    "  # indented comment\n"
                    "name = a#b ;c\n"
                    "url = http://h:80/x;y=z # no comment\n"
                    "[ data ]\n"
                    "train = /a b/c.csv");
    assert_int_equal(ini.n, 7);
    assert_value(&ini, "train", "epochs", "3", 5);
    assert_value(&ini, "train", "batch_size", "32", 6);
    assert_value(&ini, "train", "lr", "2e-5", 7);
    assert_value(&ini, "train", "empty", "", 8);
    assert_value(&ini, "optimizer.discriminator", "name", "a#b", 11);
    assert_value(&ini, "optimizer.discriminator", "url", "http://h:80/x;y=z # no comment", 12);
    assert_value(&ini, "data", "train", "/a b/c.csv", 14);
    assert_null(ini_get(&ini, "train", "name"));
    assert_null(ini_get(&ini, "nothing", "epochs"));
    assert_string_equal(ini_get(&ini, "data", "train"), "/a b/c.csv");
    ini_release(&ini);
    assert_int_equal(ini.n, 0);
    must_read(&ini, "");
    assert_int_equal(ini.n, 0);
    ini_release(&ini);
}

static void test_quotes(void **state)
{
    (void)state;
    struct ini ini;
    must_read(&ini, "[a]\n"
                    "semicolon = \"x ;y\" ; comment\n"
                    "blanks = \"  x \"\n"
                    "quote = \"say \\\"hi\\\" \\\\ \\n\"\n"
                    "none = \"\"\n"
                    "inner = a \"b\" c\n");
    assert_value(&ini, "a", "semicolon", "x ;y", 2);
    assert_value(&ini, "a", "blanks", "  x ", 3);
    assert_value(&ini, "a", "quote", "say \"hi\" \\ \\n", 4);
    assert_value(&ini, "a", "none", "", 5);
    assert_value(&ini, "a", "inner", "a \"b\" c", 6);
    ini_release(&ini);
}

/* A file whose second line, "k = xxx...", has `n` bytes. */
static const char *line_of(int n, char *dst, size_t size)
{
    snprintf(dst, size, "[s]\nk = %*s\nl = 1\n", n - 4, "");
    memset(strchr(dst, '=') + 2, 'x', (size_t)n - 4);
    return dst;
}

static void test_longest_lines(void **state)
{
    (void)state;
    struct ini ini;
    struct err e = ERR_INIT;
    char text[1024];
    for (int n = 180; n <= 190; n++) {
        must_read(&ini, line_of(n, text, sizeof text));
        assert_int_equal(strlen(ini_get(&ini, "s", "k")), n - 4);
        assert_string_equal(ini_get(&ini, "s", "l"), "1");
        ini_release(&ini);
    }
    for (int n = 191; n <= 420; n++) {
        line_of(n, text, sizeof text);
        assert_int_equal(ini_read_text(&ini, "t.ini", text, strlen(text), &e), TT_ECONFIG);
        char message[64];
        snprintf(message, sizeof message, "t.ini:2: line of %d bytes (at most 190)", n);
        assert_string_equal(e.msg, message);
        assert_int_equal(ini.n, 0);
    }
    snprintf(text, sizeof text, "[%048d]\nk = 1\n", 7);
    must_read(&ini, text);
    assert_int_equal(strlen(ini.e[0].section), 48);
    ini_release(&ini);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[a]\nx = 1\nx = 2\n", "t.ini:3: a.x is in line 2 already (once)"},
        {"[a]\nx = 1\n[b]\nx = 1\n[a]\n x = 2\n", "t.ini:6: a.x is in line 2 already (once)"},
        {"[a]\n\nnonsense\n", "t.ini:3: \"nonsense\" (key = value, [section] or ; comment)"},
        {"[a]\nkey: value\n", "t.ini:2: \"key: value\" (key = value, [section] or ; comment)"},
        {"[a]\n= 3\n", "t.ini:2: \"= 3\" (key = value, [section] or ; comment)"},
        {"[a]\nx ;= 3\n", "t.ini:2: \"x ;= 3\" (key = value, [section] or ; comment)"},
        {"[a]\nx = 1\n  and more\n", "t.ini:3: \"and more\" (key = value, [section] or ; comment)"},
        {"x = 1\n", "t.ini:1: x before the first [section]"},
        {"[a\nx = 1\n", "t.ini:1: section without its ] (a line like [train])"},
        {"[a ;]\n", "t.ini:1: section without its ] (a line like [train])"},
        {"[ ]\n", "t.ini:1: section without a name (a line like [train])"},
        {"[a] b\n", "t.ini:1: text after the ] (nothing, or a blank and ; comment)"},
        {"[1234567890123456789012345678901234567890123456789]\n",
         "t.ini:1: section name of 49 bytes (at most 48)"},
        {" \xef\xbb\xbf[a]\n", "t.ini:1: byte-order mark (only at the start of the file)"},
        {"[                                                a]\n",
         "t.ini:1: section name of 49 bytes (at most 48)"},
        {"[a]\nx = \"1\n", "t.ini:2: value without its closing \""},
        {"[a]\nx = \"1\" 2\n", "t.ini:2: text after the closing \" (a blank and ; comment)"},
        {"[a]\nx = 1\x1b[0m\n", "t.ini:2: control character 0x1b in column 6 (plain text)"},
        {"[a]\rx = 1\r", "t.ini:1: control character 0x0d in column 4 (plain text)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ini ini;
        struct err e = ERR_INIT;
        const char *text = cases[i].text;
        assert_int_equal(ini_read_text(&ini, "t.ini", text, strlen(text), &e), TT_ECONFIG);
        assert_string_equal(e.msg, cases[i].message);
        assert_int_equal(e.code, TT_ECONFIG);
        assert_int_equal(ini.n, 0);
        assert_null(ini.path);
    }
    struct ini ini;
    struct err e = ERR_INIT;
    assert_int_equal(ini_read_text(&ini, "t.ini", "[a]\nx = 1\0 2\n", 13, &e), TT_ECONFIG);
    assert_string_equal(e.msg, "t.ini:2: NUL byte 0x00 in column 6 (plain text)");
}

static void test_files(void **state)
{
    (void)state;
    struct ini ini;
    struct err e = ERR_INIT;
    const char *dir = test_temp_dir(), *path = test_write_file(dir, "a.ini", "[a]\nx = 1\n");
    assert_int_equal(ini_read(&ini, path, &e), 0);
    char where[256], expected[256];
    snprintf(expected, sizeof expected, "%s:2", path);
    assert_string_equal(ini_where(&ini, ini.e, where, sizeof where), expected);
    ini_release(&ini);

    assert_int_equal(ini_read(&ini, dir, &e), TT_ECONFIG);
    assert_int_equal(e.code, TT_ECONFIG);
    assert_non_null(strstr(e.msg, "is a folder"));
    assert_int_equal(ini_read(&ini, test_path_in(dir, "b.ini"), &e), TT_ECONFIG);
    assert_non_null(strstr(e.msg, "No such file"));
    assert_int_equal(ini.n, 0);
}

static void test_put(void **state)
{
    (void)state;
    struct ini ini, copy;
    char where[64];
    must_read(&ini, "[a]\nx = 1\ny = 2\n");
    ini_put(&ini, "a", "x", "3", INI_SET);
    ini_put(&ini, "b", "z", "4", INI_FORM);
    ini_put(&ini, "a", "y", "", INI_FORM);
    ini_put(&ini, "a", "none", NULL, INI_FORM);
    assert_int_equal(ini.n, 2);
    const struct ini_entry *x = ini_find(&ini, "a", "x");
    assert_string_equal(x->value, "3");
    assert_string_equal(ini_where(&ini, x, where, sizeof where), "--set a.x");
    assert_string_equal(ini_where(&ini, ini_find(&ini, "b", "z"), where, sizeof where), "form b.z");
    ini_copy(&copy, &ini);
    ini_release(&ini);
    assert_int_equal(copy.n, 2);
    assert_string_equal(copy.path, "t.ini");
    assert_string_equal(ini_get(&copy, "a", "x"), "3");
    assert_int_equal(ini_find(&copy, "b", "z")->from, INI_FORM);
    ini_release(&copy);
}

static void test_assignments(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     "x",    "a.x",     "a=1",     "=1",
                                        ".x=1", "a.=1", "a . = 1", "a.x=1\n2"};
    struct ini ini;
    struct err e = ERR_INIT;
    must_read(&ini, "[a]\nx = 1\n");
    assert_int_equal(ini_put_assignment(&ini, "a.x=2", &e), 0);
    assert_string_equal(ini_get(&ini, "a", "x"), "2");
    assert_int_equal(ini_put_assignment(&ini, "optimizer.discriminator.lr = 1e-4 ", &e), 0);
    assert_string_equal(ini_get(&ini, "optimizer.discriminator", "lr"), "1e-4");
    assert_int_equal(ini_put_assignment(&ini, "a.path=k=v.w", &e), 0);
    assert_string_equal(ini_get(&ini, "a", "path"), "k=v.w");
    assert_int_equal(ini_put_assignment(&ini, "sweep.optimizer.name=a,b", &e), 0);
    assert_string_equal(ini_get(&ini, "sweep", "optimizer.name"), "a,b");
    assert_int_equal(ini_put_assignment(&ini, "a.x=", &e), 0);
    assert_null(ini_get(&ini, "a", "x"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ini_put_assignment(&ini, wrong[i], &e), TT_ECONFIG);
    ini_put_assignment(&ini, "a=1", &e);
    assert_string_equal(e.msg, "--set \"a=1\" (section.key=value)");
    assert_int_equal(ini.n, 3);
    ini_release(&ini);
}

/* Whatever ini_quote writes is read as the same value. */
static void test_quote_reads_back(void **state)
{
    (void)state;
    static const char *const values[] = {
        "plain", "a;b", "a ;b",  "a\t;b", " a",  "a ",  "\"a\"", "a\\\" ;",
        ";",     "#",   "a # b", "\\",    " \\", "[x]", "k = v", "caf\xc3\xa9 —"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char quoted[64], text[128];
        struct ini ini;
        snprintf(text, sizeof text, "[s]\nk = %s\n", ini_quote(values[i], quoted, sizeof quoted));
        must_read(&ini, text);
        assert_string_equal(ini_get(&ini, "s", "k"), values[i]);
        ini_release(&ini);
    }
    char quoted[64];
    assert_string_equal(ini_quote("a;b # c", quoted, sizeof quoted), "a;b # c");
}

static void test_save(void **state)
{
    (void)state;
    struct ini ini;
    struct err e = ERR_INIT;
    const char *dir = test_temp_dir();
    const char *path = test_write_file(dir, "a.ini",
                                       "; head\n"
                                       "[train]   ; the run\n"
                                       "epochs = 3\n"
                                       "  lr=\"1 ;2\"   ; quoted\n"
                                       "gone = 1\n"
                                       "batch =\n"
                                       "\n"
                                       "# about the model\n"
                                       "[model]\n"
                                       "dim = 64\n");
    assert_int_equal(ini_read(&ini, path, &e), 0);
    ini_put(&ini, "train", "lr", "2e-5", INI_FORM);
    ini_put(&ini, "train", "gone", NULL, INI_FORM);
    ini_put(&ini, "train", "batch", " 8", INI_FORM);
    ini_put(&ini, "train", "max_steps", "10", INI_FORM);
    ini_put(&ini, "data", "train", "x ;y", INI_FORM);
    ini_put(&ini, "data", "eval", "z", INI_FORM);
    assert_int_equal(ini_save(&ini, path, &e), 0);
    static const char expected[] = "; head\n"
                                   "[train]   ; the run\n"
                                   "epochs = 3\n"
                                   "  lr= 2e-5   ; quoted\n"
                                   "batch = \" 8\"\n"
                                   "max_steps = 10\n"
                                   "\n"
                                   "# about the model\n"
                                   "[model]\n"
                                   "dim = 64\n"
                                   "\n"
                                   "[data]\n"
                                   "train = \"x ;y\"\n"
                                   "eval = z\n";
    assert_string_equal(test_read_file(path, NULL), expected);
    const char *other = test_path_in(dir, "b.ini"); /* a copy of the same text under another name */
    assert_int_equal(ini_save(&ini, other, &e), 0);
    assert_string_equal(test_read_file(other, NULL), expected);
    ini_release(&ini);
}

static void test_save_keeps_line_ends(void **state)
{
    (void)state;
    struct ini ini;
    const char *path = test_write_file(test_temp_dir(), "a.ini", "[a]\r\nx = 1\r\n");
    assert_int_equal(ini_read(&ini, path, NULL), 0);
    ini_put(&ini, "a", "x", "2", INI_FORM);
    assert_int_equal(ini_save(&ini, path, NULL), 0);
    assert_string_equal(test_read_file(path, NULL), "[a]\r\nx = 2\r\n");
    ini_release(&ini);
}

/* What could not be read again is not written; the old file stays. */
static void test_save_refuses(void **state)
{
    (void)state;
    struct ini ini;
    struct err e = ERR_INIT;
    char longest[200];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    longest[100] = '\1';
    const char *path = test_write_file(test_temp_dir(), "a.ini", "[a]\nx = 1\n");
    const char *const values[] = {longest, "two\nlines", "\x1b"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ini_read(&ini, path, &e), 0);
        ini_put(&ini, "a", i == 1 ? "x" : "y", values[i], INI_FORM);
        assert_int_equal(ini_save(&ini, path, &e), TT_ECONFIG);
        assert_true(str_starts(e.msg, i == 1 ? "a.x: " : "a.y: "));
        assert_string_equal(test_read_file(path, NULL), "[a]\nx = 1\n");
        ini_release(&ini);
    }
    assert_int_equal(ini_read(&ini, path, &e), 0);
    ini_put(&ini, "a", "k = v", "1", INI_FORM);
    assert_int_equal(ini_save(&ini, path, &e), TT_ECONFIG);
    file_fail_at(1, ENOSPC);
    ini_put(&ini, "a", "k = v", NULL, INI_FORM);
    assert_int_equal(ini_save(&ini, path, &e), TT_EFAIL);
    assert_non_null(strstr(e.msg, "No space left"));
    assert_string_equal(test_read_file(path, NULL), "[a]\nx = 1\n");
    ini_release(&ini);
}

/* Longer than a line: parts that begin, end and are cut anywhere, also inside a letter. */
static void test_long_values(void **state)
{
    (void)state;
    static const char *const units[] = {"x", " ", "\"", "\\", "; ", "\xc3\xbc", "\xe2\x98\x83"};
    const char *path = test_write_file(test_temp_dir(), "a.ini", "[a]\nx = 1 ; old\nz = 2\n");
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (int n = 150; n < 1000; n += 17) {
            struct strbuf value = STRBUF_INIT;
            struct ini ini;
            struct err e = ERR_INIT;
            for (int i = 0; i < n; i++)
                strbuf_adds(&value, i % 29 ? units[u] : "y");
            assert_int_equal(ini_read(&ini, path, &e), 0);
            ini_put(&ini, "a", "x", value.s, INI_FORM);
            ini_put(&ini, "a", "new", value.s, INI_FORM);
            if (ini_save(&ini, path, &e))
                fail_msg("%s", e.msg);
            ini_release(&ini);
            assert_int_equal(ini_read(&ini, path, &e), 0);
            assert_int_equal(ini.n, 3);
            assert_string_equal(ini_get(&ini, "a", "x"), value.s);
            assert_string_equal(ini_get(&ini, "a", "new"), value.s);
            assert_string_equal(ini_get(&ini, "a", "z"), "2");
            ini_release(&ini);
            strbuf_release(&value);
        }
}

static void test_rest_of_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"[s]\nk+ = 1\n", "[s]\nk = 1\n[t]\nk+ = 2\n",
                                        "[s]\nk = 1\nl = 2\nk+ = 3\n", "[s]\n+ = 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ini ini;
        struct err e = ERR_INIT;
        assert_int_equal(ini_read_text(&ini, "t.ini", texts[i], strlen(texts[i]), &e), TT_ECONFIG);
        assert_non_null(strstr(e.msg, "goes on with nothing"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),          cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_longest_lines), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_files),         cmocka_unit_test(test_put),
        cmocka_unit_test(test_assignments),   cmocka_unit_test(test_quote_reads_back),
        cmocka_unit_test(test_save),          cmocka_unit_test(test_save_keeps_line_ends),
        cmocka_unit_test(test_save_refuses),  cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_rest_of_nothing),
    };
    return cmocka_run_group_tests_name("ini", tests, NULL, NULL);
}
