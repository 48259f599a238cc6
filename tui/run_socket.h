/* The socket of a run, in its directory; where that file system holds none, in XDG_RUNTIME_DIR under a
 * name made of the directory's device and inode. Only its user may open it. */
#ifndef TT_TUI_RUN_SOCKET_H
#define TT_TUI_RUN_SOCKET_H

#include "engine/base/err.h"

struct run_socket {
    int fd;  /* listens, never blocks; -1: none */
    int dir; /* the folder that it lies in */
    char name[64];
};

/* The caller holds the lock of the run: a socket that is there is one of a killed run, and goes. */
int run_socket_listen(struct run_socket *s, const char *run_path, struct err *e);
void run_socket_close(struct run_socket *s);
/* *fd, which never blocks. TT_ECONFIG: no run is going on there, it can't be reached, it is another
 * user's. */
int run_socket_connect(int *fd, const char *run_path, struct err *e);

#endif
