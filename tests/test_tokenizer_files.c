/* Files of a tokenizer: which one decides, what is refused and how, what is written. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "tests/support.h"
#include "tests/token_support.h"

#define SPECIALS "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"

#define MODEL(vocab)                                                                               \
    "\"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\", "                              \
    "\"continuing_subword_prefix\": "                                                              \
    "\"##\", \"max_input_chars_per_word\": 100, \"vocab\": {\"[PAD]\": 0, \"[UNK]\": 1, "          \
    "\"[CLS]\": 2, \"[SEP]\": 3, " vocab "}}"
#define NORMALIZER(rest)                                                                           \
    "\"normalizer\": {\"type\": \"BertNormalizer\"" rest                                           \
    "}, \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, "

static struct tokenizer *open_dir(const char *dir, enum tokenizer_case letters)
{
    struct tokenizer *t;
    struct err e = ERR_INIT;
    if (tokenizer_open_dir(&t, dir, letters, &e))
        fail_msg("%s", e.msg);
    return t;
}

static const char *dir_with(const char *vocab, const char *json, const char *config)
{
    const char *dir = test_temp_dir();
    if (vocab)
        test_write_file(dir, "vocab.txt", vocab);
    if (json)
        test_write_file(dir, "tokenizer.json", json);
    if (config)
        test_write_file(dir, "tokenizer_config.json", config);
    return dir;
}

/* Such a directory must be refused; "%s" of the message is its path. */
static void refused(const char *vocab, const char *json, const char *config, const char *message)
{
    struct tokenizer *t;
    struct err e = ERR_INIT;
    const char *dir = dir_with(vocab, json, config);
    assert_int_equal(tokenizer_open_dir(&t, dir, CASE_AUTO, &e), TT_EDATA);
    assert_null(t);
    size_t n = strlen(dir);
    assert_true(!strncmp(e.msg, dir, n));
    assert_string_equal(e.msg + n, message);
}

static void ids_are(struct tokenizer *t, const char *text, const char *ids)
{
    assert_string_equal(token_inner(t, text), ids);
    tokenizer_free(t);
}

static void vocab_lines(void **state)
{
    (void)state;
    ids_are(open_dir(dir_with(SPECIALS "a\n\n\xe2\x80\xa8\nb", NULL, NULL), CASE_AUTO), "a b",
            "5 8");
    ids_are(open_dir(dir_with("\xef\xbb\xbf" SPECIALS "a\nb\n", NULL, NULL), CASE_AUTO), "a b",
            "5 6");
    ids_are(open_dir(dir_with("[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\nb", NULL, NULL), CASE_AUTO),
            "a b", "4 5");
    ids_are(open_dir(dir_with(SPECIALS "a\n\n\nb\n", NULL, NULL), CASE_AUTO), "b", "8");
}

static void vocab_refused(void **state)
{
    (void)state;
    refused(NULL, NULL, NULL, ": no vocabulary (tokenizer.json or vocab.txt)");
    refused("[UNK]\n[CLS]\na\n", NULL, NULL, ": the vocabulary has no [SEP] (the sep_token)");
    refused(SPECIALS "a\nb\na\n", NULL, NULL,
            "/vocab.txt:8: entry \"a\" is there twice, ids 5 and 7 (once)");
    refused(SPECIALS "a\n\xff\n", NULL, NULL,
            "/vocab.txt:7: bytes that are no text (UTF-8 without NUL)");
    refused("", NULL, NULL, ": the vocabulary has no [UNK] (the unk_token)");
}

