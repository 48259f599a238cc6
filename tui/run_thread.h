/* A run in the background: the trainer on a thread of its own, the hub between, and the socket by which
 * others look at it. */
#ifndef TT_TUI_RUN_THREAD_H
#define TT_TUI_RUN_THREAD_H

#include <stdatomic.h>
#include <pthread.h>

#include "engine/train/trainer.h"
#include "tui/server.h"

struct run_thread {
    struct hub *hub;
    struct trainer *trainer;
    struct server *server; /* NULL: nobody can attach, as `unreachable` says until the log does */
    struct err unreachable;
    pthread_t thread;
    struct err err;        /* of the trainer; read after run_thread_over */
    int code;
    atomic_bool over;
    bool started;
};

/* Check and build the run here (messages go to `e`); rc is borrowed only while this call lasts. A stop that
 * was asked for before holds for it. Then let
 * its thread go. After a failure of either there is nothing to release. */
int run_thread_build(struct run_thread *r, const struct run_config *rc, const char *resume_path,
                     struct err *e);
int run_thread_go(struct run_thread *r, struct err *e);
bool run_thread_over(struct run_thread *r);
/* What the hub has into the model, from there to viewers, and what they ask for to the hub; true:
 * something changed. */
bool run_thread_poll(struct run_thread *r, struct uimodel *m, double now);
int run_thread_server_fd(const struct run_thread *r); /* wakes for viewers; -1: never */
/* Wait for it; returns its code, e its message. Viewers are told the end as `m` has it. Frees all but
 * the hub. */
int run_thread_join(struct run_thread *r, struct uimodel *m, struct err *e);
/* It does not end in time and is left within a step: what viewers are told. */
void run_thread_abandon(struct run_thread *r, struct uimodel *m);
void run_thread_release(struct run_thread *r); /* the hub; after the join */

#endif
