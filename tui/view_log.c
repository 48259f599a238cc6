/* The log: follows the newest line, or stands still with one line chosen; filter and level
 * narrow it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/hints.h"
#include "tui/list_keys.h"
#include "tui/log_line.h"
#include "tui/run_plot.h"
#include "tui/view.h"
#include "tui/wrap.h"

static const struct {
    const char *name;
    unsigned kinds; /* bits of those shown */
} levels[] = {
    {"all levels", ~0u},
    {"no output", ~(1u << LOG_OUT)},
    {"no info", ~(1u << LOG_OUT | 1u << LOG_INFO)},
    {"warn, error", 1u << LOG_WARN | 1u << LOG_ERROR},
    {"error", 1u << LOG_ERROR},
};
enum { LEVELS = sizeof levels / sizeof *levels };

struct log_view {
    struct list list;
    int level;
    bool frozen; /* a line is chosen, the list stands still */
    bool whole;  /* the chosen line is shown in full */
};

/* The lines that level and filter let through, oldest first. */
struct lines {
    const struct uimodel *m;
    int64_t *number;
    int n;
};

static struct lines visible_lines(const struct uimodel *m, const struct log_view *v)
{
    struct lines s = {.m = m};
    s.number = xmalloc((size_t)(m->log_end - m->log_first + 1) * sizeof *s.number);
    for (int64_t i = m->log_first; i < m->log_end; i++) {
        const struct log_line *l = uimodel_log(m, i);
        bool shown = levels[v->level].kinds >> l->kind & 1;
        if (shown && (!v->list.filter[0] || list_match(&v->list, l->text) ||
                      list_match(&v->list, log_kind_name(l->kind))))
            s.number[s.n++] = i;
    }
    return s;
}

/* Lines are remembered by their number: texts repeat. */
static const char *line_name(void *user, int i)
{
    static char name[32];
    const struct lines *s = user;
    snprintf(name, sizeof name, "%lld", (long long)s->number[i]);
    return name;
}

