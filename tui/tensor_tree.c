/* The list of tensors by module path. */
#include "tui/tensor_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/rundir.h"
#include "engine/io/safetensors.h"
#include "tui/list_keys.h"

/* ---- names ---------------------------------------------------------------------------------- */

static void names_of_checkpoint(struct tensor_tree *t, const char *run_path)
{
    struct err ignored = ERR_INIT;
    struct st_file f;
    int64_t *steps;
    int n = ckpt_list(run_path, &steps, NULL);
    char *dir = n > 0 ? ckpt_dir(run_path, steps[n - 1]) : NULL;
    char *path = dir ? file_join(dir, "model.safetensors") : NULL;
    if (path && !st_open(&f, path, &ignored)) {
        for (size_t i = 0; i < f.n; i++)
            strlist_add(&t->names, f.t[i].name);
        st_close(&f);
    }
    free(steps);
    free(dir);
    free(path);
}

static const char *name_of(void *user, int i)
{
    const struct tensor_tree *t = user;
    return t->names.s[i];
}

static const char *shown_name(void *user, int i)
{
    const struct tensor_tree *t = user;
    return t->names.s[t->shown[i]];
}

static void filter(struct tensor_tree *t)
{
    int n = list_filter(&t->list, name_of, t, (int)t->names.n, t->shown);
    list_update(&t->list, n, shown_name, t, t->list.rows);
}

void tensor_tree_fill(struct tensor_tree *t, const struct uimodel *m)
{
    if (t->known)
        return;
    for (int i = 0; m->plan.tensor && i < m->plan.tensors; i++)
        strlist_add(&t->names, m->plan.tensor[i].name);
    if (!t->names.n && *m->path)
        names_of_checkpoint(t, m->path);
    t->known = t->names.n > 0 || run_state_over(m->st.state);
    t->shown = xreallocarray(t->shown, t->names.n + 1, sizeof *t->shown);
    filter(t);
}

void tensor_tree_release(struct tensor_tree *t)
{
    strlist_release(&t->names);
    free(t->shown);
    t->shown = NULL;
}

const char *tensor_tree_selected(const struct tensor_tree *t)
{
    return t->list.n ? t->names.s[t->shown[t->list.selected]] : "";
}

void tensor_tree_show(struct tensor_tree *t, const char *name)
{
    t->list.filter[0] = '\0';
    str_copy(t->list.name, sizeof t->list.name, name);
    if (t->known)
        filter(t);
}

bool tensor_tree_action(struct tensor_tree *t, enum action a)
{
    if (!list_action(&t->list, a))
        return false;
    filter(t);
    return true;
}

bool tensor_tree_key(struct tensor_tree *t, const struct key_event *k)
{
    if (!list_filter_key(&t->list, k))
        return false;
    filter(t);
    return true;
}

/* ---- headings ------------------------------------------------------------------------------- */

/* Bytes of a name that are its module: up to the last number among its parts, else all but the last
 * two parts. */
static size_t module_bytes(const char *name)
{
    size_t number = 0, before = 0, last = 0;
    for (const char *part = name; *part;) {
        size_t n = strcspn(part, "."), at = (size_t)(part - name);
        if (n && part[n] && strspn(part, "0123456789") == n)
            number = at + n;
        before = last;
        last = at ? at - 1 : 0;
        part += n + (part[n] == '.');
    }
    return number ? number : before;
}

static bool same_module(const char *a, const char *b)
{
    size_t n = module_bytes(a);
    return n == module_bytes(b) && !strncmp(a, b, n);
}

/* Does row i, first in sight or not, need its heading above it? */
static bool has_heading(const struct tensor_tree *t, int i, bool first)
{
    const char *name = shown_name((void *)t, i);
    return module_bytes(name) && (first || !same_module(name, shown_name((void *)t, i - 1)));
}

/* Tensors that have room in `rows` rows from number `top` on. */
static int fit(const struct tensor_tree *t, int top, int rows)
{
    int n = 0;
    for (int i = top; i < t->list.n; i++, n++) {
        rows -= 1 + has_heading(t, i, i == top);
        if (rows < 0)
            break;
    }
    return n > 0 ? n : 1;
}

/* How many have room depends on where the list begins, and that on how many have room. */
static void scroll(struct tensor_tree *t, int rows)
{
    struct list *l = &t->list;
    for (int i = 0; i < 4; i++)
        list_update(l, l->n, shown_name, t, fit(t, l->top, rows));
    while (l->selected >= l->top + fit(t, l->top, rows))
        l->top++;
    l->rows = fit(t, l->top, rows);
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void draw_heading(struct canvas *c, struct rect r, int y, const char *name)
{
    char module[160], text[200];
    snprintf(module, sizeof module, "%.*s", (int)module_bytes(name), name);
    canvas_put(c, r.x + 1, y, ROLE_DIM,
               text_cut_dotted(c->level, text, sizeof text, module, r.w - 2));
}

static void draw_leaf(struct canvas *c, struct rect r, int y, const char *name, bool selected)
{
    char text[200];
    size_t module = module_bytes(name);
    int x = r.x + (module ? 3 : 1);
    canvas_put(c, x, y, ROLE_TEXT,
               text_cut_dotted(c->level, text, sizeof text, name + module + (module > 0),
                               r.x + r.w - 1 - x));
    if (!selected)
        return;
    canvas_glyph(c, r.x, y, ROLE_TEXT, GLYPH_SELECTED);
    canvas_select(c, (struct rect){r.x, y, r.w, 1});
}

static void draw_title(struct canvas *c, struct rect r, const struct tensor_tree *t)
{
    const struct list *l = &t->list;
    char at[32], all[32], text[256], filter[80];
    bool filtered = l->filter[0] || l->typing;
    int number = filtered ? l->n : l->n ? l->selected + 1 : 0;
    str_commas(at, sizeof at, number);
    str_commas(all, sizeof all, (int64_t)t->names.n);
    size_t n = (size_t)snprintf(text, sizeof text, "tensors %s of %s", at, all);
    int room = r.w - 8 - (int)n;
    if (l->filter[0] && room > 2)
        snprintf(text + n, sizeof text - n, " /%s",
                 text_cut_end(c->level, filter, sizeof filter, l->filter, room));
    draw_rule(c, r.x, r.y, r.w, text, NULL, NULL);
}

void draw_tensor_tree(struct canvas *c, struct rect r, struct tensor_tree *t)
{
    struct list *l = &t->list;
    int y = r.y + 1, end = r.y + r.h;
    scroll(t, r.h - 1);
    draw_title(c, r, t);
    if (!l->n && l->filter[0])
        draw_no_match(c, r.x + 1, y, l);
    for (int i = l->top; i < l->n && y < end; i++) {
        const char *name = shown_name(t, i);
        if (has_heading(t, i, i == l->top))
            draw_heading(c, r, y++, name);
        if (y >= end)
            break;
        list_row(c, l, i, (struct rect){r.x, y, r.w, 1});
        draw_leaf(c, r, y++, name, i == l->selected);
    }
}
