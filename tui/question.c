/* Questions: one box for all of them. */
#include "tui/question.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "tui/app.h"
#include "tui/popup.h"
#include "tui/wrap.h"

struct question_layer {
    struct layer layer;
    struct question q;
};

static const struct layer_class question_class;

struct answer *question_add(struct question *q, char key, const char *text)
{
    BUG_ON(q->n == QUESTION_ANSWERS);
    struct answer *a = &q->answer[q->n++];
    a->key = key;
    str_copy(a->text, sizeof a->text, text);
    return a;
}

struct layer *question_new(struct app *a, const struct question *q)
{
    struct question_layer *l = xcalloc(1, sizeof *l);
    l->layer = (struct layer){&question_class, a};
    l->q = *q;
    return &l->layer;
}

static bool cost_fits(struct rect box, const struct answer *a)
{
    return 7 + text_width(a->text) + 2 + text_width(a->cost) <= box.w - 2;
}

static void draw_answer(struct canvas *c, struct rect box, int y, const struct answer *a,
                        bool selected)
{
    char key[2] = {a->key, 0};
    if (selected)
        canvas_glyph(c, box.x + 2, y, ROLE_TEXT, GLYPH_SELECTED);
    canvas_put(c, box.x + 4, y, ROLE_KEY, key);
    canvas_put(c, box.x + 7, y, ROLE_TEXT, a->text);
    if (cost_fits(box, a))
        canvas_right(c, box.x + box.w - 2, y, a->costly ? ROLE_BAD : ROLE_DIM, a->cost);
    if (selected)
        popup_select(c, box, y);
}

/* Over the answers; a narrow box takes the blank row before it too. */
static void draw_intro(struct canvas *c, struct rect box, const char *text)
{
    int rows = text_width(text) > box.w - 4 ? 2 : 1;
    draw_wrapped(c, (struct rect){box.x + 2, box.y + 3 - rows, box.w - 4, rows}, ROLE_TEXT, text);
}

/* What the selected answer costs where its row has no room for that. */
static void draw_foot(struct canvas *c, struct rect box, const struct answer *a)
{
    bool cost = !cost_fits(box, a);
    char text[160];
    text_cut_clause(c->level, text, sizeof text,
                    cost ? a->cost : "Enter or a letter chooses; Esc goes back", box.w - 4);
    canvas_put(c, box.x + 2, box.y + box.h - 2, cost && a->costly ? ROLE_BAD : ROLE_DIM, text);
}

static void question_draw(struct layer *layer, struct canvas *c)
{
    struct question_layer *l = (struct question_layer *)layer;
    const struct question *q = &l->q;
    if (q->refresh)
        q->refresh(layer->app, &l->q);
    struct rect box = popup_rect(c, QUESTION_COLUMNS + 4, q->n + 7);
    int first = box.y + (box.h < q->n + 7 ? 3 : 4); /* a low box has no blank row before the answers */
    char text[160];
    draw_box(c, box, q->title, NULL);
    canvas_clip(c, (struct rect){box.x + 1, box.y + 1, box.w - 2, box.h - 2});
    draw_intro(c, box, q->intro);
    for (int i = 0; i < q->n; i++)
        draw_answer(c, box, first + i, &q->answer[i], i == l->q.selected);
    draw_foot(c, box, &q->answer[l->q.selected]);
    canvas_clip(c, (struct rect){0, 0, c->w, c->h});
    snprintf(text, sizeof text, "↑↓ move  Enter choose  Esc %s", q->back);
    draw_hints(c, text, false);
}

static void choose(struct question_layer *l, int i)
{
    struct app *a = l->layer.app;
    app_pop(a);
    if (i > 0)
        l->q.chosen(a, l->q.user, l->q.answer[i].key);
}

static void question_key(struct layer *layer, enum action action, const struct key_event *k)
{
    struct question_layer *l = (struct question_layer *)layer;
    for (int i = 0; i < l->q.n; i++)
        if (k->code == (uint32_t)l->q.answer[i].key) {
            choose(l, i);
            return;
        }
    switch (action) {
    case ACTION_UP: l->q.selected -= l->q.selected > 0; break;
    case ACTION_DOWN: l->q.selected += l->q.selected < l->q.n - 1; break;
    case ACTION_FIRST: l->q.selected = 0; break;
    case ACTION_LAST: l->q.selected = l->q.n - 1; break;
    case ACTION_ENTER: choose(l, l->q.selected); break;
    case ACTION_BACK: choose(l, 0); break;
    default: break;
    }
}

static void question_free(struct layer *layer)
{
    free(layer);
}

static const struct layer_class question_class = {
    .name = "question",
    .popup = true,
    .draw = question_draw,
    .key = question_key,
    .free = question_free,
};
