/* The terminal. The only place that knows curses; every call comes from the UI thread but
 * term_emergency.
 *
 * The screen is opened on copies of the terminal's descriptors, so 0, 1 and 2 may be redirected
 * while it is open. The keyboard is raw: ^C, ^Z, ^S, ^Q, ^L arrive as keys. Nothing is drawn by
 * a signal handler. */
#ifndef TT_TUI_TERM_H
#define TT_TUI_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/err.h"
#include "tui/canvas.h"
#include "tui/keys.h"
#include "tui/theme.h"

enum term_glyphs { TERM_AUTO, TERM_BRAILLE, TERM_BLOCK, TERM_ASCII };

struct term_opts {
    enum theme theme; /* NO_COLOR makes it mono */
    enum term_glyphs glyphs;
    bool mouse;
};

/* TT_ECONFIG when TERM names no terminal with a screen (unset, dumb); the message says what to
 * set and the command without a screen. An unknown TERM gets the entry of a common terminal:
 * term_note() says so. */
int term_open(const struct term_opts *o, struct err *e);
/* Give everything back: screen, cursor, mouse, paste mode, echo. May be called twice, and when
 * not open. */
void term_close(void);
/* Best effort for fatal signals: async-signal-safe, does not touch curses. */
void term_emergency(void);

bool term_is_open(void);
const char *term_note(void); /* what was downgraded and why; "" */
int term_colours(void);

void term_size(int *w, int *h); /* at least 1x1 */
/* True once after the size changed. The handler only sets a flag; the work is done here. */
bool term_resized(void);

int term_fd(void); /* readable when a key waits; -1 when not open */
/* False: no key waits. KEY_GONE: the terminal went away (end of file, EIO, hang-up). */
bool term_read_key(struct key_event *k);

/* Send what changed since the last call; an unchanged canvas sends nothing. Never waits: as long as the
 * terminal (stopped, slow link) has not taken the last frame, false: show this one later. */
bool term_show(const struct canvas *c);
/* Writable when it takes more of that frame, which term_pump then sends; -1: it took all. */
int term_busy_fd(void);
void term_pump(void);
double term_pace(void);   /* seconds between frames that the link can take; 0: any number */
void term_repaint(void);  /* the next term_show sends everything */
int64_t term_bytes(void); /* sent so far */
void term_bell(void);

/* Around a stop of the process: the screen given back, then taken again and painted whole. */
void term_suspend(void);
void term_resume(void);

/* Level in use; term_set_glyphs(TERM_AUTO) decides by TERM and locale. */
enum glyph_level term_glyph_level(void);
void term_set_mouse(bool on);
void term_set_glyphs(enum term_glyphs g);
enum theme term_theme(void);
void term_set_theme(enum theme t);

#endif
