/* Memory: the ledger of the run, below it its tensors or what other optimizers would keep. */
#include <stdio.h>

#include "tui/hints.h"
#include "tui/ledger.h"
#include "tui/list_keys.h"
#include "tui/memory_tables.h"
#include "tui/view.h"

struct memory_view {
    struct list tensors, optims;
    bool others; /* the keys are for the other optimizers; where one table has room it is theirs */
    bool lists;  /* there is room for a table */
};

static struct list *focused(struct memory_view *v)
{
    return v->others ? &v->optims : &v->tensors;
}

static void memory_draw(struct view *view, struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct memory_view *v = view->state;
    struct layout_memory l = layout_memory(c->w, c->h, m->plan.nstate);
    (void)r;
    draw_ledger(c, l.ledger, m);
    v->lists = l.lower.h > 1 && m->have_plan;
    if (!v->lists)
        return;
    if (list_clicked(&v->tensors))
        v->others = false;
    if (list_clicked(&v->optims))
        v->others = true;
    if (l.lower2.w > 0) {
        draw_tensor_table(c, l.lower, m, &v->tensors, !v->others);
        draw_optim_table(c, l.lower2, m, &v->optims, v->others, true);
    } else if (v->others) {
        draw_optim_table(c, l.lower, m, &v->optims, true, false);
    } else {
        draw_tensor_table(c, l.lower, m, &v->tensors, true);
    }
}

/* Does Enter open the selected tensor in the inspector? */
static bool inspects(const struct memory_view *v)
{
    return v->lists && !v->others && v->tensors.n > 0;
}

static unsigned memory_action(struct view *view, enum action a, const struct uimodel *m,
                              char *message)
{
    struct memory_view *v = view->state;
    (void)m;
    if (!v->lists)
        return REACT_NONE;
    if (a == ACTION_ENTER && inspects(v)) {
        snprintf(message, VIEW_MESSAGE, "6 %s", v->tensors.name);
        return REACT_SHOW;
    }
    if (a == ACTION_NEXT_PART || a == ACTION_PREV_PART) {
        v->others = !v->others;
        return REACT_REDRAW;
    }
    return list_action(focused(v), a) ? REACT_REDRAW : REACT_NONE;
}

static bool memory_key(struct view *view, const struct key_event *k, const struct uimodel *m)
{
    struct memory_view *v = view->state;
    (void)m;
    return list_filter_key(focused(v), k);
}

static void memory_hints(const struct view *view, const struct uimodel *m, char *dst, size_t size)
{
    const struct memory_view *v = view->state;
    const struct list *l = v->others ? &v->optims : &v->tensors;
    if (l->typing) {
        snprintf(dst, size, "/%s", l->filter);
        return;
    }
    hint_ended(dst, size, m);
    if (v->lists) {
        hint_pair(dst, size, ACTION_UP, ACTION_DOWN, "", "move");
        hint_pair(dst, size, ACTION_PREV_PART, ACTION_NEXT_PART, " ", "other table");
        hint_add(dst, size, ACTION_FILTER, "filter");
    }
    if (inspects(v))
        hint_add(dst, size, ACTION_ENTER, "inspect state");
}

static const struct view_key memory_keys[] = {
    {ACTION_PREV_PART, ACTION_NEXT_PART, "tensors, other optimizers"},
    {ACTION_FILTER, ACTION_NONE, "tensors, optimizers by name"},
    {ACTION_ENTER, ACTION_NONE, "the tensor in the inspector"},
    {ACTION_NONE, ACTION_NONE, NULL},
};

const struct view_class view_memory = {
    .name = "memory",
    .key = "4",
    .state_size = sizeof(struct memory_view),
    .draw = memory_draw,
    .action = memory_action,
    .key_event = memory_key,
    .hints = memory_hints,
    .keys = memory_keys,
};
