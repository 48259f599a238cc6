/* The help page as a layer. */
#include <stdlib.h>

#include "engine/base/mem.h"
#include "tui/app.h"
#include "tui/help.h"

struct help_layer {
    struct layer layer;
    struct list list; /* scroll and filter */
};

static struct list *list_of(struct layer *layer)
{
    return &((struct help_layer *)layer)->list;
}

static void layer_draw(struct layer *layer, struct canvas *c)
{
    help_draw(c, list_of(layer));
}

/* Quitting is the business of what lies below. */
static void layer_key(struct layer *layer, enum action action, const struct key_event *k)
{
    struct app *a = layer->app;
    if (help_action(list_of(layer), action))
        return;
    if (action == ACTION_BACK || action == ACTION_QUIT)
        app_pop(a);
    if (action == ACTION_QUIT)
        app_top(a)->cls->key(app_top(a), action, k);
}

static bool layer_text(struct layer *layer, const struct key_event *k)
{
    return help_key(list_of(layer), k);
}

static void layer_free(struct layer *layer)
{
    free(layer);
}

static const struct layer_class help_class = {
    .name = "help",
    .popup = true,
    .draw = layer_draw,
    .text = layer_text,
    .key = layer_key,
    .free = layer_free,
};

void app_help(struct app *a)
{
    if (app_top(a)->cls == &help_class) {
        app_pop(a);
        return;
    }
    struct help_layer *h = xcalloc(1, sizeof *h);
    h->layer = (struct layer){&help_class, a};
    app_push(a, &h->layer);
}
