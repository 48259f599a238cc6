/* The help page: lines made of the action table, in columns. */
#include "tui/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/hints.h"
#include "tui/layout.h"
#include "tui/list_keys.h"
#include "tui/view.h"

/* ---- what is said --------------------------------------------------------------------------- */

/* A key of a line: of an action its first or second one, and what stands before it. */
struct help_key {
    enum action a;
    int second;
    const char *before;
};

struct help_line {
    struct help_key key[4];
    const char *words; /* NULL: those of the action table */
};

#define ONE(a) {{{ACTION_##a, 0, ""}}, NULL}
#define BOTH_KEYS(a) {{{ACTION_##a, 0, ""}, {ACTION_##a, 1, "  "}}, NULL}
#define TWO(a, sep, b, words) {{{ACTION_##a, 0, ""}, {ACTION_##b, 0, sep}}, words}
#define END {{{ACTION_NONE, 0, NULL}}, NULL}

static const struct help_line view_lines[] = {
    TWO(NEXT_VIEW, "  ", PREV_VIEW, "next, previous view"),
    TWO(ENTER, "  ", BACK, "open, one layer back"),
    BOTH_KEYS(HELP), END};
static const struct help_line run_lines[] = {ONE(PAUSE), ONE(STEP_ONCE), ONE(SAVE), ONE(EVALUATE),
                                             BOTH_KEYS(OPTIONS), ONE(QUIT), ONE(INTERRUPT), END};
static const struct help_line list_lines[] = {
    {{{ACTION_UP, 0, ""}, {ACTION_DOWN, 0, " "}, {ACTION_DOWN, 1, "  "}, {ACTION_UP, 1, " "}},
     "move"},
    {{{ACTION_PAGE_UP, 0, ""},
      {ACTION_PAGE_DOWN, 0, "/"},
      {ACTION_FIRST, 0, "  "},
      {ACTION_LAST, 0, " "}},
     "page, first, last"},
    {{{ACTION_FILTER, 0, ""}, {ACTION_NEW, 0, "  "}, {ACTION_PREV_MARK, 0, " "}},
     "filter, next, previous"},
    TWO(PREV_PART, " ", NEXT_PART, "other table, metric"),
    END};
static const struct help_line plot_lines[] = {
    {{{ACTION_LEFT, 0, ""}, {ACTION_RIGHT, 0, " "}, {ACTION_LEFT, 1, "  "}, {ACTION_RIGHT, 1, " "}},
     "cursor"},
    {{{ACTION_ZOOM_IN, 0, ""}, {ACTION_ZOOM_OUT, 0, " "}, {ACTION_ZOOM_RESET, 0, "  "}},
     "zoom; 0: the whole run"},
    TWO(PAN_LEFT, " ", PAN_RIGHT, "pan"), ONE(FOLLOW), ONE(LOG_SCALE), ONE(X_AXIS), ONE(SMOOTH),
    TWO(NEW, " ", PREV_MARK, "next, previous mark"), END};
static const struct help_line screen_lines[] = {ONE(GLYPHS), ONE(THEME), ONE(REPAINT), ONE(SUSPEND),
                                                END};
static const struct help_line launcher_lines[] = {
    {{{ACTION_NEW, 0, ""}}, "launcher: a new config"},
    {{{ACTION_START, 0, ""}}, "start in the form; resume a run"}, END};

static const char *const notes[] = {"Training never waits for the screen.",
                                    "[keys] in the INI file changes a key."};

/* ---- keys as text --------------------------------------------------------------------------- */

/* The second default key, where it still means the action. */
static const char *second_key(enum action a, char dst[16])
{
    const char *at = strchr(action_descs[a].keys, ' ');
    str_copy(dst, 16, at ? at + 1 : "");
    dst[strcspn(dst, " ")] = '\0';
    return *dst && key_action(key_parse(dst)) == a ? dst : "";
}

static const char *arrow(const char *key)
{
    static const char *const arrows[][2] = {
        {"Up", "↑"}, {"Down", "↓"}, {"Left", "←"}, {"Right", "→"}};
    for (int i = 0; i < 4; i++)
        if (!strcmp(key, arrows[i][0]))
            return arrows[i][1];
    return key;
}

static void add_key(char *dst, size_t size, const struct help_key *k)
{
    char second[16];
    const char *key = arrow(k->second ? second_key(k->a, second) : action_key(k->a));
    size_t n = strlen(dst);
    if (*k->before == '/' && str_starts(key, "Pg") && strstr(dst, "Pg"))
        key += 2; /* PgUp/Dn */
    if (*key)
        snprintf(dst + n, size - n, "%s%s", n ? k->before : "", key);
}

