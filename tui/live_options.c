/* Live options: what holds now, what would hold, what the next step would make of it. */
#include "tui/live_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "tui/app.h"
#include "tui/entry.h"
#include "tui/popup.h"

#define ROWS_MAX 16
#define BOX_WIDTH 64
#define BOX_EXTRA 10 /* rows beside the options */

/* Columns inside the box. */
enum { COL_NAME = 3, COL_NOW_END = 37, COL_NEW_END = 48, COL_APPLIES = 50 };

struct live_row {
    char key[96]; /* section.key */
    const struct opt_desc *d;
    void *values;
};

struct live_options {
    struct layer layer;
    struct live_row row[ROWS_MAX];
    int n, selected;
    struct entry entry;
};

static const struct layer_class live_options_class;

/* ---- what a new value does ------------------------------------------------------------------ */

static void effect_plain(const struct uimodel *m, const char *now, const char *next, char *dst,
                         size_t size)
{
    char step[32];
    snprintf(dst, size, "step %s on: %s -> %s", str_commas(step, sizeof step, m->st.step + 1), now,
             next);
}

static void effect_scale(const struct uimodel *m, const char *now, const char *next, char *dst,
                         size_t size)
{
    char step[32];
    double scale;
    if (!m->have_sched || !str_to_f64(next, &scale)) {
        effect_plain(m, now, next, dst, size);
        return;
    }
    struct sched other = m->sched;
    other.scale = scale;
    snprintf(dst, size, "step %s on: lr %.2e -> %.2e", str_commas(step, sizeof step, m->st.step + 1),
             sched_lr_at(&m->sched, m->st.step), sched_lr_at(&other, m->st.step));
}

static void effect_length(const struct uimodel *m, const char *now, const char *next, char *dst,
                          size_t size)
{
    (void)m;
    snprintf(dst, size, "ends at step %s instead of %s; the schedule follows", next, now);
}

/* In the order of the dialog; live options that are not named here follow. */
static const struct {
    const char *key;
    void (*effect)(const struct uimodel *, const char *now, const char *next, char *dst, size_t size);
} effects[] = {
    {"schedule.scale", effect_scale},  {"train.max_grad_norm", effect_plain},
    {"train.max_steps", effect_length}, {"eval.every", effect_plain},
    {"log.every", effect_plain},       {"checkpoint.every", effect_plain},
};
#define EFFECTS (sizeof effects / sizeof effects[0])

static size_t effect_of(const char *key)
{
    size_t i = 0;
    while (i < EFFECTS && strcmp(effects[i].key, key))
        i++;
    return i;
}