static void json_refused(void **state)
{
    (void)state;
    refused(NULL, "{\"model\": {\"type\": \"BPE\", \"vocab\": {}}}", NULL,
            "/tokenizer.json: model.type is \"BPE\" (WordPiece)");
    refused(NULL, "{\"model\": {\"vocab\": []}}", NULL,
            "/tokenizer.json: model.vocab is \"a list\" (an object of WordPiece entries)");
    refused(NULL, "{" NORMALIZER("") MODEL("\"a\": 3") "}", NULL,
            "/tokenizer.json: id 3 belongs to two entries (to one)");
    refused(NULL, "{" NORMALIZER("") MODEL("\"a\": 4.5") "}", NULL,
            "/tokenizer.json: the id of entry \"a\" is no whole number (0 to 4194303)");
    refused(NULL, "{\"normalizer\": {\"type\": \"Sequence\"}, " MODEL("\"a\": 4") "}", NULL,
            "/tokenizer.json: normalizer is \"Sequence\" (BertNormalizer)");
    refused(
        NULL,
        "{" NORMALIZER("") "\"post_processor\": {\"type\": \"ByteLevel\"}, " MODEL("\"a\": 4") "}",
        NULL, "/tokenizer.json: post_processor is \"ByteLevel\" (BERT's: [CLS] A [SEP] B [SEP])");
    refused(
        NULL,
        "{\"added_tokens\": [{\"id\": 9, \"content\": \"x\", \"normalized\": true}], " NORMALIZER(
            "") MODEL("\"a\": 4") "}",
        NULL, "/tokenizer.json: normalized of an added token is \"x\" (false)");
    refused(SPECIALS, NULL, "[1]", "/tokenizer_config.json:1: something else (a JSON object)");
}

static void added_tokens(void **state)
{
    (void)state;
    const char *dir = dir_with(SPECIALS "a\nb\n", NULL, NULL);
    test_write_file(dir, "added_tokens.json", "{\"<x>\": 9, \"<x>y\": 12}");
    struct tokenizer *t = open_dir(dir, CASE_AUTO);
    assert_int_equal(tokenizer_size(t), 13);
    assert_string_equal(tokenizer_entry(t, 12), "<x>y");
    assert_string_equal(tokenizer_entry(t, 10), "");
    assert_string_equal(tokenizer_entry(t, -1), "");
    assert_string_equal(token_inner(t, "a<x>b"), "5 9 6");
    assert_string_equal(token_inner(t, "a<x>y b"), "5 12 6");
    assert_string_equal(token_inner(t, "a<X>b"), "5 1 1 1 6");
    assert_int_equal(tokenizer_id(t, "nothing"), -1);
    tokenizer_free(t);
}

/* -- letters --------------------------------------------------------------------------------- */

#define AB "\"a\": 4, \"A\": 5, \"\xc3\xa1\": 6"
#define BOTH "a A \xc3\xa1" /* small, capital, accented */

static void who_decides(void **state)
{
    (void)state;
    static const char lowers[] = "{" NORMALIZER(", \"lowercase\": true") MODEL(AB) "}";
    static const char keeps[] = "{" NORMALIZER(", \"lowercase\": false") MODEL(AB) "}";
    static const char accents[] =
        "{" NORMALIZER(", \"lowercase\": true, \"strip_accents\": false") MODEL(AB) "}";
    static const char no[] = "{\"do_lower_case\": false}", yes[] = "{\"do_lower_case\": true}";
    static const char no_accents[] = "{\"do_lower_case\": false, \"strip_accents\": true, "
                                     "\"model_max_length\": 1000000000000000019884624838656}";
    ids_are(open_dir(dir_with(NULL, lowers, NULL), CASE_AUTO), BOTH, "4 4 4");
    ids_are(open_dir(dir_with(NULL, keeps, NULL), CASE_AUTO), BOTH, "4 5 6");
    ids_are(open_dir(dir_with(NULL, accents, NULL), CASE_AUTO), BOTH, "4 4 6");
    ids_are(open_dir(dir_with(NULL, lowers, no), CASE_AUTO), BOTH, "4 5 6");
    ids_are(open_dir(dir_with(NULL, keeps, yes), CASE_AUTO), BOTH, "4 4 4");
    ids_are(open_dir(dir_with(NULL, keeps, no_accents), CASE_AUTO), BOTH, "4 5 4");
    ids_are(open_dir(dir_with(NULL, keeps, no), CASE_LOWER), BOTH, "4 4 4");
    ids_are(open_dir(dir_with(NULL, lowers, yes), CASE_KEEP), BOTH, "4 5 6");
}

static void vocabulary_decides(void **state)
{
    (void)state;
    struct tokenizer *t = token_open("tokenizer/bert-base-cased-vocab.txt", CASE_AUTO);
    assert_false(tokenizer_lowers(t));
    tokenizer_free(t);
    t = token_open("tokenizer/bert-base-uncased-vocab.txt", CASE_AUTO);
    assert_true(tokenizer_lowers(t));
    assert_int_equal(tokenizer_size(t), 30522);
    assert_int_equal(tokenizer_pad(t), 0);
    assert_int_equal(tokenizer_unknown(t), 100);
    tokenizer_free(t);
}

