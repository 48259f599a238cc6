/* What labels mean: classes, numbers, lists, rows without one; and the mistakes in them. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "tests/data_support.h"

/* Opens labels, one a line, as the only other column of a table. */
static const char *column(const char *name, const char *labels)
{
    char text[1024] = "a,label\n";
    struct strlist l = STRLIST_INIT;
    strlist_split(&l, labels, '|');
    for (size_t i = 0; i < l.n; i++) {
        strcat(text, "1,");
        strcat(text, l.s[i]);
        strcat(text, "\n");
    }
    strlist_release(&l);
    return data_file(name, text, 0);
}

static void assert_classes(const struct dataset *ds, const char *names)
{
    struct strlist l = STRLIST_INIT;
    strlist_split(&l, names, ' ');
    assert_int_equal(ds->spec.num_labels, l.n);
    for (size_t i = 0; i < l.n; i++)
        assert_string_equal(ds->spec.label[i], l.s[i]);
    strlist_release(&l);
}

static void test_classes_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *labels, *names;
        int32_t first; /* class of the first row */
    } cases[] = {
        {"2|1|2", "1 2", 1},              /* labels 1..N are mapped */
        {"10|9|1.0|1e0|+9", "1 9 10", 2}, /* numbers as numbers, equal when equal */
        {"-2|3|-100", "-2 3", 0},
        {"-1|5|7|5", "5 7", LABEL_IGNORE},
        {"b|B|\xc3\xa9|a", "B a b \xc3\xa9", 2}, /* by code point */
        {"true|false|true", "false true", 1},
        {"-100|x|y|-1", "x y", LABEL_IGNORE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened d;
        data_open(&d, "train = %s", column("a.csv", cases[i].labels));
        assert_string_equal(d.e.msg, "");
        assert_int_equal(d.train.spec.problem, PROBLEM_CLASSES);
        assert_classes(&d.train, cases[i].names);
        assert_int_equal(d.train.label[0], cases[i].first);
        data_close(&d);
    }
}

static void test_regression(void **state)
{
    (void)state;
    struct opened d;
    data_open(&d, "train = %s\neval = %s", column("a.csv", "1|2.5|-100|-1"),
              column("b.csv", "7|8"));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.spec.problem, PROBLEM_REGRESSION);
    assert_int_equal(d.train.spec.num_labels, 1);
    assert_null(d.train.spec.label);
    assert_int_equal(d.train.labelled, 2);
    assert_true(d.train.target[1] == 2.5f && isnan(d.train.target[2]) && isnan(d.train.target[3]));
    assert_int_equal(d.eval.spec.problem, PROBLEM_REGRESSION);
    assert_true(d.eval.target[1] == 8);
    data_close(&d);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *labels, *message;
    } cases[] = {
        {"-1|1|1", "%s: the labels are -1 and \"1\" only (-1 means unlabelled: use other classes)"},
        {"-1|x", "%s: the labels are -1 and \"x\" only (-1 means unlabelled: use other classes)"},
        {"3|3|3.0", "%s: every label is \"3\" (two classes at least)"},
        {"x|-100", "%s: every label is \"x\" (two classes at least)"},
        {"-1|-100", "%s: none of 2 rows has a label (one at least)"},
        {"-1|1|cat", "%s:4: label \"cat\" (a number, as in line 3)"},
        {"cat|dog|2", "%s:4: label 2 (a string, as in line 2)"},
        {"0|1|nan", "%s:4: label \"nan\" (a number, as in line 2)"},
        {"0.5|1|1e40", "%s:4: label 1e+40 (a number)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n;
        const char *text = test_read_file(column("a.csv", cases[i].labels), &n);
        data_refused("a.csv", text, n, "", TT_EDATA, cases[i].message);
    }
}

