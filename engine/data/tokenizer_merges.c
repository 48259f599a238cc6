/* Pairs are counted once, and then only where a merge changes a word. A heap entry whose count is
 * out of date goes back with the right one when it comes up, so counts that sink need no search. */
#include "engine/data/tokenizer_merges.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"

#define COUNT_MIN 2 /* of a pair worth an entry */

void merges_init(struct merges *m, struct vocab *vocab)
{
    memset(m, 0, sizeof *m);
    m->vocab = vocab;
    m->slots = 1 << 12;
    m->slot = xcalloc(m->slots, sizeof *m->slot);
}

void merges_release(struct merges *m)
{
    for (size_t i = 0; i < m->npair; i++)
        free(m->pair[i].word);
    free(m->word);
    free(m->piece);
    free(m->pair);
    free(m->slot);
    free(m->fresh);
    free(m->heap);
}

void merges_begin_word(struct merges *m, int64_t count)
{
    m->word = xgrow(m->word, &m->word_cap, m->nword + 1, sizeof *m->word);
    m->word[m->nword++] = (struct merge_word){m->npiece, 0, count};
}

void merges_add_piece(struct merges *m, int32_t id)
{
    m->piece = xgrow(m->piece, &m->piece_cap, m->npiece + 1, sizeof *m->piece);
    m->piece[m->npiece++] = id;
    m->word[m->nword - 1].n++;
}

/* -- pairs ---------------------------------------------------------------------------------- */

static uint32_t *slot_of(const struct merges *m, int32_t left, int32_t right)
{
    uint64_t hash = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * 0x9e3779b97f4a7c15u;
    size_t i = (hash >> 32) & (m->slots - 1);
    for (; m->slot[i]; i = (i + 1) & (m->slots - 1)) {
        const struct merge_pair *p = &m->pair[m->slot[i] - 1];
        if (p->left == left && p->right == right)
            break;
    }
    return &m->slot[i];
}

static void double_slots(struct merges *m)
{
    m->slots *= 2;
    free(m->slot);
    m->slot = xcalloc(m->slots, sizeof *m->slot);
    for (size_t i = 0; i < m->npair; i++)
        *slot_of(m, m->pair[i].left, m->pair[i].right) = (uint32_t)i + 1;
}

static uint32_t pair_of(struct merges *m, int32_t left, int32_t right)
{
    if (2 * m->npair >= m->slots)
        double_slots(m);
    uint32_t *slot = slot_of(m, left, right);
    if (!*slot) {
        m->pair = xgrow(m->pair, &m->pair_cap, m->npair + 1, sizeof *m->pair);
        m->pair[m->npair++] = (struct merge_pair){.left = left, .right = right};
        *slot = (uint32_t)m->npair;
    }
    return *slot - 1;
}

/* A pair that is new in this word. */
static void note_word(struct merges *m, uint32_t index, uint32_t word)
{
    struct merge_pair *p = &m->pair[index];
    if (p->nword && p->word[p->nword - 1] == word)
        return;
    p->word = xgrow(p->word, &p->cap, p->nword + 1, sizeof *p->word);
    p->word[p->nword++] = word;
    if (!p->fresh) {
        p->fresh = true;
        m->fresh = xgrow(m->fresh, &m->fresh_cap, m->nfresh + 1, sizeof *m->fresh);
        m->fresh[m->nfresh++] = index;
    }
}

#define EVERY_ID (-1)

/* All pairs of a word get `count` more; those with entry `made` in them are new in it. */
static void count_pairs(struct merges *m, uint32_t word, int64_t count, int32_t made)
{
    const struct merge_word *w = &m->word[word];
    for (size_t i = 1; i < w->n; i++) {
        const int32_t *piece = m->piece + w->at + i;
        uint32_t index = pair_of(m, piece[-1], piece[0]);
        m->pair[index].count += count;
        if (count > 0 && (made == EVERY_ID || piece[-1] == made || piece[0] == made))
            note_word(m, index, word);
    }
}

/* -- the heap ------------------------------------------------------------------------------- */

static bool before(const struct merge_candidate *a, const struct merge_candidate *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

static void heap_put(struct merges *m, uint32_t pair)
{
    const struct merge_pair *p = &m->pair[pair];
    if (p->count < COUNT_MIN)
        return;
    struct merge_candidate c = {p->count, p->left, p->right, pair};
    m->heap = xgrow(m->heap, &m->heap_cap, m->nheap + 1, sizeof *m->heap);
    size_t i = m->nheap++;
    for (; i && before(&c, &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = c;
}

static struct merge_candidate heap_take(struct merges *m)
{
    struct merge_candidate top = m->heap[0], last = m->heap[--m->nheap];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < m->nheap; i = child) {
        if (child + 1 < m->nheap && before(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!before(&m->heap[child], &last))
            break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = last;
    return top;
}

static void put_fresh(struct merges *m)
{
    for (size_t i = 0; i < m->nfresh; i++) {
        m->pair[m->fresh[i]].fresh = false;
        heap_put(m, m->fresh[i]);
    }
    m->nfresh = 0;
}

/* -- merging -------------------------------------------------------------------------------- */

/* The entry that two make side by side; the second one's ## goes. */
static int join(struct merges *m, const struct merge_pair *p, int32_t *id, struct err *e)
{
    const char *left = m->vocab->entry[p->left], *right = m->vocab->entry[p->right] + 2;
    char *text = xasprintf("%s%s", left, right);
    int code = 0;
    *id = vocab_find(m->vocab, text, strlen(text));
    if (*id < 0) {
        *id = m->vocab->size;
        code = vocab_add(m->vocab, text, strlen(text), *id, e);
    }
    free(text);
    return code;
}

static bool holds(const struct merges *m, const struct merge_word *w, int32_t left, int32_t right)
{
    for (const int32_t *p = m->piece + w->at, *end = p + w->n; p + 1 < end; p++)
        if (p[0] == left && p[1] == right)
            return true;
    return false;
}

static void merge_word(struct merges *m, uint32_t word, int32_t left, int32_t right, int32_t id)
{
    struct merge_word *w = &m->word[word];
    if (!w->n || !holds(m, w, left, right))
        return;
    count_pairs(m, word, -w->count, id);
    int32_t *piece = m->piece + w->at;
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        bool pair = i + 1 < w->n && piece[i] == left && piece[i + 1] == right;
        piece[n++] = pair ? id : piece[i];
        i += pair;
    }
    w->n = n;
    count_pairs(m, word, w->count, id);
}

int merges_run(struct merges *m, int64_t size, struct err *e)
{
    for (uint32_t i = 0; i < m->nword; i++)
        count_pairs(m, i, m->word[i].count, EVERY_ID);
    put_fresh(m);
    while (m->vocab->size < size && m->nheap) {
        struct merge_candidate top = heap_take(m);
        struct merge_pair p = m->pair[top.pair];
        if (p.count != top.count) {
            heap_put(m, top.pair);
            continue;
        }
        int32_t id;
        int code = join(m, &p, &id, e);
        if (code)
            return code;
        m->pair[top.pair].word = NULL; /* they hold it no more; new ones may come */
        m->pair[top.pair].nword = m->pair[top.pair].cap = 0;
        for (size_t i = 0; i < p.nword; i++)
            merge_word(m, p.word[i], p.left, p.right, id);
        free(p.word);
        put_fresh(m);
    }
    return 0;
}
