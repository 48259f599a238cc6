/* Pictures of tests/screens, cell by cell. A picture is the text of a screen,
 * NAME-WxH-LEVEL.txt. */
#ifndef TT_TESTS_SCREEN_H
#define TT_TESTS_SCREEN_H

#include "tests/support.h"
#include "tui/canvas.h"

/* The picture as a canvas of the size in its name; the test fails when it has another one. Lines
 * have ROLE_BORDER, dots ROLE_RAW, all else ROLE_TEXT. */
void screen_load(struct canvas *picture, const char *name);

/* The characters of a rectangle must be those of the picture. */
#define assert_screen(c, picture, r) screen_compare(c, picture, r, __FILE__, __LINE__)
void screen_compare(const struct canvas *c, const struct canvas *picture, struct rect r,
                    const char *file, int line);

/* The whole canvas must be the picture NAME-WxH-LEVEL; UPDATE_SCREENS=1 writes it instead. */
void screen_golden(const struct canvas *c, const char *name);

/* A row as text; good for the next seven calls. */
const char *screen_row(const struct canvas *c, int y);

#endif
