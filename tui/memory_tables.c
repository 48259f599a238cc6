/* Tables of the memory view. */
#include "tui/memory_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/list_keys.h"

static void draw_selection(struct canvas *c, struct rect r, int y)
{
    canvas_glyph(c, r.x, y, ROLE_TEXT, GLYPH_SELECTED);
    canvas_select(c, (struct rect){r.x, y, r.w, 1});
}

/* ---- tensors -------------------------------------------------------------------------------- */

struct order {
    const struct plan_tensor *tensor;
    int64_t bytes; /* of its states */
};

static int by_bytes(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->tensor->len != y->tensor->len)
        return x->tensor->len > y->tensor->len ? -1 : 1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

static const char *tensor_name(void *user, int i)
{
    const struct order *o = user;
    return o[i].tensor->name;
}

/* The tensors that the filter lets through, largest first. Caller frees. */
static struct order *sorted_tensors(const struct memory_plan *p, const struct list *l, int *n)
{
    struct order *o = xcalloc((size_t)p->tensors + 1, sizeof *o);
    *n = 0;
    for (int i = 0; p->tensor && i < p->tensors; i++) {
        const struct plan_tensor *t = &p->tensor[i];
        if (l->filter[0] && !list_match(l, t->name))
            continue;
        o[*n].tensor = t;
        for (int k = 0; k < p->nstate; k++)
            o[*n].bytes += t->state_bytes[k] > 0 ? t->state_bytes[k] : 0;
        ++*n;
    }
    qsort(o, (size_t)*n, sizeof *o, by_bytes);
    return o;
}

static char *shape(char *dst, size_t size, const struct plan_tensor *t)
{
    size_t n = 0;
    dst[0] = '\0';
    for (int i = 0; i < t->ndim && n < size; i++) {
        char dim[32];
        n += (size_t)snprintf(dst + n, size - n, "%s%s", i ? "×" : "",
                              str_commas(dim, sizeof dim, t->dim[i]));
    }
    return dst;
}

/* A number of bytes as "84.95 MiB"; what would round to 0.00 MiB in bytes. */
static bool as_mib(int64_t bytes)
{
    return bytes >= 5243;
}

static char *tensor_bytes(char *dst, size_t size, int64_t bytes, enum glyph_level level, bool mixed)
{
    char number[32];
    const char *pad = mixed ? "  " : ""; /* keeps the units in one line */
    if (bytes < 0)
        snprintf(dst, size, "%s%s%s", glyph_text(level, GLYPH_MISSING), pad, mixed ? "  " : "");
    else if (as_mib(bytes))
        snprintf(dst, size, "%.2f MiB", (double)bytes / 1048576);
    else
        snprintf(dst, size, "%s B%s", str_commas(number, sizeof number, bytes), pad);
    return dst;
}

/* A state's column, or their sum where not all have room. */
struct state_column {
    const char *head;
    int state; /* -1: the sum */
    bool mixed; /* some of its values are in MiB */
    int width, end;
};

struct tensor_columns {
    struct state_column state[PLAN_STATES + 1];
    int n, shape_end, name_cols;
};

static int64_t column_bytes(const struct order *o, const struct state_column *col)
{
    return col->state < 0 ? o->bytes : o->tensor->state_bytes[col->state];
}

static void measure(struct state_column *col, const struct order *o, int n, enum glyph_level level)
{
    for (int i = 0; i < n; i++)
        col->mixed |= as_mib(column_bytes(&o[i], col));
    col->width = text_width(col->head);
    for (int i = 0; i < n; i++) {
        char text[40];
        int w = text_width(
            tensor_bytes(text, sizeof text, column_bytes(&o[i], col), level, col->mixed));
        col->width = w > col->width ? w : col->width;
    }
}

static int states_width(const struct tensor_columns *t)
{
    int width = 0;
    for (int i = 0; i < t->n; i++)
        width += t->state[i].width + 1;
    return width;
}

/* The first `keep` states, and the sum where that is not all of them. */
static void choose_states(struct tensor_columns *t, const struct memory_plan *p,
                          const struct order *o, int n, int keep, enum glyph_level level)
{
    t->n = 0;
    for (int i = 0; i < keep; i++)
        t->state[t->n++] = (struct state_column){.head = p->state[i].name, .state = i};
    if (keep < p->nstate)
        t->state[t->n++] = (struct state_column){.head = "sum", .state = -1};
    for (int i = 0; i < t->n; i++)
        measure(&t->state[i], o, n, level);
}

