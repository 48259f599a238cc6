/* CSV and TSV: what is read, and what is refused with its line. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "engine/base/file.h"
#include "tests/data_support.h"

static void test_quotes_blanks_and_lines(void **state)
{
    (void)state;
    static const float x[] = {5.1f, 1.4f, 1e-3f, 6.2f, 4.5f,    -2, 7,    6,     3,
                              4.9f, 1.5f, .25f,  6,    -100.5f, 7,  5.5f, 1.25f, 0};
    static const char *const labels[] = {"setosa", "versi \"c\" olor", "virg\r\ninica"};
    static const int32_t label[] = {0, 1, 2, 0, LABEL_IGNORE, 0};
    static const int64_t line[] = {2, 3, 5, 8, 9, 10};
    struct opened d;
    data_open(&d, "train = %s\nlabel = species", data_golden("flowers.csv"));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 6);
    assert_int_equal(d.train.labelled, 5);
    assert_int_equal(d.train.spec.kind, BATCH_DENSE);
    assert_int_equal(d.train.spec.problem, PROBLEM_CLASSES);
    assert_int_equal(d.train.spec.ndim, 1);
    assert_int_equal(d.train.spec.dim[0], 3);
    assert_int_equal(d.train.spec.num_labels, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(d.train.spec.label[i], labels[i]);
    assert_memory_equal(d.train.x, x, sizeof x);
    assert_memory_equal(d.train.label, label, sizeof label);
    assert_memory_equal(d.train.line, line, sizeof line);
    assert_string_equal(d.train.features.s[0], "sepal, cm");
    assert_string_equal(d.train.note, "data: 1 of 6 rows of flowers.csv have no label");
    assert_int_equal(d.eval.rows, 0);
    data_close(&d);
}

static void test_columns_by_name(void **state)
{
    (void)state;
    static const float x[] = {1, 2, 3, 4, 5, 6}, chosen[] = {3, 1, 6, 4};
    struct opened d;
    data_open(&d, "train = %s\neval = %s\nlabel = species", data_golden("flowers.csv"),
              data_golden("flowers-eval.csv"));
    assert_string_equal(d.e.msg, "");
    assert_memory_equal(d.eval.x, x, sizeof x);
    assert_int_equal(d.eval.label[0], 0);
    assert_int_equal(d.eval.label[1], 1);
    data_close(&d);
    data_open(&d, "train = %s\nlabel = species\nfeatures = note, sepal",
              data_file("a.csv", "species,note,sepal\nb,3,1\na,6,4\n", 0));
    assert_string_equal(d.e.msg, "");
    assert_memory_equal(d.train.x, chosen, sizeof chosen);
    data_close(&d);
}

static void test_numbers_without_header(void **state)
{
    (void)state;
    static const int32_t label[] = {1, 0, 1, 2};
    struct opened d;
    data_open(&d, "train = %s\nlabel = 2", data_golden("numbers.csv"));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 4);
    assert_int_equal(d.train.row_len, 2);
    assert_string_equal(d.train.spec.label[0], "9");
    assert_string_equal(d.train.spec.label[1], "10");
    assert_string_equal(d.train.spec.label[2], "100");
    assert_memory_equal(d.train.label, label, sizeof label);
    data_close(&d);
    /* header = no keeps a first row that reads like names */
    data_open(&d, "train = %s\nlabel = 0\nheader = no", data_file("a.csv", "cat,1\ndog,2\n", 0));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 2);
    data_close(&d);
    /* header = yes drops a first row of numbers */
    data_open(&d, "train = %s\nlabel = 1\nheader = yes", data_file("a.csv", "1,2\n3,4\n5,6\n", 0));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 2);
    data_close(&d);
}

static void test_tsv_has_no_quotes(void **state)
{
    (void)state;
    struct opened d;
    data_open(&d, "train = %s\ntext = sentence1\ntext_pair = sentence2", data_golden("pairs.tsv"));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 3);
    assert_int_equal(d.train.spec.kind, BATCH_TEXT);
    assert_string_equal(d.train.text.s[0], "He said \"no");
    assert_string_equal(d.train.text_pair.s[0], "\"Yes\", she said");
    assert_string_equal(d.train.text.s[1], "a \"quoted\" word");
    assert_string_equal(d.train.text.s[2], "");
    assert_string_equal(d.train.spec.label[1], "not_entailment");
    assert_int_equal(d.train.line[2], 5);
    data_close(&d);
    /* columns by number, no header: CoLA */
    data_open(&d, "train = %s\ntext = 3\nlabel = 1",
              data_file("cola.tsv", "gj04\t1\t\tWe ran.\ngj04\t0\t*\tRan we the.\n", 0));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 2);
    assert_string_equal(d.train.text.s[1], "Ran we the.");
    data_close(&d);
}

