/* The dialog of options that may change while the run goes on (screens-more.md "Live options"): what holds
 * now, what would hold, what the next step would make of it; and what its config file says, where somebody
 * changed that. */
#ifndef TT_TUI_LIVE_OPTIONS_H
#define TT_TUI_LIVE_OPTIONS_H

#include "tui/app.h"
#include "tui/entry.h"

#define LIVE_ROWS 16

struct live_row {
    char key[96]; /* section.key */
    const struct opt_desc *d;
    void *values;
};

struct live_options {
    struct layer layer;
    struct live_row row[LIVE_ROWS];
    int n, selected;
    struct entry entry;
};

struct layer *live_options_new(struct app *a); /* of app->session, which must be live */

/* For the drawing of it, in live_options_draw.c. */
void live_options_draw(struct layer *layer, struct canvas *c);
/* What the file says of option i; NULL: nothing new. */
const struct config_change *live_options_change(const struct live_options *l, int i);

#endif
