/* Pieces that views share: rules with titles, bars, number formats, lists with a selection. */
#ifndef TT_TUI_WIDGETS_H
#define TT_TUI_WIDGETS_H

#include "tui/canvas.h"

/* "── title text ───────── right ──" over w columns of row y; parts may be NULL. Parts are
 * drawn with ROLE_TITLE (title) and ROLE_DIM; what does not fit is left out whole, right part
 * first. */
void draw_rule(struct canvas *c, int x, int y, int w, const char *title, const char *text,
               const char *right);

/* A head of a table's rule: the text with a blank on either side, over the line. */
void draw_head(struct canvas *c, int x, int y, enum role role, const char *text);
/* The separator of a pane: column x, h rows from y. */
void draw_separator(struct canvas *c, int x, int y, int h);

/* A horizontal bar: full only at fraction 1, one half cell for anything above 0. progress: the
 * rest is drawn; amount: it stays blank. */
void draw_progress(struct canvas *c, int x, int y, int w, double fraction);
void draw_amount(struct canvas *c, int x, int y, int w, double fraction, enum role role);

/* Popup box with blanks inside and one blank column around it (a word that it cuts goes whole). */
void draw_box(struct canvas *c, struct rect r, const char *title, const char *right);

/* Formats of screens.md section 1; NaN gives the missing mark, not finite "nan", "inf". dst is
 * returned. */
char *fmt_loss(char *dst, size_t size, double v, enum glyph_level level);   /* 0.0876, 1.23e+03 */
char *fmt_measured(char *dst, size_t size, double v, enum glyph_level level); /* the same, NaN is "nan" */
char *fmt_rate(char *dst, size_t size, double v, enum glyph_level level);   /* 7.25e-06 */
char *fmt_score(char *dst, size_t size, double v, enum glyph_level level);  /* 0.9025 */
char *fmt_percent(char *dst, size_t size, double share);                    /* "59.2 %" nearest */
char *fmt_percent_down(char *dst, size_t size, double share);               /* rounded down */
char *fmt_mib(char *dst, size_t size, int64_t bytes);     /* "501.9 MiB", below 0.1 "12.5 KiB", "416 B" */
char *fmt_speed(char *dst, size_t size, double v, enum glyph_level level);  /* 43.1, 574 */
char *fmt_seconds(char *dst, size_t size, double v, enum glyph_level level); /* 0.742 s, 12.4 ms, 85 µs */
char *fmt_age(char *dst, size_t size, double seconds, enum glyph_level level); /* h:mm:ss */

/* How a span of time is written, three digits of it; parts of one take the unit of the whole. */
struct time_unit {
    double below, per_second; /* of spans shorter than `below` seconds */
    int decimals;
    const char *name, *ascii;
};
const struct time_unit *time_unit_of(double seconds); /* not NaN, not infinite */
const char *time_unit_name(const struct time_unit *u, enum glyph_level level);

/* A list with a selection remembered by name, two rows away from the edge while scrolling. */
struct list {
    int n, selected, top, rows;
    char name[160];   /* of the selected item */
    char filter[64];  /* in force; "" none */
    bool typing;      /* the filter line is open */
    bool clicked;     /* since it was last drawn */
};
enum list_move { LIST_UP, LIST_DOWN, LIST_PAGE_UP, LIST_PAGE_DOWN, LIST_FIRST, LIST_LAST };
void list_move(struct list *l, enum list_move m);
void list_select(struct list *l, int i); /* by row, from a mouse or a jump */
/* After the items changed: keeps the item of that name selected, in its old row where possible. */
void list_update(struct list *l, int n, const char *(*name)(void *user, int i), void *user,
                 int rows);
bool list_match(const struct list *l, const char *name); /* substring, case ignored */

/* One line of text being edited. */
struct field {
    char text[512];
    int len, at; /* bytes */
};
struct key_event;
void field_set(struct field *f, const char *text);
bool field_key(struct field *f, const struct key_event *k); /* true: it was for the field */

#endif
