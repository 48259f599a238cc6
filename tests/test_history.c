/* Series in fixed memory: averages, extremes, non-finite values, merging. */
#include "tests/support.h"

#include <malloc.h>
#include <math.h>

#include "tui/history.h"

static void test_empty(void **state)
{
    (void)state;
    struct history h;
    history_init(&h);
    assert_true(isnan(h.last) && isnan(h.ema95) && isnan(h.min) && isnan(history_mean(&h, 100)));
    assert_int_equal(history_find(&h, 5), -1);
    history_release(&h);
}

/* sum(decay^age v) / sum(decay^age), from the definition. */
static double average(const double *v, int n, double decay)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < n; i++) {
        sum += pow(decay, n - 1 - i) * v[i];
        weights += pow(decay, n - 1 - i);
    }
    return sum / weights;
}

static void test_averages_are_not_drawn_to_zero(void **state)
{
    (void)state;
    double v[300];
    struct history h;
    history_init(&h);
    for (int i = 0; i < 300; i++) {
        v[i] = 1 + sin(i);
        history_add(&h, i + 1, 0, 0, v[i]);
        assert_close(h.ema95, average(v, i + 1, 0.95), 1e-12, 0);
        assert_close(h.ema99, average(v, i + 1, 0.99), 1e-12, 0);
    }
    assert_close(h.b[0].ema95, v[0], 0, 0);
    history_release(&h);
}

static void test_nonfinite_values_stay_out(void **state)
{
    (void)state;
    const double values[] = {1, NAN, 3, INFINITY, -INFINITY};
    struct history h;
    history_init(&h);
    for (int i = 0; i < 5; i++)
        history_add(&h, i, 0, 0, values[i]);
    assert_int_equal(h.points, 2);
    assert_int_equal(h.nonfinite, 3);
    assert_close(h.ema95, (3 + 0.95) / 1.95, 1e-12, 0);
    assert_close(history_mean(&h, 100), 2, 0, 0);
    assert_close(h.min, 1, 0, 0);
    assert_close(h.max, 3, 0, 0);
    assert_int_equal(h.max_step, 2);
    assert_true(isinf(h.last));
    assert_int_equal(h.last_step, 4);
    assert_int_equal(h.b[1].nonfinite, 1);
    assert_int_equal(h.b[1].count, 0);
    history_release(&h);
}

/* Ten times more values than buckets: every spike and every non-finite value is still there. */
static void test_merging_keeps_extremes(void **state)
{
    (void)state;
    enum { N = 10 * HISTORY_BUCKETS + 7, SPIKE = 12345, HOLE = 54321 };
    struct history h;
    double sum = 0;
    history_init(&h);
    for (int i = 1; i <= N; i++) {
        double v = i == SPIKE ? 99 : i == HOLE ? (double)NAN : 0.5;
        history_add(&h, i, i / 100.0, i / 10.0, v);
        sum += i == HOLE ? 0 : v;
    }
    assert_true(h.n <= HISTORY_BUCKETS && h.n > HISTORY_BUCKETS / 2);
    assert_int_equal(h.span, 16);
    double max = 0, all = 0;
    int64_t count = 0, nonfinite = 0, next = 1;
    for (int i = 0; i < h.n; i++) {
        const struct hist_bucket *b = &h.b[i];
        assert_int_equal(b->first, next);
        assert_true(b->count + b->nonfinite <= h.span);
        next = b->last + 1;
        max = fmax(max, b->max);
        all += b->sum;
        count += b->count;
        nonfinite += b->nonfinite;
    }
    assert_int_equal(next, N + 1);
    assert_int_equal(count, N - 1);
    assert_int_equal(nonfinite, 1);
    assert_close(max, 99, 0, 0);
    assert_close(all, sum, 1e-12, 0);
    assert_int_equal(h.max_step, SPIKE);
    const struct hist_bucket *spike = &h.b[history_find(&h, SPIKE)];
    assert_true(spike->first <= SPIKE && SPIKE <= spike->last);
    assert_close(spike->max, 99, 0, 0);
    assert_int_equal(h.b[history_find(&h, HOLE)].nonfinite, 1);
    assert_int_equal(history_find(&h, 0), -1);
    assert_int_equal(history_find(&h, N + 100), h.n - 1);
    history_clear(&h);
    assert_int_equal(h.n, 0);
    history_add(&h, 1, 0, 0, 2);
    assert_close(h.ema99, 2, 0, 0);
    history_release(&h);
}

static void test_mean_of_the_last(void **state)
{
    (void)state;
    struct history h;
    history_init(&h);
    for (int i = 1; i <= 300; i++)
        history_add(&h, i, 0, 0, i);
    assert_close(history_mean(&h, 100), 250.5, 1e-12, 0);
    assert_close(history_mean(&h, 1000), 150.5, 1e-12, 0);
    history_release(&h);
}

/* Ten million points in fifty series: what the heap has grown by. */
static void test_memory_is_bounded(void **state)
{
    enum { SERIES = 50, POINTS = 10000000 / SERIES };
    static struct history h[SERIES];
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    (void)state;
    for (int s = 0; s < SERIES; s++) {
        history_init(&h[s]);
        for (int64_t i = 1; i <= POINTS; i++)
            history_add(&h[s], i, 0, (double)i, (double)(i % 1000));
        assert_int_equal(h[s].points, POINTS);
    }
    assert_true(mallinfo2().uordblks + mallinfo2().hblkhd - before < 64 << 20);
    for (int s = 0; s < SERIES; s++)
        history_release(&h[s]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_averages_are_not_drawn_to_zero),
        cmocka_unit_test(test_nonfinite_values_stay_out),
        cmocka_unit_test(test_merging_keeps_extremes),
        cmocka_unit_test(test_mean_of_the_last),
        cmocka_unit_test(test_memory_is_bounded),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
