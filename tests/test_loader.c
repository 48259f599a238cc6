/* The loader: counts of an epoch, the order of rows, batches and their groups, resuming, stopping.
 * */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/data/loader.h"

/* Trainer-semantics 1.1, and 8 batches in groups of 4. */
static void test_counts(void **state)
{
    (void)state;
    static const struct {
        int64_t rows, batch, group, batches, updates;
        bool drop;
    } cases[] = {
        {10, 4, 2, 3, 2, false},    {10, 3, 4, 4, 1, false}, {3, 1, 4, 3, 1, false},
        {100, 8, 1, 13, 13, false}, {2, 4, 8, 1, 1, false},  {8, 1, 4, 8, 2, false},
        {10, 4, 2, 2, 1, true},     {3, 4, 1, 0, 1, true},   {12, 4, 1, 3, 3, true},
        {0, 4, 1, 0, 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t n = batches_per_epoch(cases[i].rows, cases[i].batch, cases[i].drop);
        assert_int_equal(n, cases[i].batches);
        assert_int_equal(updates_per_epoch(n, cases[i].group), cases[i].updates);
    }
}

static void test_order(void **state)
{
    (void)state;
    int64_t a[100], b[100];
    bool seen[100] = {false};
    epoch_order(7, 3, true, 100, a);
    epoch_order(7, 3, true, 100, b);
    assert_memory_equal(a, b, sizeof a);
    for (int i = 0; i < 100; i++) {
        assert_in_range(a[i], 0, 99);
        assert_false(seen[a[i]]);
        seen[a[i]] = true;
    }
    epoch_order(7, 4, true, 100, b);
    assert_memory_not_equal(a, b, sizeof a);
    epoch_order(8, 3, true, 100, b);
    assert_memory_not_equal(a, b, sizeof a);
    epoch_order(7, 3, false, 100, b);
    for (int i = 0; i < 100; i++)
        assert_int_equal(b[i], i);
}

/* 23 rows of 3 bytes; row i holds i, i + 1, i + 2; labels i % 3, every fifth row has none. */
#define ROWS 23
struct rows {
    uint8_t x8[ROWS * 3];
    int32_t label[ROWS];
    struct dataset ds;
};

static void make_rows(struct rows *r)
{
    *r = (struct rows){.ds = {.rows = ROWS, .row_len = 3, .x8_scale = 255}};
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < 3; j++)
            r->x8[3 * i + j] = (uint8_t)(i + j);
        r->label[i] = i % 5 ? i % 3 : LABEL_IGNORE;
    }
    r->ds.x8 = r->x8;
    r->ds.label = r->label;
    r->ds.spec = (struct data_spec){.ndim = 1, .dim = {3}, .num_labels = 3};
}

static const float weights[] = {1, 10, 100};

/* The batch against the rows that the order of its epoch gives it, and its group counted anew. */
static void check_batch(const struct rows *r, const struct loader_opts *o, const struct batch *b,
                        int64_t epoch, int64_t micro)
{
    int64_t order[ROWS], batches = batches_per_epoch(ROWS, o->batch_size, o->drop_last);
    epoch_order(o->seed, epoch, o->shuffle, ROWS, order);
    assert_int_equal(b->epoch, epoch);
    assert_int_equal(b->micro, micro);
    int64_t first = micro * o->batch_size, end = first + o->batch_size;
    assert_int_equal(b->n, (end < ROWS ? end : ROWS) - first);
    int64_t labelled = 0;
    for (int i = 0; i < b->n; i++) {
        int64_t row = order[first + i];
        assert_int_equal(b->row[i], row);
        assert_int_equal(b->label[i], r->label[row]);
        for (int j = 0; j < 3; j++)
            assert_true(b->x[3 * i + j] == (float)(row + j) / 255.0f);
        labelled += b->label[i] != LABEL_IGNORE;
    }
    assert_int_equal(b->labelled, labelled);
    assert_null(b->target);

    int64_t group = micro / o->accumulation, from = group * o->accumulation;
    int64_t to = from + o->accumulation < batches ? from + o->accumulation : batches;
    assert_int_equal(b->group_at, micro - from);
    assert_int_equal(b->group_n, to - from);
    int64_t count = 0;
    double weight = 0;
    for (int64_t i = from * o->batch_size; i < to * o->batch_size && i < ROWS; i++) {
        int32_t label = r->label[order[i]];
        count += label != LABEL_IGNORE;
        if (label != LABEL_IGNORE)
            weight += o->class_weight ? (double)o->class_weight[label] : 1;
    }
    assert_int_equal(b->group_labelled, count);
    assert_true(b->group_weight == weight);
}