static void test_nonfinite_kept(void **state)
{
    (void)state;
    struct opened d;
    data_open(&d, "train = %s\nnonfinite = keep",
              data_file("a.csv", "a,label\nnan,0\ninf,1\n1e99,0\n2,1\n", 0));
    assert_string_equal(d.e.msg, "");
    assert_true(isnan(d.train.x[0]));
    assert_true(isinf(d.train.x[1]) && isinf(d.train.x[2]));
    data_close(&d);
}

static void test_gzip(void **state)
{
    (void)state;
    struct opened d;
    size_t n;
    const char *gz = test_golden("data/rows.csv.gz", &n);
    data_open(&d, "train = %s", data_golden("rows.csv.gz"));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 3);
    data_close(&d);
    data_refused("cut.csv", gz, n - 9, "", TT_EDATA, "%s: the gzip data ends too early");
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        const char *options, *message;
    } cases[] = {
        {"a,label\n1,0\n2\n", 0, "", "%s:3: 1 column (2, as in line 1)"},
        {"a,label\n1,0\n2,1,\n", 0, "", "%s:3: 3 columns (2, as in line 1)"},
        {"a,label\n1,\"0\n\n2,1\n", 0, "",
         "%s:2: a quote opens here and never closes (tsv has no quoting)"},
        {"a,b,label\n\"1\n\",\"2,0\n", 0, "",
         "%s:3: a quote opens here and never closes (tsv has no quoting)"},
        {"a,label\n\"1\"2,0\n", 0, "",
         "%s:2: text behind a closing quote (a separator or the line's end)"},
        {"a,label\n1,0\n\n1x,0\n", 0, "", "%s:4: column \"a\" holds \"1x\" (a number)"},
        {"a,label\n1,0\n,0\n", 0, "", "%s:3: column \"a\" holds \"\" (a number)"},
        {"a,label\n1,0\n0x10,0\n", 0, "", "%s:3: column \"a\" holds \"0x10\" (a number)"},
        {"1,0\nx,1\n", 0, "label = 1\nheader = no", "%s:2: column 0 holds \"x\" (a number)"},
        {"a,label\nnan,0\n", 0, "",
         "%s:2: column \"a\" holds \"nan\" (a finite number, or data.nonfinite = keep)"},
        {"a,label\n-inf,0\n", 0, "",
         "%s:2: column \"a\" holds \"-inf\" (a finite number, or data.nonfinite = keep)"},
        {"a,label\n1e99,0\n", 0, "",
         "%s:2: column \"a\" holds \"1e99\" (a finite number, or data.nonfinite = keep)"},
        {"a,label\n1,\n", 0, "",
         "%s:2: column \"label\" holds \"\" (a label, or -100 for a row without one)"},
        {"a,label\n1,0\na,label\n", 0, "", "%s:3: the header again (a row)"},
        {"a,b,a,label\n1,2,3,0\n", 0, "", "%s:1: two columns are named \"a\" (one of each name)"},
        {"a,b\n1,2\n", 0, "label = c",
         "%s:1: no column \"c\" for data.label (a or b; data.header = no where this line is a "
         "row)"},
        {"a,label\n1,2\n", 0, "features = a,z",
         "%s:1: no column \"z\" for data.features (a or label)"},
        {"1,2\n3,4\n", 0, "label = 2",
         "%s:1: no column \"2\" for data.label (0 to 1: there is no header)"},
        {"label\n1\n", 0, "", "%s:1: no column of features (one beside the label)"},
        {"a,label\n\n", 0, "", "%s: has no rows (one at least)"},
        {"\n \n", 0, "", "%s: has no rows (one at least)"},
        {"a,label\r1,0\r2,1\r", 0, "", "%s:1: all line ends are CR (LF or CR LF)"},
        {"a,label\n1,0\n2,\0001\n", 17, "", "%s:3: a NUL byte (text in UTF-8)"},
        {"a,label\n1,caf\xe9\n", 0, "", "%s:2: bytes that are no UTF-8 (text in UTF-8)"},
        {"\xff\xfe"
         "a,",
         0, "", "%s: is UTF-16 text (text in UTF-8, plain or gzip)"},
        {"PAR1junk", 0, "", "%s: is a Parquet file (text in UTF-8, plain or gzip)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        data_refused("rows.csv", cases[i].text, cases[i].n, cases[i].options, TT_EDATA,
                     cases[i].message);
}

