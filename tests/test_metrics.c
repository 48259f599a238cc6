/* Scores against scikit-learn's: the golden cases, the table of trainer-semantics 2, evaluations of
 * nothing, what is undefined, names. */
#include "tests/support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/train/correlation.h"
#include "engine/train/metrics.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static double real(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    assert_true(json_is_number(v) || json_is_null(v));
    return json_is_null(v) ? (double)NAN : json_number_value(v);
}

/* ---- golden cases ---------------------------------------------------------------------------- */

static struct eval_report *score_classes(const int *truth, const int *guess, size_t rows, int n,
                                         enum average a)
{
    struct metrics m;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(PROBLEM_CLASSES, n, 0);
    metrics_init(&m, PROBLEM_CLASSES, n, (int64_t)rows);
    for (size_t i = 0; i < rows; i++)
        metrics_add_class(&m, truth[i], guess[i]);
    if (metrics_finish(&m, a, r, &e))
        fail_msg("%s", e.msg);
    metrics_release(&m);
    return r;
}

static int *ints(const json_t *list)
{
    int *v = xcalloc(json_array_size(list) + 1, sizeof *v);
    for (size_t i = 0; i < json_array_size(list); i++)
        v[i] = (int)json_integer_value(json_array_get(list, i));
    return v;
}

static struct eval_report *score_case(const json_t *c, enum average a)
{
    const json_t *truth = json_object_get(c, "y_true");
    int *t = ints(truth), *p = ints(json_object_get(c, "y_pred"));
    struct eval_report *r =
        score_classes(t, p, json_array_size(truth), (int)real(c, "num_labels"), a);
    free(t);
    free(p);
    return r;
}

static void check_mean(const json_t *c, const char *key, double precision, double recall, double f1)
{
    const json_t *want = json_object_get(c, key);
    if (json_is_null(want))
        return;
    assert_close(precision, real(want, "precision"), 0, 1e-12);
    assert_close(recall, real(want, "recall"), 0, 1e-12);
    assert_close(f1, real(want, "f1"), 0, 1e-12);
}

static void check_means(const json_t *c, const struct eval_report *r)
{
    const struct {
        const char *key;
        const struct score_mean *got;
    } means[] = {{"macro", &r->macro}, {"micro", &r->micro}, {"weighted", &r->weighted},
                 {"macro_seen", &r->macro_seen}};
    for (size_t i = 0; i < N(means); i++)
        check_mean(c, means[i].key, means[i].got->precision, means[i].got->recall,
                   means[i].got->f1);
    if (r->n == 2)
        check_mean(c, "binary", r->cls[1].precision, r->cls[1].recall, r->cls[1].f1);
}

static bool listed(const json_t *c, const char *key, int class)
{
    size_t i;
    json_t *v;
    json_array_foreach(json_object_get(json_object_get(c, "undefined"), key), i, v)
        if (json_integer_value(v) == class)
            return true;
    return false;
}

static void check_classes(const json_t *c, const struct eval_report *r)
{
    static const char *const keys[] = {"precision", "recall", "f1"};
    const json_t *each = json_object_get(c, "per_class");
    for (int k = 0; k < r->n; k++) {
        const double got[] = {r->cls[k].precision, r->cls[k].recall, r->cls[k].f1};
        for (int i = 0; i < 3; i++) {
            const json_t *want = json_array_get(json_object_get(each, keys[i]), (size_t)k);
            assert_close(got[i], json_number_value(want), 0, 1e-12);
            assert_int_equal(r->cls[k].undefined >> i & 1, listed(c, keys[i], k));
        }
        const json_t *support = json_array_get(json_object_get(each, "support"), (size_t)k);
        assert_int_equal(r->cls[k].support, json_integer_value(support));
        const json_t *row = json_array_get(json_object_get(c, "confusion"), (size_t)k);
        for (int j = 0; j < r->n; j++)
            assert_int_equal(r->confusion[k * r->n + j],
                             json_integer_value(json_array_get(row, (size_t)j)));
    }
}

