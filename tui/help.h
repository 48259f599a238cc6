/* The help page over any screen: all keys, made from the action table and the keys in force,
 * then what the keys do in each view. */
#ifndef TT_TUI_HELP_H
#define TT_TUI_HELP_H

#include "tui/keys.h"
#include "tui/widgets.h"

/* Rows 1 to H-3 and the hint row; tabs and status row stay. `l` keeps scroll and filter, zeroed
 * at first. */
void help_draw(struct canvas *c, struct list *l);
/* Scroll; open the line of the filter; back clears a filter in force. False: not for this page. */
bool help_action(struct list *l, enum action a);
/* While the line of the filter is open; true: taken. */
bool help_key(struct list *l, const struct key_event *k);

#endif
