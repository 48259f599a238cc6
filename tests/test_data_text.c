/* Rows of text: which columns they are in, token ids in their place, packing, batches by length. */
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/data/loader.h"
#include "engine/data/tokenizer.h"
#include "tests/data_support.h"

/* As a model that reads text opens it. */
static void open_text(struct opened *d, const char *name, const char *content, const char *label)
{
    struct err e = ERR_INIT;
    *d = (struct opened){.e = ERR_INIT};
    opt_defaults(data_opts_table, &d->o);
    d->o.want_text = true;
    assert_int_equal(opt_parse(opt_find(data_opts_table, "train"), &d->o,
                               data_file(name, content, 0), &e), 0);
    if (label)
        assert_int_equal(opt_parse(opt_find(data_opts_table, "label"), &d->o, label, &e), 0);
    d->rc = dataset_open(&d->o, 42, &d->train, &d->eval, &d->e);
}

static void check_text(const char *name, const char *content, const char *label, const char *text,
                       const char *pair)
{
    struct opened d;
    open_text(&d, name, content, label);
    if (d.rc)
        fail_msg("%s: %s", name, d.e.msg);
    assert_int_equal(d.train.spec.kind, BATCH_TEXT);
    assert_int_equal(d.train.spec.pairs, pair != NULL);
    assert_string_equal(d.train.text.s[0], text);
    if (pair)
        assert_string_equal(d.train.text_pair.s[0], pair);
    assert_int_equal(d.train.rows, 2);
    data_close(&d);
}

