/* The dialog of options that may change while the run goes on (screens-more.md "Live options"). */
#ifndef TT_TUI_LIVE_OPTIONS_H
#define TT_TUI_LIVE_OPTIONS_H

#include "tui/layer.h"

struct layer *live_options_new(struct app *a); /* of app->session, which must be live */

#endif
