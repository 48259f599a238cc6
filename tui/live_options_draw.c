/* The box of the live options: rows, help, and the config file where it differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tui/live_effect.h"
#include "tui/live_options.h"
#include "tui/popup.h"

#define BOX_WIDTH 64
#define BOX_EXTRA 8 /* rows beside the options and the foot */
#define FOOT 2      /* rows below the second rule, where the file says nothing new */

/* Columns inside the box: of the name, the end of "new"; and those of a value. */
enum { COL_NAME = 3, COL_NEW_END = 48, NEW_WIDE = 10, NEW_NARROW = 8 };

/* Where things stand. A narrow box has no column "applies"; a low one no rules, and some of the options. */
struct live_place {
    struct rect box;
    int now_end, new_end, applies; /* columns of the canvas; applies 0: none */
    int top, rows;                 /* options shown */
    int foot;                      /* rows for what is said last */
    bool low;
};

static void value_now(const struct live_options *l, const struct live_row *r, char *dst, size_t size)
{
    const struct uimodel *m = &l->layer.app->session->model;
    opt_format(r->d, r->values, dst, size);
    if (!*dst && !strcmp(r->key, "train.max_steps"))
        str_commas(dst, size, m->st.max_steps);
    else
        opt_show(r->d, r->values, dst, size);
}

