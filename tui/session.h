/* One run as the console sees it: going on in this process or in another one, over, or read from its
 * directory. */
#ifndef TT_TUI_SESSION_H
#define TT_TUI_SESSION_H

#include "tui/dashboard.h"
#include "tui/disk_changes.h"
#include "tui/link.h"
#include "tui/run_thread.h"

struct session {
    struct run_config rc;
    struct run_thread thread; /* its hub alone, where the run is in another process */
    struct link *link;        /* to a run in another process; NULL: lost, or none */
    struct uimodel model;
    struct dashboard dash;
    bool own;          /* a trainer of this process */
    bool attached;     /* or one of another */
    bool joined;       /* the run is over */
    int code;          /* of a run of this process, once it is joined */
    struct err err;
    int stops;         /* times it was asked to stop */
    double stop_at;    /* sys_now() of the order to stop at once; 0: none */
    double link_at;    /* sys_now() when the link was last tried */
    int64_t log_seen;  /* lines of the log that were looked at for edits */
    struct disk_changes disk; /* edits of its config files, while it goes on and is looked at */
};

/* Check and build the run on this thread, then let it go on its own. `rc` is copied. Reads the data: not
 * quick. */
int session_start(struct session **out, const struct run_config *rc, const char *resume, struct err *e);
/* Look at a run of another process; not reads_only: steer it, too. TT_ECONFIG: it is not to be had. */
int session_attach(struct session **out, const char *run_path, bool reads_only,
                   const struct optim_class *const *optims, struct err *e);
int session_load(struct session **out, const char *run_path, const struct optim_class *const *optims,
                 struct err *e);
void session_free(struct session *s); /* waits for a run of this process that goes on */

bool session_poll(struct session *s, double now); /* true: something changed */
/* Descriptors that wake for it; -1: none. */
void session_fds(const struct session *s, int fds[2]);
/* Nobody looks any more: what is there for the screen goes. */
void session_unwatch(struct session *s);
bool session_live(const struct session *s); /* wherever it is */
bool session_own_live(const struct session *s); /* in this process */
/* False: the run is too busy to take it now, or may only be looked at. */
bool session_send(struct session *s, enum command_kind kind);
bool session_set(struct session *s, const char *key, const char *value);
void session_save_and_stop(struct session *s);
void session_stop_now(struct session *s);
/* It was told to stop at once and a step is still going on: time to leave it. */
bool session_overdue(const struct session *s, double now);

#endif