/* Another library's file, and tokenizer.json's own limits, change nothing. */
static void limits_left_aside(void **state)
{
    (void)state;
    const char *dir = dir_with(NULL,
                               "{\"truncation\": {\"max_length\": 2}, \"padding\": {\"strategy\": "
                               "{\"Fixed\": 9}}, " NORMALIZER("") MODEL("\"a\": 4") "}",
                               NULL);
    test_write_file(dir, "sentence_bert_config.json", "{\"do_lower_case\": false}");
    ids_are(open_dir(dir, CASE_AUTO), "a A a A", "4 4 4 4");
}

/* -- writing --------------------------------------------------------------------------------- */

static void same_file(const char *a, const char *b, const char *name)
{
    size_t n, m;
    const char *x = test_read_file(test_path_in(a, name), &n);
    const char *y = test_read_file(test_path_in(b, name), &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
}

static void saved_as_read(void **state)
{
    (void)state;
    static const char *const names[] = {"tokenizer.json", "tokenizer_config.json", "vocab.txt"};
    const char *from = test_path("tests/golden/models/bert-tiny"), *to = test_temp_dir();
    struct tokenizer *t = open_dir(from, CASE_AUTO);
    struct err e = ERR_INIT;
    assert_int_equal(tokenizer_save(t, to, &e), 0);
    for (int i = 0; i < 3; i++)
        same_file(from, to, names[i]);
    tokenizer_free(t);
}

/* A vocabulary alone becomes a directory; reading that and writing it again changes nothing. */
static void saved_from_vocab(void **state)
{
    (void)state;
    static const char text[] = "The caf\xc3\xa9 [SEP] isn't \xe4\xb8\xad open";
    for (int letters = CASE_AUTO; letters <= CASE_KEEP; letters++) {
        struct tokenizer *t = token_open("tokenizer/bert-base-uncased-vocab.txt", letters);
        struct err e = ERR_INIT;
        const char *first = test_temp_dir(), *second = test_temp_dir();
        assert_int_equal(tokenizer_save(t, first, &e), 0);
        struct tokenizer *again = open_dir(first, CASE_AUTO);
        assert_int_equal(tokenizer_lowers(again), letters != CASE_KEEP);
        assert_int_equal(tokenizer_size(again), 30522);
        char *ids = xstrdup(token_inner(t, text));
        assert_string_equal(token_inner(again, text), ids);
        free(ids);
        assert_int_equal(tokenizer_save(again, second, &e), 0);
        same_file(first, second, "tokenizer.json");
        same_file(first, second, "vocab.txt");
        tokenizer_free(again);
        tokenizer_free(t);
    }
}

/* What was overruled is written as it was used. */
static void saved_overruled(void **state)
{
    (void)state;
    struct tokenizer *t = token_open("models/bert-tiny", CASE_LOWER);
    struct err e = ERR_INIT;
    const char *to = test_temp_dir();
    assert_int_equal(tokenizer_save(t, to, &e), 0);
    struct tokenizer *again = open_dir(to, CASE_AUTO);
    assert_true(tokenizer_lowers(again));
    assert_int_equal(tokenizer_size(again), tokenizer_size(t));
    tokenizer_free(again);
    tokenizer_free(t);
}

static void saving_fails(void **state)
{
    (void)state;
    struct tokenizer *t = token_open("models/bert-tiny", CASE_AUTO);
    struct err e = ERR_INIT;
    assert_int_not_equal(tokenizer_save(t, "/nonexistent/folder", &e), 0);
    assert_non_null(strstr(e.msg, "vocab.txt"));
    tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vocab_lines),       cmocka_unit_test(vocab_refused),
        cmocka_unit_test(json_refused),      cmocka_unit_test(added_tokens),
        cmocka_unit_test(who_decides),       cmocka_unit_test(vocabulary_decides),
        cmocka_unit_test(limits_left_aside), cmocka_unit_test(saved_as_read),
        cmocka_unit_test(saved_from_vocab),  cmocka_unit_test(saved_overruled),
        cmocka_unit_test(saving_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
