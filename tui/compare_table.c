/* Runs side by side in figures. */
#include "tui/compare_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/keys.h"
#include "tui/list_keys.h"

enum role compare_role(int slot)
{
    return (enum role)(ROLE_SERIES1 + slot % COMPARE_PINS);
}

enum plot_pattern compare_pattern(int slot)
{
    return (enum plot_pattern)(PATTERN_SOLID + slot % COMPARE_PINS);
}

char compare_letter(int slot)
{
    return (char)('A' + slot);
}

const char *compare_head(enum metric k)
{
    return k == METRIC_ACCURACY ? "acc" : metric_descs[k].name;
}

/* ---- columns -------------------------------------------------------------------------------- */

enum { COL_OPTIMIZER, COL_STATE, COL_FIRST, COL_SECOND, COL_STEP, COL_SPEED, COLS };

/* How far the head ends before the values do, the blanks before a column, its least width. */
static const struct {
    int tail, gap, least;
} shape[COLS] = {[COL_OPTIMIZER] = {0, 1, 9}, [COL_STATE] = {2, 2, 9}, [COL_FIRST] = {3, 3, 7},
                 [COL_SECOND] = {3, 2, 6},    [COL_STEP] = {1, 3, 5},  [COL_SPEED] = {1, 3, 6}};

struct table {
    const struct compare *cmp;
    enum metric score[2];
    bool tokens;
    char head[COLS][24];
    int width[COLS], x[COLS]; /* 0: left out */
    int name_x, name_w;
};

struct row {
    char cell[COLS][40];
};

static void fill_row(const struct table *t, const struct compare_run *r, struct row *row,
                     enum glyph_level level)
{
    const struct compare_run *best = compare_best(t->cmp, t->score[0]);
    char value[32];
    str_copy(row->cell[COL_OPTIMIZER], sizeof row->cell[0], r->about.optimizer);
    fmt_mib(row->cell[COL_STATE], sizeof row->cell[0], r->state_bytes);
    snprintf(row->cell[COL_FIRST], sizeof row->cell[0], "%s%s",
             fmt_loss(value, sizeof value, r->best[t->score[0]], level),
             r == best && compare_pinned(t->cmp) > 1 ? glyph_text(level, GLYPH_BEST) : " ");
    fmt_loss(row->cell[COL_SECOND], sizeof row->cell[0], r->best[t->score[1]], level);
    str_commas(row->cell[COL_STEP], sizeof row->cell[0], r->step);
    fmt_speed(row->cell[COL_SPEED], sizeof row->cell[0], t->tokens ? r->tokens : r->samples, level);
}

static void measure(struct table *t, enum glyph_level level)
{
    struct row row;
    char most[32];
    for (int k = 0; k < COLS; k++)
        t->width[k] = text_width(t->head[k]) + shape[k].tail > shape[k].least
                          ? text_width(t->head[k]) + shape[k].tail
                          : shape[k].least;
    for (int i = 0; i < t->cmp->n; i++) {
        fill_row(t, t->cmp->run[i], &row, level);
        str_commas(most, sizeof most, t->cmp->run[i]->max_steps);
        for (int k = 0; k < COLS; k++) {
            int w = text_width(k == COL_STEP ? most : row.cell[k]);
            t->width[k] = w > t->width[k] ? w : t->width[k];
        }
    }
}

static int longest_name(const struct compare *cmp)
{
    int longest = 8;
    for (int i = 0; i < cmp->n; i++) {
        int w = text_width(cmp->run[i]->name);
        longest = w > longest ? w : longest;
    }
    return longest;
}

/* Columns from the right end; those that leave no room for the names go in a fixed order. */
static void place(struct table *t, int x, int w)
{
    static const int order[] = {COL_SPEED, COL_SECOND, COL_STEP, COL_OPTIMIZER};
    const int left = 7, margin = w >= 72 ? 3 : 1;
    int longest = longest_name(t->cmp), least = longest < 14 ? longest : 14, sum = left + margin;
    for (int k = 0; k < COLS; k++)
        sum += t->width[k] + shape[k].gap;
    for (size_t i = 0; i < 4 && w - sum < least; i++) {
        sum -= t->width[order[i]] + shape[order[i]].gap;
        t->width[order[i]] = 0;
    }
    t->name_x = x + left;
    t->name_w = w - sum;
    int at = t->name_x + t->name_w;
    for (int k = 0; k < COLS; k++)
        if (t->width[k]) {
            t->x[k] = at + shape[k].gap;
            at = t->x[k] + t->width[k];
        }
}

