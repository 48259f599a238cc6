/* Rows of the ledger, and their table. */
#include "tui/ledger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/layout.h"
#include "tui/run_plot.h"

static struct ledger_row *add(struct ledger_row *row, int *n, const char *name, int64_t formula,
                              int64_t allocated)
{
    struct ledger_row *r = &row[(*n)++];
    *r = (struct ledger_row){.elements = -1, .formula = formula, .allocated = allocated};
    str_copy(r->name, sizeof r->name, name);
    return r;
}

static void describe(struct ledger_row *r, const char *type, int tensors, int64_t elements)
{
    str_copy(r->type, sizeof r->type, type);
    r->tensors = tensors;
    r->elements = elements;
}

/* What each state takes is allocated as one with the others: known where the sum is right. */
static void add_states(const struct uimodel *m, struct ledger_row *row, int *n, bool allocated)
{
    const struct memory_plan *p = &m->plan;
    bool right = allocated && m->st.state_bytes == p->state_bytes;
    int64_t elements = 0;
    for (int i = 0; i < p->nstate; i++) {
        const struct plan_row *s = &p->state[i];
        struct ledger_row *r = add(row, n, s->name, s->bytes, right ? s->bytes : -1);
        describe(r, s->type, s->tensors, s->elements);
        r->state = true;
        elements += s->elements;
    }
    struct ledger_row *sum =
        add(row, n, "optimizer", p->state_bytes, allocated ? m->st.state_bytes : -1);
    sum->elements = elements;
    sum->sum = sum->state = true;
}

int ledger_rows(const struct uimodel *m, struct ledger_row row[LEDGER_ROWS])
{
    const struct memory_plan *p = &m->plan;
    const struct run_status *s = &m->st;
    bool allocated = s->params_bytes > 0;
    int64_t none = -1, total = s->params_bytes + s->grads_bytes + s->state_bytes +
                               s->activation_bytes + s->workspace_bytes;
    int n = 0;
    add_states(m, row, &n, allocated);
    describe(add(row, &n, "parameters", p->weight_bytes, allocated ? s->params_bytes : none), "f32",
             p->tensors, p->parameters);
    describe(add(row, &n, "gradients", p->gradient_bytes, allocated ? s->grads_bytes : none), "f32",
             p->tensors, p->parameters);
    describe(
        add(row, &n, "activations", p->activation_bytes, allocated ? s->activation_bytes : none),
        "f32", 0, p->activation_bytes / 4);
    add(row, &n, "workspace", p->workspace_bytes, allocated ? s->workspace_bytes : none);
    add(row, &n, "total", p->total_bytes, allocated ? total : none)->sum = true;
    return n;
}

/* ---- the table ------------------------------------------------------------------------------ */

enum {
    COL_TYPE,
    COL_TENSORS,
    COL_ELEMENTS,
    COL_FORMULA,
    COL_EQUAL,
    COL_ALLOCATED,
    COL_SHARE,
    COLS
};

static const struct {
    const char *head;
    int width, gap, wide_gap; /* gap before it */
} columns[COLS] = {
    [COL_TYPE] = {"type", 4, 12, 19},       [COL_TENSORS] = {"tensors", 7, 1, 4},
    [COL_ELEMENTS] = {"elements", 10, 2, 8}, [COL_FORMULA] = {"formula B", 13, 1, 5},
    [COL_EQUAL] = {"", 1, 1, 1},            [COL_ALLOCATED] = {"allocated B", 13, 1, 3},
    [COL_SHARE] = {"share", 7, 2, 3},
};

struct places {
    int x[COLS], end[COLS]; /* end 0: left out */
};

static int digits_of(int64_t v)
{
    char text[32];
    return (int)strlen(str_commas(text, sizeof text, v));
}

