/* Bump allocation on the host: objects that die together. Memory is never freed singly and never
 * stored in anything that outlives the arena. Blocks are kept over arena_reset, so that a step
 * after the first makes no heap call. One owner thread. */
#ifndef TT_BASE_ARENA_H
#define TT_BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *first, *now;
    size_t block_size;
};

void arena_init(struct arena *a, size_t block_size);
void *arena_alloc(struct arena *a, size_t n); /* 64-byte aligned, zeroed */
char *arena_strdup(struct arena *a, const char *s);
void arena_reset(struct arena *a);
void arena_release(struct arena *a);

#endif