static void check_classification(const json_t *c)
{
    static const char *const averages[] = {"macro", "binary", "micro", "weighted"};
    for (int a = AVERAGE_MACRO; a <= AVERAGE_WEIGHTED; a++) {
        if (a == AVERAGE_BINARY && (int)real(c, "num_labels") != 2)
            continue;
        struct eval_report *r = score_case(c, (enum average)a);
        assert_int_equal(r->rows, (int64_t)real(c, "samples"));
        assert_close(r->value[METRIC_ACCURACY], real(c, "accuracy"), 0, 1e-12);
        assert_close(r->value[METRIC_MCC], real(c, "mcc"), 0, 1e-12);
        check_classes(c, r);
        check_means(c, r);
        check_mean(c, averages[a], r->value[METRIC_PRECISION], r->value[METRIC_RECALL],
                   r->value[METRIC_F1]);
        assert_close(r->value[METRIC_F1_BINARY], r->n == 2 ? r->cls[1].f1 : (double)NAN, 0, 0);
        eval_report_free(r);
    }
}

static void check_regression(const json_t *c)
{
    struct metrics m;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(PROBLEM_REGRESSION, 1, 0);
    const json_t *truth = json_object_get(c, "y_true"), *guess = json_object_get(c, "y_pred");
    metrics_init(&m, PROBLEM_REGRESSION, 1, 2); /* grows */
    for (size_t i = 0; i < json_array_size(truth); i++)
        metrics_add_value(&m, json_number_value(json_array_get(truth, i)),
                          json_number_value(json_array_get(guess, i)));
    assert_int_equal(metrics_finish(&m, AVERAGE_MACRO, r, &e), 0);
    assert_close(r->value[METRIC_MSE], real(c, "mse"), 1e-12, 0);
    assert_close(r->value[METRIC_MAE], real(c, "mae"), 1e-12, 0);
    assert_close(r->value[METRIC_PEARSON], real(c, "pearson"), 0, 1e-9);
    assert_close(r->value[METRIC_SPEARMAN], real(c, "spearman"), 0, 1e-9);
    for (int i = METRIC_MSE; i <= METRIC_SPEARMAN; i++)
        assert_int_equal(r->undefined >> i & 1, isnan(r->value[i]));
    metrics_release(&m);
    eval_report_free(r);
}

static void test_golden_cases(void **state)
{
    (void)state;
    char *rest = (char *)test_golden("metrics/cases.jsonl", NULL);
    int classes = 0, values = 0;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        json_error_t error;
        json_t *c = json_loads(line, 0, &error);
        assert_non_null(c);
        bool regression = !strcmp(json_string_value(json_object_get(c, "kind")), "regression");
        if (regression)
            check_regression(c);
        else
            check_classification(c);
        *(regression ? &values : &classes) += 1;
        json_decref(c);
    }
    assert_int_equal(classes, 24);
    assert_int_equal(values, 10);
}

/* ---- trainer-semantics 2 --------------------------------------------------------------------- */

#define NONE (-1.0) /* binary is an error */

static const struct table_row {
    const char *name;
    int n; /* classes of the head: the largest label and all below */
    const char *truth, *guess;
    double accuracy, binary, macro[3], weighted, mcc;
} table[] = {
    {"basic", 2, "01010", "00110", .6, .5, {.583333, .583333, .583333}, .6, .166667},
    {"three class", 3, "012012", "021001", .333333, NONE, {.222222, .333333, .266667}, .266667, 0},
    {"class 2 never predicted", 3, "00112", "00111", .8, NONE,
     {.555556, .666667, .6}, .72, .721688},
    {"class 2 predicted, absent in truth", 3, "0011", "0211", .75, NONE,
     {.666667, .5, .555556}, .833333, .670820},
    {"class 2 in neither, not given", 2, "0011", "0111", .75, .8,
     {.833333, .75, .733333}, .733333, .577350},
    {"all negative, all right", 2, "000", "000", 1, 0, {1, 1, 1}, 1, 0},
    {"all positive, all right", 2, "111", "111", 1, 1, {1, 1, 1}, 1, 0},
    {"constant 0", 2, "0101", "0000", .5, 0, {.25, .5, .333333}, .333333, 0},
    {"constant 1", 2, "0101", "1111", .5, .666667, {.25, .5, .333333}, .333333, 0},
    {"all wrong", 2, "01", "10", 0, 0, {0, 0, 0}, 0, -1},
    {"labels 1, 2", 3, "1221", "1211", .75, NONE, {.833333, .75, .733333}, .733333, .577350},
    {"labels 0, 2", 3, "0220", "0200", .75, NONE, {.833333, .75, .733333}, .733333, .577350},
    {"symmetric", 3, "012210", "021210", .666667, NONE, {.666667, .666667, .666667}, .666667, .5},
};

