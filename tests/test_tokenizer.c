/* Ids of texts: golden strings, reported bugs of other readers, pairs and cuts, hostile bytes. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tests/support.h"
#include "tests/token_support.h"

#define UNCASED "tokenizer/bert-base-uncased-vocab.txt"
#define CASED "tokenizer/bert-base-cased-vocab.txt"

static json_t *json_row(const char **text)
{
    size_t n = strcspn(*text, "\n");
    json_t *row = json_loadb(*text, n, 0, NULL);
    assert_non_null(row);
    *text += n + ((*text)[n] == '\n');
    return row;
}

static void check_list(const char *found, const json_t *right, const char *text)
{
    struct strbuf b = STRBUF_INIT;
    for (size_t i = 0; i < json_array_size(right); i++)
        strbuf_addf(&b, "%s%lld", i ? " " : "",
                    (long long)json_integer_value(json_array_get(right, i)));
    if (strcmp(found, b.s))
        fail_msg("\"%s\": %s, not %s", text, found, b.s);
    strbuf_release(&b);
}

static size_t from_hex(const char *hex, char *out)
{
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};
        out[i] = (char)strtol(byte, NULL, 16);
    }
    return n;
}

static void golden_strings(void **state)
{
    (void)state;
    struct tokenizer *uncased = token_open(UNCASED, CASE_AUTO),
                     *cased = token_open(CASED, CASE_AUTO);
    const char *text = test_golden("tokenizer/wordpiece.jsonl", NULL);
    int rows = 0;
    for (; *text; rows++) {
        json_t *row = json_row(&text);
        const char *hex = json_string_value(json_object_get(row, "text_hex"));
        const char *name = json_string_value(json_object_get(row, "name"));
        char *bytes = xmalloc(strlen(hex) / 2 + 1);
        size_t n = from_hex(hex, bytes);
        check_list(token_ids(uncased, bytes, n, NULL, 0, 0), json_object_get(row, "uncased_ids"),
                   name);
        if (json_object_get(row, "cased_ids"))
            check_list(token_ids(cased, bytes, n, NULL, 0, 0), json_object_get(row, "cased_ids"),
                       name);
        free(bytes);
        json_decref(row);
    }
    assert_int_equal(rows, 30);
    tokenizer_free(uncased);
    tokenizer_free(cased);
}

static void check_types(const struct tokenizer *t, const char *text, const char *pair, int64_t most,
                        const json_t *types)
{
    struct token_list l = {0};
    tokenizer_encode(t, &l, text, strlen(text), pair, pair ? strlen(pair) : 0, most);
    assert_int_equal(l.n, json_array_size(types));
    for (size_t i = 0; i < l.n; i++)
        assert_int_equal(l.types[i], json_integer_value(json_array_get(types, i)));
    token_list_release(&l);
}

static void check_rows(const struct tokenizer *t, const char *golden)
{
    const char *text = test_golden(golden, NULL);
    while (*text) {
        json_t *row = json_row(&text), *types = json_object_get(row, "token_type_ids");
        const char *a = json_string_value(json_object_get(row, "text"));
        const char *b = json_string_value(json_object_get(row, "text_pair"));
        int64_t most = json_integer_value(json_object_get(row, "max_length"));
        check_list(token_ids(t, a, strlen(a), b, b ? strlen(b) : 0, most),
                   json_object_get(row, "input_ids"), a);
        if (types)
            check_types(t, a, b, most, types);
        json_decref(row);
    }
}

static void golden_models(void **state)
{
    (void)state;
    static const char *const models[] = {"distilbert-tiny", "bert-tiny"};
    for (int i = 0; i < 2; i++) {
        char *dir = xasprintf("models/%s", models[i]);
        char *rows = xasprintf("tokenizer/%s.tokens.jsonl", models[i]);
        struct tokenizer *t = token_open(dir, CASE_AUTO);
        check_rows(t, rows);
        tokenizer_free(t);
        free(dir);
        free(rows);
    }
}

/* Rows of a TSV against the next rows of ids. */
static void check_table(const struct tokenizer *t, const char *table, const char **ids)
{
    const char *text = strchr(test_golden(table, NULL), '\n') + 1;
    for (; *text; text += strcspn(text, "\n") + 1) {
        json_t *row = json_row(ids);
        check_list(token_ids(t, text, strcspn(text, "\t"), NULL, 0, 0),
                   json_object_get(row, "input_ids"), table);
        json_decref(row);
    }
}

static void golden_run(void **state)
{
    (void)state;
    struct tokenizer *t = token_open("models/distilbert-tiny", CASE_AUTO);
    const char *ids = test_golden("tokenizer/trainer-distilbert.ids.jsonl", NULL);
    check_table(t, "tokenizer/trainer-distilbert.train.tsv", &ids);
    check_table(t, "tokenizer/trainer-distilbert.eval.tsv", &ids);
    assert_int_equal(*ids, 0);
    tokenizer_free(t);
}

static void reported_bugs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *ids;
    } rows[] = {
        {"Gospi\xc4\x87", "2175 13102 2594"},
        {"Filipovi\xc4\x87", "10882 15000 9142"},
        {"note\nbook", "3602 2338"},
        {"shoot\xc2\x97 TOO much", "5607 2205 2172"},
        {"\xc2\xad", ""},
        {"\xf0\x9f\xa5\xb1", "100"},
        {"The capital of France is Paris.", "1996 3007 1997 2605 2003 3000 1012"},
        {"[UNK][UNK]", "100 100"},
        {"hide new secretions from the parental units ",
         "5342 2047 3595 8496 2013 1996 18643 3197"},
    };
    struct tokenizer *t = token_open(UNCASED, CASE_AUTO);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(token_inner(t, rows[i].text), rows[i].ids);
    tokenizer_free(t);
}

