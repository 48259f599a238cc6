/* Keys and actions. One table (action_list.h) gives the enum, default keys, help, hints, [keys]
 * and the words of test scripts. */
#ifndef TT_TUI_KEYS_H
#define TT_TUI_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/err.h"
#include "engine/base/ini.h"

enum key_code { /* beyond Unicode */
    KEY_NONE = 0, KEY_FIRST = 0x110000,
    KEY_UP_ARROW, KEY_DOWN_ARROW, KEY_LEFT_ARROW, KEY_RIGHT_ARROW, KEY_PAGE_UP, KEY_PAGE_DOWN,
    KEY_HOME_KEY, KEY_END_KEY, KEY_DELETE_KEY, KEY_BACK_TAB, KEY_F1, KEY_F2, KEY_F5,
    KEY_PASTE_BEGIN, KEY_PASTE_END, KEY_GONE, /* the terminal went away */
    KEY_CLICK, KEY_WHEEL_UP, KEY_WHEEL_DOWN   /* mouse, with x and y */
};
#define KEY_CTRL(c) ((c) & 0x1f)
#define KEY_ESCAPE 27
#define KEY_ENTER_KEY 13
#define KEY_TAB_KEY 9
#define KEY_BACKSPACE_KEY 127

struct key_event {
    uint32_t code; /* code point or key_code */
    bool pasted;   /* reaches only a text field */
    int x, y;      /* cell of a mouse event */
};

enum action {
    ACTION_NONE,
#define X(id, word, keys, group, help) ACTION_##id,
#include "tui/action_list.h"
#undef X
    ACTION_COUNT
};

enum action_group { GROUP_VIEWS, GROUP_RUN, GROUP_LISTS, GROUP_PLOTS, GROUP_SCREEN, GROUP_COUNT };

struct action_desc {
    const char *word;  /* name in [keys] and in scripts: "pause" */
    const char *keys;  /* default keys by blanks: "Space" */
    enum action_group group;
    const char *help;
};
extern const struct action_desc action_descs[ACTION_COUNT];

/* Which action a key means now; ACTION_NONE: none. */
enum action key_action(uint32_t code);
/* First key of an action as hints show it: "Space", "s", "^C". */
const char *action_key(enum action a);
/* Apply [keys] of a config: TT_ECONFIG with FILE:LINE for an unknown action or key, or a key
 * used twice. */
int keys_configure(const struct ini *ini, struct err *e);
void keys_reset(void);
/* "Space", "^C", "F2", "PgUp", "a" <-> code; KEY_NONE when unknown. */
uint32_t key_parse(const char *name);
const char *key_label(uint32_t code, char dst[16]);

#endif