static void make_table(struct table *t, const struct compare *cmp, int x, int w,
                       enum glyph_level level)
{
    *t = (struct table){.cmp = cmp};
    compare_scores(cmp, t->score);
    for (int i = 0; i < cmp->n; i++)
        t->tokens |= isfinite(cmp->run[i]->tokens);
    str_copy(t->head[COL_OPTIMIZER], sizeof t->head[0], "optimizer");
    str_copy(t->head[COL_STATE], sizeof t->head[0], "state");
    str_copy(t->head[COL_FIRST], sizeof t->head[0], compare_head(t->score[0]));
    str_copy(t->head[COL_SECOND], sizeof t->head[0], compare_head(t->score[1]));
    str_copy(t->head[COL_STEP], sizeof t->head[0], "step");
    str_copy(t->head[COL_SPEED], sizeof t->head[0], t->tokens ? "tok/s" : "samples/s");
    measure(t, level);
    place(t, x, w);
}

static void draw_heads(struct canvas *c, int y, const struct table *t)
{
    for (int k = 0; k < COLS; k++) {
        int end = t->x[k] + t->width[k] - shape[k].tail;
        if (t->width[k])
            draw_head(c, k == COL_OPTIMIZER ? t->x[k] : end - text_width(t->head[k]), y, ROLE_DIM,
                      t->head[k]);
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void draw_best(struct canvas *c, int end, int y, const struct row *row)
{
    const char *text = row->cell[COL_FIRST];
    if (text[strlen(text) - 1] != ' ')
        canvas_right(c, end, y, ROLE_OK, text);
    else
        canvas_right(c, end, y, ROLE_TEXT, text);
}

static void draw_row(struct canvas *c, int x, int y, const struct table *t,
                     const struct compare_run *r)
{
    char text[160], legend[16];
    struct row row;
    enum role role = r->slot >= 0 ? ROLE_TEXT : ROLE_DIM;
    fill_row(t, r, &row, c->level);
    if (r->slot >= 0) {
        canvas_code(c, x + 1, y, compare_role(r->slot), (unsigned char)compare_letter(r->slot));
        canvas_put(c, x + 3, y, compare_role(r->slot),
                   plot_legend(c->level, compare_pattern(r->slot), 3, legend, sizeof legend));
    }
    canvas_put(c, t->name_x, y, role,
               text_cut_middle(c->level, text, sizeof text, r->name, t->name_w));
    for (int k = 0; k < COLS; k++) {
        int end = t->x[k] + t->width[k];
        if (!t->width[k])
            continue;
        if (k == COL_OPTIMIZER)
            canvas_put(c, t->x[k], y, role, row.cell[k]);
        else if (k == COL_FIRST && r->slot >= 0)
            draw_best(c, end, y, &row);
        else
            canvas_right(c, end, y, role, row.cell[k]);
    }
}

static const char *path_of(void *user, int i)
{
    const struct compare *cmp = user;
    return file_base(cmp->run[i]->path);
}

void draw_compare_table(struct canvas *c, struct rect r, const struct compare *cmp, struct list *l,
                        bool cursor)
{
    struct table t;
    char title[64], count[32], all[32];
    int beside = r.x > 0;
    make_table(&t, cmp, r.x + beside, r.w - beside, c->level);
    list_update(l, cmp->n, path_of, (void *)cmp, r.h - 1);
    snprintf(title, sizeof title, "runs");
    if (cmp->n > l->rows)
        snprintf(title, sizeof title, "runs %s of %s",
                 str_commas(count, sizeof count, cursor ? l->selected + 1 : l->rows),
                 str_commas(all, sizeof all, cmp->n));
    draw_rule(c, r.x, r.y, r.w, title, NULL, NULL);
    draw_heads(c, r.y, &t);
    for (int i = l->top; i < l->n && i < l->top + l->rows; i++) {
        int y = r.y + 1 + i - l->top;
        draw_row(c, r.x + beside, y, &t, cmp->run[i]);
        list_row(c, l, i, (struct rect){r.x + beside, y, r.w - beside, 1});
        if (!cursor || i != l->selected)
            continue;
        canvas_glyph(c, r.x + beside, y, ROLE_TEXT, GLYPH_SELECTED);
        canvas_select(c, (struct rect){r.x + beside, y, r.w - beside, 1});
    }
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Items one after the other from column 16 on; those that find no room begin a new row. */
struct flow {
    struct rect r;
    int x, y, rows; /* rows: that it may use */
};

static void flow_put(struct canvas *c, struct flow *f, enum role role, const char *text)
{
    int w = text_width(text);
    if (f->x + w > f->r.x + f->r.w && f->rows > 1) {
        f->rows--;
        f->y++;
        f->x = f->r.x + 16;
    }
    if (f->x + w <= f->r.x + f->r.w)
        canvas_put(c, f->x, f->y, role, text);
    f->x += w + 3;
}

static void draw_same_step(struct canvas *c, struct flow *f, const struct compare *cmp,
                           enum metric k)
{
    char text[64], value[32];
    int64_t step = compare_common_step(cmp, k);
    if (step < 0) {
        flow_put(c, f, ROLE_DIM, "no step at which all of them were evaluated");
        return;
    }
    for (int slot = 0; slot < COMPARE_SLOTS; slot++) {
        const struct compare_run *r = compare_slot(cmp, slot);
        if (!r)
            continue;
        fmt_loss(value, sizeof value, compare_score_at(r, k, step), c->level);
        snprintf(text, sizeof text, "%c %s", compare_letter(slot), value);
        flow_put(c, f, ROLE_TEXT, text);
    }
    snprintf(text, sizeof text, "%s; %s", metric_descs[k].name,
             compare_same_seed(cmp) ? "same seed" : "seeds differ");
    flow_put(c, f, ROLE_DIM, text);
}

char *compare_least_words(const struct compare *cmp, enum metric k, char *dst, size_t size,
                          enum glyph_level level)
{
    const struct compare_run *least = compare_least(cmp), *best = compare_best(cmp, k);
    char bytes[32], off[32];
    const char *name = metric_descs[k].name;
    size_t n = (size_t)snprintf(dst, size, "%c %s", compare_letter(least->slot),
                                fmt_mib(bytes, sizeof bytes, least->state_bytes));
    if (!best || !isfinite(least->best[k]))
        snprintf(dst + n, size - n, ", no %s yet", name);
    else if (best == least)
        snprintf(dst + n, size - n, ", and the best %s", name);
    else
        snprintf(dst + n, size - n, ", best %s %s %s %c", name,
                 fmt_loss(off, sizeof off, fabs(best->best[k] - least->best[k]), level),
                 metric_descs[k].larger ? "below" : "above", compare_letter(best->slot));
    return dst;
}

void draw_compare_text(struct canvas *c, struct rect r, const struct compare *cmp)
{
    char text[160], number[32];
    enum metric k[2];
    int x = r.x + (r.x > 0) + 1;
    struct flow f = {.r = {x - 1, r.y, r.x + r.w - x, r.h}, .x = x + 15, .y = r.y, .rows = r.h - 1};
    if (r.h < 1)
        return;
    if (compare_pinned(cmp) < 2) {
        canvas_printf(c, x, r.y, ROLE_DIM, "one run; %s adds another", action_key(ACTION_ADD));
        return;
    }
    compare_scores(cmp, k);
    int64_t step = compare_common_step(cmp, k[0]);
    int at = x + canvas_put(c, x, r.y, ROLE_DIM, "at step") + 1;
    canvas_put(c, at, r.y, ROLE_TEXT,
               step < 0 ? glyph_text(c->level, GLYPH_MISSING)
                        : str_commas(number, sizeof number, step));
    draw_same_step(c, &f, cmp, k[0]);
    if (f.y + 1 >= r.y + r.h)
        return;
    canvas_put(c, x, f.y + 1, ROLE_DIM, "least state");
    canvas_put(c, x + 15, f.y + 1, ROLE_TEXT,
               compare_least_words(cmp, k[0], text, sizeof text, c->level));
}
