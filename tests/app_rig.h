/* The console without a terminal: keys by name, a canvas, and time that passes. */
#ifndef TT_TESTS_APP_RIG_H
#define TT_TESTS_APP_RIG_H

#include "tests/screen.h"
#include "tui/app.h"
#include "tui/form.h"
#include "tui/launcher.h"

struct rig {
    struct app app;
    struct canvas c;
};

/* In a fresh folder with configs/run.ini, the launcher at the bottom. */
void rig_open(struct rig *r, int w, int h, enum glyph_level level, const char *config);
void rig_close(struct rig *r); /* a run that goes on is stopped */

/* One turn of the loop: look at what came, draw. */
void rig_turn(struct rig *r);
/* Keys by name, parted by blanks: "Down Enter ^C"; a turn after each. */
void rig_press(struct rig *r, const char *keys);
/* Characters as they are. */
void rig_type(struct rig *r, const char *text);
/* Turns until it is true; the test fails after `seconds`. */
void rig_wait(struct rig *r, bool (*until)(struct rig *), double seconds);

/* The form of configs/run.ini, its data read. */
struct form *rig_form(struct rig *r);
struct form *rig_form_of(struct rig *r); /* the topmost form */
const char *rig_top(struct rig *r); /* name of the topmost layer */
bool rig_shows(struct rig *r, const char *text);
/* The canvas must be tests/screens/NAME-WxH-LEVEL.txt; UPDATE_SCREENS=1 writes it instead. */
void rig_golden(struct rig *r, const char *name);
/* A new size or level. */
void rig_resize(struct rig *r, int w, int h, enum glyph_level level);

#endif
