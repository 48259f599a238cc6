/* A value being typed in the place where it stands. */
#ifndef TT_TUI_ENTRY_H
#define TT_TUI_ENTRY_H

#include "engine/base/opt.h"
#include "tui/widgets.h"

struct entry {
    struct field field;
    bool open;
    char error[256]; /* what was wrong when it was last checked */
};

void entry_open(struct entry *n, const char *text);
void entry_close(struct entry *n);
/* True: the key was for the text. */
bool entry_key(struct entry *n, const struct key_event *k);
/* The next value up (dir 1) or down (-1): numbers by 1-2-5, choices and yes/no in turn. */
void entry_step(struct entry *n, const struct opt_desc *d, int dir);
/* In w columns from x, cursor included; `right`: at their right end. */
void entry_draw(const struct entry *n, struct canvas *c, int x, int y, int w, bool right);
/* The hint row as a question: the prompt and the entry behind it. */
void entry_prompt(const struct entry *n, struct canvas *c, const char *prompt);

#endif
