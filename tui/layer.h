/* A layer of the console: the launcher, the form, the dashboard, and what stands over them. The topmost
 * one takes the keys. A layer is the first member of its own struct; one class per kind. */
#ifndef TT_TUI_LAYER_H
#define TT_TUI_LAYER_H

#include "tui/canvas.h"
#include "tui/keys.h"

struct app;
struct layer;

struct layer_class {
    const char *name;
    bool popup; /* stands over the layer below, which is drawn first */
    void (*draw)(struct layer *, struct canvas *);
    /* Offer a key to an open text field; true: taken. NULL: there is no field. */
    bool (*text)(struct layer *, const struct key_event *);
    void (*key)(struct layer *, enum action a, const struct key_event *); /* what no field took */
    bool (*poll)(struct layer *); /* once a turn of the loop; true: draw. NULL: nothing to do */
    void (*free)(struct layer *);
};

struct layer {
    const struct layer_class *cls;
    struct app *app;
};

#endif