static bool reads_only(const struct live_options *l)
{
    return l->layer.app->session->model.reads_only;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Columns of "new" in a narrow box. */
static int narrow_new(const struct live_options *l)
{
    int widest = NEW_NARROW;
    for (int i = 0; i < l->n; i++) {
        const struct config_change *x = live_options_change(l, i);
        if (x && text_width(x->shown) > widest)
            widest = text_width(x->shown);
    }
    return widest;
}

static struct live_place place_of(const struct live_options *l, const struct canvas *c)
{
    struct live_place p;
    int news = disk_changes_rows(&l->layer.app->session->disk), foot = news ? news + 1 : FOOT;
    p.box = popup_rect(c, BOX_WIDTH, l->n + BOX_EXTRA + foot);
    bool narrow = p.box.w < BOX_WIDTH;
    p.new_end = p.box.x + (narrow ? p.box.w - 2 : COL_NEW_END);
    p.now_end = p.new_end - 1 - (narrow ? narrow_new(l) : NEW_WIDE);
    p.applies = narrow ? 0 : p.new_end + 2;
    p.low = p.box.h < l->n + BOX_EXTRA + FOOT;
    p.rows = p.low ? smaller(l->n, p.box.h - 4 - (news ? smaller(news, 2) : 1)) : l->n;
    p.foot = p.low ? p.box.h - 4 - p.rows : p.box.h - BOX_EXTRA - l->n;
    p.top = smaller(l->selected > p.rows / 2 ? l->selected - p.rows / 2 : 0, l->n - p.rows);
    return p;
}

static void draw_heads(struct canvas *c, const struct live_place *p)
{
    int y = p->box.y + 1;
    canvas_put(c, p->box.x + COL_NAME, y, ROLE_DIM, "option");
    canvas_right(c, p->now_end, y, ROLE_DIM, "now");
    canvas_right(c, p->new_end, y, ROLE_DIM, "new");
    if (p->applies)
        canvas_put(c, p->applies, y, ROLE_DIM, "applies");
}

/* The columns "new" and "applies", but for a value that is being typed. */
static void draw_new(const struct live_options *l, struct canvas *c, const struct live_place *p, int i,
                     int y)
{
    const struct config_change *x = live_options_change(l, i);
    const char *applies = reads_only(l) ? "file" : "file: Enter";
    if (i == l->selected && l->entry.open)
        applies = "next step";
    else if (x)
        canvas_right(c, p->new_end, y, ROLE_FOCUS, x->shown);
    else
        return;
    if (p->applies)
        canvas_put(c, p->applies, y, ROLE_TEXT, applies);
}

static void draw_row(const struct live_options *l, struct canvas *c, const struct live_place *p, int i)
{
    int y = p->box.y + 2 + i - p->top, x = p->box.x + COL_NAME;
    char now[64], name[96];
    value_now(l, &l->row[i], now, sizeof now);
    canvas_put(c, x, y, ROLE_TEXT,
               text_cut_dotted(c->level, name, sizeof name, l->row[i].key,
                               p->now_end - x - text_width(now) - 1));
    canvas_right(c, p->now_end, y, ROLE_TEXT, now);
    draw_new(l, c, p, i, y);
    if (i != l->selected)
        return;
    canvas_glyph(c, p->box.x + 1, y, ROLE_TEXT, GLYPH_SELECTED);
    popup_select(c, p->box, y);
    if (l->entry.open)
        entry_draw(&l->entry, c, p->now_end + 1, y, p->new_end - p->now_end - 1, true);
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

/* What the selected option is, or what was wrong with its new value. */
static void describe_option(const struct live_options *l, char *dst, size_t size)
{
    const struct opt_desc *d = l->row[l->selected].d;
    char allowed[200], normal[64];
    if (*l->entry.error)
        str_copy(dst, size, l->entry.error);
    else
        snprintf(dst, size, "%s; %s; default %s", d->help, opt_allowed(d, allowed, sizeof allowed),
                 *opt_format_default(d, normal, sizeof normal) ? normal : "unset");
}

/* What the next step would make of the value that is typed, or else of that of the file; "" without
 * one. */
static void describe_next(const struct live_options *l, char *dst, size_t size)
{
    const struct live_row *r = &l->row[l->selected];
    const struct config_change *x = live_options_change(l, l->selected);
    const char *next = l->entry.open ? l->entry.field.text : x ? (*x->now ? x->now : x->shown) : "";
    char now[64];
    *dst = '\0';
    if (!*next || *l->entry.error)
        return;
    value_now(l, r, now, sizeof now);
    live_effect_describe(&l->layer.app->session->model, r->key, now, next, dst, size);
}

static void draw_help(const struct live_options *l, struct canvas *c, struct rect box, int y)
{
    char text[512], place[200];
    describe_option(l, text, sizeof text);
    draw_line(c, box, y, *l->entry.error ? ROLE_BAD : ROLE_TEXT, text);
    describe_next(l, text, sizeof text);
    draw_line(c, box, y + 1, ROLE_TEXT, text);
    run_place(l->layer.app->session->model.path, place, sizeof place);
    snprintf(text, sizeof text, "written to %s/config.ini and to the log", place);
    draw_line(c, box, y + 2, ROLE_DIM, text);
}

/* Rows below the options of a low box: what a new value does or what the option is, without the step where
 * that is too long; then the file. */
static void draw_low(const struct live_options *l, struct canvas *c, const struct live_place *p)
{
    const struct disk_changes *disk = &l->layer.app->session->disk;
    int y = p->box.y + 2 + p->rows;
    char text[512], cut[256];
    describe_next(l, text, sizeof text);
    const char *said = strstr(text, ": ");
    if (!*text)
        describe_option(l, text, sizeof text);
    said = said && text_width(text) > p->box.w - 4 ? said + 2 : text;
    text_cut_clause(c->level, cut, sizeof cut, said, p->box.w - 4);
    draw_line(c, p->box, y, *l->entry.error ? ROLE_BAD : ROLE_TEXT, cut);
    if (disk_changes_rows(disk))
        disk_changes_draw(disk, c, (struct rect){p->box.x + 2, y + 1, p->box.w - 4, p->foot});
    else
        draw_line(c, p->box, y + 1, ROLE_DIM, "Esc leaves everything unchanged");
}

static void draw_whole(const struct live_options *l, struct canvas *c, const struct live_place *p)
{
    const struct disk_changes *disk = &l->layer.app->session->disk;
    int y = p->box.y + 2 + p->rows;
    const char *keys = "Enter applies, Esc leaves everything unchanged";
    if (reads_only(l))
        keys = "this run is read-only: the file is only shown";
    else if (disk_changes_live(disk) && !l->entry.open)
        keys = "Enter takes the file's value, a all of them; e edits it";
    popup_rule(c, p->box, y);
    draw_help(l, c, p->box, y + 1);
    popup_rule(c, p->box, y + 4);
    if (disk_changes_rows(disk))
        disk_changes_draw(disk, c, (struct rect){p->box.x + 2, y + 5, p->box.w - 4, p->foot - 1});
    else
        draw_line(c, p->box, y + 5, ROLE_DIM, "need a restart: optimizer.name, batch_size, seed, ...");
    draw_line(c, p->box, y + 4 + p->foot, ROLE_DIM, keys);
}

/* Keys that do something now. */
static void draw_live_hints(const struct live_options *l, struct canvas *c)
{
    size_t live = disk_changes_live(&l->layer.app->session->disk);
    char all[48] = "", text[160];
    if (live && !l->entry.open)
        snprintf(all, sizeof all, "a take %s%zu  ", live > 1 ? "all " : "", live);
    if (reads_only(l))
        str_copy(text, sizeof text, "↑↓ move  Esc back");
    else if (live_options_change(l, l->selected) && !l->entry.open)
        snprintf(text, sizeof text, "Enter take  %se edit  ↑↓ move  Esc leave unchanged", all);
    else
        snprintf(text, sizeof text, "Enter edit, apply  %s↑↓ move  Esc leave unchanged", all);
    draw_hints(c, text, false);
}

void live_options_draw(struct layer *layer, struct canvas *c)
{
    struct live_options *l = (struct live_options *)layer;
    struct live_place p = place_of(l, c);
    draw_box(c, p.box, "options that may change now", NULL);
    canvas_clip(c, (struct rect){p.box.x + 1, p.box.y + 1, p.box.w - 2, p.box.h - 2});
    draw_heads(c, &p);
    for (int i = p.top; i < p.top + p.rows; i++)
        draw_row(l, c, &p, i);
    (p.low ? draw_low : draw_whole)(l, c, &p);
    canvas_clip(c, (struct rect){0, 0, c->w, c->h});
    draw_live_hints(l, c);
}