static void broken_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text, *ids;
    } rows[] = {
        {"bad\xff"
         "byte",
         "2919 3762 2618"},
        {"trunc\xe2\x82", "19817 4609 2278"},
        {"over\xc0\xaf"
         "long",
         "2058 10052"},
        {"sur\xed\xa0\x80"
         "rogate",
         "7505 21799"},
        {"\xf5\x80\x80\x80x", "1060"},
    };
    struct tokenizer *t = token_open(UNCASED, CASE_AUTO);
    struct token_list l = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(token_inner(t, rows[i].text), rows[i].ids);
        tokenizer_encode(t, &l, rows[i].text, strlen(rows[i].text), NULL, 0, 0);
        assert_int_equal(l.invalid, i + 1);
    }
    token_list_release(&l);
    tokenizer_free(t);
}

/* `n` words "a". */
static char *words(size_t n)
{
    struct strbuf b = STRBUF_INIT;
    strbuf_adds(&b, "");
    for (size_t i = 0; i < n; i++)
        strbuf_adds(&b, "a ");
    return strbuf_take(&b);
}

static void longest_first(void **state)
{
    (void)state;
    static const size_t rows[][5] = {
        {10, 10, 12, 4, 5}, {10, 10, 13, 5, 5}, {5, 20, 12, 4, 5},     {20, 5, 12, 5, 4},
        {3, 20, 12, 3, 6},  {20, 3, 13, 7, 3},  {0, 20, 12, 0, 9},     {300, 300, 512, 254, 255},
        {5, 5, 4, 0, 1},    {5, 5, 3, 0, 0},    {0, 600, 512, 0, 509}, {4, 5, 12, 4, 5},
    };
    struct tokenizer *t = token_open(UNCASED, CASE_AUTO);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t *r = rows[i];
        char *a = words(r[0]), *b = words(r[1]);
        struct token_list l = {0};
        tokenizer_encode(t, &l, a, strlen(a), b, strlen(b), (int64_t)r[2]);
        assert_int_equal(l.n, r[3] + r[4] + 3);
        assert_int_equal(l.ids[r[3] + 1], 102);
        assert_int_equal(l.ids[l.n - 1], 102);
        for (size_t k = 0; k < l.n; k++)
            assert_int_equal(l.types[k], k > r[3] + 1);
        assert_int_equal(l.truncated, r[0] + r[1] + 3 > r[2]);
        token_list_release(&l);
        free(a);
        free(b);
    }
    tokenizer_free(t);
}

static void lists_grow(void **state)
{
    (void)state;
    struct tokenizer *t = token_open(UNCASED, CASE_AUTO);
    struct token_list l = {0};
    assert_int_equal(tokenizer_encode(t, &l, "hello", 5, NULL, 0, 0), 3);
    assert_int_equal(tokenizer_encode(t, &l, "hello world", 11, "x", 1, 4), 4);
    assert_int_equal(l.n, 7);
    assert_int_equal(l.ids[1], 7592);
    assert_int_equal(l.ids[3], 101);
    assert_int_equal(l.types[2], 0);
    assert_int_equal(l.types[6], 1);
    token_list_release(&l);
    tokenizer_free(t);
}

static size_t count_of(const struct tokenizer *t, const char *bytes, size_t n)
{
    struct token_list l = {0};
    size_t count = tokenizer_encode(t, &l, bytes, n, NULL, 0, 0);
    for (size_t i = 0; i < count; i++)
        assert_true(l.ids[i] >= 0 && l.ids[i] < tokenizer_size(t));
    token_list_release(&l);
    return count - 2;
}

/* `times` copies of `unit`: how many tokens. */
static size_t count_repeated(const struct tokenizer *t, const char *unit, size_t times)
{
    struct strbuf b = STRBUF_INIT;
    for (size_t i = 0; i < times; i++)
        strbuf_adds(&b, unit);
    size_t count = count_of(t, b.s, b.len);
    strbuf_release(&b);
    return count;
}

static void hostile_texts(void **state)
{
    (void)state;
    struct tokenizer *uncased = token_open(UNCASED, CASE_AUTO),
                     *cased = token_open(CASED, CASE_AUTO);
    assert_string_equal(token_ids(uncased, "he\0llo", 6, NULL, 0, 0), "101 7592 102");
    assert_int_equal(count_of(uncased, "\0\0\0", 3), 0);
    assert_int_equal(count_repeated(uncased, "x", 10 << 20), 1);
    assert_int_equal(count_repeated(uncased, "a ", 5 << 20), 5 << 20);
    assert_int_equal(count_repeated(uncased, "[", 1 << 20), 1 << 20);
    assert_int_equal(count_repeated(uncased, "\xcc\x81", 5000), 0);
    assert_int_equal(count_repeated(cased, "\xcc\x81", 5000), 1);
    assert_int_equal(count_repeated(uncased, "a", 100), 50);
    assert_int_equal(count_repeated(uncased, "a", 101), 1);
    assert_int_equal(count_repeated(uncased, "\xea\xb0\x81", 34), 1); /* 102 jamo */
    assert_int_equal(count_repeated(cased, "\xf0\x9f\x98\x80", 200), 1);
    assert_int_equal(count_repeated(uncased, "\xe2\x82", 1000), 0);
    tokenizer_free(uncased);
    tokenizer_free(cased);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_strings), cmocka_unit_test(golden_models),
        cmocka_unit_test(golden_run),     cmocka_unit_test(reported_bugs),
        cmocka_unit_test(broken_utf8),    cmocka_unit_test(longest_first),
        cmocka_unit_test(lists_grow),     cmocka_unit_test(hostile_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
