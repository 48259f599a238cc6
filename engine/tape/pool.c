/* First fit over a sorted list of holes. The list stays short: what a step frees lies together. */
#include "config.h"

#include "engine/tape/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"

#define BLOCK_MIN ((size_t)1 << 20)

static size_t round_up(size_t bytes)
{
    size_t n = (bytes + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
    return n ? n : POOL_ALIGN;
}

static void hole_insert(struct pool *p, size_t i, struct pool_hole h)
{
    p->hole = xgrow(p->hole, &p->hole_cap, p->nhole + 1, sizeof(*p->hole));
    memmove(&p->hole[i + 1], &p->hole[i], (p->nhole - i) * sizeof(*p->hole));
    p->hole[i] = h;
    p->nhole++;
}

static void hole_remove(struct pool *p, size_t i)
{
    p->nhole--;
    memmove(&p->hole[i], &p->hole[i + 1], (p->nhole - i) * sizeof(*p->hole));
}

/* Take a block; its hole is the last one. */
static int grow(struct pool *p, size_t size, struct err *e)
{
    char *mem = backend_alloc(p->be, size, e);
    if (!mem)
        return TT_ERESOURCE;
    p->block = xgrow(p->block, &p->block_cap, p->nblock + 1, sizeof(*p->block));
    p->block[p->nblock] = (struct pool_block){.p = mem, .size = size};
    hole_insert(p, p->nhole, (struct pool_hole){.block = (int)p->nblock, .size = size});
    p->nblock++;
    p->capacity += size;
    return 0;
}

int pool_init(struct pool *p, struct backend *be, size_t reserve, struct err *e)
{
    *p = (struct pool){.be = be};
#ifdef TT_SANITIZE
    p->poison = true;
#endif
    return reserve ? grow(p, round_up(reserve), e) : 0;
}

void pool_release(struct pool *p)
{
    for (size_t i = 0; i < p->nblock; i++)
        backend_free(p->be, p->block[i].p, p->block[i].size);
    free(p->block);
    free(p->hole);
    *p = (struct pool){.be = p->be};
}

/* The first hole of at least `size` bytes, making a block when there is none; nhole: no memory. */
static size_t find_hole(struct pool *p, size_t size, struct err *e)
{
    size_t i = 0;
    while (i < p->nhole && p->hole[i].size < size)
        i++;
    if (i < p->nhole)
        return i;
    size_t want = p->capacity > BLOCK_MIN ? p->capacity : BLOCK_MIN;
    return grow(p, want > size ? want : size, e) < 0 ? p->nhole : p->nhole - 1;
}

void *pool_alloc(struct pool *p, size_t bytes, struct err *e)
{
    size_t size = round_up(bytes), i = find_hole(p, size, e);
    if (i == p->nhole)
        return NULL;
    struct pool_hole *h = &p->hole[i];
    struct pool_block *b = &p->block[h->block];
    char *data = b->p + h->at;
    h->at += size;
    h->size -= size;
    if (h->at > b->top) {
        p->peak += h->at - b->top;
        b->top = h->at;
    }
    if (!h->size)
        hole_remove(p, i);
    p->live += size;
    if (p->poison)
        p->be->k->fill(p->be, (float *)data, size / sizeof(float), NAN);
    return data;
}

static int block_of(const struct pool *p, const char *data)
{
    for (size_t i = 0; i < p->nblock; i++)
        if (data >= p->block[i].p && data < p->block[i].p + p->block[i].size)
            return (int)i;
    BUG("memory of another pool");
}

/* True when b begins where a ends. */
static bool hole_touches(const struct pool_hole *a, const struct pool_hole *b)
{
    return a->block == b->block && a->at + a->size == b->at;
}

void pool_free(struct pool *p, void *data, size_t bytes)
{
    struct pool_hole h = {.block = block_of(p, data), .size = round_up(bytes)};
    h.at = (size_t)((char *)data - p->block[h.block].p);
    p->live -= h.size;

    size_t i = 0; /* the hole after it */
    while (i < p->nhole &&
           (p->hole[i].block < h.block || (p->hole[i].block == h.block && p->hole[i].at < h.at)))
        i++;
    if (i < p->nhole && hole_touches(&h, &p->hole[i])) {
        h.size += p->hole[i].size;
        hole_remove(p, i);
    }
    if (i > 0 && hole_touches(&p->hole[i - 1], &h))
        p->hole[i - 1].size += h.size;
    else
        hole_insert(p, i, h);
}

void pool_clear(struct pool *p)
{
    p->nhole = 0;
    for (size_t i = 0; i < p->nblock; i++)
        hole_insert(p, i, (struct pool_hole){.block = (int)i, .size = p->block[i].size});
    p->live = 0;
}
