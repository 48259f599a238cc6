/* Defects that can be decided on one screen: the thirty of the design's list, as far as text and
 * roles tell. */
#ifndef TT_TESTS_SCREEN_CHECK_H
#define TT_TESTS_SCREEN_CHECK_H

#include "tui/canvas.h"

/* Fails the test with the number of the defect and the row. `dashboard`: with tabs, status and
 * hints. */
void screen_check(const struct canvas *c, bool dashboard);

/* Rules, separators and axes must stand in the same cells of both (defect 7). */
void screen_same_frame(const struct canvas *a, const struct canvas *b);

#endif
