/* A question in a box: the safe answer is the first and, as a rule, is selected, each has a letter that works at
 * once, its cost stands at the right, Esc is the safe answer. No question ends by itself. */
#ifndef TT_TUI_QUESTION_H
#define TT_TUI_QUESTION_H

#include "tui/layer.h"

#define QUESTION_ANSWERS 5
#define QUESTION_COLUMNS 52 /* of the intro, where the terminal has them */

struct answer {
    char key;
    bool costly; /* what it loses is shown as bad */
    char text[48], cost[48];
};

struct question {
    char title[96], intro[128];
    struct answer answer[QUESTION_ANSWERS];
    int n;
    int selected;     /* at first: another than the safe one, where nothing can be lost */
    const char *back; /* what Esc does: "back to the run" */
    /* Brings the intro and the costs up to date before each drawing; NULL: they do not change. */
    void (*refresh)(struct app *, struct question *);
    /* The layer is gone when this is called. Not called for the first answer. */
    void (*chosen)(struct app *, void *user, char key);
    void *user; /* of the layer below, which stays */
};

struct answer *question_add(struct question *q, char key, const char *text);
struct layer *question_new(struct app *a, const struct question *q); /* copied */

#endif
