#include "tests/token_support.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "tests/support.h"

static const char *joined(const struct token_list *l, size_t from, size_t to)
{
    static struct strbuf text;
    strbuf_clear(&text);
    strbuf_adds(&text, "");
    for (size_t i = from; i < to; i++)
        strbuf_addf(&text, "%s%ld", i > from ? " " : "", (long)l->ids[i]);
    return text.s;
}

const char *token_ids(const struct tokenizer *t, const char *text, size_t len, const char *pair,
                      size_t pair_len, int64_t max_length)
{
    struct token_list l = {0};
    size_t n = tokenizer_encode(t, &l, text, len, pair, pair_len, max_length);
    assert_int_equal(n, l.n);
    const char *ids = joined(&l, 0, l.n);
    token_list_release(&l);
    return ids;
}

const char *token_inner(const struct tokenizer *t, const char *text)
{
    struct token_list l = {0};
    tokenizer_encode(t, &l, text, strlen(text), NULL, 0, 0);
    const char *ids = joined(&l, 1, l.n - 1);
    token_list_release(&l);
    return ids;
}

struct tokenizer *token_open(const char *rel, enum tokenizer_case letters)
{
    struct tokenizer *t;
    struct err e = ERR_INIT;
    char *name = xasprintf("tests/golden/%s", rel);
    const char *path = test_path(name);
    free(name);
    if (file_is_dir(path) ? tokenizer_open_dir(&t, path, letters, &e)
                          : tokenizer_open_vocab(&t, path, letters, &e))
        fail_msg("%s", e.msg);
    return t;
}
