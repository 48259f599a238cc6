/* Which place a cell belongs to. */
#include "tui/hot.h"

void hot_add(const struct canvas *c, struct rect r, enum hot_kind kind, const void *owner, int item)
{
    struct hots *h = c->hots;
    if (h && h->n < HOTS)
        h->hot[h->n++] = (struct hot){.r = r, .kind = kind, .owner = (void *)owner, .item = item};
}

void hot_clear(const struct canvas *c)
{
    if (c->hots)
        c->hots->n = 0;
}

const struct hot *hot_at(const struct hots *h, int x, int y)
{
    for (int i = h->n; i-- > 0;) {
        struct rect r = h->hot[i].r;
        if (x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h)
            return &h->hot[i];
    }
    return NULL;
}
