/* A made-up run and the screen of it: draw a view, press keys, look at rows. */
#ifndef TT_TESTS_SHOT_H
#define TT_TESTS_SHOT_H

#include "tests/run_fixture.h"
#include "tests/screen.h"

struct shot {
    struct run_fixture f;
    struct canvas c;
};

void shot_start(struct shot *s, void (*make)(struct run_fixture *), int w, int h,
                enum glyph_level level);
void shot_finish(struct shot *s);
/* Draw the view of that key and look for defects. */
void shot_take(struct shot *s, const char *key);
/* Compare with the file kept of this screen. */
void shot_keep(struct shot *s, const char *name);

void shot_act(struct shot *s, enum action a, int times);
/* Keys for an open text field; the test fails when it does not take them. */
void shot_type(struct shot *s, const char *text);
void shot_key(struct shot *s, uint32_t code);

/* Row y, or any row, has the text; else the test fails. */
void shot_row(struct shot *s, int y, const char *text);
void shot_somewhere(struct shot *s, const char *text);

#endif
