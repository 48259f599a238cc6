/* Device memory of a tape: a few big blocks and the holes in them. A request takes the first hole
 * that is large enough, a freed range joins its neighbours, so that a step which asks in the same
 * order gets the same places. Blocks are kept until pool_release. One thread. */
#ifndef TT_TAPE_POOL_H
#define TT_TAPE_POOL_H

#include "engine/backend/backend.h"

#define POOL_ALIGN 256 /* bytes: what every device is content with */

struct pool_block {
    char *p;
    size_t size, top; /* top: end of the highest range ever handed out */
};

struct pool_hole {
    int block;
    size_t at, size; /* bytes within the block */
};

struct pool {
    struct backend *be;
    struct pool_block *block;
    struct pool_hole *hole; /* sorted by block and place; neighbours never touch */
    size_t nblock, block_cap, nhole, hole_cap;
    size_t live;     /* bytes handed out now, each request rounded up to POOL_ALIGN */
    size_t peak;     /* sum of the tops: with one block the size that would have been enough */
    size_t capacity; /* bytes of all blocks */
    bool poison;     /* fill what is handed out with NaN; on in sanitizer builds */
};

/* `reserve`: size of the first block, taken at once; 0: grow as needed. */
int pool_init(struct pool *p, struct backend *be, size_t reserve, struct err *e);
void pool_release(struct pool *p);

void *pool_alloc(struct pool *p, size_t bytes, struct err *e); /* NULL: TT_ERESOURCE set */
void pool_free(struct pool *p, void *data, size_t bytes);      /* the bytes that were asked for */
void pool_clear(struct pool *p);                               /* all of it is free again */

#endif
