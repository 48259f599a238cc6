/* Schedules that follow a metric: the reference's tables, direction, state that survives a
 * restart. */
#include "tests/support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"
#include "tests/sched_support.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void test_golden_tables(void **state)
{
    (void)state;
    const struct sched_case *c;
    const struct sched_row *row;
    int n = sched_cases(&c), tables = 0;
    for (int i = 0; i < n; i++) {
        struct made m;
        if (c[i].total >= 0)
            continue;
        sched_good(&m, c[i].options, c[i].lr, 1000);
        assert_close(sched_lr(&m.sc), c[i].lr, 0, 0);
        assert_int_equal(sched_table(c[i].file, &row), c[i].rows);
        for (int k = 0; k < c[i].rows; k++) {
            sched_observe(&m.sc, row[k].middle, false);
            sched_advance(&m.sc); /* steps in between change nothing */
            sched_close(sched_lr(&m.sc), row[k].lr, c[i].lr, c[i].file, k);
        }
        made_release(&m);
        tables++;
    }
    assert_int_equal(tables, 13);
}

/* Rates after each of n values; cut >= 0: after so many the state alone goes into a new
 * schedule. */
static void replay(const char *options, double lr, const double *metric, int n, bool larger,
                   int cut, double *rate)
{
    struct made m;
    sched_good(&m, options, lr, 1000);
    for (int i = 0; i < n; i++) {
        if (i == cut) {
            struct sched_state saved = m.sc.state;
            int64_t s = m.sc.s;
            made_release(&m);
            sched_good(&m, options, lr, 1000);
            m.sc.state = saved;
            m.sc.s = s;
        }
        sched_observe(&m.sc, metric[i], larger);
        sched_advance(&m.sc);
        rate[i] = sched_lr(&m.sc);
    }
    made_release(&m);
}

/* Bug-case 11. */
static void test_plateau_sequence_with_restart(void **state)
{
    (void)state;
    static const double metric[] = {1, .9, .9, .9, .89995, .8, .9, .9};
    static const double right[] = {1, 1, 1, .1, .1, .1, .1, .01};
    for (int cut = -1; cut < 8; cut++) {
        double rate[8];
        replay("name=reduce_lr_on_plateau;patience=1", 1, metric, 8, false, cut, rate);
        assert_close_f64(rate, right, 8, 1e-12, 0);
    }
}

static void test_golden_tables_with_restarts(void **state)
{
    (void)state;
    const struct sched_case *c;
    int n = sched_cases(&c);
    for (int i = 0; i < n; i++) {
        const struct sched_row *row;
        double metric[64], whole[64], halves[64];
        if (c[i].total >= 0)
            continue;
        int rows = sched_table(c[i].file, &row);
        assert_in_range(rows, 1, 64);
        for (int k = 0; k < rows; k++)
            metric[k] = row[k].middle;
        replay(c[i].options, c[i].lr, metric, rows, false, -1, whole);
        for (int cut = 0; cut < rows; cut++) {
            replay(c[i].options, c[i].lr, metric, rows, false, cut, halves);
            assert_memory_equal(whole, halves, (size_t)rows * sizeof *whole);
        }
    }
}

/* With the defaults and a metric that stands still the first drop comes at the 12th evaluation. */
static void test_default_patience(void **state)
{
    (void)state;
    double metric[12] = {0}, rate[12];
    replay("name=reduce_lr_on_plateau", 1, metric, 12, false, -1, rate);
    assert_close(rate[10], 1, 0, 0);
    assert_close(rate[11], 0.1, 1e-15, 0);
}

/* Decision D7: without a mode the metric's kind says which way is better. */
static void test_direction(void **state)
{
    (void)state;
    static const double rising[] = {.5, .6, .7, .8};
    static const struct {
        const char *options;
        bool larger;
        double last;
    } cases[] = {
        {"name=reduce_lr_on_plateau;patience=0", true, 1},
        {"name=reduce_lr_on_plateau;patience=0", false, 1e-3},
        {"name=reduce_lr_on_plateau;patience=0;mode=min", true, 1e-3},
        {"name=reduce_lr_on_plateau;patience=0;mode=max", false, 1},
        {"name=greedy;patience=0;factor=0.5;max_lr=100", true, 16},
        {"name=greedy;patience=0;factor=0.5;max_lr=100", false, 0.25},
        {"name=greedy;patience=0;factor=0.5;max_lr=100;mode=min", true, 0.25},
    };
    for (size_t i = 0; i < N(cases); i++) {
        double rate[4];
        replay(cases[i].options, 1, rising, 4, cases[i].larger, -1, rate);
        test_close(rate[3], cases[i].last, 1e-12, 0, cases[i].options, __FILE__, __LINE__);
    }
}

