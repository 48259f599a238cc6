/* A text becomes ids: added tokens first, then the words between them, each cut into the longest
 * entries that fit. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/data/tokenizer_state.h"

/* Room for one word; kept in token_list.work. */
struct token_work {
    size_t cap;
    char word[];
};

void token_list_release(struct token_list *l)
{
    free(l->ids);
    free(l->types);
    free(l->work);
    memset(l, 0, sizeof *l);
}

static void push(struct token_list *l, int32_t id)
{
    if (l->n == l->cap) {
        size_t cap = l->cap;
        l->types = xgrow(l->types, &cap, l->n + 1, sizeof *l->types);
        l->ids = xgrow(l->ids, &l->cap, l->n + 1, sizeof *l->ids);
    }
    l->types[l->n] = 0;
    l->ids[l->n++] = id;
}

static void add_word(const struct tokenizer *t, struct token_list *l, const struct word_scan *w)
{
    size_t before = l->n;
    uint32_t node = VOCAB_ROOT;
    bool known = w->chars <= w->most;
    for (size_t at = 0, len; known && at < w->len; at += len, node = t->inner) {
        int32_t id = 0;
        len = vocab_longest(&t->vocab, node, w->word + at, w->len - at, &id);
        known = len > 0;
        if (known)
            push(l, id);
    }
    if (!known) {
        l->n = before;
        push(l, t->role_id[ROLE_UNKNOWN]);
    }
}

/* The next added token at or after `p`, the longest at its place; NULL: none. */
static const struct added_token *find_added(const struct tokenizer *t, const char **p,
                                            const char *end)
{
    for (const char *s = *p; s < end; s++) {
        if (!t->added_starts[(unsigned char)*s])
            continue;
        for (size_t i = 0; i < t->nadded; i++) {
            const struct added_token *a = &t->added[i];
            if (a->len <= (size_t)(end - s) && !memcmp(a->text, s, a->len)) {
                *p = s;
                return a;
            }
        }
    }
    *p = end;
    return NULL;
}

static bool add_text(const struct tokenizer *t, struct token_list *l, const char *text, size_t len)
{
    const char *end = text + len;
    struct token_work *work = l->work;
    struct word_scan w = {.map = &t->map, .word = work->word, .most = (size_t)t->word_max};
    while (text < end) {
        const char *stop = text;
        const struct added_token *a = find_added(t, &stop, end);
        w.p = (const unsigned char *)text;
        w.end = (const unsigned char *)stop;
        while (word_next(&w))
            add_word(t, l, &w);
        if (a)
            push(l, a->id);
        text = stop + (a ? a->len : 0);
    }
    return w.invalid;
}

/* Longest first: the first text keeps *a tokens, the second *b, `room` at most together. Of two
 * equally long the second counts as the longer one. */
static void cut_pair(size_t *a, size_t *b, size_t room)
{
    size_t *less = *a > *b ? b : a, *more = *a > *b ? a : b;
    size_t longest = *less > room ? *less : room - *less > *less ? room - *less : *less;
    if (*more > longest)
        *more = longest;
    if (*less + *more > room) {
        *less = room / 2;
        *more = room - room / 2;
    }
}

static struct token_work *make_work(struct token_work *w, int64_t word_max)
{
    size_t need = 4 * (size_t)word_max;
    if (w && w->cap >= need)
        return w;
    w = xrealloc(w, sizeof *w + need);
    w->cap = need;
    return w;
}

size_t tokenizer_encode(const struct tokenizer *t, struct token_list *out, const char *text,
                        size_t len, const char *pair, size_t pair_len, int64_t max_length)
{
    size_t start = out->n, specials = pair ? 3 : 2;
    out->work = make_work(out->work, t->word_max);
    push(out, t->role_id[ROLE_CLS]);
    bool invalid = add_text(t, out, text, len);
    size_t first = start + 1, second = out->n;
    if (pair)
        invalid |= add_text(t, out, pair, pair_len);
    out->invalid += invalid;

    size_t a = second - first, b = out->n - second;
    size_t limit = (size_t)max_length, room = limit > specials ? limit - specials : 0;
    if (max_length > 0 && a + b > room) {
        out->truncated++;
        if (pair)
            cut_pair(&a, &b, room);
        else
            a = room;
    }
    if (pair) { /* the second text moves behind the first and its [SEP] */
        push(out, 0);
        memmove(out->ids + first + a + 1, out->ids + second, b * sizeof *out->ids);
    }
    out->n = first + a;
    push(out, t->role_id[ROLE_SEP]);
    if (pair) {
        out->n += b;
        push(out, t->role_id[ROLE_SEP]);
        memset(out->types + first + a + 1, 1, b + 1);
    }
    return out->n - start;
}