/* Columns side by side, spare room to the names; what has no place goes in this order. */
static struct places place_columns(const struct ledger_row *row, int n, int w, bool wide)
{
    static const int leave_out[] = {COL_ELEMENTS, COL_TENSORS, COL_FORMULA, COL_TYPE};
    const struct ledger_row *total = &row[n - 1];
    int width[COLS], used = 1, elements = 0;
    for (int i = 0; i < n; i++) /* a sum has room before it: it counts no tensors */
        if (!row[i].sum && digits_of(row[i].elements) > elements)
            elements = digits_of(row[i].elements);
    for (int i = 0; i < COLS; i++)
        width[i] = columns[i].width;
    width[COL_ELEMENTS] = elements > 10 ? elements : 10;
    width[COL_FORMULA] = digits_of(total->formula) > 13 ? digits_of(total->formula) : 13;
    width[COL_ALLOCATED] = width[COL_FORMULA];
    for (int i = 0; i < COLS; i++)
        used += width[i] + (wide ? columns[i].wide_gap : columns[i].gap);
    for (int i = 0; i < 4 && used > w; i++) {
        int k = leave_out[i];
        used -= width[k] + (k == COL_TYPE ? 0 : columns[k].gap);
        width[k] = 0;
    }
    struct places p = {{0}, {0}};
    int at = 1 + (!wide && w - used > 4 ? w - used - 4 : 0); /* the pictures keep 4 at the end */
    for (int i = 0; i < COLS; i++) {
        if (width[i] || i == COL_TYPE)
            at += wide ? columns[i].wide_gap : columns[i].gap;
        p.x[i] = at;
        at += width[i];
        p.end[i] = width[i] ? at : 0;
    }
    return p;
}

static void draw_heads(struct canvas *c, struct rect r, const struct places *p, const char *title)
{
    char name[64];
    int room = p->x[COL_TYPE] - 4;
    draw_rule(c, r.x, r.y, r.w, text_cut_middle(c->level, name, sizeof name, title, room), NULL,
              NULL);
    if (p->end[COL_TYPE])
        draw_head(c, r.x + p->x[COL_TYPE], r.y, ROLE_DIM, columns[COL_TYPE].head);
    for (int i = COL_TENSORS; i < COLS; i++)
        if (p->end[i] && *columns[i].head)
            draw_head(c, r.x + p->end[i] - text_width(columns[i].head), r.y, ROLE_DIM,
                      columns[i].head);
}

static void put_number(struct canvas *c, int x_end, int y, enum role role, int64_t v)
{
    char text[32];
    canvas_right(c, x_end, y, role, str_commas(text, sizeof text, v));
}

static void draw_row(struct canvas *c, struct rect r, int y, const struct ledger_row *row,
                     const struct places *p, double share, bool bar)
{
    enum role name = row->sum ? ROLE_TITLE : ROLE_TEXT, dim = row->sum ? ROLE_TITLE : ROLE_DIM;
    char text[40];
    canvas_put(c, r.x + 1, y, name,
               text_cut_middle(c->level, text, sizeof text, row->name, p->x[COL_TYPE] - 2));
    if (p->end[COL_TYPE])
        canvas_put(c, r.x + p->x[COL_TYPE], y, dim, row->type);
    if (p->end[COL_TENSORS] && row->tensors)
        put_number(c, r.x + p->end[COL_TENSORS], y, dim, row->tensors);
    if (p->end[COL_ELEMENTS] && row->elements >= 0)
        put_number(c, r.x + p->end[COL_ELEMENTS], y, name, row->elements);
    if (p->end[COL_FORMULA])
        put_number(c, r.x + p->end[COL_FORMULA], y, name, row->formula);
    if (row->allocated >= 0) {
        bool equal = row->allocated == row->formula;
        canvas_put(c, r.x + p->x[COL_EQUAL], y, equal ? ROLE_OK : ROLE_BAD, equal ? "=" : "!");
        put_number(c, r.x + p->end[COL_ALLOCATED], y, name, row->allocated);
    } else {
        canvas_right(c, r.x + p->end[COL_ALLOCATED], y, name, glyph_text(c->level, GLYPH_MISSING));
    }
    canvas_right(c, r.x + p->end[COL_SHARE], y, dim, fmt_percent(text, sizeof text, share));
    if (bar)
        draw_amount(c, r.x + p->end[COL_SHARE] + 2, y, r.w - p->end[COL_SHARE] - 3, share,
                    row->state ? ROLE_SERIES1 : ROLE_DIM);
}