static struct eval_report *score_digits(const char *truth, const char *guess, int n, enum average a)
{
    int t[128] = {0}, p[128] = {0};
    size_t rows = strlen(truth);
    assert_true(rows == strlen(guess) && rows < N(t));
    for (size_t i = 0; i < rows; i++) {
        t[i] = truth[i] - '0';
        p[i] = guess[i] - '0';
    }
    return score_classes(t, p, rows, n, a);
}

/* The table's macro is over the labels that occur. */
static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(table); i++) {
        const struct table_row *w = &table[i];
        struct eval_report *r = score_digits(w->truth, w->guess, w->n, AVERAGE_MACRO);
        const double got[] = {r->value[METRIC_ACCURACY], r->macro_seen.precision,
                              r->macro_seen.recall,      r->macro_seen.f1,
                              r->weighted.f1,            r->value[METRIC_MCC]};
        const double want[] = {w->accuracy, w->macro[0], w->macro[1],
                               w->macro[2], w->weighted, w->mcc};
        test_close_f64(got, want, N(got), 0, 5.1e-7, w->name, __FILE__, __LINE__);
        eval_report_free(r);
        if (w->binary == NONE)
            continue;
        r = score_digits(w->truth, w->guess, w->n, AVERAGE_BINARY);
        test_close(r->value[METRIC_F1], w->binary, 0, 5.1e-7, w->name, __FILE__, __LINE__);
        eval_report_free(r);
    }
}

/* Decision D3: over all classes of the head a class in neither counts 0 and is flagged. */
static void test_class_in_neither(void **state)
{
    (void)state;
    struct eval_report *r = score_digits("0011", "0111", 3, AVERAGE_MACRO);
    assert_close(r->value[METRIC_F1], .488889, 0, 5.1e-7);
    assert_close(r->value[METRIC_PRECISION], .555556, 0, 5.1e-7);
    assert_close(r->macro_seen.f1, .733333, 0, 5.1e-7);
    assert_int_equal(r->cls[2].undefined, 7);
    assert_true(r->undefined >> METRIC_F1 & 1);
    eval_report_free(r);
}

static void test_imbalance(void **state)
{
    (void)state;
    char truth[101], guess[101];
    memset(truth, '0', 100);
    memset(guess, '0', 100);
    memset(truth + 95, '1', 5);
    truth[100] = guess[100] = '\0';
    struct eval_report *r = score_digits(truth, guess, 2, AVERAGE_MACRO);
    assert_close(r->value[METRIC_ACCURACY], .95, 0, 1e-12);
    assert_close(r->value[METRIC_F1_BINARY], 0, 0, 0);
    assert_close(r->macro.precision, .475, 0, 1e-12);
    assert_close(r->macro.recall, .5, 0, 1e-12);
    assert_close(r->macro.f1, .487179, 0, 5.1e-7);
    assert_close(r->weighted.f1, .925641, 0, 5.1e-7);
    assert_close(r->value[METRIC_MCC], 0, 0, 0);
    eval_report_free(r);
}

static void test_binary_needs_two_classes(void **state)
{
    (void)state;
    struct metrics m;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(PROBLEM_CLASSES, 3, 0);
    metrics_init(&m, PROBLEM_CLASSES, 3, 1);
    metrics_add_class(&m, 0, 2);
    assert_int_equal(metrics_finish(&m, AVERAGE_BINARY, r, &e), TT_ECONFIG);
    assert_non_null(strstr(e.msg, "3 classes"));
    metrics_release(&m);
    eval_report_free(r);
}

/* ---- what is undefined ----------------------------------------------------------------------- */

/* Bug-case 38: F1 is 0, and defined, where there are errors only; undefined where there is
 * nothing. */
