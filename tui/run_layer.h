/* The dashboard of app->session as a layer: what keys ask of the run, then what the views make of them. */
#ifndef TT_TUI_RUN_LAYER_H
#define TT_TUI_RUN_LAYER_H

#include "tui/layer.h"

extern const struct layer_class run_layer_class;
struct layer *run_layer_new(struct app *a);

#endif
