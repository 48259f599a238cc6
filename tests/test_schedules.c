/* Schedules that are a function of the step: the reference's tables, warm-up counts, bounds, run
 * lengths, refused combinations, words. */
#include "tests/support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"
#include "engine/train/run_config.h"
#include "tests/config_support.h"
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
        if (c[i].total < 0)
            continue;
        sched_good(&m, c[i].options, c[i].lr, c[i].total);
        assert_int_equal(m.sc.args.warmup, c[i].warmup);
        assert_int_equal(sched_table(c[i].file, &row), c[i].rows);
        for (int k = 0; k < c[i].rows; k++) {
            sched_close(sched_lr_at(&m.sc, row[k].index), row[k].lr, c[i].lr, c[i].file, k);
            assert_int_equal(row[k].middle, row[k].index + 1);
        }
        made_release(&m);
        tables++;
    }
    assert_int_equal(tables, 70);
}

/* trainer-semantics 1.5: factors at s = 0, 1, 2 ... to six decimals. */
static const struct reference {
    const char *options;
    int n;
    double factor[12];
} references[] = {
    {"name=linear;warmup_steps=2", 11, {0, .5, 1, .875, .75, .625, .5, .375, .25, .125, 0}},
    {"name=cosine;warmup_steps=2", 12,
     {0, .5, 1, .961940, .853553, .691342, .5, .308658, .146447, .038060, 0, .038060}},
    {"name=cosine_with_restarts;warmup_steps=2;num_cycles=2", 11,
     {0, .5, 1, .853553, .5, .146447, 1, .853553, .5, .146447, 0}},
    {"name=polynomial;warmup_steps=2", 11,
     {0, .5, 1, .875012, .750025, .625037, .500050, .375063, .250075, .125087, .000100}},
    {"name=polynomial;warmup_steps=2;lr_end=1e-5;power=2", 11,
     {0, .5, 1, .767969, .566875, .396719, .257500, .149219, .071875, .025469, .010000}},
    {"name=inverse_sqrt;warmup_steps=2", 11,
     {0, .5, 1, .816497, .707107, .632456, .577350, .534522, .5, .471405, .447214}},
    {"name=cosine_with_min_lr;warmup_steps=2;min_lr_rate=0.1", 11,
     {0, .5, 1, .965746, .868198, .722208, .55, .377792, .231802, .134254, .1}},
    {"name=cosine_warmup_with_min_lr;warmup_steps=2;min_lr_rate=0.1", 11,
     {.5, 1, .965746, .868198, .722208, .55, .377792, .231802, .134254, .1, .134254}},
    {"name=cosine_warmup_with_min_lr;warmup_steps=4;min_lr_rate=0.1;warmup_lr_rate=0.2", 11,
     {.2, .466667, .733333, 1, .939711, .775, .55, .325, .160289, .1, .160289}},
    {"name=warmup_stable_decay;warmup_steps=2;num_decay_steps=4", 11,
     {0, .5, 1, 1, 1, 1, 1, .853553, .5, .146447, 0}},
    {"name=warmup_stable_decay;warmup_steps=2;num_decay_steps=4;decay_type=linear;min_lr_ratio=0.1",
     11, {.1, .55, 1, 1, 1, 1, 1, .775, .55, .325, .1}},
    {"name=warmup_stable_decay;warmup_steps=2;num_decay_steps=4;warmup_type=cosine;"
     "decay_type=1-sqrt", 11, {0, .5, 1, 1, 1, 1, 1, .5, .292893, .133975, 0}},
};

static void test_reference_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(references); i++) {
        struct made m;
        sched_good(&m, references[i].options, 1e-3, 10);
        for (int s = 0; s < references[i].n; s++)
            test_close(m.sc.cls->factor(s, &m.sc.args), references[i].factor[s], 0, 5.1e-7,
                       references[i].options, __FILE__, __LINE__);
        made_release(&m);
    }
}

static double factor_at(const char *options, int64_t total, int64_t s)
{
    struct made m;
    sched_good(&m, options, 1e-3, total);
    double f = m.sc.cls->factor(s, &m.sc.args);
    made_release(&m);
    return f;
}

static void test_inverse_sqrt_halves(void **state)
{
    (void)state;
    assert_close(factor_at("name=inverse_sqrt;warmup_steps=4", 20, 16), 0.5, 1e-15, 0);
    assert_close(factor_at("name=inverse_sqrt", 40000, 0), 1, 0, 0);
    assert_close(factor_at("name=inverse_sqrt", 40000, 30000), 0.5, 1e-15, 0);
}

