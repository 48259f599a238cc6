/* The thirty defects of screens, as far as one screen or two tell. These run on every screen that a test
 * draws: 1 to 5, 8, 10, 12, 13, 16 to 18, 21, 23, 25 to 27 and 29; test_screen_check shows each of them
 * fail. 6 and 7 compare two screens. The others need to know the run:
 *
 * | 9, 28 | figures without a unit, nothing measured | pictures in tests/screens (fresh-*), test_screens |
 * | 11 | sums | test_views ledger_adds_up, test_view_system parts_add_up |
 * | 14, 15 | ETA and ages | test_uimodel eta_*, test_screens paused |
 * | 19, 20, 22 | gaps, spikes, constants in plots | test_plot, test_plot_range |
 * | 24 | colours | test_term test_themes |
 * | 30 | messages, what a popup leaves | test_views messages_come_and_go, test_app_screens | */
#ifndef TT_TESTS_SCREEN_CHECK_H
#define TT_TESTS_SCREEN_CHECK_H

#include "tui/canvas.h"

/* Fails the test with the number of the defect and the row. `dashboard`: with tabs, status and
 * hints. */
void screen_check(const struct canvas *c, bool dashboard);
/* The number of the first one; 0: none. */
int screen_defect(const struct canvas *c, bool dashboard);

/* Rules, separators and axes must stand in the same cells of both (7), heads and names too (6); in a
 * narrow screen, where lines are sentences, only the former. */
void screen_same_frame(const struct canvas *a, const struct canvas *b);

#endif
