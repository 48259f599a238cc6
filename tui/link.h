/* A run in another process, through its socket: its past goes into a model, what happens then into a hub
 * of our own, where it is taken from as if its trainer were here, and what is asked of that hub goes to
 * the run. UI thread only; after the opening nothing here waits. */
#ifndef TT_TUI_LINK_H
#define TT_TUI_LINK_H

#include "tui/uimodel.h"

struct link;

/* Attach to the run in that directory. `m` as after uimodel_init, `hub` new. TT_ECONFIG, whose message
 * says why: not going on, another user's, another version, no answer. */
int link_open(struct link **l, const char *run_path, bool reads_only, struct uimodel *m,
              struct hub *hub, struct err *e);
int link_fd(const struct link *l); /* readable when the run has said something */
/* Take what it said, hand on what it is asked. False: the connection is over. */
bool link_poll(struct link *l, struct uimodel *m, double now);
void link_close(struct link *l); /* NULL is fine */

#endif
