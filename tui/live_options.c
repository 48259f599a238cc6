/* Live options: its rows, its keys, and new values on their way to the run. */
#include "tui/live_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/live_effect.h"

static const struct layer_class live_options_class;

/* ---- rows ----------------------------------------------------------------------------------- */

static int by_effect(const void *a, const void *b)
{
    const struct live_row *x = a, *y = b;
    size_t i = live_effect_order(x->key), k = live_effect_order(y->key);
    return i != k ? (i < k ? -1 : 1) : strcmp(x->key, y->key);
}

static void collect_rows(struct live_options *l, const struct run_config *rc)
{
    for (int i = 0; i < rc->nparts; i++)
        for (const struct opt_desc *d = rc->part[i].opts; d->key && l->n < LIVE_ROWS; d++)
            if (d->flags & OPT_LIVE) {
                struct live_row *r = &l->row[l->n++];
                *r = (struct live_row){.d = d, .values = rc->part[i].values};
                snprintf(r->key, sizeof r->key, "%s.%s", rc->part[i].section, d->key);
            }
    qsort(l->row, (size_t)l->n, sizeof l->row[0], by_effect);
}

const struct config_change *live_options_change(const struct live_options *l, int i)
{
    return disk_changes_find(&l->layer.app->session->disk, l->row[i].key);
}

struct layer *live_options_new(struct app *a)
{
    struct live_options *l = xcalloc(1, sizeof *l);
    l->layer = (struct layer){&live_options_class, a};
    collect_rows(l, &a->session->rc);
    while (disk_changes_live(&a->session->disk) && l->selected < l->n - 1 && !live_options_change(l, l->selected))
        l->selected++;
    return &l->layer;
}

/* ---- keys ----------------------------------------------------------------------------------- */

enum given { GIVEN_SAME, GIVEN, GIVEN_REFUSED };

/* A new value into the config in hand and to the run, whose answer is a message below. Where it is refused
 * the entry says why. */
static enum given give(struct live_options *l, const struct live_row *r, const char *value)
{
    struct session *s = l->layer.app->session;
    struct err e = ERR_INIT;
    char was[64], is[64];
    opt_format(r->d, r->values, was, sizeof was);
    if (opt_parse(r->d, r->values, value, &e)) {
        str_copy(l->entry.error, sizeof l->entry.error, e.msg);
        return GIVEN_REFUSED;
    }
    opt_format(r->d, r->values, is, sizeof is);
    if (!strcmp(was, is))
        return GIVEN_SAME;
    if (session_set(s, r->key, is))
        return GIVEN;
    opt_parse(r->d, r->values, was, &e);
    str_copy(l->entry.error, sizeof l->entry.error,
             s->model.reads_only ? "this run is read-only" : "the run does not take it now");
    return GIVEN_REFUSED;
}

static void apply(struct live_options *l)
{
    enum given g = give(l, &l->row[l->selected], l->entry.field.text);
    if (g == GIVEN)
        app_pop(l->layer.app);
    else if (g == GIVEN_SAME)
        entry_close(&l->entry);
}

/* What the file says of an option, or of all. */
static void take(struct live_options *l, int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct config_change *x = live_options_change(l, i);
        if (x && give(l, &l->row[i], x->now) == GIVEN_REFUSED) {
            l->selected = i;
            return;
        }
    }
    app_pop(l->layer.app);
}

static void open_entry(struct live_options *l)
{
    char text[64];
    const struct live_row *r = &l->row[l->selected];
    const struct config_change *x = live_options_change(l, l->selected);
    opt_format(r->d, r->values, text, sizeof text);
    entry_open(&l->entry, x ? x->now : text);
}

static void move(struct live_options *l, int by)
{
    int to = l->selected + by;
    if (l->entry.open) {
        entry_step(&l->entry, l->row[l->selected].d, -by);
        return;
    }
    entry_close(&l->entry);
    if (to >= 0 && to < l->n)
        l->selected = to;
}

static void enter(struct live_options *l)
{
    if (l->entry.open)
        apply(l);
    else if (live_options_change(l, l->selected))
        take(l, l->selected, l->selected + 1);
    else
        open_entry(l);
}

/* Letters, where the file says something new. */
static bool letter(struct live_options *l, uint32_t code)
{
    if (l->entry.open || !disk_changes_live(&l->layer.app->session->disk))
        return false;
    if (code == 'a')
        take(l, 0, l->n);
    else if (code == 'e' && live_options_change(l, l->selected))
        open_entry(l);
    else
        return false;
    return true;
}

static void live_key(struct layer *layer, enum action action, const struct key_event *k)
{
    struct live_options *l = (struct live_options *)layer;
    if (letter(l, k->code))
        return;
    switch (action) {
    case ACTION_UP: move(l, -1); break;
    case ACTION_DOWN: move(l, 1); break;
    case ACTION_ENTER: enter(l); break;
    case ACTION_BACK:
        if (l->entry.open)
            entry_close(&l->entry);
        else
            app_pop(layer->app);
        break;
    default: break;
    }
}

static bool live_text(struct layer *layer, const struct key_event *k)
{
    return entry_key(&((struct live_options *)layer)->entry, k);
}

/* The run ended: nothing is live any more. */
static bool live_poll(struct layer *layer)
{
    if (app_run_is_live(layer->app) || app_top(layer->app) != layer)
        return false;
    app_pop(layer->app);
    return true;
}

static void live_free(struct layer *layer)
{
    free(layer);
}

static const struct layer_class live_options_class = {
    .name = "live options",
    .popup = true,
    .draw = live_options_draw,
    .text = live_text,
    .key = live_key,
    .poll = live_poll,
    .free = live_free,
};