/* Values that a broken run reports: the rate stays a number between its limits. */
static void test_wild_values(void **state)
{
    (void)state;
    static const double wild[] = {NAN, INFINITY, -INFINITY, 0, NAN, 1e308, -1e308, 1e-320, 1, NAN};
    static const char *const options[] = {
        "name=reduce_lr_on_plateau;patience=0",
        "name=reduce_lr_on_plateau;patience=0;threshold=0",
        "name=reduce_lr_on_plateau;patience=0;threshold_mode=abs;cooldown=1",
        "name=greedy;patience=0;min_lr=1e-6",
        "name=greedy;patience=1;smooth=yes;window_size=2;min_lr=1e-6;reset_start=1",
    };
    for (size_t i = 0; i < N(options); i++)
        for (int larger = 0; larger < 2; larger++) {
            double rate[N(wild)];
            replay(options[i], 1e-2, wild, N(wild), larger, 5, rate);
            for (size_t k = 0; k < N(wild); k++)
                assert_true(rate[k] >= 0 && rate[k] <= 1);
        }
    double nans[4] = {NAN, NAN, NAN, NAN}, rate[4]; /* never better, so it is lowered */
    replay("name=reduce_lr_on_plateau;patience=1", 1, nans, 4, true, -1, rate);
    assert_close(rate[3], 0.01, 1e-12, 0);
}

/* With patience 0 and a metric that never gets better the rate falls to min_lr and stays. */
static void test_plateau_stops_at_the_lowest_rate(void **state)
{
    (void)state;
    double flat[40], rate[40];
    for (int i = 0; i < 40; i++)
        flat[i] = 1;
    replay("name=reduce_lr_on_plateau;patience=0;min_lr=1e-4", 1e-2, flat, 40, false, -1, rate);
    assert_close(rate[39], 1e-4, 0, 0);
    replay("name=greedy;patience=0;factor=0.5;min_lr=1e-3;reset_start=3", 4e-3, flat, 40, false, -1,
           rate);
    /* Up once, three halvings, two more at the lowest, then it starts over. */
    for (int i = 0; i < 40; i++)
        assert_close(rate[i], ((double[]){8e-3, 4e-3, 2e-3, 1e-3, 1e-3, 4e-3})[i % 6], 1e-12, 0);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *options, *message;
    } rows[] = {
        {"name=reduce_lr_on_plateau;threshold=1",
         "schedule.threshold is 1 with schedule.threshold_mode = rel (below 1)"},
        {"name=greedy;max_lr=1e-4",
         "schedule.max_lr is 0.0001 (not below schedule.min_lr, 0.001)"},
    };
    for (size_t i = 0; i < N(rows); i++) {
        struct made m;
        sched_make(&m, rows[i].options, 1, 10);
        assert_int_equal(m.rc, TT_ECONFIG);
        assert_string_equal(m.e.msg, rows[i].message);
        made_release(&m);
    }
    struct made m;
    struct err e = ERR_INIT;
    sched_good(&m, "name=reduce_lr_on_plateau", 1, 10);
    assert_int_equal(opt_parse(opt_find(m.sc.cls->opts, "factor"), m.own, "1", &e), TT_ECONFIG);
    assert_string_equal(e.msg, "\"1\" (a number above 0 to below 1)");
    made_release(&m);
}

/* The default min_lr of greedy is above every rate of fine-tuning. */
static void test_doubtful(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        double lr;
        const char *words; /* NULL: nothing is odd */
    } rows[] = {
        {"name=greedy", 5e-5,
         "schedule.min_lr 1.00e-03 is above optimizer.lr 5.00e-05: the rate is not lowered from it"},
        {"name=greedy", 1e-2, NULL},
        {"name=greedy;max_lr=0.1", 0.2,
         "schedule.max_lr 1.00e-01 is below optimizer.lr 2.00e-01: the rate is not raised from it"},
        {"name=reduce_lr_on_plateau", 5e-5, NULL},
        {"name=reduce_lr_on_plateau;min_lr=1e-4", 5e-5,
         "schedule.min_lr 1.00e-04 is above optimizer.lr 5.00e-05: the rate is not lowered from it"},
    };
    for (size_t i = 0; i < N(rows); i++) {
        struct made m;
        char words[256];
        sched_good(&m, rows[i].options, rows[i].lr, 100);
        assert_int_equal(sched_doubt(&m.sc, words, sizeof words), rows[i].words != NULL);
        assert_string_equal(words, rows[i].words ? rows[i].words : "");
        made_release(&m);
    }
}

static void test_words(void **state)
{
    (void)state;
    struct made m;
    char words[256];
    sched_good(&m, "name=reduce_lr_on_plateau", 5e-5, 100);
    m.sc.cls->describe(&m.sc.args, words, sizeof words);
    assert_string_equal(words, "from 5.00e-05, times 0.1 after more than 10 evaluations in a row "
                               "without a better value, not below 0");
    made_release(&m);
    sched_good(&m, "name=greedy;patience=2", 1e-2, 100);
    m.sc.cls->describe(&m.sc.args, words, sizeof words);
    assert_string_equal(words,
                        "from 1.00e-02, divided by 0.95 after more than 2 better evaluations in "
                        "a row, times it after as many without, within 1.00e-03 and 1.00e+00");
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_tables),
        cmocka_unit_test(test_golden_tables_with_restarts),
        cmocka_unit_test(test_plateau_sequence_with_restart),
        cmocka_unit_test(test_default_patience),
        cmocka_unit_test(test_direction),
        cmocka_unit_test(test_wild_values),
        cmocka_unit_test(test_plateau_stops_at_the_lowest_rate),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_doubtful),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
