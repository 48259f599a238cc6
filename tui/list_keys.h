/* Keys of a list: moving its selection, and the line of its filter. */
#ifndef TT_TUI_LIST_KEYS_H
#define TT_TUI_LIST_KEYS_H

#include "tui/hot.h"
#include "tui/keys.h"
#include "tui/widgets.h"

/* Up, down, pages, ends, the filter's line; back clears a filter in force. False: not for a
 * list. */
bool list_action(struct list *l, enum action a);
/* While l->typing: the text of the filter; Enter keeps it, Esc clears it. True: taken. */
bool list_filter_key(struct list *l, const struct key_event *k);
/* Item i is drawn there: a click on it selects it. */
void list_row(const struct canvas *c, const struct list *l, int i, struct rect row);
bool list_clicked(struct list *l); /* since the last call */
/* "tensors 1-9 of 104", with a filter "tensors 3 of 104 /lin1". `all`: before the filter. */
char *list_title(const struct list *l, const char *what, int all, char *dst, size_t size);
/* Name every item that the filter lets through: fills index[] with numbers below `all`, returns
 * how many. */
int list_filter(const struct list *l, const char *(*name)(void *user, int i), void *user, int all,
                int *index);
/* In the first row of a list that its filter leaves empty. */
void draw_no_match(struct canvas *c, int x, int y, const struct list *l);

#endif
