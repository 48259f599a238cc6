/* A vocabulary from texts: words are counted, their characters are the first entries, then the most
 * frequent pair of neighbours becomes one entry, again and again (tokenizer_merges.c). As the
 * reference trainer does it, with every order settled: by code point. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/data/tokenizer_merges.h"
#include "engine/data/tokenizer_state.h"

#define ALPHABET_MAX 1000 /* characters; of rarer ones words are made without */

struct word_count {
    const char *text;
    uint32_t len, hash;
    int64_t count;
};

struct word_counts {
    struct word_count *slot; /* a hash table, at most half full; text NULL: free */
    size_t slots, n;
    struct arena text;
};

/* -- words ---------------------------------------------------------------------------------- */

static struct word_count *slot_of(const struct word_counts *w, const char *text, size_t len,
                                  uint32_t hash)
{
    size_t i = hash & (w->slots - 1);
    while (w->slot[i].text &&
           (w->slot[i].hash != hash || w->slot[i].len != len || memcmp(w->slot[i].text, text, len)))
        i = (i + 1) & (w->slots - 1);
    return &w->slot[i];
}

static void double_slots(struct word_counts *w)
{
    struct word_count *old = w->slot;
    size_t n = w->slots;
    w->slots = 2 * n;
    w->slot = xcalloc(w->slots, sizeof *w->slot);
    for (size_t i = 0; i < n; i++)
        if (old[i].text)
            *slot_of(w, old[i].text, old[i].len, old[i].hash) = old[i];
    free(old);
}

static void count_word(struct word_counts *w, const char *text, size_t len)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    if (2 * w->n >= w->slots)
        double_slots(w);
    struct word_count *s = slot_of(w, text, len, hash);
    if (!s->text) {
        char *kept = arena_alloc(&w->text, len + 1);
        memcpy(kept, text, len);
        *s = (struct word_count){kept, (uint32_t)len, hash, 0};
        w->n++;
    }
    s->count++;
}

static void count_texts(struct word_counts *w, const struct unicode_map *map,
                        const struct strlist *texts, size_t most)
{
    char *word = xmalloc(4 * most);
    for (size_t i = 0; texts && i < texts->n; i++) {
        const unsigned char *p = (const unsigned char *)texts->s[i];
        struct word_scan s = {
            .map = map, .p = p, .end = p + strlen(texts->s[i]), .word = word, .most = most};
        while (word_next(&s))
            if (s.chars <= most)
                count_word(w, s.word, s.len);
    }
    free(word);
}

static int by_text(const void *a, const void *b)
{
    const struct word_count *x = a, *y = b;
    return strcmp(x->text, y->text);
}

/* The words in a row, in the order of code points. */
static void sort_words(struct word_counts *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->slots; i++)
        if (w->slot[i].text)
            w->slot[n++] = w->slot[i];
    qsort(w->slot, n, sizeof *w->slot, by_text);
}

/* -- characters ----------------------------------------------------------------------------- */

struct char_count {
    uint32_t code;
    int64_t count;
};

static int by_count(const void *a, const void *b)
{
    const struct char_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->code < y->code ? -1 : 1;
}

static int by_code(const void *a, const void *b)
{
    const struct char_count *x = a, *y = b;
    return x->code < y->code ? -1 : 1;
}

/* The `most` most frequent characters become entries. */
static int add_alphabet(struct vocab *v, const struct word_counts *w, size_t most, struct err *e)
{
    int64_t *count = xcalloc(UNICODE_CODES, sizeof *count);
    struct char_count *list = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < w->n; i++) {
        const unsigned char *p = (const unsigned char *)w->slot[i].text, *end = p + w->slot[i].len;
        while (p < end) {
            uint32_t code;
            bool bad;
            p += utf8_decode(p, end, &code, &bad);
            count[code] += w->slot[i].count;
        }
    }
    for (uint32_t code = 0; code < UNICODE_CODES; code++)
        if (count[code]) {
            list = xgrow(list, &cap, n + 1, sizeof *list);
            list[n++] = (struct char_count){code, count[code]};
        }
    if (n > most) {
        qsort(list, n, sizeof *list, by_count);
        n = most;
        qsort(list, n, sizeof *list, by_code);
    }
    int code = 0;
    for (size_t i = 0; i < n && !code; i++) {
        char text[4];
        size_t len = utf8_encode(text, list[i].code);
        if (vocab_find(v, text, len) < 0)
            code = vocab_add(v, text, len, v->size, e);
    }
    free(list);
    free(count);
    return code;
}

/* The entries of a word's characters; those inside a word become entries as they are met. */
static int spell_word(struct vocab *v, struct merges *m, const struct word_count *w, struct err *e)
{
    const unsigned char *p = (const unsigned char *)w->text, *end = p + w->len;
    int code = 0;
    merges_begin_word(m, w->count);
    for (bool first = true; p < end && !code; first = false) {
        uint32_t at;
        bool bad;
        size_t n = utf8_decode(p, end, &at, &bad);
        char text[6] = "##";
        memcpy(text + 2, p, n);
        p += n;
        if (vocab_find(v, text + 2, n) < 0)
            continue;
        const char *entry = first ? text + 2 : text;
        size_t len = first ? n : n + 2;
        if (vocab_find(v, entry, len) < 0)
            code = vocab_add(v, entry, len, v->size, e);
        if (!code)
            merges_add_piece(m, vocab_find(v, entry, len));
    }
    return code;
}

/* -- the whole ------------------------------------------------------------------------------ */

static int learn(struct tokenizer *t, struct word_counts *w, int64_t size, struct err *e)
{
    struct merges m;
    size_t most = size > ROLES ? (size_t)(size - ROLES) / 2 : 0;
    int code = add_alphabet(&t->vocab, w, most < ALPHABET_MAX ? most : ALPHABET_MAX, e);
    merges_init(&m, &t->vocab);
    for (size_t i = 0; i < w->n && !code; i++)
        code = spell_word(&t->vocab, &m, &w->slot[i], e);
    if (!code)
        code = merges_run(&m, size, e);
    merges_release(&m);
    return code;
}

int tokenizer_learn(struct tokenizer **out, const struct strlist *texts,
                    const struct strlist *pairs, int64_t size, enum tokenizer_case letters,
                    struct err *e)
{
    struct tokenizer *t = tokenizer_new();
    struct word_counts w = {.slots = 1 << 12};
    int code = 0;
    t->letters.lower = letters != CASE_KEEP;
    for (int i = 0; i < ROLES && !code; i++)
        code = vocab_add(&t->vocab, token_roles[i].usual, strlen(token_roles[i].usual), i, e);
    if (!code)
        code = tokenizer_settle(t, "the learnt vocabulary", letters, e);
    if (!code) {
        w.slot = xcalloc(w.slots, sizeof *w.slot);
        arena_init(&w.text, 1 << 20);
        count_texts(&w, &t->map, texts, (size_t)t->word_max);
        count_texts(&w, &t->map, pairs, (size_t)t->word_max);
        sort_words(&w);
        code = learn(t, &w, size, e);
        free(w.slot);
        arena_release(&w.text);
    }
    t->inner = vocab_walk(&t->vocab, VOCAB_ROOT, t->prefix, strlen(t->prefix));
    if (code) {
        tokenizer_free(t);
        t = NULL;
    }
    *out = t;
    return code;
}