static void test_mistakes_of_the_config(void **state)
{
    (void)state;
    const char *rows = "a,b,label\n1,2,0\n3,4,1\n";
    data_refused("a.csv", rows, 0, "features = a,label", TT_ECONFIG,
                 "data.features names the label, column label (other columns)");
    data_refused("a.csv", rows, 0, "features = a\ntext = b", TT_ECONFIG,
                 "data.features: the rows are texts (data.text names a column)");
    data_refused("a.csv", rows, 0, "text = b\nlabel = b", TT_ECONFIG,
                 "data.label and data.text are one column (two)");
    data_refused("a.csv", rows, 0, "text_pair = b", TT_ECONFIG,
                 "data.text_pair is given without data.text (both)");
}

static void test_eval_must_match(void **state)
{
    (void)state;
    struct opened d;
    const char *train = data_file("t.csv", "a,b,label\n1,2,x\n3,4,y\n", 0);
    const char *eval = data_file("e.csv", "a,c,label\n1,2,x\n", 0);
    data_open(&d, "train = %s\neval = %s", train, eval);
    assert_int_equal(d.rc, TT_EDATA);
    assert_non_null(strstr(d.e.msg, "e.csv:1: no column \"b\" for data.features (a, c or label)"));
    data_close(&d);
    eval = data_file("e.csv", "1,x\n", 0);
    data_open(&d, "train = %s\neval = %s\nlabel = 2", train, eval);
    assert_int_equal(d.rc, TT_EDATA);
    assert_non_null(strstr(d.e.msg, "e.csv:1: no column \"2\" for data.label"));
    data_close(&d);
    eval = data_file("e.csv", "5,1,0,x\n", 0);
    data_open(&d, "train = %s\neval = %s\nlabel = 2\nheader = auto", train, eval);
    assert_int_equal(d.rc, TT_EDATA);
    data_close(&d);
}

static void test_predict(void **state)
{
    (void)state;
    static const float x[] = {7, 8};
    const struct data_spec base = {.ndim = 1, .dim = {2}, .num_labels = 2};
    struct opened d;
    struct dataset rows;
    struct err e = ERR_INIT;
    data_open(&d, "train = %s\nlabel = 0", data_file("t.csv", "0,1,2\n1,3,4\n", 0));
    static const char *const files[] = {"7,8\n", "9,7,8\n", "junk,7,8\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (dataset_open_predict(&d.o, data_file("p.csv", files[i], 0), &base, &rows, &e))
            fail_msg("%s", e.msg);
        assert_int_equal(rows.rows, 1);
        assert_memory_equal(rows.x, x, sizeof x);
        assert_int_equal(rows.spec.num_labels, 2);
        int32_t label;
        dataset_gather(&rows, &(int64_t){0}, 1, NULL, &label, NULL);
        assert_int_equal(label, LABEL_IGNORE);
        dataset_release(&rows);
    }
    assert_int_equal(
        dataset_open_predict(&d.o, data_file("p.csv", "1,2,3,4\n", 0), &base, &rows, &e), TT_EDATA);
    assert_non_null(strstr(e.msg, "p.csv:1: 3 features (2, as in training)"));
    data_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotes_blanks_and_lines),
        cmocka_unit_test(test_columns_by_name),
        cmocka_unit_test(test_numbers_without_header),
        cmocka_unit_test(test_tsv_has_no_quotes),
        cmocka_unit_test(test_nonfinite_kept),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_mistakes_of_the_config),
        cmocka_unit_test(test_eval_must_match),
        cmocka_unit_test(test_predict),
    };
    return cmocka_run_group_tests_name("data_csv", tests, NULL, NULL);
}