/* Bug-case 10: a plain cosine never jumps back to the peak, only restarts do. */
static void test_cosine_does_not_restart(void **state)
{
    (void)state;
    assert_close(factor_at("name=cosine;warmup_steps=2", 10, 10), 0, 0, 1e-15);
    for (int64_t s = 3; s < 14; s++)
        assert_true(factor_at("name=cosine;warmup_steps=2", 10, s) < 0.97);
    const char *restarts = "name=cosine_with_restarts;warmup_steps=2;num_cycles=2";
    assert_close(factor_at(restarts, 10, 6), 1, 0, 0);
}

/* Bug-case 1: the rate of update n is that of counter n - 1; scale multiplies it. */
static void test_used_rates(void **state)
{
    (void)state;
    struct made m;
    sched_good(&m, "name=linear", 6e-5, 6);
    for (int n = 1; n <= 6; n++, sched_advance(&m.sc))
        assert_close(sched_lr(&m.sc), (7 - n) * 1e-5, 1e-12, 0);
    assert_close(sched_lr(&m.sc), 0, 0, 0);
    made_release(&m);
    sched_good(&m, "name=linear;scale=0.5", 6e-5, 6);
    assert_close(sched_lr_at(&m.sc, 2), 2e-5, 1e-12, 0);
    made_release(&m);
}

static void test_warmup_is_rounded_up_in_double(void **state)
{
    (void)state;
    static const struct {
        int64_t total;
        const char *ratio;
        int64_t warmup;
    } rows[] = {{100, "0.07", 8}, {300, "0.07", 22}, {100, "0.28", 29}, {70, "0.1", 7},
                {33, "0.1", 4},   {7, "0.06", 1},    {1, "0.1", 1},     {10, "0", 0},
                {10, "1", 10}};
    for (size_t i = 0; i < N(rows); i++) {
        struct made m;
        char options[64];
        snprintf(options, sizeof options, "name=linear;warmup_ratio=%s", rows[i].ratio);
        sched_good(&m, options, 1e-3, rows[i].total);
        assert_int_equal(m.sc.args.warmup, rows[i].warmup);
        made_release(&m);
    }
    struct made m;
    sched_good(&m, "name=constant;warmup_steps=5", 1e-3, 10); /* means nothing to it */
    assert_int_equal(m.sc.args.warmup, 0);
    assert_close(sched_lr(&m.sc), 1e-3, 0, 0);
    made_release(&m);
}

/* Options besides the defaults that bend the curves most. */
static const char *const bends[] = {
    "", "num_cycles=3", "num_cycles=0.25", "power=0", "power=7;lr_end=0", "timescale=1",
    "timescale=1000000", "warmup_lr_rate=0", "warmup_lr_rate=1", "min_lr_rate=0", "min_lr_rate=1",
    "num_decay_steps=0", "num_decay_steps=90;warmup_type=1-sqrt;decay_type=1-sqrt",
    "num_decay_steps=7;num_stable_steps=0;warmup_type=cosine;min_lr_ratio=1",
    "pct_start=0", "pct_start=1", "pct_start=0.5;three_phase=yes", "pct_start=0;three_phase=yes",
    "pct_start=0.1;anneal_strategy=linear", "mode=max;patience=0", "smooth=yes;window_size=512",
};

static bool has_options(const struct sched_class *cls, const char *text)
{
    struct strlist part = STRLIST_INIT;
    bool all = true;
    strlist_split(&part, text, ';');
    for (size_t i = 0; i < part.n; i++) {
        part.s[i][strcspn(part.s[i], "=")] = '\0';
        const struct opt_desc *d = cls->opts ? opt_find(cls->opts, part.s[i]) : NULL;
        all = all && d && !(d->type == OPT_INT && strstr(text, "0.25"));
    }
    strlist_release(&part);
    return all;
}

static void assert_bounded(const char *options, int64_t total)
{
    struct made m;
    sched_good(&m, options, 1e-3, total);
    for (int64_t s = 0; s <= total + 3; s++) {
        double lr = sched_lr_at(&m.sc, s);
        if (!(lr >= 0 && lr <= 1e-3 * (1 + 1e-12)))
            fail_msg("%s, total %" PRId64 ": rate %g at %" PRId64, options, total, lr, s);
    }
    made_release(&m);
}