/* ---- the page as rows ----------------------------------------------------------------------- */

struct help_row {
    char keys[32], words[64];
    bool title; /* the words are the name of a section */
};

struct stack {
    struct help_row *row;
    size_t n, cap;
};

static struct help_row *new_row(struct stack *s)
{
    s->row = xgrow(s->row, &s->cap, s->n + 1, sizeof *s->row);
    s->row[s->n] = (struct help_row){.title = false};
    return &s->row[s->n++];
}

static void add_title(struct stack *s, const char *name)
{
    struct help_row *r = new_row(s);
    r->title = true;
    str_copy(r->words, sizeof r->words, name);
}

static void add_line(struct stack *s, const struct help_line *l)
{
    struct help_row *r = new_row(s);
    for (int i = 0; i < 4 && l->key[i].a != ACTION_NONE; i++)
        add_key(r->keys, sizeof r->keys, &l->key[i]);
    str_copy(r->words, sizeof r->words, l->words ? l->words : action_descs[l->key[0].a].help);
}

static void add_section(struct stack *s, const char *name, const struct help_line *l)
{
    add_title(s, name);
    for (; l->key[0].a != ACTION_NONE; l++)
        add_line(s, l);
}

/* "1 ... 9  d", "overview ... log, data" */
static void add_views(struct stack *s)
{
    struct help_row *r = new_row(s);
    const struct view_class *first = view_classes[0], *last = first;
    char more_keys[16] = "", more_words[32] = "";
    for (int i = 0; view_classes[i]; i++) {
        const struct view_class *v = view_classes[i];
        if (*v->key >= '0' && *v->key <= '9') {
            last = v;
            continue;
        }
        size_t n = strlen(more_keys), w = strlen(more_words);
        snprintf(more_keys + n, sizeof more_keys - n, "  %s", v->key);
        snprintf(more_words + w, sizeof more_words - w, ", %s", v->name);
    }
    snprintf(r->keys, sizeof r->keys, "%s ... %s%s", first->key, last->key, more_keys);
    snprintf(r->words, sizeof r->words, "%s ... %s%s", first->name, last->name, more_words);
}

static void add_lists(struct stack *s)
{
    add_title(s, "views");
    add_views(s);
    for (const struct help_line *l = view_lines; l->key[0].a != ACTION_NONE; l++)
        add_line(s, l);
    add_section(s, "run", run_lines);
    add_section(s, "lists", list_lines);
}

/* Notes end the first page: `rows` high, or as high as it takes. */
static void add_plots(struct stack *s, size_t rows)
{
    add_section(s, "plots", plot_lines);
    add_section(s, "screen", screen_lines);
    new_row(s);
    while (s->n + 2 < rows)
        new_row(s);
    for (int i = 0; i < 2; i++)
        add_title(s, notes[i]);
}

static void add_view_keys(struct stack *s, const struct view_class *v)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", v->key, v->name);
    add_title(s, name);
    for (const struct view_key *k = v->keys; k->words; k++) {
        struct help_row *r = new_row(s);
        add_key(r->keys, sizeof r->keys, &(struct help_key){k->a, 0, ""});
        if (k->b != ACTION_NONE)
            add_key(r->keys, sizeof r->keys, &(struct help_key){k->b, 0, " "});
        str_copy(r->words, sizeof r->words, k->words);
    }
}

