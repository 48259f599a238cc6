/* config.json: read, changed and written without a loss; labels in both directions. */
#include "tests/support.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/io/hf_config.h"

static void read_text(struct hf_config *c, const char *text)
{
    struct err e = ERR_INIT;
    if (hf_config_read(c, test_write_file(test_temp_dir(), "config.json", text), &e) != 0)
        fail_msg("%s", e.msg);
}

static void assert_refused(const char *text, const char *reason)
{
    const char *path = test_write_file(test_temp_dir(), "config.json", text);
    struct hf_config c;
    struct err e = ERR_INIT;

    assert_int_equal(hf_config_read(&c, path, &e), TT_EDATA);
    assert_null(c.json);
    if (!strstr(e.msg, path) || !strstr(e.msg, reason))
        fail_msg("\"%s\" does not name %s, \"%s\"", e.msg, path, reason);
    hf_config_release(&c);
}

/* Order, unknown keys, kinds of numbers: what is written is what was read. */
static void kept_whole(void **state)
{
    static const char text[] = "{\n"
                               "  \"z\": 1,\n"
                               "  \"architectures\": [\n"
                               "    \"DistilBertForSequenceClassification\"\n"
                               "  ],\n"
                               "  \"a\": 0.1,\n"
                               "  \"layer_norm_eps\": 1e-12,\n"
                               "  \"one\": 1.0,\n"
                               "  \"big\": 9223372036854775807,\n"
                               "  \"huge\": 1000000000000000019884624838656,\n"
                               "  \"minus\": -5,\n"
                               "  \"none\": null,\n"
                               "  \"flag\": true,\n"
                               "  \"no\": false,\n"
                               "  \"empty\": {},\n"
                               "  \"list\": [],\n"
                               "  \"text\": \"\xc3\xa9 \\\"12345678901234567890123\\\\\",\n"
                               "  \"deep\": {\n"
                               "    \"x\": [\n"
                               "      {\n"
                               "        \"y\": 2\n"
                               "      },\n"
                               "      3\n"
                               "    ]\n"
                               "  }\n"
                               "}\n";
    const char *out = test_path_in(test_temp_dir(), "config.json");
    struct hf_config c;
    struct err e = ERR_INIT;

    (void)state;
    read_text(&c, text);
    assert_int_equal(hf_config_write(&c, out, &e), 0);
    assert_string_equal(test_read_file(out, NULL), text);
    hf_config_put_int(&c, "z", 2);
    hf_config_put_str(&c, "model_type", "bert");
    assert_int_equal(hf_config_write(&c, out, &e), 0);
    const char *changed = test_read_file(out, NULL);
    assert_true(str_starts(changed, "{\n  \"z\": 2,\n  \"architectures\""));
    assert_true(str_ends(changed, "  },\n  \"model_type\": \"bert\"\n}\n"));
    hf_config_release(&c);
}

static void values(void **state)
{
    struct hf_config c;

    (void)state;
    read_text(
        &c, "\xef\xbb\xbf{\"dim\": 768, \"dropout\": 0.1, \"float\": 12.0, \"half\": 0.5, \"yes\":"
            " true, \"model_max_length\": 1000000000000000019884624838656, \"name\": \"x\","
            " \"none\": null}");
    assert_int_equal(hf_config_int(&c, "dim", -1), 768);
    assert_int_equal(hf_config_int(&c, "float", -1), 12);
    assert_int_equal(hf_config_int(&c, "half", -1), -1);
    assert_int_equal(hf_config_int(&c, "yes", -1), 1);
    assert_true(hf_config_int(&c, "model_max_length", -1) == INT64_MAX);
    assert_int_equal(hf_config_int(&c, "name", -1), -1);
    assert_int_equal(hf_config_int(&c, "none", 7), 7);
    assert_int_equal(hf_config_int(&c, "absent", 7), 7);
    assert_true(hf_config_real(&c, "dropout", 9) == 0.1);
    assert_true(hf_config_real(&c, "dim", 9) == 768);
    assert_true(hf_config_real(&c, "model_max_length", 9) == 1e30);
    assert_true(hf_config_real(&c, "absent", 9) == 9);
    assert_string_equal(hf_config_str(&c, "name"), "x");
    assert_null(hf_config_str(&c, "dim"));
    hf_config_release(&c);
}