static void test_batches(void **state)
{
    (void)state;
    struct rows r;
    make_rows(&r);
    for (int variant = 0; variant < 8; variant++) {
        struct loader_opts o = {
            .batch_size = 4,
            .accumulation = variant & 1 ? 4 : 1,
            .shuffle = true,
            .drop_last = variant & 2,
            .seed = 42,
            .endless = true,
            .class_weight = variant & 4 ? weights : NULL,
        };
        struct loader *l = loader_new(&r.ds, &o);
        int64_t batches = batches_per_epoch(ROWS, 4, o.drop_last);
        for (int64_t i = 0; i < 3 * batches; i++)
            check_batch(&r, &o, loader_next(l, NULL), i / batches, i % batches);
        loader_free(l);
    }
}

/* From any micro-batch on, the end of an epoch included, all is as in the unbroken run. */
static void test_resume(void **state)
{
    (void)state;
    struct rows r;
    make_rows(&r);
    struct loader_opts o = {
        .batch_size = 4, .accumulation = 4, .shuffle = true, .seed = 1, .endless = true};
    for (o.epoch = 0; o.epoch < 2; o.epoch++)
        for (o.micro = 0; o.micro <= 6; o.micro++) {
            struct loader *l = loader_new(&r.ds, &o);
            for (int64_t i = 0; i < 8; i++) {
                int64_t at = o.epoch * 6 + o.micro + i;
                check_batch(&r, &o, loader_next(l, NULL), at / 6, at % 6);
            }
            loader_free(l);
        }
}

static void test_one_pass(void **state)
{
    (void)state;
    struct rows r;
    make_rows(&r);
    struct loader_opts o = {.batch_size = 10, .accumulation = 1};
    double wait = 0;
    struct loader *l = loader_new(&r.ds, &o);
    int64_t n = 0;
    const struct batch *b;
    while ((b = loader_next(l, &wait))) {
        check_batch(&r, &o, b, 0, n / 10);
        n += b->n;
    }
    assert_int_equal(n, ROWS);
    assert_true(wait >= 0 && wait < 60);
    assert_null(loader_next(l, NULL));
    assert_null(loader_next(l, NULL));
    loader_free(l);
    o = (struct loader_opts){
        .batch_size = 50, .accumulation = 1, .drop_last = true, .endless = true};
    l = loader_new(&r.ds, &o);
    assert_null(loader_next(l, NULL)); /* no whole batch in any epoch */
    loader_free(l);
    o = (struct loader_opts){.batch_size = 1000000, .accumulation = 1};
    l = loader_new(&r.ds, &o);
    check_batch(&r, &o, loader_next(l, NULL), 0, 0);
    loader_free(l);
    loader_free(NULL);
}

static void test_targets(void **state)
{
    (void)state;
    float x[4] = {1, 2, 3, 4}, target[8] = {0, 1, NAN, 0, 1, 1, 0, 0};
    struct dataset ds = {.rows = 4, .x = x, .row_len = 1, .target = target};
    ds.spec =
        (struct data_spec){.problem = PROBLEM_MULTI_LABEL, .ndim = 1, .dim = {1}, .num_labels = 2};
    struct loader_opts o = {.batch_size = 3, .accumulation = 2};
    struct loader *l = loader_new(&ds, &o);
    const struct batch *b = loader_next(l, NULL);
    assert_null(b->label);
    assert_close_f32(b->target, target, 6, 0, 0);
    assert_int_equal(b->labelled, 2);
    assert_int_equal(b->group_labelled, 3);
    b = loader_next(l, NULL);
    assert_true(b->x[0] == 4);
    assert_int_equal(b->group_labelled, 3);
    loader_free(l);
}

static void test_no_heap_calls(void **state)
{
    (void)state;
    struct rows r;
    make_rows(&r);
    struct loader_opts o = {.batch_size = 5, .accumulation = 2, .shuffle = true, .endless = true};
    struct loader *l = loader_new(&r.ds, &o);
    loader_next(l, NULL);
    long before = test_heap_calls();
    for (int i = 0; i < 1000; i++)
        assert_non_null(loader_next(l, NULL));
    assert_int_equal(test_heap_calls(), before);
    loader_free(l);
}

/* Freed after any number of batches, also at once. */
static void test_free_any_time(void **state)
{
    (void)state;
    struct rows r;
    make_rows(&r);
    for (int n = 0; n < 200; n++) {
        struct loader_opts o = {
            .batch_size = 2, .accumulation = 3, .shuffle = true, .endless = n & 1, .seed = 5};
        struct loader *l = loader_new(&r.ds, &o);
        for (int i = 0; i < n % 15; i++)
            loader_next(l, NULL);
        loader_free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),        cmocka_unit_test(test_order),
        cmocka_unit_test(test_batches),       cmocka_unit_test(test_resume),
        cmocka_unit_test(test_one_pass),      cmocka_unit_test(test_targets),
        cmocka_unit_test(test_no_heap_calls), cmocka_unit_test(test_free_any_time),
    };
    return cmocka_run_group_tests_name("loader", tests, NULL, NULL);
}
