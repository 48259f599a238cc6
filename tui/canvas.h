/* A grid of cells that views draw into. One file (term.c) sends it to the terminal; a golden
 * screen is the grid as text. Drawing outside the clip rectangle is dropped, so views need no
 * bounds checks, and no wide character is ever halved. Text is UTF-8; control characters come
 * out as ^X or \x9b. */
#ifndef TT_TUI_CANVAS_H
#define TT_TUI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/str.h"

/* What a cell means; theme.c says how that looks (screens.md 1.1). */
enum role {
    ROLE_TEXT, ROLE_DIM, ROLE_TITLE, ROLE_BORDER, ROLE_FOCUS, ROLE_OK, ROLE_WARN, ROLE_BAD,
    ROLE_RAW, ROLE_SERIES1, ROLE_SERIES2, ROLE_SERIES3, ROLE_SERIES4, ROLE_SERIES5, ROLE_SERIES6,
    ROLE_SELECT, ROLE_CURSOR, ROLE_STATUS, ROLE_STATUS_WARN, ROLE_STATUS_BAD, ROLE_KEY, ROLE_COUNT
};

enum glyph_level { GLYPHS_BRAILLE, GLYPHS_BLOCK, GLYPHS_ASCII };

/* Elements with a form at every level (screens.md 1.2). */
enum glyph {
    GLYPH_HLINE, GLYPH_VLINE, GLYPH_TEE_DOWN, GLYPH_TEE_UP, GLYPH_TEE_RIGHT, GLYPH_TEE_LEFT,
    GLYPH_CROSS, GLYPH_TOP_LEFT, GLYPH_TOP_RIGHT, GLYPH_BOTTOM_LEFT, GLYPH_BOTTOM_RIGHT,
    GLYPH_Y_AXIS, GLYPH_Y_TICK, GLYPH_CORNER, GLYPH_X_AXIS, GLYPH_X_TICK,
    GLYPH_EVAL, GLYPH_BEST, GLYPH_HERE, GLYPH_EDIT, GLYPH_ABOVE, GLYPH_BELOW, GLYPH_NONFINITE,
    GLYPH_CURSOR, GLYPH_CURSOR_FOOT, GLYPH_DONE, GLYPH_DONE_HALF, GLYPH_REST, GLYPH_AMOUNT,
    GLYPH_AMOUNT_HALF, GLYPH_DOT, GLYPH_SELECTED, GLYPH_CUT, GLYPH_MISSING, GLYPH_ZERO, GLYPH_TIMES,
    GLYPH_COUNT
};
const char *glyph_text(enum glyph_level level, enum glyph g); /* UTF-8; "" where a level has none */

struct rect {
    int x, y, w, h;
};

struct cell {
    uint32_t ch;   /* code point; 0: right half of the wide character before */
    uint32_t mark; /* combining mark, 0: none */
    uint8_t role;
    bool select;   /* part of the selected row: reverse on top of the role */
    uint8_t fg, bg; /* greys of a picture, 0: by role; n: step n of 24 */
};

struct hots;

struct canvas {
    int w, h;
    struct cell *cell; /* [h * w] */
    enum glyph_level level;
    struct rect clip;
    int cursor_x, cursor_y; /* of a text field; -1: none */
    struct hots *hots; /* where a click may go to; NULL: nobody clicks */
};

void canvas_init(struct canvas *c, int w, int h, enum glyph_level level);
void canvas_resize(struct canvas *c, int w, int h);
void canvas_release(struct canvas *c);
void canvas_clear(struct canvas *c); /* blanks of ROLE_TEXT, clip = all */
void canvas_clip(struct canvas *c, struct rect r); /* cut to the canvas */

/* Each returns the columns it took. `x` may be outside; what is not in the clip is dropped. */
int canvas_put(struct canvas *c, int x, int y, enum role role, const char *text);
int canvas_printf(struct canvas *c, int x, int y, enum role role, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
int canvas_right(struct canvas *c, int x_end, int y, enum role role,
                 const char *text); /* ends before x_end */
int canvas_glyph(struct canvas *c, int x, int y, enum role role, enum glyph g);
void canvas_code(struct canvas *c, int x, int y, enum role role, uint32_t ch);
void canvas_fill(struct canvas *c, struct rect r, enum role role, uint32_t ch);
void canvas_select(struct canvas *c, struct rect r); /* marks what was drawn there as selected */
const struct cell *canvas_at(const struct canvas *c, int x, int y);

/* Columns of a text as canvas_put would draw it. */
int text_width(const char *text);
/* Shorten to `cols` columns: the middle goes (head to tail 1:3), whole leading parts of a dotted
 * name go, or the end goes. The cut mark is the level's. */
char *text_cut_middle(enum glyph_level level, char *dst, size_t size, const char *text, int cols);
char *text_cut_dotted(enum glyph_level level, char *dst, size_t size, const char *text, int cols);
char *text_cut_end(enum glyph_level level, char *dst, size_t size, const char *text, int cols);
/* Whole clauses, as far as they fit; a first one that is too long loses its end. */
char *text_cut_clause(enum glyph_level level, char *dst, size_t size, const char *text, int cols);

/* The grid as text: h lines of exactly w columns, each ended by a newline. */
void canvas_text(const struct canvas *c, struct strbuf *out);
/* One letter per cell for roles, for tests that look at colours. */
void canvas_roles(const struct canvas *c, struct strbuf *out);

#endif
