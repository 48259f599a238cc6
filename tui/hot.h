/* Places on a screen that a click does something to, named while they are drawn. */
#ifndef TT_TUI_HOT_H
#define TT_TUI_HOT_H

#include "tui/canvas.h"

enum { HOTS = 256 };

enum hot_kind {
    HOT_ROW, /* item of a struct list */
    HOT_TAB, /* item: number of the view */
    HOT_PLOT /* columns of a struct plot_window */
};

struct hot {
    struct rect r;
    enum hot_kind kind;
    void *owner; /* lives as long as the picture; whoever frees it clears them */
    int item;
};

struct hots {
    struct hot hot[HOTS];
    int n;
    const void *last; /* owner and item of the click before; NULL: another key came since */
    int last_item;
};

/* On a canvas that nobody clicks on, c->hots is NULL and this does nothing. */
void hot_add(const struct canvas *c, struct rect r, enum hot_kind kind, const void *owner, int item);
void hot_clear(const struct canvas *c); /* what is drawn next lies over it all */
const struct hot *hot_at(const struct hots *h, int x, int y); /* the one drawn last; NULL: none */

#endif
