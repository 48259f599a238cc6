/* The data: files, classes, and the rows of the update that is being trained. What the files
 * hold is looked up in the background when the view is first open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/train/row_order.h"
#include "tui/data_panes.h"
#include "tui/data_tokens.h"
#include "tui/facts.h"
#include "tui/hints.h"
#include "tui/list_keys.h"
#include "tui/token_facts.h"
#include "tui/view.h"
#include "tui/wrap.h"

struct data_view {
    struct facts facts;
    bool asked;              /* for the facts */
    struct data_sides sides;
    struct token_facts lengths; /* of a run that is over; one that goes on tells them */
    struct row_order order;
    int64_t step;            /* whose rows are shown */
    int64_t *batch;          /* [nbatch] its rows */
    int64_t nbatch;
    bool frozen, evals, whole; /* evals: rows of the evaluation set instead */
    bool of_cell;            /* those of one cell of the confusion: */
    int truth, answer;
    struct list list;
    int first_label, label_rows;
};

/* ---- facts ---------------------------------------------------------------------------------- */

static void take_facts(struct data_view *v)
{
    int n = v->facts.train.spec.num_labels;
    v->sides.set[0] = &v->facts.train;
    v->sides.set[1] = &v->facts.eval;
    label_counts_make(&v->sides.count[0], &v->facts.train, n);
    label_counts_make(&v->sides.count[1], &v->facts.eval, n);
}

static const struct token_counts *tokens_of(const struct data_view *v, const struct uimodel *m)
{
    return m->tokens[0].rows || m->tokens[1].rows ? m->tokens : v->lengths.side;
}

/* Rows of the update after step, or of the last one of a run that is over. */
static bool take_batch(struct data_view *v, const struct uimodel *m)
{
    const struct run_status *s = &m->text;
    int64_t step = run_state_over(s->state) || s->step == s->max_steps ? s->step : s->step + 1;
    const int64_t *rows;
    if (v->frozen || step == v->step || step < 1)
        return false;
    v->step = step;
    v->nbatch = row_order_of(&v->order, m->rc, v->facts.train.rows, tokens_of(v, m)[0].at,
                             step - 1, &rows);
    v->batch = xreallocarray(v->batch, (size_t)v->nbatch + 1, sizeof *v->batch);
    if (v->nbatch)
        memcpy(v->batch, rows, (size_t)v->nbatch * sizeof *v->batch);
    return true;
}

static bool data_poll(struct view *view, const struct uimodel *m, struct hub *hub)
{
    struct data_view *v = view->state;
    (void)hub;
    if (!m->rc)
        return false;
    if (!v->asked)
        facts_set(&v->facts, m->rc);
    v->asked = true;
    bool changed = facts_poll(&v->facts, m->rc);
    if (changed && v->facts.have_data)
        take_facts(v);
    if (v->facts.have_data && !m->live && !m->tokens[0].rows && v->facts.train.text.n)
        token_facts_ask(&v->lengths, m->rc, m->path);
    if (token_facts_poll(&v->lengths)) {
        v->step = 0; /* its rows may be known now */
        changed = true;
    }
    if (v->facts.have_data)
        changed |= take_batch(v, m);
    return changed;
}

