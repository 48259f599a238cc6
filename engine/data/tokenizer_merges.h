/* Merging of pieces for tokenizer_learn: words as rows of entries, the most frequent pair of
 * neighbours first; of equally frequent ones that of the lowest ids. */
#ifndef TT_DATA_TOKENIZER_MERGES_H
#define TT_DATA_TOKENIZER_MERGES_H

#include "engine/base/err.h"
#include "engine/data/vocab.h"

struct merge_word {
    size_t at; /* in `piece` */
    uint32_t n;
    int64_t count;
};

/* Two entries side by side, and the words that may hold them. */
struct merge_pair {
    int32_t left, right;
    int64_t count;
    uint32_t *word;
    size_t nword, cap;
    bool fresh; /* waits in `fresh` for its place in the heap */
};

struct merge_candidate {
    int64_t count; /* when it was put in; the pair's may be smaller by now */
    int32_t left, right;
    uint32_t pair;
};

struct merges {
    struct vocab *vocab;
    struct merge_word *word;
    int32_t *piece;
    struct merge_pair *pair;
    uint32_t *slot, *fresh; /* slot: hash table of pairs, index + 1; 0: free */
    struct merge_candidate *heap;
    size_t nword, word_cap, npiece, piece_cap, npair, pair_cap, slots, nfresh, fresh_cap, nheap,
        heap_cap;
};

void merges_init(struct merges *m, struct vocab *vocab);
void merges_release(struct merges *m);
void merges_begin_word(struct merges *m, int64_t count);
void merges_add_piece(struct merges *m, int32_t id);

/* Until the vocabulary has `size` entries or no pair is there twice. */
int merges_run(struct merges *m, int64_t size, struct err *e);

#endif