/* Where there is not room for all, the shape goes, then states from the right. */
static struct tensor_columns place_tensors(const struct memory_plan *p, const struct order *o,
                                           int n, int w, enum glyph_level level)
{
    enum { NAME = 20 };
    struct tensor_columns t = {.n = 0};
    int shape_width = (int)strlen("shape"), at = w;
    for (int i = 0; i < n; i++) {
        char text[160];
        int width = text_width(shape(text, sizeof text, o[i].tensor));
        shape_width = width > shape_width ? width : shape_width;
    }
    for (int keep = p->nstate; keep >= 0; keep--) {
        choose_states(&t, p, o, n, keep, level);
        if (NAME + states_width(&t) <= w)
            break;
    }
    bool with_shape = NAME + shape_width + 4 + states_width(&t) <= w;
    for (int i = t.n - 1; i >= 0; i--) {
        t.state[i].end = at;
        at -= t.state[i].width + 1;
    }
    t.shape_end = with_shape ? at - 2 : 0;
    t.name_cols = (with_shape ? t.shape_end - shape_width : at) - 3;
    return t;
}

static void draw_tensor_row(struct canvas *c, struct rect r, int y, const struct order *o,
                            const struct tensor_columns *t)
{
    char text[200];
    canvas_put(c, r.x + 1, y, ROLE_TEXT,
               text_cut_dotted(c->level, text, sizeof text, o->tensor->name, t->name_cols));
    if (t->shape_end)
        canvas_right(c, r.x + t->shape_end, y, ROLE_TEXT, shape(text, sizeof text, o->tensor));
    for (int i = 0; i < t->n; i++) {
        const struct state_column *col = &t->state[i];
        tensor_bytes(text, sizeof text, column_bytes(o, col), c->level, col->mixed);
        canvas_right(c, r.x + col->end, y, ROLE_TEXT, text);
    }
}

void draw_tensor_table(struct canvas *c, struct rect r, const struct uimodel *m, struct list *l,
                       bool focused)
{
    const struct memory_plan *p = &m->plan;
    int n;
    char title[96];
    if (r.h < 2)
        return;
    struct order *o = sorted_tensors(p, l, &n);
    struct tensor_columns t = place_tensors(p, o, n, r.w, c->level);
    list_update(l, n, tensor_name, o, r.h - 1);
    draw_rule(c, r.x, r.y, r.w, list_title(l, "tensors", p->tensors, title, sizeof title), NULL,
              NULL);
    if (t.shape_end)
        draw_head(c, r.x + t.shape_end - 5, r.y, ROLE_DIM, "shape");
    for (int i = 0; i < t.n; i++)
        draw_head(c, r.x + t.state[i].end - text_width(t.state[i].head), r.y, ROLE_DIM,
                  t.state[i].head);
    if (!n && l->filter[0])
        draw_no_match(c, r.x + 1, r.y + 1, l);
    else if (!n)
        canvas_put(c, r.x + 1, r.y + 1, ROLE_DIM, "the names of its tensors are not known");
    for (int i = l->top; i < n && i < l->top + l->rows; i++) {
        int y = r.y + 1 + i - l->top;
        draw_tensor_row(c, r, y, &o[i], &t);
        list_row(c, l, i, (struct rect){r.x, y, r.w, 1});
        if (focused && i == l->selected)
            draw_selection(c, r, y);
    }
    free(o);
}

/* ---- other optimizers ----------------------------------------------------------------------- */

/* Right ends of the columns from the pane's edge; 0: left out. */
struct optim_columns {
    int name, state, per_param, change, total;
    bool unit; /* of the total */
};

static struct optim_columns optim_columns(int w, bool beside)
{
    if (beside)
        return (struct optim_columns){4, w - 17, w - 8, 0, w, false};
    int spare = w - 80;
    if (spare < 0)
        return (struct optim_columns){3, 43 + spare, 54 + spare, 0, 67 + spare, true};
    return (struct optim_columns){
        3, 43 + spare / 2, 54 + spare / 2, 65 + spare / 2, 78 + spare / 2, true};
}