static void data_release(struct view *view)
{
    struct data_view *v = view->state;
    facts_release(&v->facts);
    label_counts_release(&v->sides.count[0]);
    label_counts_release(&v->sides.count[1]);
    row_order_release(&v->order);
    token_facts_release(&v->lengths);
    free(v->batch);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static const struct dataset *shown_set(const struct data_view *v)
{
    return v->evals ? &v->facts.eval : &v->facts.train;
}

static int64_t row_at(const struct data_view *v, int64_t i)
{
    return v->evals ? i : v->batch[i];
}

static const char *text_of(const struct dataset *ds, int64_t row)
{
    return (size_t)row < ds->text.n ? ds->text.s[row] : "";
}

/* Rows that the filter lets through, by label or text. */
struct rows {
    const struct data_view *v;
    int64_t *row;
    int n, all;
};

static bool is_in_cell(const struct data_view *v, const struct uimodel *m, int64_t row)
{
    const struct eval_report *rep = m->report;
    return m->have_report && row < rep->kept && rep->cell[row] == v->truth * rep->n + v->answer;
}

static bool passes(const struct data_view *v, const struct uimodel *m, const struct dataset *ds,
                   int64_t row)
{
    char label[256];
    if (v->of_cell && !is_in_cell(v, m, row))
        return false;
    if (!v->list.filter[0])
        return true;
    label_words(ds, &v->facts.train.labels, row, "", label, sizeof label);
    return list_match(&v->list, label) || list_match(&v->list, text_of(ds, row));
}

static struct rows visible_rows(const struct data_view *v, const struct uimodel *m)
{
    const struct dataset *ds = shown_set(v);
    struct rows s = {.v = v, .all = (int)(v->evals ? ds->rows : v->nbatch)};
    s.row = xreallocarray(NULL, (size_t)s.all + 1, sizeof *s.row);
    for (int i = 0; i < s.all; i++)
        if (passes(v, m, ds, row_at(v, i)))
            s.row[s.n++] = row_at(v, i);
    return s;
}

static const char *row_name(void *user, int i)
{
    static char name[32];
    const struct rows *s = user;
    snprintf(name, sizeof name, "%lld", (long long)s->row[i]);
    return name;
}

enum { ROW_END = 9, LINE_END = 18, LABEL_AT = 20, TEXT_AT = 31 };

static const struct token_counts *shown_tokens(const struct data_view *v, const struct uimodel *m)
{
    return &tokens_of(v, m)[v->evals];
}

/* What a row of a text set is named by besides its number: how many tokens it has; of another, its line. */
static void draw_place(struct canvas *c, struct rect r, int y, const struct data_view *v,
                       const struct uimodel *m, int64_t row)
{
    const struct dataset *ds = shown_set(v);
    const struct token_counts *t = shown_tokens(v, m);
    char text[32];
    int64_t tokens = token_counts_of_row(t, row);
    if (t->rows)
        canvas_right(c, r.x + LINE_END, y, ROLE_TEXT,
                     tokens < 0 ? glyph_text(c->level, GLYPH_MISSING)
                                : str_commas(text, sizeof text, tokens));
    else if (ds->line)
        canvas_right(c, r.x + LINE_END, y, ROLE_DIM, str_commas(text, sizeof text, ds->line[row]));
}

static void draw_row(struct canvas *c, struct rect r, int y, const struct data_view *v,
                     const struct uimodel *m, int64_t row)
{
    const struct dataset *ds = shown_set(v);
    char text[300], cut[300];
    const char *missing = glyph_text(c->level, GLYPH_MISSING);
    bool texts = ds->text.n > 0;
    int label_cols = texts ? TEXT_AT - LABEL_AT - 1 : r.w - LABEL_AT - 1;
    canvas_right(c, r.x + ROW_END, y, ROLE_TEXT, str_commas(text, sizeof text, row));
    draw_place(c, r, y, v, m, row);
    label_words(ds, &v->facts.train.labels, row, missing, text, sizeof text);
    canvas_put(c, r.x + LABEL_AT, y, ROLE_TEXT,
               text_cut_end(c->level, cut, sizeof cut, text, label_cols));
    if (texts)
        canvas_put(c, r.x + TEXT_AT, y, ROLE_TEXT,
                   text_cut_end(c->level, cut, sizeof cut, text_of(ds, row), r.w - TEXT_AT - 1));
}

static void draw_batch_heads(struct canvas *c, struct rect r, const struct dataset *ds, bool tokens)
{
    canvas_put(c, r.x + ROW_END - 3, r.y + 1, ROLE_DIM, "row");
    if (tokens)
        canvas_put(c, r.x + LINE_END - 6, r.y + 1, ROLE_DIM, "tokens");
    else if (ds->line)
        canvas_put(c, r.x + LINE_END - 4, r.y + 1, ROLE_DIM, "line");
    canvas_put(c, r.x + LABEL_AT, r.y + 1, ROLE_DIM, "label");
    if (ds->text.n)
        canvas_put(c, r.x + TEXT_AT, r.y + 1, ROLE_DIM, "text");
}

static void draw_batch_rule(struct canvas *c, struct rect r, const struct data_view *v,
                            const struct uimodel *m, const struct rows *s)
{
    char title[160], name[128], right[128], step[32], said[32];
    if (v->of_cell)
        snprintf(name, sizeof name, "%.40s → %.40s", uimodel_label(m, v->truth, step),
                 uimodel_label(m, v->answer, said));
    else if (v->evals)
        str_copy(name, sizeof name, "eval rows");
    else
        snprintf(name, sizeof name, "batch of step %s", str_commas(step, sizeof step, v->step));
    const struct token_counts *t = &tokens_of(v, m)[0];
    if (!v->evals && t->at)
        batch_tokens(t, v->batch, v->nbatch, m->rc->train.batch_size, right, sizeof right);
    else
        snprintf(right, sizeof right, "%s rows", str_commas(step, sizeof step, v->of_cell ? s->n : s->all));
    if (v->frozen)
        str_copy(right + strlen(right), sizeof right - strlen(right), ", frozen");
    if (v->evals || v->list.filter[0])
        list_title(&v->list, name, s->all, title, sizeof title);
    else
        str_copy(title, sizeof title, name);
    draw_rule(c, r.x, r.y, r.w, title, NULL, right);
}

static void draw_batch(struct canvas *c, struct rect r, struct data_view *v, const struct uimodel *m)
{
    if (r.h < 3)
        return;
    struct rows s = visible_rows(v, m);
    list_update(&v->list, s.n, row_name, &s, r.h - 2);
    draw_batch_rule(c, r, v, m, &s);
    draw_batch_heads(c, r, shown_set(v), shown_tokens(v, m)->rows > 0);
    for (int i = v->list.top; i < s.n && i < v->list.top + v->list.rows; i++) {
        int y = r.y + 2 + i - v->list.top;
        draw_row(c, r, y, v, m, s.row[i]);
        list_row(c, &v->list, i, (struct rect){r.x, y, r.w, 1});
        if (i != v->list.selected)
            continue;
        canvas_glyph(c, r.x, y, ROLE_TEXT, GLYPH_SELECTED);
        canvas_select(c, (struct rect){r.x, y, r.w, 1});
    }
    if (!s.n)
        canvas_put(c, r.x + 1, r.y + 2, ROLE_DIM,
                   v->of_cell ? "no such row in the newest evaluation"
                   : s.all    ? "no row with that label or text" : "the order of its rows is not known");
    if (v->whole && v->list.selected < s.n)
        draw_text_box(c, layout_content(c->w, c->h), "row",
                      text_of(shown_set(v), s.row[v->list.selected]));
    free(s.row);
}

/* ---- the view ------------------------------------------------------------------------------- */

static void draw_waiting(struct canvas *c, struct rect r, const struct data_view *v)
{
    char text[1100];
    draw_rule(c, r.x, r.y, r.w, "data", NULL, NULL);
    bool failed = !v->facts.reading && v->facts.err.code;
    text_cut_end(c->level, text, sizeof text,
                 failed ? v->facts.err.msg : "looking at the data files", r.w - 2);
    canvas_put(c, r.x + 1, r.y + 1, failed ? ROLE_BAD : ROLE_DIM, text);
}

/* Token counts are not known: their room is the labels', as far as there are labels, then the
 * batch's. */
static void share_token_room(struct layout_data *l, int labels)
{
    if (l->tokens.x > 0) {
        l->labels.w += l->tokens.w;
        return;
    }
    int more = labels + 1 - l->labels.h, room = l->tokens.h;
    more = more > room ? room : more > 0 ? more : 0;
    l->labels.h += more;
    l->batch.y -= room - more;
    l->batch.h += room - more;
}

static void data_draw(struct view *view, struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct data_view *v = view->state;
    if (!v->facts.have_data) {
        draw_waiting(c, r, v);
        return;
    }
    bool numbers = v->facts.train.spec.problem == PROBLEM_REGRESSION;
    int labels = numbers ? 2 : v->sides.count[0].n; /* numbers: a line for each set */
    struct layout_data l = layout_data(c->w, c->h, labels);
    v->sides.tokens = tokens_of(v, m);
    if (v->sides.tokens[0].rows)
        draw_tokens_pane(c, l.tokens, &v->sides.tokens[0]);
    else
        share_token_room(&l, labels);
    v->label_rows = l.labels.h - 1;
    draw_files_pane(c, l.files, m, &v->sides);
    draw_labels_pane(c, l.labels, &v->sides, v->first_label);
    draw_batch(c, l.batch, v, m);
}

static bool labels_scroll(const struct data_view *v)
{
    return v->facts.have_data && v->facts.train.spec.problem != PROBLEM_REGRESSION &&
           v->sides.count[0].n > v->label_rows;
}

static unsigned scroll_labels(struct data_view *v, int by)
{
    int most = v->sides.count[0].n - v->label_rows;
    if (!labels_scroll(v))
        return REACT_NONE;
    v->first_label += by;
    v->first_label = v->first_label > most ? most : v->first_label < 0 ? 0 : v->first_label;
    return REACT_REDRAW;
}

static unsigned data_action(struct view *view, enum action a, const struct uimodel *m,
                            char *message)
{
    struct data_view *v = view->state;
    (void)m;
    if (!v->facts.have_data)
        return REACT_NONE;
    if (v->whole && (a == ACTION_ENTER || a == ACTION_BACK)) {
        v->whole = false;
        return REACT_REDRAW;
    }
    switch (a) {
    case ACTION_LEFT: return scroll_labels(v, -1);
    case ACTION_RIGHT: return scroll_labels(v, 1);
    case ACTION_BACK:
        if (!v->of_cell || *v->list.filter)
            return list_action(&v->list, a) ? REACT_REDRAW : REACT_NONE;
        v->of_cell = v->evals = false;
        str_copy(message, VIEW_MESSAGE, "5");
        return REACT_SHOW;
    case ACTION_NEXT_PART:
    case ACTION_PREV_PART:
        v->of_cell = false;
        v->evals = !v->evals && v->facts.eval.rows > 0;
        v->list = (struct list){.n = 0};
        return REACT_REDRAW;
    case ACTION_FOLLOW: v->frozen = !v->frozen; return REACT_REDRAW;
    case ACTION_ENTER:
        v->whole = shown_set(v)->text.n > 0;
        return v->whole ? REACT_REDRAW : REACT_NONE;
    default: return list_action(&v->list, a) ? REACT_REDRAW : REACT_NONE;
    }
}

/* "TRUTH ANSWER": the rows of that cell of the newest evaluation. */
static void data_show(struct view *view, const char *item)
{
    struct data_view *v = view->state;
    v->of_cell = sscanf(item, "%d %d", &v->truth, &v->answer) == 2;
    v->evals = v->of_cell;
    v->whole = false;
    v->list = (struct list){.n = 0};
}

static bool data_key(struct view *view, const struct key_event *k, const struct uimodel *m)
{
    struct data_view *v = view->state;
    (void)m;
    return list_filter_key(&v->list, k);
}

static void data_hints(const struct view *view, const struct uimodel *m, char *dst, size_t size)
{
    const struct data_view *v = view->state;
    if (v->list.typing) {
        snprintf(dst, size, "/%s", v->list.filter);
        return;
    }
    hint_ended(dst, size, m);
    if (!v->facts.have_data)
        return;
    hint_pair(dst, size, ACTION_UP, ACTION_DOWN, "", "row");
    if (v->whole)
        hint_add(dst, size, ACTION_BACK, "close");
    else if (shown_set(v)->text.n)
        hint_add(dst, size, ACTION_ENTER, "whole row");
    if (v->facts.eval.rows)
        hint_pair(dst, size, ACTION_PREV_PART, ACTION_NEXT_PART, " ", "train/eval");
    hint_add(dst, size, ACTION_FILTER, "filter");
    if (run_takes_commands(m))
        hint_add(dst, size, ACTION_FOLLOW, v->frozen ? "follow" : "freeze");
    if (v->of_cell)
        hint_add(dst, size, ACTION_BACK, "back");
    if (labels_scroll(v))
        hint_pair(dst, size, ACTION_LEFT, ACTION_RIGHT, "", "labels");
}

static const struct view_key data_keys[] = {
    {ACTION_PREV_PART, ACTION_NEXT_PART, "rows of the batch, of the eval set"},
    {ACTION_FILTER, ACTION_NONE, "rows by label or text"},
    {ACTION_FOLLOW, ACTION_NONE, "freeze the batch, follow"},
    {ACTION_LEFT, ACTION_RIGHT, "more labels"},
    {ACTION_NONE, ACTION_NONE, NULL},
};

const struct view_class view_data = {
    .name = "data",
    .key = "d",
    .state_size = sizeof(struct data_view),
    .draw = data_draw,
    .action = data_action,
    .key_event = data_key,
    .hints = data_hints,
    .poll = data_poll,
    .release = data_release,
    .show = data_show,
    .keys = data_keys,
};