static void refused(void **state)
{
    struct hf_config c = {NULL};

    (void)state;
    assert_refused("{\"a\": 1,\n}", "config.json:2:");
    assert_refused("[1]", "not a JSON object");
    assert_refused("", "config.json:");
    assert_refused("{\"a\": NaN}", "NaN");
    assert_refused("{\"a\": 12345678901234567890-1}", "config.json:1:");
    assert_refused("{\"a\": \"\xff\"}", "config.json:1:");
    hf_config_release(&c);
}

static void writing(void **state)
{
    static const char *const names[] = {"neg", "p\"os", "\xff"};
    const char *out = test_path_in(test_temp_dir(), "config.json");
    struct hf_config c;
    struct err e = ERR_INIT;

    (void)state;
    hf_config_new(&c);
    hf_config_put_real(&c, "initializer_range", 0.02);
    hf_config_put_real(&c, "whole", 3);
    hf_config_put_bool(&c, "do_lower_case", 0);
    hf_config_put_str(&c, "problem_type", NULL);
    hf_config_put_labels(&c, names, 3);
    assert_int_equal(hf_config_write(&c, out, &e), 0);
    assert_string_equal(test_read_file(out, NULL), "{\n"
                                                   "  \"initializer_range\": 0.02,\n"
                                                   "  \"whole\": 3.0,\n"
                                                   "  \"do_lower_case\": false,\n"
                                                   "  \"problem_type\": null,\n"
                                                   "  \"id2label\": {\n"
                                                   "    \"0\": \"neg\",\n"
                                                   "    \"1\": \"p\\\"os\",\n"
                                                   "    \"2\": \"\\\\xff\"\n"
                                                   "  },\n"
                                                   "  \"label2id\": {\n"
                                                   "    \"neg\": 0,\n"
                                                   "    \"p\\\"os\": 1,\n"
                                                   "    \"\\\\xff\": 2\n"
                                                   "  }\n"
                                                   "}\n");
    file_fail_at(1, ENOSPC);
    assert_int_equal(hf_config_write(&c, out, &e), TT_EFAIL);
    file_fail_at(0, 0);
    hf_config_release(&c);
}

/* `right` separated by blanks; NULL: refused. */
static void assert_labels(const char *text, const char *right)
{
    struct strlist labels = STRLIST_INIT, want = STRLIST_INIT;
    struct hf_config c;
    struct err e = ERR_INIT;

    read_text(&c, text);
    int rc = hf_config_labels(&c, &labels, &e);
    if (!right) {
        assert_int_equal(rc, TT_EDATA);
        assert_non_null(strstr(e.msg, "no text for id"));
    } else {
        assert_int_equal(rc, 0);
        if (*right)
            strlist_split(&want, right, ' ');
        assert_int_equal(labels.n, want.n);
        for (size_t i = 0; i < want.n; i++)
            assert_string_equal(labels.s[i], want.s[i]);
    }
    strlist_release(&labels);
    strlist_release(&want);
    hf_config_release(&c);
}

static void labels(void **state)
{
    (void)state;
    assert_labels("{}", "");
    assert_labels("{\"id2label\": {\"0\": \"a\", \"1\": \"b\"}}", "a b");
    assert_labels(
        "{\"id2label\": {\"10\": \"k\", \"2\": \"c\", \"0\": \"a\", \"1\": \"b\", \"3\": \"d\","
        "\"4\": \"e\", \"5\": \"f\", \"6\": \"g\", \"7\": \"h\", \"8\": \"i\", \"9\": \"j\"}}",
        "a b c d e f g h i j k");
    assert_labels("{\"label2id\": {\"b\": 1, \"a\": \"0\"}}", "a b");
    assert_labels("{\"label2id\": {\"x\": 0}, \"id2label\": {\"0\": \"y\"}}", "y");
    assert_labels("{\"id2label\": {\"0\": \"a\", \"2\": \"b\"}}", NULL);
    assert_labels("{\"id2label\": {\"0\": 1}}", NULL);
    assert_labels("{\"label2id\": {\"a\": 1}}", NULL);
    assert_labels("{\"label2id\": {\"a\": 0, \"b\": 0}}", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_whole), cmocka_unit_test(values), cmocka_unit_test(refused),
        cmocka_unit_test(writing),    cmocka_unit_test(labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
