/* Learnt vocabularies: the entries of a small text by hand, the same again, sizes, odd texts. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tests/support.h"
#include "tests/token_support.h"

static struct tokenizer *learn(const struct strlist *texts, const struct strlist *pairs,
                               int64_t size, enum tokenizer_case letters)
{
    struct tokenizer *t;
    struct err e = ERR_INIT;
    if (tokenizer_learn(&t, texts, pairs, size, letters, &e))
        fail_msg("%s", e.msg);
    return t;
}

static void entries_are(const struct tokenizer *t, const char *right)
{
    struct strbuf b = STRBUF_INIT;
    strbuf_adds(&b, "");
    for (int32_t id = 5; id < tokenizer_size(t); id++)
        strbuf_addf(&b, "%s%s", id > 5 ? " " : "", tokenizer_entry(t, id));
    assert_string_equal(b.s, right);
    strbuf_release(&b);
}

/* hug 10, pug 5, pun 12, bun 4, hugs 5: ##u ##g 20, ##u ##n 16, h ##ug 15, p ##un 12, and so on. */
static struct strlist small_text(void)
{
    static const struct {
        const char *word;
        int times;
    } words[] = {{"hug", 10}, {"pug", 5}, {"pun", 12}, {"bun", 4}, {"Hugs", 5}};
    struct strlist l = STRLIST_INIT;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int k = 0; k < words[i].times; k++)
            strlist_add(&l, words[i].word);
    return l;
}

static void by_hand(void **state)
{
    (void)state;
    struct strlist l = small_text();
    struct tokenizer *t = learn(&l, NULL, 100, CASE_AUTO);
    assert_true(tokenizer_lowers(t));
    assert_string_equal(tokenizer_entry(t, 0), "[PAD]");
    assert_string_equal(tokenizer_entry(t, 4), "[MASK]");
    entries_are(t, "b g h n p s u ##u ##n ##g ##s ##ug ##un hug pun pug hugs bun");
    tokenizer_free(t);
    t = learn(&l, NULL, 18, CASE_AUTO);
    entries_are(t, "g h n p s u ##u ##n ##g ##s ##ug ##un hug");
    tokenizer_free(t);
    t = learn(&l, NULL, 100, CASE_KEEP);
    assert_int_not_equal(tokenizer_id(t, "Hugs"), -1);
    tokenizer_free(t);
    strlist_release(&l);
}

/* Two of everything in an order of its own. */
static struct strlist shuffled(const struct strlist *l, size_t step)
{
    struct strlist out = STRLIST_INIT;
    for (size_t i = 0; i < l->n; i++)
        strlist_add(&out, l->s[i * step % l->n]);
    return out;
}

static void same_entries(const struct tokenizer *a, const struct tokenizer *b)
{
    assert_int_equal(tokenizer_size(a), tokenizer_size(b));
    for (int32_t id = 0; id < tokenizer_size(a); id++)
        assert_string_equal(tokenizer_entry(a, id), tokenizer_entry(b, id));
}

/* The order of texts does not matter, nor which side of a pair they are on. */
static void deterministic(void **state)
{
    (void)state;
    struct strlist l = STRLIST_INIT;
    const char *text = test_golden("tokenizer/README.md", NULL);
    strlist_split(&l, text, ' ');
    struct strlist other = shuffled(&l, l.n % 7 ? 7 : 11), none = STRLIST_INIT;
    struct tokenizer *a = learn(&l, NULL, 200, CASE_AUTO), *b = learn(&l, NULL, 200, CASE_AUTO);
    struct tokenizer *c = learn(&none, &other, 200, CASE_AUTO);
    assert_true(tokenizer_size(a) > 100 && tokenizer_size(a) <= 200);
    same_entries(a, b);
    same_entries(a, c);
    tokenizer_free(a);
    tokenizer_free(b);
    tokenizer_free(c);
    strlist_release(&l);
    strlist_release(&other);
}

static void odd_texts(void **state)
{
    (void)state;
    struct strlist l = STRLIST_INIT;
    struct tokenizer *t = learn(&l, NULL, 50, CASE_AUTO);
    assert_int_equal(tokenizer_size(t), 5);
    assert_string_equal(token_inner(t, "hello"), "1");
    tokenizer_free(t);
    strlist_add(&l, "");
    strlist_add(&l, "\xff\xcc\x81 aaaaaaa aaaaaaa \xe4\xb8\xad");
    strlist_add(&l, "\xe4\xb8\xad##x[SEP]");
    for (int64_t size = 5; size < 60; size++) {
        t = learn(&l, &l, size, CASE_AUTO);
        assert_true(tokenizer_size(t) <= size);
        tokenizer_free(t);
    }
    t = learn(&l, NULL, 60, CASE_AUTO);
    assert_int_not_equal(tokenizer_id(t, "aaaaaaa"), -1);
    assert_int_not_equal(tokenizer_id(t, "\xe4\xb8\xad"), -1);
    tokenizer_free(t);
    strlist_release(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(deterministic),
        cmocka_unit_test(odd_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
