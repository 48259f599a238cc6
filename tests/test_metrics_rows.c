/* Scores of logits and losses: ties and NaN, several labels a row, rows without a label, and
 * that the cut into batches does not matter. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/train/loss.h"
#include "engine/train/metrics.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void test_argmax(void **state)
{
    (void)state;
    static const struct {
        float x[4];
        int best;
    } rows[] = {{{1, 3, 2, 3}, 1},          {{0, 0, 0, 0}, 0},     {{-1, -INFINITY, -1, -2}, 0},
                {{NAN, -5, NAN, -4}, 3},    {{2, NAN, 3, NAN}, 2}, {{NAN, NAN, NAN, NAN}, 0},
                {{NAN, -INFINITY, 0, 0}, 2}};
    for (size_t i = 0; i < N(rows); i++)
        assert_int_equal(argmax(rows[i].x, 4), rows[i].best);
}

enum { ROWS = 23, CLASSES = 3 };

/* Made-up rows: logits with ties and NaN, some labels missing. */
static void make_rows(float *logits, int32_t *label, float *value, float *target)
{
    for (int i = 0; i < ROWS; i++) {
        label[i] = i % 7 == 3 ? LABEL_IGNORE : i * i % CLASSES;
        value[i] = i % 7 == 3 ? NAN : (float)((i * 5) % 11) * 0.5f;
        for (int k = 0; k < CLASSES; k++) {
            logits[i * CLASSES + k] = (float)((i * 7 + k * 5) % 9 - 4) * 0.25f;
            target[i * CLASSES + k] = i % 7 == 3 ? NAN : (float)((i + k) % 2);
        }
    }
    logits[0] = logits[4] = NAN;
}

static struct eval_report *score_batches(enum problem problem, const float *logits,
                                         const int32_t *label, const float *target, int size)
{
    int n = problem == PROBLEM_REGRESSION ? 1 : CLASSES;
    struct metrics m;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(problem, n, ROWS);
    int64_t row[ROWS];
    for (int i = 0; i < ROWS; i++)
        row[i] = i;
    metrics_init(&m, problem, n, ROWS);
    for (int at = 0; at < ROWS; at += size) {
        struct batch b = {.n = size < ROWS - at ? size : ROWS - at, .label = label + at,
                          .target = target + (size_t)at * (size_t)n, .row = row + at};
        metrics_add_batch(&m, logits + (size_t)at * (size_t)n, &b);
    }
    assert_int_equal(metrics_finish(&m, AVERAGE_MACRO, r, &e), 0);
    metrics_release(&m);
    return r;
}

static void test_batches_do_not_matter(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, ROWS};
    float logits[ROWS * CLASSES], value[ROWS], target[ROWS * CLASSES];
    int32_t label[ROWS];
    make_rows(logits, label, value, target);
    for (int p = PROBLEM_CLASSES; p <= PROBLEM_MULTI_LABEL; p++) {
        const float *answer = p == PROBLEM_REGRESSION ? value : target;
        struct eval_report *whole = score_batches((enum problem)p, logits, label, answer, ROWS);
        assert_int_equal(whole->rows, ROWS - 3); /* three rows have no label */
        for (size_t i = 0; i < N(sizes); i++) {
            struct eval_report *r = score_batches((enum problem)p, logits, label, answer, sizes[i]);
            assert_memory_equal(r->value, whole->value, sizeof r->value);
            assert_int_equal(r->rows, whole->rows);
            assert_int_equal(r->undefined, whole->undefined);
            assert_memory_equal(r->cell, whole->cell, (size_t)whole->kept * sizeof *r->cell);
            eval_report_free(r);
        }
        eval_report_free(whole);
    }
}

/* Where each row went: truth x classes + answer, -1 without a label. */
static void test_rows_of_cells(void **state)
{
    (void)state;
    float logits[ROWS * CLASSES], value[ROWS], target[ROWS * CLASSES];
    int32_t label[ROWS];
    int64_t left[CLASSES * CLASSES];
    make_rows(logits, label, value, target);
    struct eval_report *r = score_batches(PROBLEM_CLASSES, logits, label, target, 7);
    memcpy(left, r->confusion, sizeof left);
    assert_int_equal(r->kept, ROWS);
    for (int i = 0; i < ROWS; i++) {
        bool has_label = label[i] != LABEL_IGNORE;
        int answer = argmax(logits + i * CLASSES, CLASSES);
        assert_int_equal(r->cell[i], has_label ? label[i] * CLASSES + answer : -1);
        if (has_label)
            left[r->cell[i]]--;
    }
    for (int i = 0; i < CLASSES * CLASSES; i++)
        assert_int_equal(left[i], 0);
    eval_report_free(r);
    r = score_batches(PROBLEM_MULTI_LABEL, logits, label, target, 7);
    assert_int_equal(r->kept, 0);
    eval_report_free(r);
}

