/* One run as the console sees it: going on in this process, over, or read from its directory. */
#ifndef TT_TUI_SESSION_H
#define TT_TUI_SESSION_H

#include "tui/dashboard.h"
#include "tui/run_thread.h"

struct session {
    struct run_config rc;
    struct run_thread thread;
    struct uimodel model;
    struct dashboard dash;
    bool own;          /* a trainer of this process */
    bool joined;
    int code;          /* of the run, once it is joined */
    struct err err;
    int stops;         /* times it was asked to stop */
    double stop_at;    /* sys_now() of the order to stop at once; 0: none */
};

/* Check and build the run on this thread, then let it go on its own. `rc` is copied; plan and train may
 * be NULL. Reads the data: not quick. */
int session_start(struct session **out, const struct run_config *rc, const char *resume,
                  const struct memory_plan *plan, const struct dataset *train, struct err *e);
int session_load(struct session **out, const char *run_path, const struct optim_class *const *optims,
                 struct err *e);
void session_free(struct session *s); /* waits for a run that goes on */

bool session_poll(struct session *s, double now); /* true: something changed */
bool session_live(const struct session *s);
/* False: the run is too busy to take it now. */
bool session_send(struct session *s, enum command_kind kind);
bool session_set(struct session *s, const char *key, const char *value);
void session_save_and_stop(struct session *s);
void session_stop_now(struct session *s);
/* It was told to stop at once and a step is still going on: time to leave it. */
bool session_overdue(const struct session *s, double now);

#endif
