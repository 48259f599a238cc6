/* Keys of a list. */
#include "tui/list_keys.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

bool list_action(struct list *l, enum action a)
{
    static const struct {
        enum action action;
        enum list_move move;
    } moves[] = {{ACTION_UP, LIST_UP}, {ACTION_DOWN, LIST_DOWN}, {ACTION_PAGE_UP, LIST_PAGE_UP},
                 {ACTION_PAGE_DOWN, LIST_PAGE_DOWN}, {ACTION_FIRST, LIST_FIRST},
                 {ACTION_LAST, LIST_LAST}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (moves[i].action == a) {
            list_move(l, moves[i].move);
            return true;
        }
    if (a == ACTION_FILTER) {
        l->typing = true;
        return true;
    }
    if (a == ACTION_BACK && l->filter[0]) {
        l->filter[0] = '\0';
        return true;
    }
    return false;
}

static void add_char(struct list *l, uint32_t code)
{
    utf8proc_uint8_t bytes[4];
    size_t n = strlen(l->filter);
    size_t took = (size_t)utf8proc_encode_char((utf8proc_int32_t)code, bytes);
    if (n + took >= sizeof l->filter)
        return;
    memcpy(l->filter + n, bytes, took);
    l->filter[n + took] = '\0';
}

static void drop_char(struct list *l)
{
    size_t n = strlen(l->filter);
    while (n > 0 && ((unsigned char)l->filter[--n] & 0xc0) == 0x80)
        ;
    l->filter[n] = '\0';
}

bool list_filter_key(struct list *l, const struct key_event *k)
{
    if (!l->typing)
        return false;
    if (k->code == KEY_ENTER_KEY || k->code == KEY_ESCAPE) {
        l->typing = k->pasted;
        if (k->code == KEY_ESCAPE && !k->pasted)
            l->filter[0] = '\0';
    } else if (k->code == KEY_BACKSPACE_KEY || k->code == KEY_CTRL('h')) {
        drop_char(l);
    } else if (k->code == KEY_CTRL('u')) {
        l->filter[0] = '\0';
    } else if (k->code >= ' ' && k->code < KEY_FIRST) {
        add_char(l, k->code);
    } else {
        return k->pasted;
    }
    return true;
}

void list_row(const struct canvas *c, const struct list *l, int i, struct rect row)
{
    hot_add(c, row, HOT_ROW, l, i);
}

bool list_clicked(struct list *l)
{
    bool was = l->clicked;
    l->clicked = false;
    return was;
}

char *list_title(const struct list *l, const char *what, int all, char *dst, size_t size)
{
    char a[32], b[32], c[32];
    int last = l->top + l->rows < l->n ? l->top + l->rows : l->n;
    str_commas(c, sizeof c, all);
    if (l->filter[0] || l->typing)
        snprintf(dst, size, "%s %s of %s%s%s", what, str_commas(a, sizeof a, l->n), c,
                 l->filter[0] ? " /" : "", l->filter);
    else if (l->n)
        snprintf(dst, size, "%s %s-%s of %s", what, str_commas(a, sizeof a, l->top + 1),
                 str_commas(b, sizeof b, last), c);
    else
        str_copy(dst, size, what);
    return dst;
}

int list_filter(const struct list *l, const char *(*name)(void *user, int i), void *user, int all,
                int *index)
{
    int n = 0;
    for (int i = 0; i < all; i++)
        if (!l->filter[0] || list_match(l, name(user, i)))
            index[n++] = i;
    return n;
}

void draw_no_match(struct canvas *c, int x, int y, const struct list *l)
{
    canvas_printf(c, x, y, ROLE_DIM, "no name contains \"%s\"", l->filter);
}