static void test_f1_of_errors(void **state)
{
    (void)state;
    struct eval_report *r = score_digits("100", "010", 2, AVERAGE_BINARY);
    assert_close(r->value[METRIC_F1], 0, 0, 0);
    assert_false(r->undefined >> METRIC_F1 & 1);
    eval_report_free(r);
    r = score_digits("000", "000", 2, AVERAGE_BINARY); /* bug-case 39 */
    assert_close(r->value[METRIC_ACCURACY], 1, 0, 0);
    assert_close(r->value[METRIC_F1], 0, 0, 0);
    assert_close(r->value[METRIC_F1_BINARY], 0, 0, 0);
    assert_true(r->undefined >> METRIC_F1 & 1);
    assert_true(r->undefined >> METRIC_F1_BINARY & 1);
    eval_report_free(r);
}

/* Decision D15, for every average. */
static void test_empty_evaluation(void **state)
{
    (void)state;
    static const enum metric scores[] = {METRIC_PRECISION, METRIC_RECALL, METRIC_F1,
                                         METRIC_F1_BINARY, METRIC_MCC};
    for (int a = AVERAGE_MACRO; a <= AVERAGE_WEIGHTED; a++) {
        struct eval_report *r = score_digits("", "", 2, (enum average)a);
        assert_true(isnan(r->value[METRIC_ACCURACY]) && isnan(r->value[METRIC_LOSS]));
        assert_true(r->undefined >> METRIC_ACCURACY & 1);
        for (size_t i = 0; i < N(scores); i++) {
            assert_close(r->value[scores[i]], 0, 0, 0);
            assert_true(r->undefined >> scores[i] & 1);
        }
        eval_report_free(r);
    }
    struct metrics m;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(PROBLEM_REGRESSION, 1, 0);
    metrics_init(&m, PROBLEM_REGRESSION, 1, 0);
    assert_int_equal(metrics_finish(&m, AVERAGE_MACRO, r, &e), 0);
    for (int i = METRIC_MSE; i <= METRIC_SPEARMAN; i++)
        assert_true(isnan(r->value[i]) && r->undefined >> i & 1);
    metrics_release(&m);
    eval_report_free(r);
}

/* A side whose mean is rounded is constant all the same. */
static void test_constant_side(void **state)
{
    (void)state;
    double rising[12], flat[12];
    for (int i = 0; i < 12; i++) {
        rising[i] = i;
        flat[i] = 0.1;
    }
    for (int n = 2; n <= 12; n++) {
        assert_true(isnan(pearson(rising, flat, n)) && isnan(pearson(flat, rising, n)));
        assert_true(isnan(spearman(rising, flat, n)));
    }
    flat[3] = NAN;
    assert_true(isnan(pearson(rising, flat, 12)) && isnan(spearman(rising, flat, 12)));
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Decision D6, bug-case 48. */
static void test_direction(void **state)
{
    (void)state;
    static const char *const smaller[] = {"loss", "eval_loss", "mse", "eval_mae", "loss_smoothed"};
    static const char *const larger[] = {"accuracy", "eval_f1", "mcc", "f1_binary", "precision",
                                         "recall", "pearson", "eval_spearman"};
    struct err e = ERR_INIT;
    for (size_t i = 0; i < N(smaller); i++)
        assert_false(metric_descs[metric_by_name(smaller[i], &e)].larger);
    for (size_t i = 0; i < N(larger); i++)
        assert_true(metric_descs[metric_by_name(larger[i], &e)].larger);
    for (int i = 0; i < METRIC_COUNT; i++) { /* by the words of the rule */
        const char *name = metric_descs[i].name;
        bool lower = str_ends(name, "loss") || str_ends(name, "mse") || str_ends(name, "mae") ||
                     str_starts(name, "loss");
        assert_int_equal(metric_descs[i].larger, !lower);
        assert_true(str_starts(metric_descs[i].series, "eval_"));
        assert_string_equal(metric_descs[i].series + 5, name);
    }
    static const char *const unknown[] = {"x_loss", "perplexity", "eval_", ""};
    for (size_t i = 0; i < N(unknown); i++) {
        assert_int_equal(metric_by_name(unknown[i], &e), -1);
        assert_non_null(strstr(e.msg, "spearman"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_cases),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_class_in_neither),
        cmocka_unit_test(test_imbalance),
        cmocka_unit_test(test_binary_needs_two_classes),
        cmocka_unit_test(test_f1_of_errors),
        cmocka_unit_test(test_empty_evaluation),
        cmocka_unit_test(test_constant_side),
        cmocka_unit_test(test_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