static void update_list(struct log_view *v, struct lines *s, int rows)
{
    v->frozen |= list_clicked(&v->list);
    if (!v->frozen) {
        v->list.n = s->n;
        v->list.rows = rows > 0 ? rows : 1;
        list_select(&v->list, s->n - 1);
    }
    list_update(&v->list, s->n, line_name, s, rows);
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Words of the rule behind its title, in the order in which they come; the first that has no
 * room, and those after it, are left out. */
static void draw_title(struct canvas *c, struct rect r, const struct uimodel *m,
                       const struct log_view *v)
{
    char title[160], name[128], filter[80] = "";
    struct list plain = v->list;
    plain.filter[0] = '\0'; /* named behind the level */
    plain.typing = false;
    list_title(&plain, "log", (int)(m->log_end - m->log_first), title, sizeof title);
    if (v->list.filter[0])
        snprintf(filter, sizeof filter, "/%s", v->list.filter);
    const struct {
        const char *text;
        enum role role;
    } word[] = {{v->frozen ? "frozen" : "following", v->frozen ? ROLE_WARN : ROLE_OK},
                {levels[v->level].name, v->level ? ROLE_WARN : ROLE_DIM},
                {filter, ROLE_WARN}};
    int at = r.x + 3 + text_width(title) + 1, end = r.x + r.w - 2, x[3];
    for (int i = 0, next = at; i < 3; i++) {
        x[i] = next;
        next += text_width(word[i].text) + 4;
    }
    run_title(m, c->level, name, sizeof name, r.w / 4);
    bool named = x[2] + text_width(filter) + 2 + text_width(name) + 2 <= end;
    draw_rule(c, r.x, r.y, r.w, title, NULL, named ? name : NULL);
    for (int i = 0; i < 3 && x[i] + text_width(word[i].text) + 1 <= end; i++)
        if (*word[i].text)
            draw_head(c, x[i], r.y, word[i].role, word[i].text);
}

/* The chosen line in a box, its text over as many rows as it takes. */
static void draw_whole(struct canvas *c, struct rect r, const struct log_line *l)
{
    char title[96], step[32];
    if (l->step >= 0)
        snprintf(title, sizeof title, "%s at step %s", log_kind_name(l->kind),
                 str_commas(step, sizeof step, l->step));
    else
        str_copy(title, sizeof title, log_kind_name(l->kind));
    draw_text_box(c, r, title, l->text);
}

static void draw_lines(struct canvas *c, struct rect r, const struct uimodel *m,
                       const struct log_view *v, const struct lines *s)
{
    const struct list *l = &v->list;
    for (int i = l->top; i < s->n && i < l->top + l->rows; i++) {
        int y = r.y + 1 + i - l->top;
        draw_log_line(c, r.x, y, r.w, m, uimodel_log(m, s->number[i]));
        list_row(c, l, i, (struct rect){r.x, y, r.w, 1});
        if (!v->frozen || i != l->selected)
            continue;
        canvas_glyph(c, r.x, y, ROLE_TEXT, GLYPH_SELECTED);
        canvas_select(c, (struct rect){r.x, y, r.w, 1});
    }
    if (!s->n && l->filter[0])
        canvas_printf(c, r.x + 1, r.y + 1, ROLE_DIM, "no line contains \"%s\"", l->filter);
    else if (!s->n)
        canvas_put(c, r.x + 1, r.y + 1, ROLE_DIM,
                   v->level ? "no lines of this level" : "nothing was logged yet");
}

static void log_draw(struct view *view, struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct log_view *v = view->state;
    struct lines s = visible_lines(m, v);
    update_list(v, &s, r.h - 1);
    draw_title(c, r, m, v);
    draw_lines(c, r, m, v, &s);
    if (v->whole && v->list.selected < s.n)
        draw_whole(c, r, uimodel_log(m, s.number[v->list.selected]));
    free(s.number);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void freeze(struct log_view *v, struct lines *s)
{
    v->frozen = s->n > 0;
    update_list(v, s, v->list.rows);
}

/* The next warning or error in that direction. */
static unsigned jump(struct log_view *v, struct lines *s, int direction, char *message)
{
    int from = v->frozen ? v->list.selected : direction > 0 ? -1 : s->n;
    for (int i = from + direction; i >= 0 && i < s->n; i += direction) {
        const struct log_line *l = uimodel_log(s->m, s->number[i]);
        if (l->kind != LOG_WARN && l->kind != LOG_ERROR)
            continue;
        freeze(v, s);
        list_select(&v->list, i);
        update_list(v, s, v->list.rows);
        return REACT_REDRAW;
    }
    str_copy(message, 256, "no warning or error that way");
    return REACT_REDRAW | REACT_MESSAGE;
}

static bool moves(enum action a)
{
    return a == ACTION_UP || a == ACTION_DOWN || a == ACTION_PAGE_UP || a == ACTION_PAGE_DOWN ||
           a == ACTION_FIRST;
}

static unsigned act(struct log_view *v, struct lines *s, enum action a, char *message)
{
    switch (a) {
    case ACTION_NEW: return jump(v, s, 1, message);
    case ACTION_PREV_MARK: return jump(v, s, -1, message);
    case ACTION_LAST: v->frozen = false; return REACT_REDRAW;
    case ACTION_FOLLOW:
        if (v->frozen)
            v->frozen = false;
        else
            freeze(v, s);
        return REACT_REDRAW;
    case ACTION_NEXT_PART: v->level = (v->level + 1) % LEVELS; return REACT_REDRAW;
    case ACTION_PREV_PART: v->level = (v->level + LEVELS - 1) % LEVELS; return REACT_REDRAW;
    case ACTION_ENTER:
        freeze(v, s);
        v->whole = v->frozen;
        return REACT_REDRAW;
    default: break;
    }
    if (moves(a) && !v->frozen)
        freeze(v, s);
    return list_action(&v->list, a) ? REACT_REDRAW : REACT_NONE;
}

static unsigned log_action(struct view *view, enum action a, const struct uimodel *m, char *message)
{
    struct log_view *v = view->state;
    if (v->whole && (a == ACTION_ENTER || a == ACTION_BACK)) {
        v->whole = false;
        return REACT_REDRAW;
    }
    if (a == ACTION_BACK && v->frozen && !v->list.filter[0]) {
        v->frozen = false;
        return REACT_REDRAW;
    }
    struct lines s = visible_lines(m, v);
    unsigned reaction = act(v, &s, a, message);
    free(s.number);
    return reaction;
}

static bool log_key(struct view *view, const struct key_event *k, const struct uimodel *m)
{
    struct log_view *v = view->state;
    (void)m;
    return list_filter_key(&v->list, k);
}

static void log_hints(const struct view *view, const struct uimodel *m, char *dst, size_t size)
{
    const struct log_view *v = view->state;
    (void)m;
    if (v->list.typing) {
        snprintf(dst, size, "/%s", v->list.filter);
        return;
    }
    if (v->whole)
        hint_add(dst, size, ACTION_BACK, "close");
    hint_pair(dst, size, ACTION_UP, ACTION_DOWN, "", "scroll");
    if (v->frozen && !v->whole)
        hint_add(dst, size, ACTION_ENTER, "whole line");
    hint_add(dst, size, ACTION_FOLLOW, "follow");
    hint_add(dst, size, ACTION_FILTER, "filter");
    hint_pair(dst, size, ACTION_NEW, ACTION_PREV_MARK, " ", "next, previous");
    hint_pair(dst, size, ACTION_PREV_PART, ACTION_NEXT_PART, " ", "level");
}

static const struct view_key log_keys[] = {
    {ACTION_PREV_PART, ACTION_NEXT_PART, "which kinds are shown"},
    {ACTION_NEW, ACTION_PREV_MARK, "warnings and errors"},
    {ACTION_ENTER, ACTION_NONE, "the whole line"},
    {ACTION_FOLLOW, ACTION_NONE, "follow the newest line"},
    {ACTION_NONE, ACTION_NONE, NULL},
};

const struct view_class view_log = {
    .name = "log",
    .key = "9",
    .state_size = sizeof(struct log_view),
    .draw = log_draw,
    .action = log_action,
    .key_event = log_key,
    .hints = log_hints,
    .keys = log_keys,
};