/* Tenths of MiB, so that parts add up to the sum as shown. */
static int64_t tenths(int64_t bytes)
{
    return (int64_t)llround((double)bytes / 104857.6);
}

static void draw_process(struct canvas *c, struct rect r, int y, const struct uimodel *m,
                         int64_t total)
{
    char rss[32], name[128], words[160];
    int64_t resident = m->live && m->rss > 0 ? m->rss : m->st.rss_peak;
    int64_t rest = tenths(resident) - tenths(total);
    canvas_put(c, r.x + 1, y, ROLE_DIM, "process");
    if (resident <= 0)
        str_copy(words, sizeof words, glyph_text(c->level, GLYPH_MISSING));
    else if (rest >= 0)
        snprintf(words, sizeof words, "resident %s = total + %lld.%lld MiB program, data",
                 fmt_mib(rss, sizeof rss, resident), (long long)(rest / 10),
                 (long long)(rest % 10));
    else
        snprintf(words, sizeof words, "resident %s; %lld.%lld MiB of the total not yet used",
                 fmt_mib(rss, sizeof rss, resident), (long long)(-rest / 10),
                 (long long)(-rest % 10));
    int x = r.x + 13 + canvas_put(c, r.x + 13, y, ROLE_TEXT, words);
    int room = r.x + r.w - 2 - x - 2;
    if (room >= 8)
        canvas_right(c, r.x + r.w - 2, y, ROLE_DIM,
                     run_title(m, c->level, name, sizeof name, room));
}

/* Name, MiB, share: all that a compact screen has room for. */
static void draw_compact(struct canvas *c, struct rect r, const struct ledger_row *row, int n,
                         const struct uimodel *m)
{
    char text[40];
    draw_rule(c, r.x, r.y, r.w, m->text.optimizer, NULL, NULL);
    draw_head(c, r.x + 22, r.y, ROLE_DIM, "MiB");
    draw_head(c, r.x + 30, r.y, ROLE_DIM, "share");
    double total = (double)row[n - 1].formula;
    for (int i = 0; i < n && i < r.h - 1; i++) {
        int k = n > r.h - 1 && i == r.h - 2 ? n - 1 : i; /* the total stays */
        int y = r.y + 1 + i;
        enum role role = row[k].sum ? ROLE_TITLE : ROLE_TEXT;
        canvas_put(c, r.x + 1, y, role,
                   text_cut_middle(c->level, text, sizeof text, row[k].name, 13));
        fmt_mib(text, sizeof text, row[k].formula);
        if (row[k].formula >= 1024)
            text[strcspn(text, " ")] = '\0';
        canvas_right(c, r.x + 25, y, role, text);
        canvas_right(
            c, r.x + 35, y, row[k].sum ? role : ROLE_DIM,
            fmt_percent(text, sizeof text, total > 0 ? (double)row[k].formula / total : 0));
    }
}

void draw_ledger(struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct ledger_row row[LEDGER_ROWS];
    if (!m->have_plan) {
        draw_rule(c, r.x, r.y, r.w, "memory", NULL, NULL);
        canvas_put(c, r.x + 1, r.y + 1, ROLE_DIM, "no plan of this run's memory is known");
        return;
    }
    int n = ledger_rows(m, row);
    enum size_class size = size_class_of(c->w, c->h);
    if (size <= SIZE_COMPACT) {
        draw_compact(c, r, row, n, m);
        return;
    }
    bool wide = size >= SIZE_WIDE;
    struct places p = place_columns(row, n, r.w, wide);
    draw_heads(c, r, &p, m->text.optimizer);
    double total = (double)row[n - 1].formula;
    for (int i = 0; i < n && i < r.h - 1; i++)
        draw_row(c, r, r.y + 1 + i, &row[i], &p, total > 0 ? (double)row[i].formula / total : 0,
                 wide);
    if (n < r.h - 1)
        draw_process(c, r, r.y + 1 + n, m, row[n - 1].formula);
}
