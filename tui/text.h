/* Text as a terminal shows it: one character, its columns, and what stands for a character that
 * must not reach the terminal. */
#ifndef TT_TUI_TEXT_H
#define TT_TUI_TEXT_H

#include <stdbool.h>
#include <stdint.h>

struct text_unit {
    uint32_t ch;    /* code point; 0: `shown` stands for it */
    int width;      /* columns; 0: a mark that joins the character before, or nothing */
    bool combining;
    char shown[12]; /* "^X", "\x9b", "\u202e" */
};

/* Takes the next character off; false at the end. */
bool text_next(const char **s, struct text_unit *u);

#endif
