/* Bump allocation from a chain of blocks. */
#include "engine/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/err.h"

#define ALIGN 64

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    _Alignas(ALIGN) unsigned char data[];
};

static struct arena_block *block_new(size_t size)
{
    struct arena_block *b = aligned_alloc(ALIGN, sizeof *b + size);
    if (!b)
        die(err_exit_status(TT_ERESOURCE), "out of memory: can't get %zu bytes", size);
    *b = (struct arena_block){.size = size};
    return b;
}

/* Make a block with room for `n` the current one: one that waits behind the current block, else a
 * new one. Blocks too small keep waiting, so that none is lost. */
static void next_block(struct arena *a, size_t n)
{
    struct arena_block **link = a->now ? &a->now->next : &a->first;
    struct arena_block **at = link;
    while (*at && (*at)->size < n)
        at = &(*at)->next;

    struct arena_block *b = *at;
    if (b)
        *at = b->next;
    else
        b = block_new(n > a->block_size ? n : a->block_size);
    b->next = *link;
    b->used = 0;
    *link = b;
    a->now = b;
}

void arena_init(struct arena *a, size_t block_size)
{
    *a = (struct arena){.block_size = (block_size + ALIGN - 1) / ALIGN * ALIGN};
}

void *arena_alloc(struct arena *a, size_t n)
{
    BUG_ON(n > SIZE_MAX / 2);
    size_t whole = (n + ALIGN - 1) / ALIGN * ALIGN;
    if (!a->now || a->now->size - a->now->used < whole)
        next_block(a, whole);
    void *p = a->now->data + a->now->used;
    a->now->used += whole;
    return memset(p, 0, whole);
}

char *arena_strdup(struct arena *a, const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(arena_alloc(a, n), s, n);
}

void arena_reset(struct arena *a)
{
    a->now = NULL;
}

void arena_release(struct arena *a)
{
    for (struct arena_block *b = a->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    a->first = a->now = NULL;
}
