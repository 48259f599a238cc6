/* A run to look at, over the dashboard of another. */
#include "tui/look_layer.h"

#include <stdlib.h>

#include "engine/base/mem.h"
#include "tui/opening.h"

struct look {
    struct layer layer;
    struct session *session;
};

static void look_draw(struct layer *layer, struct canvas *c)
{
    struct look *l = (struct look *)layer;
    dashboard_draw(&l->session->dash, c, &l->session->model);
}

static bool look_text(struct layer *layer, const struct key_event *k)
{
    struct look *l = (struct look *)layer;
    return dashboard_key(&l->session->dash, k, &l->session->model);
}

static bool look_poll(struct layer *layer)
{
    struct look *l = (struct look *)layer;
    return session_poll(l->session, layer->app->now);
}

/* Another run takes the place of this one. */
static void look_on(struct app *a, struct session *next, const struct err *e)
{
    struct look *l = (struct look *)app_top(a);
    if (!next) {
        dashboard_say(&l->session->dash, true, a->now, "%s", e->msg);
        return;
    }
    next->dash.open = l->session->dash.open;
    a->hots.n = 0;
    session_free(l->session);
    l->session = next;
}

/* Quitting is the business of what lies below. */
static void look_key(struct layer *layer, enum action action, const struct key_event *k)
{
    struct look *l = (struct look *)layer;
    struct dashboard *d = &l->session->dash;
    struct app *a = layer->app;
    dashboard_quiet(d);
    if (action == ACTION_QUIT) {
        app_pop(a);
        app_top(a)->cls->key(app_top(a), action, k);
        return;
    }
    unsigned done = dashboard_action(d, action, &l->session->model);
    if (done & REACT_OPEN_RUN)
        opening_start(a, d->open_run, look_on);
    else if (!done && action == ACTION_BACK)
        app_pop(a);
}

static void look_free(struct layer *layer)
{
    struct look *l = (struct look *)layer;
    session_free(l->session);
    free(l);
}

const struct layer_class look_layer_class = {
    .name = "look",
    .draw = look_draw,
    .text = look_text,
    .key = look_key,
    .poll = look_poll,
    .free = look_free,
};

static void look_at(struct app *a, struct session *s, const struct err *e)
{
    if (!s) {
        app_say(a, true, "%s", e->msg);
        return;
    }
    struct look *l = xcalloc(1, sizeof *l);
    *l = (struct look){{&look_layer_class, a}, s};
    app_push(a, &l->layer);
}

void look_at_run(struct app *a, const char *run_path)
{
    opening_start(a, run_path, look_at);
}
