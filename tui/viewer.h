/* One viewer, on the run's side of the socket: what it said and what it has yet to be told. */
#ifndef TT_TUI_VIEWER_H
#define TT_TUI_VIEWER_H

#include "tui/wire.h"

struct viewer {
    int fd;
    int64_t id;        /* from 1 */
    struct strbuf in, out;
    size_t sent;       /* of out */
    size_t limit;      /* bytes of out that may wait */
    double moved_at;   /* when it last took or said something */
    bool ready;        /* it knows the past */
    bool reads_only;
    bool leaving;      /* is told the rest, then dropped */
    bool gone;
};

struct viewer *viewer_new(int fd, int64_t id, double now);
void viewer_free(struct viewer *v);

/* Take what has come, without waiting; `gone` when there is no more, or too much. */
void viewer_read(struct viewer *v, double now);
/* The next message it said: 1; 0 none yet; -1 nonsense. viewer_done removes it. */
int viewer_next(struct viewer *v, struct wire_message *m);
void viewer_done(struct viewer *v, const struct wire_message *m);
/* Send what it takes now. `gone` when it took nothing for too long, or more waits than it may. */
void viewer_write(struct viewer *v, double now);
size_t viewer_waiting(const struct viewer *v);

#endif
