/* A run as others see it: its past, then what happens, to any number of viewers, and what they ask of it
 * to the hub. It lives on the thread that takes things out of the hub; nothing here waits, and a viewer
 * that does not keep up is dropped. */
#ifndef TT_TUI_SERVER_H
#define TT_TUI_SERVER_H

#include "tui/uimodel.h"

struct server;

/* For the run whose hub and directory these are; its lock is held. NULL, and `e` says why: nobody can
 * attach, which is no reason to stop. */
struct server *server_open(const char *run_path, struct hub *hub, struct err *e);
/* Readable when a viewer is new, has said something, or can be told more. */
int server_fd(const struct server *s);
/* After each uimodel_poll; the model is what new viewers are told. Keeps m->viewers. */
void server_poll(struct server *s, struct uimodel *m, double now);
/* Tell them the end, for at most a moment, and remove the socket. Before the run gives up its lock. */
void server_close(struct server *s, struct uimodel *m);

#endif
