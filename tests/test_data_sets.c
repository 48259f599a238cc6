/* From the [data] section to two sets: formats, missing files, the split, the limit, made-up data.
 * */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/data_support.h"

/* Rows a = 0 .. n-1, every third unlabelled, classes 0 and 1. */
static const char *counted(const char *name, int n)
{
    struct strbuf b = STRBUF_INIT;
    strbuf_adds(&b, "a,label\n");
    for (int i = 0; i < n; i++)
        strbuf_addf(&b, "%d,%d\n", i, i % 3 ? i % 2 : -100);
    const char *path = data_file(name, b.s, 0);
    strbuf_release(&b);
    return path;
}

static void test_formats(void **state)
{
    (void)state;
    int n = 0;
    for (; data_formats[n]; n++) {
        char name[32];
        assert_true(opt_choice(opt_find(data_opts_table, "format"), n + 1, name, sizeof name));
        assert_string_equal(name, data_formats[n]->name);
        assert_true(n == 0 || strcmp(data_formats[n - 1]->name, data_formats[n]->name) < 0);
    }
    assert_int_equal(n, 5);
    data_refused("rows.txt", "a,label\n1,0\n", 0, "", TT_ECONFIG,
                 "data.format: the name of %s does not tell (auto|csv|idx|jsonl|synthetic|tsv)");
    struct opened d;
    data_open(&d, "train = %s\nformat = csv", counted("rows.txt", 6));
    assert_string_equal(d.e.msg, "");
    assert_string_equal(d.train.fmt->name, "csv");
    data_close(&d);
    data_open(&d, "label = x");
    assert_int_equal(d.rc, TT_ECONFIG);
    assert_string_equal(d.e.msg, "data.train is not given (a file, or data.format = synthetic)");
    data_close(&d);
}

static void test_split(void **state)
{
    (void)state;
    struct opened d, again;
    const char *path = counted("rows.csv", 30);
    data_open(&d, "train = %s\neval_fraction = 0.1", path);
    data_open(&again, "train = %s\neval_fraction = 0.1", path);
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 27);
    assert_int_equal(d.eval.rows, 3); /* 0.1 x 30 is 3 however it is rounded */
    bool seen[30] = {false};
    const struct dataset *sides[] = {&d.train, &d.eval};
    for (int s = 0; s < 2; s++)
        for (int64_t i = 0; i < sides[s]->rows; i++) {
            int a = (int)sides[s]->x[i];
            assert_false(seen[a]);
            seen[a] = true;
            assert_int_equal(sides[s]->label[i], a % 3 ? a % 2 : LABEL_IGNORE);
            assert_int_equal(sides[s]->line[i], a + 2);
            assert_true(i == 0 || sides[s]->x[i - 1] < sides[s]->x[i]);
        }
    assert_int_equal(d.train.labelled + d.eval.labelled, 20);
    assert_string_equal(d.eval.spec.label[1], "1");
    assert_memory_equal(d.eval.x, again.eval.x, 3 * sizeof(float));
    data_close(&d);
    data_close(&again);
}

static void test_split_leaves_rows_on_both_sides(void **state)
{
    (void)state;
    struct opened d;
    static const char rows[] = "a,label\n1,0\n2,1\n3,0\n4,1\n5,0\n6,1\n7,0\n8,1\n9,0\n";
    const char *path = data_file("rows.csv", rows, 0);
    data_open(&d, "train = %s\neval_fraction = 0.001", path);
    assert_int_equal(d.rc, 0);
    assert_int_equal(d.eval.rows, 1);
    data_close(&d);
    data_open(&d, "train = %s\neval_fraction = 0.99", path);
    assert_int_equal(d.rc, TT_ECONFIG);
    assert_string_equal(d.e.msg,
                        "data.eval_fraction = 0.99 of 9 rows is 9 (1 at least on each side)");
    data_close(&d);
    data_open(&d, "train = %s\neval = %s\neval_fraction = 0.5", path, path);
    assert_int_equal(d.rc, TT_ECONFIG);
    data_close(&d);
}

static void test_limit(void **state)
{
    (void)state;
    struct opened d;
    data_open(&d, "train = %s\neval = %s\nlimit = 4", counted("rows.csv", 9), counted("e.csv", 3));
    assert_string_equal(d.e.msg, "");
    assert_int_equal(d.train.rows, 4);
    assert_int_equal(d.train.labelled, 2);
    assert_int_equal(d.eval.rows, 3);
    assert_string_equal(d.train.note, "data: 2 of 4 rows of rows.csv have no label");
    data_close(&d);
}

static void test_limit_leaves_a_label(void **state)
{
    (void)state;
    data_refused("rows.csv", "a,label\n1,-100\n2,0\n3,1\n", 0, "limit = 1", TT_EDATA,
                 "%s: none of the 1 rows taken has a label (one at least)");
}

