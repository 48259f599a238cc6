/* A view: draws one run into the content rectangle and answers actions. One class per file, listed in
 * view_list.h. Drawing is pure in the model; a view's own state (cursor, zoom, scroll) lives in
 * `view->state` and is kept until the program ends. */
#ifndef TT_TUI_VIEW_H
#define TT_TUI_VIEW_H

#include "tui/keys.h"
#include "tui/layout.h"
#include "tui/uimodel.h"
#include "tui/widgets.h"

/* Reaction bits of an action. */
enum reaction {
    REACT_NONE = 0, REACT_REDRAW = 1, REACT_RELAYOUT = 2, REACT_QUIT = 4, REACT_MESSAGE = 8,
    REACT_SHOW = 16,    /* open another view: `message` is its key, a blank, and what to show there */
    REACT_OPEN_RUN = 32 /* open the run whose directory is named in `message` */
};

#define VIEW_MESSAGE 4096

struct view;

/* What a key (or two) does in one view, for the help page. */
struct view_key {
    enum action a, b; /* ACTION_NONE: one key; both: the end of the table */
    const char *words;
};

struct view_class {
    const char *name;   /* of the tab: "memory" */
    const char *key;    /* its digit: "4" */
    size_t state_size;
    /* Rows 1 .. H-3: `r`. Must leave everything else alone. */
    void (*draw)(struct view *, struct canvas *, struct rect r, const struct uimodel *);
    /* 0: not mine. `message` (VIEW_MESSAGE bytes) may be filled with REACT_MESSAGE. NULL: none are. */
    unsigned (*action)(struct view *, enum action, const struct uimodel *, char *message);
    /* A key while the view has a text field open (filter); true: taken. NULL: never. */
    bool (*key_event)(struct view *, const struct key_event *, const struct uimodel *);
    /* Words of the hint row, without help and quit: "Space pause  s save". */
    void (*hints)(const struct view *, const struct uimodel *, char *dst, size_t size);
    /* Once a turn of the loop while the view is open: what comes from elsewhere or takes time; true: draw.
     * hub: of a run that goes on in this process, else NULL. NULL: nothing does. */
    bool (*poll)(struct view *, const struct uimodel *, struct hub *hub);
    void (*release)(struct view *); /* what the state owns; NULL: nothing */
    /* Another view names an item to open here. NULL: there is none. */
    void (*show)(struct view *, const char *item);
    const struct view_key *keys; /* beyond those of all views; NULL: none */
    bool of_several;    /* it is about more than the run of the dashboard, and outlives it in a queue */
    bool tells_end;     /* it says how a run ended badly: no message is needed for that */
};

struct view {
    const struct view_class *cls;
    void *state;       /* zeroed at first */
    struct rect last;  /* rectangle of the last draw, for paging */
};

extern const struct view_class *const view_classes[]; /* in tab order, ended by NULL */

#endif
