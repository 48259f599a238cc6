/* Lists: a selection that is remembered by name and stays two rows away from the edge. */
#include <string.h>
#include <utf8proc.h>

#include "tui/widgets.h"

static int clamp(int v, int lo, int hi)
{
    return v > hi ? (hi < lo ? lo : hi) : v < lo ? lo : v;
}

/* Move the view so that the selected row has its distance from both edges, as far as the ends
 * allow. */
static void scroll(struct list *l)
{
    int margin = l->rows > 4 ? 2 : (l->rows - 1) / 2;
    l->selected = clamp(l->selected, 0, l->n - 1);
    l->top = clamp(l->top, l->selected - l->rows + 1 + margin, l->selected - margin);
    l->top = clamp(l->top, 0, l->n - l->rows);
}

void list_select(struct list *l, int i)
{
    l->selected = i;
    l->name[0] = '\0';
    scroll(l);
}

void list_move(struct list *l, enum list_move m)
{
    int page = l->rows > 1 ? l->rows - 1 : 1;
    switch (m) {
    case LIST_UP: list_select(l, l->selected - 1); break;
    case LIST_DOWN: list_select(l, l->selected + 1); break;
    case LIST_PAGE_UP:
        l->top -= page;
        list_select(l, l->selected - page);
        break;
    case LIST_PAGE_DOWN:
        l->top += page;
        list_select(l, l->selected + page);
        break;
    case LIST_FIRST: list_select(l, 0); break;
    case LIST_LAST: list_select(l, l->n - 1); break;
    }
}

void list_update(struct list *l, int n, const char *(*name)(void *user, int i), void *user,
                 int rows)
{
    l->n = n;
    l->rows = rows > 0 ? rows : 1;
    char shown[sizeof l->name];
    for (int i = 0; i < n && l->name[0]; i++) {
        str_copy(shown, sizeof shown, name(user, i));
        if (strcmp(shown, l->name))
            continue;
        l->top += i - l->selected;
        l->selected = i;
        break;
    }
    scroll(l);
    if (n)
        str_copy(l->name, sizeof l->name, name(user, l->selected));
}

/* The next character in lower case; 0 at the end. */
static utf8proc_int32_t lower(const char **s)
{
    utf8proc_int32_t ch = (unsigned char)**s;
    if (!ch)
        return 0;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)*s, -1, &ch);
    if (n < 1)
        ch = (unsigned char)**s;
    *s += n < 1 ? 1 : n;
    return utf8proc_tolower(ch);
}

static bool starts_with(const char *text, const char *part)
{
    while (*part)
        if (lower(&text) != lower(&part))
            return false;
    return true;
}

bool list_match(const struct list *l, const char *name)
{
    const char *at = name;
    do {
        if (starts_with(at, l->filter))
            return true;
    } while (lower(&at));
    return false;
}