/* Keys of launcher and views from the `part`-th of `parts` equal shares. */
static void add_screens(struct stack *s, int part, int parts)
{
    int n = 0;
    if (part == 0)
        add_section(s, "launcher, form", launcher_lines);
    for (int i = 0; view_classes[i]; i++)
        n += view_classes[i]->keys != NULL;
    for (int i = 0, at = 0; view_classes[i]; i++)
        if (view_classes[i]->keys && at++ * parts / n == part)
            add_view_keys(s, view_classes[i]);
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void pad(struct stack *s, size_t n)
{
    while (s->n < n)
        new_row(s);
}

/* What stands in each column; returns the columns. */
static int fill_columns(struct stack s[3], enum size_class size, size_t rows)
{
    int columns = size >= SIZE_WIDE ? 3 : size == SIZE_NORMAL ? 2 : 1;
    add_lists(&s[0]);
    add_plots(&s[columns > 1], columns > 1 ? rows : 0);
    if (columns != 2) {
        add_screens(&s[columns - 1], 0, 1);
        return columns;
    }
    pad(&s[0], s[1].n);
    for (int i = 0; i < 2; i++)
        add_screens(&s[i], i, 2);
    return columns;
}

/* One column with the lines that the filter finds. */
static void keep_matches(struct stack s[3], int columns, const struct list *l)
{
    struct stack found = {0};
    for (int k = 0; k < columns; k++)
        for (size_t i = 0; i < s[k].n; i++) {
            const struct help_row *r = &s[k].row[i];
            if (!r->title && (list_match(l, r->words) || list_match(l, r->keys)) && *r->words)
                *new_row(&found) = *r;
        }
    free(s[0].row);
    s[0] = found;
    for (int k = 1; k < 3; k++)
        s[k].n = 0;
}

static void draw_column(struct canvas *c, struct rect r, const struct stack *s, int top,
                        int keys_at, int words_at)
{
    char text[80];
    for (int i = 0; i < r.h && (size_t)(top + i) < s->n; i++) {
        const struct help_row *row = &s->row[top + i];
        int x = row->title ? r.x + keys_at - 1 : r.x + words_at;
        text_cut_end(c->level, text, sizeof text, row->words, r.x + r.w - x - 1);
        canvas_put(c, r.x + keys_at, r.y + i, ROLE_KEY, row->keys);
        canvas_put(c, x, r.y + i, row->title ? ROLE_TITLE : ROLE_TEXT, text);
    }
}

static void draw_help_hints(struct canvas *c, const struct list *l)
{
    char hints[128] = "", quit[32] = "";
    if (l->typing) {
        snprintf(hints, sizeof hints, "/%s", l->filter);
    } else {
        hint_pair(hints, sizeof hints, ACTION_UP, ACTION_DOWN, "", "scroll");
        hint_add(hints, sizeof hints, ACTION_FILTER, "find a key");
        hint_add(hints, sizeof hints, ACTION_BACK, "back");
    }
    hint_add(quit, sizeof quit, ACTION_QUIT, "quit");
    draw_pinned(c, hints, quit);
}

void help_draw(struct canvas *c, struct list *l)
{
    struct stack s[3] = {{0}};
    struct rect r = layout_content(c->w, c->h);
    char title[128];
    canvas_fill(c, r, ROLE_TEXT, ' ');
    l->rows = r.h > 1 ? r.h - 1 : 1;
    int columns = fill_columns(s, size_class_of(c->w, c->h), (size_t)l->rows),
        width = r.w / columns;
    if (l->filter[0]) {
        keep_matches(s, columns, l);
        columns = 1;
    }
    l->n = 0;
    for (int k = 0; k < columns; k++)
        l->n = (int)s[k].n > l->n ? (int)s[k].n : l->n;
    l->top = l->top > l->n - l->rows ? l->n - l->rows : l->top;
    l->top = l->top < 0 ? 0 : l->top;
    snprintf(title, sizeof title, "help: keys%s%s", l->filter[0] ? " /" : "", l->filter);
    draw_rule(c, r.x, r.y, r.w, title, NULL, NULL);
    for (int k = 0; k < columns; k++) {
        int x = r.x + k * width;
        if (k) {
            draw_separator(c, x, r.y + 1, r.h - 1);
            canvas_glyph(c, x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
        }
        struct rect column = {x, r.y + 1, width, r.h - 1};
        draw_column(c, column, &s[k], l->top, k ? 3 : 2, k == 0 ? 16 : columns > 2 ? 15 : 14);
    }
    if (!l->n)
        draw_no_match(c, r.x + 1, r.y + 1, l);
    draw_help_hints(c, l);
    for (int k = 0; k < 3; k++)
        free(s[k].row);
}

bool help_action(struct list *l, enum action a)
{
    int page = l->rows > 1 ? l->rows - 1 : 1;
    switch (a) {
    case ACTION_UP: l->top--; break;
    case ACTION_DOWN: l->top++; break;
    case ACTION_PAGE_UP: l->top -= page; break;
    case ACTION_PAGE_DOWN: l->top += page; break;
    case ACTION_FIRST: l->top = 0; break;
    case ACTION_LAST: l->top = l->n; break;
    case ACTION_FILTER: l->typing = true; break;
    case ACTION_BACK:
        if (!l->filter[0])
            return false;
        l->filter[0] = '\0';
        break;
    default: return false;
    }
    return true;
}

bool help_key(struct list *l, const struct key_event *k)
{
    return list_filter_key(l, k);
}