static void test_missing_file(void **state)
{
    (void)state;
    static const char missing[] = "/usr/share/datasets/no-such-set/train-images-idx3-ubyte.gz";
    struct opened d;
    data_open(&d, "train = %s\ntrain_labels = x", missing);
    assert_int_equal(d.rc, TT_EDATA);
    assert_string_equal(d.e.msg,
                        "/usr/share/datasets/no-such-set/train-images-idx3-ubyte.gz: no such "
                        "file (Debian package dataset-no-such-set)");
    data_close(&d);
    data_open(&d,
              "train = %s\ntrain_labels = x\neval = x\nfallback = synthetic\nshape = 4x5\n"
              "rows = 60\nclasses = 3\nlabel_names = a,b,c",
              missing);
    assert_string_equal(d.e.msg, "");
    assert_string_equal(
        d.train.note, "data: /usr/share/datasets/no-such-set/train-images-idx3-ubyte.gz is missing "
                      "(Debian package dataset-no-such-set); training on made-up data instead");
    assert_int_equal(d.train.rows, 60);
    assert_int_equal(d.eval.rows, 10);
    assert_int_equal(d.train.spec.dim[2], 5);
    assert_string_equal(d.train.spec.label[2], "c");
    data_close(&d);
    /* only a missing training file is replaced */
    data_open(&d, "train = %s\neval = no/such.csv\nfallback = synthetic", counted("rows.csv", 9));
    assert_string_equal(d.e.msg, "no/such.csv: no such file");
    data_close(&d);
}

static void test_made_up_rows(void **state)
{
    (void)state;
    struct opened a, b, c;
    data_open(&a, "format = synthetic\nrows = 240\nshape = 8x6\nclasses = 4");
    data_open(&b, "format = synthetic\nrows = 60\nshape = 8x6\nclasses = 4");
    data_peek(&c, "format = synthetic\nrows = 240\nshape = 8x6\nclasses = 4");
    assert_string_equal(a.e.msg, "");
    assert_int_equal(a.eval.rows, 40);
    /* a row depends on its number, not on how many there are */
    assert_memory_equal(a.train.x, b.train.x, 60 * 48 * sizeof(float));
    assert_memory_equal(a.train.label, c.train.label, 240 * sizeof(int32_t));
    assert_null(c.train.x);
    int64_t count[4] = {0}, equal = 0;
    for (int64_t i = 0; i < 240; i++)
        count[a.train.label[i]]++;
    for (int i = 0; i < 4; i++)
        assert_in_range(count[i], 30, 90);
    for (int64_t i = 0; i < 40; i++) /* eval rows are others */
        equal += !memcmp(a.train.x + i * 48, a.eval.x + i * 48, 48 * sizeof(float));
    assert_int_equal(equal, 0);
    for (size_t i = 0; i < 240 * 48; i++)
        assert_true(a.train.x[i] >= 0 && a.train.x[i] <= 1);
    data_close(&a);
    data_close(&b);
    data_close(&c);
    data_open(&a, "format = synthetic\nshape = 3x0");
    assert_int_equal(a.rc, TT_ECONFIG);
    assert_string_equal(a.e.msg, "data.shape \"3x0\" (a number of features, HxW or CxHxW, 65536 "
                                 "values at most)");
    data_close(&a);
}

/* The nearest mean of the training rows tells classes far better than chance, and not always. */
static void test_made_up_rows_can_be_learned(void **state)
{
    (void)state;
    struct opened d;
    data_open(&d, "format = synthetic\nrows = 1200\nshape = 20\nclasses = 4");
    double mean[4][20] = {{0}}, count[4] = {0};
    for (int64_t i = 0; i < d.train.rows; i++) {
        count[d.train.label[i]]++;
        for (int j = 0; j < 20; j++)
            mean[d.train.label[i]][j] += (double)d.train.x[i * 20 + j];
    }
    int64_t right = 0;
    for (int64_t i = 0; i < d.eval.rows; i++) {
        double best = HUGE_VAL;
        int nearest = -1;
        for (int k = 0; k < 4; k++) {
            double far = 0;
            for (int j = 0; j < 20; j++) {
                double off = (double)d.eval.x[i * 20 + j] - mean[k][j] / count[k];
                far += off * off;
            }
            nearest = far < best ? k : nearest;
            best = far < best ? far : best;
        }
        right += nearest == d.eval.label[i];
    }
    assert_in_range(right, d.eval.rows / 2, d.eval.rows - 5);
    data_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_leaves_rows_on_both_sides),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_limit_leaves_a_label),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_made_up_rows),
        cmocka_unit_test(test_made_up_rows_can_be_learned),
    };
    return cmocka_run_group_tests_name("data_sets", tests, NULL, NULL);
}