static void assert_eval_refused(const char *train, const char *eval, const char *end)
{
    struct opened d;
    data_open(&d, "train = %s\neval = %s", column("t.csv", train), column("e.csv", eval));
    assert_int_equal(d.rc, TT_EDATA);
    if (!str_ends(d.e.msg, end))
        assert_string_equal(d.e.msg, end);
    data_close(&d);
}

static void test_eval_has_the_training_labels(void **state)
{
    (void)state;
    struct opened d;
    data_open(&d, "train = %s\neval = %s", column("t.csv", "0|1|2"), column("e.csv", "2.0|-1|1"));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.eval.label[0], 2);
    assert_int_equal(d.eval.label[1], LABEL_IGNORE);
    assert_classes(&d.eval, "0 1 2");
    data_close(&d);
    assert_eval_refused("0|1|2", "1|3", "e.csv:3: label 3 (0 to 2)");
    assert_eval_refused("1|2", "0", "e.csv:2: label 0 (1 or 2)");
    assert_eval_refused("1|2|4", "1.5", "e.csv:2: label 1.5 (1, 2 or 4)");
    assert_eval_refused("cat|dog", "dog|bird", "e.csv:3: label \"bird\" (cat or dog)");
    assert_eval_refused("0.5|2", "x", "e.csv:2: label \"x\" (a number)");
    assert_eval_refused("0|1", "-1|-1", "e.csv: none of 2 rows has a label (one at least)");
    assert_eval_refused("a|b|c|d|e|f|g|h|i|j|k|l|m|n", "o",
                        "label \"o\" (a, b, c, d, e, f, g, h, i, j, k or l and 2 more)");
}

static void test_names(void **state)
{
    (void)state;
    struct opened d;
    data_open(&d, "train = %s\neval = %s\nlabel_names = shirt, dress", column("t.csv", "7|3"),
              column("e.csv", "3"));
    assert_string_equal(d.e.msg, "");
    assert_string_equal(d.train.spec.label[0], "shirt");
    assert_int_equal(d.train.label[0], 1);
    assert_int_equal(d.eval.label[0], 0);
    assert_string_equal(d.eval.spec.label[1], "dress");
    data_close(&d);
    data_refused("a.csv", "a,label\n1,3\n1,4\n", 0, "label_names = a, b, c", TT_ECONFIG,
                 "data.label_names: 3 names (2, one for each label)");
}

static void test_json_rows(void **state)
{
    (void)state;
    static const float x[] = {1, 2.5, 3, 0, 1, -0.4f, 7, 8, 9};
    struct opened d;
    data_open(&d, "train = %s", data_golden("rows.jsonl"));
    assert_string_equal(d.e.msg, "");
    assert_classes(&d.train, "false true");
    assert_int_equal(d.train.labelled, 2);
    assert_int_equal(d.train.label[0], 1);
    assert_int_equal(d.train.row_len, 3);
    assert_memory_equal(d.train.x, x, sizeof x);
    assert_int_equal(d.train.line[2], 4);
    data_close(&d);
    data_open(&d, "train = %s\nlabel = score\ntext = text", data_golden("texts.jsonl"));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.spec.problem, PROBLEM_REGRESSION);
    assert_string_equal(d.train.text.s[0], "a \xf0\x9f\x98\x80 b \xef\xbf\xbd \\ud800");
    assert_string_equal(d.train.text.s[1], "line\nend");
    data_close(&d);
}

static void test_json_strings_are_no_numbers(void **state)
{
    (void)state;
    struct opened d;
    data_open(&d, "train = %s",
              data_file("a.jsonl", "{\"x\":1,\"label\":\" 10 \"}\n{\"x\":1,\"label\":\"9\"}\n", 0));
    assert_string_equal(d.e.msg, "");
    assert_classes(&d.train, "10 9");
    data_close(&d);
}

