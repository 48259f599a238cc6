/* The picker. */
#include "tui/picker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/app.h"
#include "tui/list_keys.h"
#include "tui/popup.h"
#include "tui/wrap.h"

#define BOX_WIDTH 68
#define LIST_ROWS 8
#define NAME_WIDTH 18
#define BOX_EXTRA (PICKER_LINES + 5) /* edges, filter, heads, rule */

struct picker {
    struct layer layer;
    struct picker_source s;
    struct list list;
    int *shown;
    bool *marked; /* NULL: only one can be taken */
};

static const struct layer_class picker_class;

static const char *shown_name(void *user, int i)
{
    const struct picker *p = user;
    return p->s.name(p->s.user, p->shown[i]);
}

static void filter(struct picker *p)
{
    int n = list_filter(&p->list, p->s.name, p->s.user, p->s.n, p->shown);
    list_update(&p->list, n, shown_name, p, p->list.rows);
}

struct layer *picker_new(struct app *a, const struct picker_source *s)
{
    struct picker *p = xcalloc(1, sizeof *p);
    p->layer = (struct layer){&picker_class, a};
    p->s = *s;
    p->shown = xcalloc((size_t)s->n + 1, sizeof *p->shown);
    p->list.rows = LIST_ROWS;
    if (s->current >= 0)
        str_copy(p->list.name, sizeof p->list.name, s->name(s->user, s->current));
    if (s->take_marked)
        p->marked = xcalloc((size_t)s->n + 1, sizeof *p->marked);
    for (int i = 0; i < s->n && p->marked; i++)
        p->marked[i] = s->marked(s->user, i);
    filter(p);
    return &p->layer;
}

static int count_marked(const struct picker *p)
{
    int n = 0;
    for (int i = 0; i < p->s.n && p->marked; i++)
        n += p->marked[i];
    return n;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void draw_item(const struct picker *p, struct canvas *c, struct rect box, int y, int i)
{
    bool now = i == p->s.current;
    char name[160];
    if (p->marked && p->marked[i])
        canvas_put(c, box.x + 2, y, ROLE_FOCUS, "+");
    else if (now)
        canvas_put(c, box.x + 2, y, ROLE_FOCUS, "*");
    text_cut_end(c->level, name, sizeof name, p->s.name(p->s.user, i),
                 p->s.columns ? NAME_WIDTH : box.w - 6);
    canvas_put(c, box.x + 4, y, now ? ROLE_TITLE : ROLE_TEXT, name);
    if (p->s.columns)
        p->s.columns(p->s.user, c, box.x + 4 + NAME_WIDTH + 1, box.x + box.w - 2, y, i);
}

static void draw_list(struct picker *p, struct canvas *c, struct rect box, int y, int rows)
{
    struct list *l = &p->list;
    l->rows = rows;
    filter(p);
    for (int i = 0; i < rows && l->top + i < l->n; i++) {
        draw_item(p, c, box, y + i, p->shown[l->top + i]);
        list_row(c, l, l->top + i, (struct rect){box.x + 1, y + i, box.w - 2, 1});
        if (l->top + i == l->selected) {
            canvas_glyph(c, box.x + 1, y + i, ROLE_TEXT, GLYPH_SELECTED);
            popup_select(c, box, y + i);
        }
    }
    if (!l->n)
        draw_no_match(c, box.x + 4, y, l);
}

static void draw_description(const struct picker *p, struct canvas *c, struct rect box, int y)
{
    char sentence[512] = "", last[128] = "", cut[160];
    int w = box.w - 4;
    if (!p->list.n)
        return;
    p->s.describe(p->s.user, p->shown[p->list.selected], sentence, last);
    draw_wrapped(c, (struct rect){box.x + 2, y, w, PICKER_LINES - (*last != 0)}, ROLE_TEXT, sentence);
    canvas_put(c, box.x + 2, y + PICKER_LINES - 1, ROLE_DIM,
               text_cut_end(c->level, cut, sizeof cut, last, w));
}

static void draw_filter(const struct picker *p, struct canvas *c, struct rect box)
{
    int x = box.x + 2, y = box.y + 1;
    if (!p->list.typing && !*p->list.filter)
        return;
    x += canvas_printf(c, x, y, ROLE_TEXT, "/%s", p->list.filter);
    if (p->list.typing)
        canvas_put(c, x, y, ROLE_CURSOR, "_");
}

static void picker_draw(struct layer *layer, struct canvas *c)
{
    struct picker *p = (struct picker *)layer;
    struct rect box = popup_rect(c, BOX_WIDTH, LIST_ROWS + BOX_EXTRA);
    int rows = box.h - BOX_EXTRA;
    char count[48], hints[200];
    int marked = count_marked(p);
    snprintf(count, sizeof count, "%d of %d", p->list.n, p->s.n);
    draw_box(c, box, p->s.title, count);
    canvas_clip(c, (struct rect){box.x + 1, box.y + 1, box.w - 2, box.h - 2});
    draw_filter(p, c, box);
    if (p->s.heads)
        canvas_put(c, box.x + 4 + NAME_WIDTH + 1, box.y + 2, ROLE_DIM, p->s.heads);
    draw_list(p, c, box, box.y + 3, rows);
    popup_rule(c, box, box.y + 3 + rows);
    draw_description(p, c, box, box.y + 4 + rows);
    canvas_clip(c, (struct rect){0, 0, c->w, c->h});
    const char *kept = p->s.current >= 0 ? p->s.name(p->s.user, p->s.current) : "what is set";
    if (marked > 1)
        snprintf(hints, sizeof hints, "↑↓ move  Enter queue of %d runs  Space mark  Esc leave", marked);
    else
        snprintf(hints, sizeof hints, "↑↓ move  Enter choose  / filter  Esc keep %s", kept);
    draw_hints(c, hints, false);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void choose(struct picker *p)
{
    struct app *a = p->layer.app;
    if (count_marked(p) > 1) {
        app_pop(a);
        p->s.take_marked(p->s.user, p->marked);
    } else if (p->list.n) {
        app_pop(a);
        p->s.take(p->s.user, p->shown[p->list.selected]);
    }
}

static void mark(struct picker *p)
{
    if (p->marked && p->list.n)
        p->marked[p->shown[p->list.selected]] ^= true;
}

static void picker_key(struct layer *layer, enum action action, const struct key_event *k)
{
    struct picker *p = (struct picker *)layer;
    (void)k;
    if (list_action(&p->list, action))
        filter(p);
    else if (action == ACTION_ENTER)
        choose(p);
    else if (action == ACTION_PAUSE) /* Space */
        mark(p);
    else if (action == ACTION_BACK)
        app_pop(layer->app);
}

static bool picker_text(struct layer *layer, const struct key_event *k)
{
    struct picker *p = (struct picker *)layer;
    if (!list_filter_key(&p->list, k))
        return false;
    filter(p);
    return true;
}

static void picker_free(struct layer *layer)
{
    free(((struct picker *)layer)->shown);
    free(((struct picker *)layer)->marked);
    free(layer);
}

static const struct layer_class picker_class = {
    .name = "picker",
    .popup = true,
    .draw = picker_draw,
    .text = picker_text,
    .key = picker_key,
    .free = picker_free,
};