static void test_columns(void **state)
{
    (void)state;
    check_text("a.csv", "text,label\n\"a, \"\"b\"\"\",0\nc,1\n", NULL, "a, \"b\"", NULL);
    check_text("a.tsv", "sentence\tlabel\n\"it's 5\" wide \tpos\nc\tneg\n", NULL, "\"it's 5\" wide", NULL);
    check_text("a.tsv", "id\tsentence1\tsentence2\tlabel\n7\ta b\tc\t0\n8\td\te\t1\n", NULL, "a b", "c");
    check_text("a.csv", "label,words\n0,null\n1,NA\n", NULL, "null", NULL);
    check_text("a.tsv", "it is so\t1\nnot so\t0\n", "1", "it is so", NULL);
    check_text("a.jsonl", "{\"label\":\"x\",\"text\":\"a\\ud83d\\ude00\"}\n{\"text\":\"b\",\"label\":\"y\"}\n",
               NULL, "a\xf0\x9f\x98\x80", NULL);
    check_text("a.jsonl", "{\"label\":0,\"premise\":\"a\",\"hypothesis\":\"b\"}\n"
                          "{\"label\":1,\"premise\":\"\",\"hypothesis\":\"\"}\n", NULL, "a", "b");
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *content, *says;
    } cases[] = {
        {"a.csv", "one,two,label\na,b,0\nc,d,1\n", "no column \"text\" for data.text"},
        {"a.jsonl", "{\"text\":\"a\",\"label\":0}\n{\"text\":null,\"label\":1}\n",
         ":2: key \"text\" holds null (a string)"},
        {"a.jsonl", "{\"input_ids\":[],\"label\":0}\n", ":1: key \"input_ids\" holds []"},
        {"a.jsonl", "{\"input_ids\":[1,-2],\"label\":0}\n", "whole numbers from 0"},
        {"a.jsonl", "{\"input_ids\":[1,2],\"token_type_ids\":[0],\"label\":0}\n",
         "a list as long as input_ids"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened d;
        open_text(&d, cases[i].name, cases[i].content, NULL);
        if (!strstr(d.e.msg, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", d.e.msg, cases[i].says);
        assert_int_equal(d.rc, TT_EDATA);
        data_close(&d);
    }
}

/* Of a row that is too long the first ids stay, and the last with its type: it ends the row. */
static void test_cut_ids(void **state)
{
    (void)state;
    static const int32_t ids[] = {2, 5, 6, 3, 2, 5, 6, 3, 2, 3};
    static const uint8_t types[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    struct opened d;
    open_text(&d, "cut.jsonl",
              "{\"label\":0,\"input_ids\":[2,5,6,7,8,3],\"token_type_ids\":[0,0,0,0,1,1]}\n"
              "{\"label\":1,\"input_ids\":[2,5,6,3],\"token_type_ids\":[0,0,0,1]}\n"
              "{\"label\":1,\"input_ids\":[2,3]}\n", NULL);
    assert_int_equal(d.rc, 0);
    assert_int_equal(dataset_tokenize(&d.train, NULL, 9, 4, &d.e), 0);
    assert_int_equal(d.train.at[3], 10);
    assert_memory_equal(d.train.ids, ids, sizeof ids);
    assert_memory_equal(d.train.types, types, sizeof types);
    assert_non_null(strstr(d.train.note, "1 of 3 texts are longer than 4 tokens"));
    data_close(&d);
}

/* Row i has 1 + 7 i % 13 ids, all of them i. */
#define ROWS 101

static void open_ids(struct opened *d)
{
    struct strbuf b = STRBUF_INIT;
    for (int i = 0; i < ROWS; i++) {
        strbuf_addf(&b, "{\"label\":%d,\"input_ids\":[%d", i % 3, i);
        for (int k = 0; k < 7 * i % 13; k++)
            strbuf_addf(&b, ",%d", i);
        strbuf_adds(&b, "]}\n");
    }
    open_text(d, "ids.jsonl", b.s, NULL);
    strbuf_release(&b);
    assert_int_equal(d->rc, 0);
    assert_int_equal(dataset_tokenize(&d->train, NULL, ROWS, 12, &d->e), 0);
}

static int length_of(int row)
{
    int n = 1 + 7 * row % 13;
    return n < 12 ? n : 12;
}

static void check_batch(const struct batch *b, bool seen[ROWS])
{
    assert_null(b->types);
    assert_int_equal(b->tokens, b->at[b->n]);
    for (int i = 0; i < b->n; i++) {
        int row = (int)b->row[i];
        assert_int_equal(b->at[i + 1] - b->at[i], length_of(row));
        for (int k = b->at[i]; k < b->at[i + 1]; k++)
            assert_int_equal(b->ids[k], row);
        assert_int_equal(b->label[i], row % 3);
        assert_false(seen[row]);
        seen[row] = true;
    }
}

static void test_packing(void **state)
{
    (void)state;
    struct opened d;
    open_ids(&d);
    assert_int_equal(d.train.spec.longest, 12);
    assert_non_null(strstr(d.train.note, "longer than 12 tokens and are cut"));
    for (int grouped = 0; grouped < 2; grouped++)
        for (int micro = 0; micro < 26; micro++) {
            struct loader_opts o = {.batch_size = 4, .accumulation = 2, .shuffle = true, .seed = 5,
                                    .group_by_length = grouped, .epoch = 1};
            bool whole[ROWS] = {false}, rest[ROWS] = {false};
            struct loader *l = loader_new(&d.train, &o);
            for (int i = 0; i < micro; i++)
                check_batch(loader_next(l, NULL), whole);
            o.micro = micro;
            struct loader *resumed = loader_new(&d.train, &o);
            for (const struct batch *a, *b; (a = loader_next(l, NULL));) {
                b = loader_next(resumed, NULL);
                assert_non_null(b);
                assert_memory_equal(a->row, b->row, (size_t)a->n * sizeof *a->row);
                check_batch(a, whole);
                check_batch(b, rest);
            }
            for (int i = 0; i < ROWS; i++)
                assert_true(whole[i]);
            loader_free(l);
            loader_free(resumed);
        }
    data_close(&d);
}

/* LengthGroupedSampler: groups sorted, longest first, the longest row of all at the front. */
static void test_order_by_length(void **state)
{
    (void)state;
    int64_t at[ROWS + 1] = {0}, order[ROWS], before[ROWS];
    struct row_length work[ROWS];
    for (int i = 0; i < ROWS; i++)
        at[i + 1] = at[i] + 1 + 37 * i % 101;
    epoch_order(3, 0, true, ROWS, order);
    memcpy(before, order, sizeof order);
    int64_t each = length_group_rows(ROWS, 5);
    assert_int_equal(each, 25); /* 101 / 20 updates of 5 */
    order_by_length(order, ROWS, at, 5, work);
    assert_int_equal(at[order[0] + 1] - at[order[0]], 101);
    for (int64_t g = 0; g < ROWS; g += each)
        for (int64_t i = g + 2; i < ROWS && i < g + each; i++)
            assert_true(at[order[i] + 1] - at[order[i]] <= at[order[i - 1] + 1] - at[order[i - 1]]);
    bool seen[ROWS] = {false};
    for (int i = 0; i < ROWS; i++) {
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
    }
    assert_memory_not_equal(order, before, sizeof order);
    assert_int_equal(length_group_rows(3, 5), 3);
    assert_int_equal(length_group_rows(100000, 5), 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut_ids),
        cmocka_unit_test(test_packing),
        cmocka_unit_test(test_order_by_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