static void draw_optim_heads(struct canvas *c, struct rect r, const struct optim_columns *k)
{
    draw_head(c, r.x + k->state - 5, r.y, ROLE_DIM, "state");
    draw_head(c, r.x + k->per_param - 7, r.y, ROLE_DIM, "B/param");
    if (k->change)
        draw_head(c, r.x + k->change - 10, r.y, ROLE_DIM, "change MiB");
    if (k->unit)
        draw_head(c, r.x + k->total - 9, r.y, ROLE_DIM, "run total");
    else
        draw_head(c, r.x + k->total - 7, r.y, ROLE_DIM, "run MiB");
}

/* MiB with `decimals`, commas before them. */
static char *mib(char *dst, size_t size, double bytes, int decimals)
{
    char number[32], whole[32];
    snprintf(number, sizeof number, "%.*f", decimals, bytes / 1048576);
    char *point = strchr(number, '.');
    int64_t v = strtoll(number, NULL, 10);
    str_commas(whole, sizeof whole, v);
    snprintf(dst, size, "%s%s%s", v == 0 && number[0] == '-' ? "-" : "", whole, point ? point : "");
    return dst;
}

static void draw_optim_row(struct canvas *c, struct rect r, int y, const struct plan_optim *o,
                           const struct uimodel *m, const struct optim_columns *k)
{
    const struct memory_plan *p = &m->plan;
    bool used = !strcmp(o->name, m->text.optimizer);
    enum role role = used ? ROLE_TITLE : ROLE_TEXT;
    char text[64], unit[80];
    if (used)
        canvas_put(c, r.x + k->name - 2, y, role, "*");
    canvas_put(c, r.x + k->name, y, role,
               text_cut_middle(c->level, text, sizeof text, o->name, k->state - k->name - 11));
    if (o->refused) {
        canvas_put(c, r.x + k->state - 9, y, ROLE_DIM, "does not go with this model");
        return;
    }
    snprintf(unit, sizeof unit, "%s MiB", mib(text, sizeof text, (double)o->bytes, 1));
    canvas_right(c, r.x + k->state, y, role, unit);
    snprintf(text, sizeof text, "%.2f",
             p->parameters ? (double)o->bytes / (double)p->parameters : 0);
    canvas_right(c, r.x + k->per_param, y, role, text);
    if (k->change)
        canvas_right(c, r.x + k->change, y, role,
                     mib(text, sizeof text, (double)(o->bytes - p->state_bytes), 1));
    mib(text, sizeof text, (double)(p->total_bytes - p->state_bytes + o->bytes), k->unit);
    snprintf(unit, sizeof unit, "%s%s", text, k->unit ? " MiB" : "");
    canvas_right(c, r.x + k->total, y, role, unit);
}

static const char *optim_name(void *user, int i)
{
    const struct memory_plan *const *p = user;
    return (*p)->optim[i].name;
}

struct shown {
    const struct memory_plan *p;
    int index[PLAN_OPTIMS];
};

static const char *shown_name(void *user, int i)
{
    const struct shown *s = user;
    return s->p->optim[s->index[i]].name;
}

void draw_optim_table(struct canvas *c, struct rect r, const struct uimodel *m, struct list *l,
                      bool focused, bool beside)
{
    struct shown s = {.p = &m->plan};
    struct optim_columns k = optim_columns(r.w, beside);
    char title[96];
    if (r.h < 2)
        return;
    int n = list_filter(l, optim_name, &s.p, s.p->noptim, s.index);
    list_update(l, n, shown_name, &s, r.h - 1);
    list_title(l, "other optimizers", s.p->noptim, title, sizeof title);
    draw_rule(c, r.x + beside, r.y, r.w - beside,
              beside && !l->filter[0] ? "other optimizers" : title, NULL, NULL);
    draw_optim_heads(c, r, &k);
    if (beside) {
        draw_separator(c, r.x, r.y + 1, r.h - 1);
        canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
    }
    if (!n)
        draw_no_match(c, r.x + k.name, r.y + 1, l);
    struct rect inside = {r.x + beside, r.y, r.w - beside, r.h};
    for (int i = l->top; i < n && i < l->top + l->rows; i++) {
        int y = r.y + 1 + i - l->top;
        draw_optim_row(c, r, y, &s.p->optim[s.index[i]], m, &k);
        list_row(c, l, i, (struct rect){inside.x, y, inside.w, 1});
        if (focused && i == l->selected)
            draw_selection(c, inside, y);
    }
}
