/* The state of the system view, for tests that bring a reading of their own. */
#ifndef TT_TUI_VIEW_SYSTEM_H
#define TT_TUI_VIEW_SYSTEM_H

#include "tui/machine_pane.h"

struct system_view {
    struct machine *machine; /* started when the view of a run that goes on here is first open */
    struct machine_reading reading;
    struct console_cost cost;
    struct history cpu;      /* percent of a core by time */
    bool have_history;
    struct run_status shown; /* while frozen */
    int other_window;        /* STEP_WINDOW_TOLD + this is the one that is shown */
    bool frozen;
    double cost_at, cpu_seconds, bytes; /* when the cost was last taken */
    int frames;
};

#endif
