/* A run in the background: the trainer on a thread of its own, the hub between. */
#ifndef TT_TUI_RUN_THREAD_H
#define TT_TUI_RUN_THREAD_H

#include <stdatomic.h>
#include <pthread.h>

#include "engine/train/trainer.h"

struct run_thread {
    struct hub *hub;
    struct trainer *trainer;
    pthread_t thread;
    struct err err;    /* of the trainer; read after run_thread_over */
    int code;
    atomic_bool over;
    bool started;
};

/* Check and build the run here (messages go to `e`); rc is borrowed only while this call lasts. Then let
 * its thread go. After a failure of either there is nothing to release. */
int run_thread_build(struct run_thread *r, const struct run_config *rc, const char *resume_path,
                     struct err *e);
int run_thread_go(struct run_thread *r, struct err *e);
bool run_thread_over(struct run_thread *r);
/* Wait for it; returns its code, e its message. Frees all but the hub. */
int run_thread_join(struct run_thread *r, struct err *e);
void run_thread_release(struct run_thread *r); /* the hub; after the join */

#endif