static void test_lists(void **state)
{
    (void)state;
    static const float target[] = {1, 0, 1, 0, 0, 0, NAN, 0, 0, 0, 1, 1};
    static const float sides[] = {0, 1, 1, 1};
    struct opened d;
    data_open(&d, "train = %s", data_golden("several.jsonl"));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.spec.problem, PROBLEM_MULTI_LABEL);
    assert_classes(&d.train, "blue green red");
    assert_int_equal(d.train.labelled, 3);
    assert_close_f32(d.train.target, target, 12, 0, 0);
    assert_false(dataset_row_labelled(&d.train, 2));
    data_close(&d);
    data_open(
        &d, "train = %s\nlabel_names = a,b",
        data_file("a.jsonl", "{\"x\":1,\"label\":[0,1]}\n{\"x\":1,\"label\":[true,1.0]}\n", 0));
    assert_string_equal(d.e.msg, "");
    assert_classes(&d.train, "a b");
    assert_close_f32(d.train.target, sides, 4, 0, 0);
    data_close(&d);
}

static void test_json_refused(void **state)
{
    (void)state;
#define FIRST "{\"x\":1,\"label\":1}\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {FIRST "{\"x\":1,\"label\":\"1\"}", "%s:2: label \"1\" (a number, as in line 1)"},
        {FIRST "\n{\"x\":1,\"label\":true}", "%s:3: label true (a number, as in line 1)"},
        {FIRST "{\"x\":1,\"label\":[\"a\"]}", "%s:2: label a list (a number, as in line 1)"},
        {"{\"x\":1,\"label\":[]}", "%s: every list of labels is empty (two classes at least)"},
        {"{\"x\":1,\"label\":[0,2]}", "%s:1: 2 in a list of labels (0 or 1)"},
        {"{\"x\":1,\"label\":[0,\"a\"]}", "%s:1: \"a\" in a list of labels (0 or 1)"},
        {"{\"x\":1,\"label\":[0,1]}\n{\"x\":1,\"label\":[0]}", "%s:2: a list of 1 labels (2)"},
        {FIRST "{\"x\":1}",
         "%s:2: key \"label\" holds nothing (a label, or -100 for a row without one)"},
        {FIRST "{\"x\":1,\"label\":null}",
         "%s:2: key \"label\" holds null (a label, or -100 for a row without one)"},
        {FIRST "{\"x\":\"1\",\"label\":1}", "%s:2: key \"x\" holds a string (a number)"},
        {FIRST "{\"label\":1}", "%s:2: key \"x\" holds nothing (a number)"},
        {FIRST "{\"x\":[1,2],\"label\":1}",
         "%s:2: key \"x\" holds 2 numbers (1, as in the first row)"},
        {FIRST "{\"x\":1e39,\"label\":1}",
         "%s:2: key \"x\" holds 1e+39 (a number that a float can hold, or data.nonfinite = keep)"},
        {FIRST "{\"x\":NaN,\"label\":1}",
         "%s:2: column 8: invalid token near 'NaN' (a JSON object)"},
        {FIRST "[1]", "%s:2: a list (a JSON object on each line)"},
        {FIRST "{\"x\":1,\"x\":2}",
         "%s:2: column 10: duplicate object key near '\"x\"' (a JSON object)"},
        {"{\"name\":\"a\",\"label\":1}",
         "%s:1: no key with numbers (features beside the label label)"},
        {"\n\n", "%s: has no rows (one at least)"},
    };
#undef FIRST
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        data_refused("a.jsonl", cases[i].text, 0, "", TT_EDATA, cases[i].message);
    data_refused("a.jsonl", "{\"text\":null,\"label\":1}", 0, "text = text", TT_EDATA,
                 "%s:1: key \"text\" holds null (a string)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_in_order),
        cmocka_unit_test(test_regression),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_eval_has_the_training_labels),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_json_rows),
        cmocka_unit_test(test_json_strings_are_no_numbers),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_json_refused),
    };
    return cmocka_run_group_tests_name("data_labels", tests, NULL, NULL);
}