static void test_bounds(void **state)
{
    (void)state;
    static const int64_t totals[] = {1, 2, 3, 4, 5, 10, 33, 100, 1000};
    for (const struct sched_class *const *c = sched_classes; *c; c++)
        for (size_t b = 0; b < N(bends); b++)
            for (size_t t = 0; t < N(totals) && has_options(*c, bends[b]); t++) {
                int64_t total = totals[t];
                int64_t warmups[] = {0, 1, 2, 5, total - 1, total, total + 1, 3 * total};
                for (size_t w = 0; w < N(warmups); w++) {
                    char options[256];
                    snprintf(options, sizeof options, "name=%s;warmup_steps=%" PRId64 ";%s;%s",
                             (*c)->name, warmups[w], sched_needs(*c), bends[b]);
                    assert_bounded(options, total);
                }
            }
}

/* Bug-case 9 and trainer-semantics 1.1: updates are counted from batches, not from samples. */
static void test_run_lengths(void **state)
{
    (void)state;
    static const struct {
        int64_t rows;
        const char *options;
        int64_t batches, updates, steps;
    } cases[] = {
        {10, "batch_size=4\ngradient_accumulation_steps=2\nepochs=3", 3, 2, 6},
        {10, "batch_size=4\ngradient_accumulation_steps=2\nepochs=1.5", 3, 2, 3},
        {10, "batch_size=3\ngradient_accumulation_steps=4\nepochs=1", 4, 1, 1},
        {3, "batch_size=1\ngradient_accumulation_steps=4\nepochs=2", 3, 1, 2},
        {100, "batch_size=8\nepochs=3", 13, 13, 39},
        {2, "batch_size=4\ngradient_accumulation_steps=8\nepochs=3", 1, 1, 3},
        {8, "batch_size=1\ngradient_accumulation_steps=4\nepochs=1", 8, 2, 2},
        {8, "batch_size=1\ngradient_accumulation_steps=4\nepochs=3\nmax_steps=5", 8, 2, 5},
        {10, "batch_size=4\ndrop_last=yes\nepochs=3", 2, 2, 6},
        {67349, "batch_size=32\nepochs=3", 2105, 2105, 6315},
    };
    for (size_t i = 0; i < N(cases); i++) {
        struct strbuf text = STRBUF_INIT;
        struct err e = ERR_INIT;
        struct run_config rc;
        struct run_length length;
        strbuf_addf(&text, MLP "[schedule]\nwarmup_ratio=0.1\n[train]\n%s\n", cases[i].options);
        config_good(&rc, text.s);
        if (run_length_of(&rc, cases[i].rows, &length, &e))
            fail_msg("%s", e.msg);
        assert_int_equal(length.batches, cases[i].batches);
        assert_int_equal(length.updates_per_epoch, cases[i].updates);
        assert_int_equal(length.max_steps, cases[i].steps);
        assert_int_equal(length.warmup, (int64_t)ceil((double)cases[i].steps * 0.1));
        run_config_release(&rc);
        strbuf_release(&text);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        double lr;
        const char *message;
    } rows[] = {
        {"name=linear;warmup_steps=1;warmup_ratio=0.1", 1e-3,
         "schedule.warmup_steps and schedule.warmup_ratio are both given (one of them)"},
        {"name=polynomial", 1e-8, "schedule.lr_end is 1e-07 (below optimizer.lr, 1e-08)"},
        {"name=polynomial;lr_end=0.01", 0.01, "schedule.lr_end is 0.01 (below optimizer.lr, 0.01)"},
        {"name=cosine_with_min_lr", 1e-3,
         "neither schedule.min_lr nor schedule.min_lr_rate is given (one of them)"},
        {"name=cosine_warmup_with_min_lr;min_lr=0;min_lr_rate=0", 1e-3,
         "schedule.min_lr and schedule.min_lr_rate are both given (one of them)"},
        {"name=cosine_with_min_lr;min_lr=1e-5", 0,
         "schedule.min_lr with optimizer.lr 0 (schedule.min_lr_rate, or another lr)"},
        {"name=one_cycle;three_phase=yes;pct_start=0.6", 1e-3,
         "schedule.pct_start is 0.6 with schedule.three_phase (at most 0.5: it falls as long as it "
         "rises)"},
    };
    for (size_t i = 0; i < N(rows); i++) {
        struct made m;
        sched_make(&m, rows[i].options, rows[i].lr, 10);
        assert_int_equal(m.rc, TT_ECONFIG);
        assert_string_equal(m.e.msg, rows[i].message);
        made_release(&m);
    }
    struct err e = ERR_INIT;
    assert_null(sched_by_name("cosin", &e));
    assert_non_null(strstr(e.msg, "did you mean cosine)"));
}