/* An answer is given where a logit is above 0; a row is right when all of it is. */
static void test_multi_label(void **state)
{
    (void)state;
    static const float logits[] = {1, -1, 2, -1, 0, 3, 1, 1, -1, NAN, -1, 1};
    static const float target[] = {1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1};
    struct metrics m;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(PROBLEM_MULTI_LABEL, 3, 0);
    struct batch b = {.n = 4, .target = target};
    metrics_init(&m, PROBLEM_MULTI_LABEL, 3, 4);
    metrics_add_batch(&m, logits, &b);
    assert_int_equal(metrics_finish(&m, AVERAGE_MACRO, r, &e), 0);
    assert_close(r->value[METRIC_ACCURACY], 0.25, 0, 0);
    assert_close(r->cls[0].precision, 1, 0, 0);
    assert_close(r->cls[0].recall, 2 / 3.0, 1e-15, 0);
    assert_close(r->cls[1].f1, 0, 0, 0);
    assert_close(r->cls[2].f1, 1, 0, 0);
    assert_close(r->value[METRIC_F1], (0.8 + 0 + 1) / 3, 1e-15, 0);
    assert_close(r->micro.precision, 5 / 6.0, 1e-15, 0);
    assert_close(r->micro.recall, 5 / 7.0, 1e-15, 0);
    assert_true(isnan(r->value[METRIC_MCC]) && isnan(r->value[METRIC_F1_BINARY]));
    metrics_release(&m);
    eval_report_free(r);
}

/* ---- losses ---------------------------------------------------------------------------------- */

static double mean_loss(const double (*sums)[2], size_t n, double *smoothed)
{
    struct metrics m;
    struct err e = ERR_INIT;
    struct eval_report *r = eval_report_new(PROBLEM_CLASSES, 2, 0);
    metrics_init(&m, PROBLEM_CLASSES, 2, 0);
    for (size_t i = 0; i < n; i++) {
        metrics_add_loss(&m, sums[i][0], sums[i][1]);
        if (smoothed)
            metrics_add_smoothed(&m, 2 * sums[i][0]);
    }
    assert_int_equal(metrics_finish(&m, AVERAGE_MACRO, r, &e), 0);
    double mean = r->value[METRIC_LOSS], other = r->value[METRIC_LOSS_SMOOTHED];
    assert_true(smoothed || isnan(other));
    if (smoothed)
        *smoothed = other;
    metrics_release(&m);
    eval_report_free(r);
    return mean;
}

/* Bug-case 18: rows count alike, whatever batch they came in. */
static void test_loss_is_a_mean_of_rows(void **state)
{
    (void)state;
    static const double two[][2] = {{10 * 2, 2}, {9 * 1, 1}};
    static const double three[][2] = {{.7 * 256, 256}, {.8 * 256, 256}, {.9 * 10, 10}};
    double smoothed;
    assert_close(mean_loss(two, 2, NULL), 9.666667, 0, 5.1e-7);
    assert_close(mean_loss(three, 3, &smoothed), .752874, 0, 5.1e-7);
    assert_close(smoothed, 2 * .752874, 0, 1.1e-6);
}

/* The logits of trainer-semantics 1.8 in batches of `size`, plain and smoothed. */
static void loss_of_logits(int size, double *plain, double *smoothed)
{
    static const float logits[] = {2, 0, 0, 1, 1, 1};
    static const int32_t label[] = {0, 1, 0};
    struct backend be;
    struct tape t;
    struct err e = ERR_INIT;
    double sums[3][2], smooth[3][2];
    size_t n = 0;
    assert_int_equal(backend_open(&be, "cpu", 1, &e), 0);
    assert_int_equal(tape_init(&t, &be, 0, &e), 0);
    for (int at = 0; at < 3; at += size, n++) {
        struct batch b = {.n = size < 3 - at ? size : 3 - at, .label = label + at};
        tape_begin(&t, false, 0, 0);
        struct tensor *x = tape_input(&t, 2, (int64_t[]){b.n, 2}, logits + (size_t)at * 2, false);
        struct tensor *loss = loss_sum(&t, x, &b, PROBLEM_CLASSES, 0);
        struct tensor *other = loss_sum(&t, x, &b, PROBLEM_CLASSES, 0.1f);
        sums[n][1] = smooth[n][1] = b.n;
        sums[n][0] = (double)loss->data[0];
        smooth[n][0] = (double)other->data[0];
    }
    *plain = mean_loss(sums, n, NULL);
    *smoothed = mean_loss(smooth, n, NULL);
    tape_release(&t);
    backend_close(&be);
}

static void test_loss_of_logits(void **state)
{
    (void)state;
    for (int size = 1; size <= 3; size++) {
        double plain, smoothed;
        loss_of_logits(size, &plain, &smoothed);
        assert_close(plain, 0.3777789597, 0, 1e-6);
        assert_close(smoothed, 0.4277789597, 0, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_argmax),
        cmocka_unit_test(test_batches_do_not_matter),
        cmocka_unit_test(test_rows_of_cells),
        cmocka_unit_test(test_multi_label),
        cmocka_unit_test(test_loss_is_a_mean_of_rows),
        cmocka_unit_test(test_loss_of_logits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