static void describe_effect(const struct uimodel *m, const struct live_row *r, const char *now,
                            const char *next, char *dst, size_t size)
{
    size_t i = effect_of(r->key);
    (i < EFFECTS ? effects[i].effect : effect_plain)(m, now, next, dst, size);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static int by_effect(const void *a, const void *b)
{
    const struct live_row *x = a, *y = b;
    size_t i = effect_of(x->key), k = effect_of(y->key);
    return i != k ? (i < k ? -1 : 1) : strcmp(x->key, y->key);
}

static void collect_rows(struct live_options *l, const struct run_config *rc)
{
    for (int i = 0; i < rc->nparts; i++)
        for (const struct opt_desc *d = rc->part[i].opts; d->key && l->n < ROWS_MAX; d++)
            if (d->flags & OPT_LIVE) {
                struct live_row *r = &l->row[l->n++];
                *r = (struct live_row){.d = d, .values = rc->part[i].values};
                snprintf(r->key, sizeof r->key, "%s.%s", rc->part[i].section, d->key);
            }
    qsort(l->row, (size_t)l->n, sizeof l->row[0], by_effect);
}

static void value_now(const struct live_options *l, const struct live_row *r, char *dst, size_t size)
{
    const struct uimodel *m = &l->layer.app->session->model;
    opt_format(r->d, r->values, dst, size);
    if (!*dst && !strcmp(r->key, "train.max_steps"))
        str_commas(dst, size, m->st.max_steps);
    else
        opt_show(r->d, r->values, dst, size);
}

struct layer *live_options_new(struct app *a)
{
    struct live_options *l = xcalloc(1, sizeof *l);
    l->layer = (struct layer){&live_options_class, a};
    collect_rows(l, &a->session->rc);
    return &l->layer;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void draw_row(const struct live_options *l, struct canvas *c, struct rect box, int i)
{
    const struct live_row *r = &l->row[i];
    int y = box.y + 2 + i;
    char now[64];
    bool selected = i == l->selected;
    value_now(l, r, now, sizeof now);
    if (selected)
        canvas_glyph(c, box.x + 1, y, ROLE_TEXT, GLYPH_SELECTED);
    canvas_put(c, box.x + COL_NAME, y, ROLE_TEXT, r->key);
    canvas_right(c, box.x + COL_NOW_END, y, ROLE_TEXT, now);
    if (selected && l->entry.open)
        canvas_put(c, box.x + COL_APPLIES, y, ROLE_TEXT, "next step");
    if (selected)
        popup_select(c, box, y);
    if (selected && l->entry.open)
        entry_draw(&l->entry, c, box.x + COL_NOW_END + 1, y, COL_NEW_END - COL_NOW_END - 1, true);
}

static void draw_line(struct canvas *c, struct rect box, int y, enum role role, const char *text)
{
    char cut[256];
    canvas_put(c, box.x + 2, y, role, text_cut_end(c->level, cut, sizeof cut, text, box.w - 4));
}

/* The config that the change goes to, from here where it lies below. */
static void run_place(const char *path, char *dst, size_t size)
{
    char *here = file_absolute(".");
    size_t n = strlen(here);
    bool below = !strncmp(path, here, n) && path[n] == '/';
    str_copy(dst, size, below ? path + n + 1 : path);
    free(here);
}

static void draw_help(const struct live_options *l, struct canvas *c, struct rect box, int y)
{
    const struct live_row *r = &l->row[l->selected];
    const struct session *s = l->layer.app->session;
    char text[512], allowed[200], normal[64], now[64], place[200];
    snprintf(text, sizeof text, "%s; %s; default %s", r->d->help,
             opt_allowed(r->d, allowed, sizeof allowed),
             *opt_format_default(r->d, normal, sizeof normal) ? normal : "unset");
    draw_line(c, box, y, *l->entry.error ? ROLE_BAD : ROLE_TEXT, *l->entry.error ? l->entry.error : text);
    if (l->entry.open && *l->entry.field.text && !*l->entry.error) {
        value_now(l, r, now, sizeof now);
        describe_effect(&s->model, r, now, l->entry.field.text, text, sizeof text);
        draw_line(c, box, y + 1, ROLE_TEXT, text);
    }
    run_place(s->model.path, place, sizeof place);
    snprintf(text, sizeof text, "written to %s/config.ini and to the log", place);
    draw_line(c, box, y + 2, ROLE_DIM, text);
}

static void live_draw(struct layer *layer, struct canvas *c)
{
    struct live_options *l = (struct live_options *)layer;
    struct rect box = popup_rect(c, BOX_WIDTH, l->n + BOX_EXTRA);
    int y = box.y + 2 + l->n;
    draw_box(c, box, "options that may change now", NULL);
    canvas_clip(c, (struct rect){box.x + 1, box.y + 1, box.w - 2, box.h - 2});
    canvas_put(c, box.x + COL_NAME, box.y + 1, ROLE_DIM, "option");
    canvas_right(c, box.x + COL_NOW_END, box.y + 1, ROLE_DIM, "now");
    canvas_right(c, box.x + COL_NEW_END, box.y + 1, ROLE_DIM, "new");
    canvas_put(c, box.x + COL_APPLIES, box.y + 1, ROLE_DIM, "applies");
    for (int i = 0; i < l->n; i++)
        draw_row(l, c, box, i);
    popup_rule(c, box, y);
    draw_help(l, c, box, y + 1);
    popup_rule(c, box, y + 4);
    draw_line(c, box, y + 5, ROLE_DIM, "need a restart: optimizer.name, batch_size, seed, ...");
    draw_line(c, box, y + 6, ROLE_DIM, "Enter applies, Esc leaves everything unchanged");
    canvas_clip(c, (struct rect){0, 0, c->w, c->h});
    draw_hints(c, "Enter edit, apply  ↑↓ move  Esc leave unchanged", false);
}

/* ---- keys ----------------------------------------------------------------------------------- */

/* The new value into the config in hand and to the run, whose answer is a message below; the entry stays
 * open where it is refused. */
static void apply(struct live_options *l)
{
    struct app *a = l->layer.app;
    struct live_row *r = &l->row[l->selected];
    struct err e = ERR_INIT;
    char was[64], is[64];
    opt_format(r->d, r->values, was, sizeof was);
    if (opt_parse(r->d, r->values, l->entry.field.text, &e)) {
        str_copy(l->entry.error, sizeof l->entry.error, e.msg);
        return;
    }
    opt_format(r->d, r->values, is, sizeof is);
    if (!strcmp(was, is)) {
        entry_close(&l->entry);
    } else if (session_set(a->session, r->key, is)) {
        app_pop(a);
    } else {
        opt_parse(r->d, r->values, was, &e);
        str_copy(l->entry.error, sizeof l->entry.error, "the run does not take it now");
    }
}

static void open_entry(struct live_options *l)
{
    char text[64];
    const struct live_row *r = &l->row[l->selected];
    opt_format(r->d, r->values, text, sizeof text);
    entry_open(&l->entry, text);
}

static void move(struct live_options *l, int by)
{
    int to = l->selected + by;
    if (l->entry.open)
        entry_step(&l->entry, l->row[l->selected].d, -by);
    else if (to >= 0 && to < l->n)
        l->selected = to;
}

static void live_key(struct layer *layer, enum action action, const struct key_event *k)
{
    struct live_options *l = (struct live_options *)layer;
    (void)k;
    switch (action) {
    case ACTION_UP: move(l, -1); break;
    case ACTION_DOWN: move(l, 1); break;
    case ACTION_ENTER:
        if (l->entry.open)
            apply(l);
        else
            open_entry(l);
        break;
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
    .draw = live_draw,
    .text = live_text,
    .key = live_key,
    .poll = live_poll,
    .free = live_free,
};
