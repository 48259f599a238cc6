/* A box to pick one of many: a filter, the list with columns of its source, what the selected one is
 * (screens-more.md "Picker"). */
#ifndef TT_TUI_PICKER_H
#define TT_TUI_PICKER_H

#include "tui/layer.h"

#define PICKER_LINES 3

struct picker_source {
    const char *title;
    int n, current;    /* current -1: none of them is in force */
    const char *heads; /* of the columns, from the first column inside the box; NULL: none */
    const char *(*name)(void *user, int i);
    /* What stands behind the name, from `x` to `end` of row y. NULL: nothing. */
    void (*columns)(void *user, struct canvas *c, int x, int end, int y, int i);
    /* A sentence, wrapped over two lines, and a last line of its own. */
    void (*describe)(void *user, int i, char sentence[512], char last[128]);
    void (*take)(void *user, int i); /* the layer is gone when this is called */
    /* Several, which Space marks. NULL: only one can be taken. */
    bool (*marked)(void *user, int i); /* at first */
    void (*take_marked)(void *user, const bool *marked); /* two or more; the layer is gone */
    void *user;                      /* of the layer below, which stays */
};

struct layer *picker_new(struct app *a, const struct picker_source *s); /* copied */

#endif