static void test_doubtful(void **state)
{
    (void)state;
    static const struct {
        const char *options, *words; /* NULL: nothing is odd */
    } rows[] = {
        {"name=cosine_with_min_lr;min_lr=0.01",
         "schedule.min_lr 1.00e-02 is above optimizer.lr 1.00e-03: the rate rises to it"},
        {"name=cosine_warmup_with_min_lr;min_lr=0.001", NULL},
        {"name=cosine_with_min_lr;min_lr_rate=1", NULL},
        {"name=warmup_stable_decay;warmup_steps=3;num_decay_steps=8",
         "warm-up, schedule.num_stable_steps and schedule.num_decay_steps are 11 steps of a run of "
         "10"},
        {"name=warmup_stable_decay;warmup_steps=3;num_decay_steps=7", NULL},
        {"name=linear;warmup_steps=30", NULL},
    };
    for (size_t i = 0; i < N(rows); i++) {
        struct made m;
        char words[256];
        sched_good(&m, rows[i].options, 1e-3, 10);
        assert_int_equal(sched_doubt(&m.sc, words, sizeof words), rows[i].words != NULL);
        assert_string_equal(words, rows[i].words ? rows[i].words : "");
        made_release(&m);
    }
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *options, *words;
    } rows[] = {
        {"name=linear;warmup_steps=2", "then down to 0"},
        {"name=constant_with_warmup", "then 2.00e-05 to the end"},
        {"name=cosine", "then along a cosine down to 0"},
        {"name=cosine;num_cycles=1.5", "then 1.5 waves of a cosine, ending at 0"},
        {"name=cosine_with_restarts;num_cycles=3",
         "then 3 times from 2.00e-05 along a cosine down to 0"},
        {"name=polynomial;power=2", "then down to 1.00e-07 by the power 2 of what is left"},
        {"name=inverse_sqrt;warmup_steps=100",
         "then falling with the square root of the steps, 1.00e-05 at step 401"},
        {"name=cosine_with_min_lr;min_lr_rate=0.1", "then along a cosine down to 2.00e-06"},
        {"name=cosine_warmup_with_min_lr;min_lr_rate=0.1;warmup_steps=10",
         "then along a cosine down to 2.00e-06; the warm-up begins at 2.00e-06"},
        {"name=warmup_stable_decay;warmup_steps=100;num_decay_steps=200",
         "then 700 steps at the peak, then in 200 steps down to 0"},
        {"name=one_cycle",
         "from 8.00e-07 up to 2.00e-05 at step 300, then down to 8.00e-11 at step 1000"},
    };
    for (size_t i = 0; i < N(rows); i++) {
        struct made m;
        char words[256];
        sched_good(&m, rows[i].options, 2e-5, 1000);
        m.sc.cls->describe(&m.sc.args, words, sizeof words);
        assert_string_equal(words, rows[i].words);
        made_release(&m);
    }
}

static void test_registry(void **state)
{
    (void)state;
    const struct sched_class *const *c = sched_classes;
    for (; *c; c++) {
        assert_true(c == sched_classes || strcmp(c[-1]->name, (*c)->name) < 0);
        assert_true(strlen((*c)->summary) > 10);
        assert_true(!(*c)->factor == !!(*c)->observe);
        for (const struct opt_desc *d = (*c)->opts; d && d->key; d++) {
            assert_true(strlen(d->help) > 5);
            assert_null(opt_find(sched_opts_table, d->key));
        }
    }
    assert_int_equal(c - sched_classes, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_tables),
        cmocka_unit_test(test_reference_rows),
        cmocka_unit_test(test_inverse_sqrt_halves),
        cmocka_unit_test(test_cosine_does_not_restart),
        cmocka_unit_test(test_used_rates),
        cmocka_unit_test(test_warmup_is_rounded_up_in_double),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_run_lengths),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_doubtful),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
