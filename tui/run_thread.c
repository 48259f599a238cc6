/* One background run. Signals are the main thread's business: they are blocked in the trainer's. */
#include "tui/run_thread.h"

#include <string.h>

#include "engine/base/thread.h"

static void *run(void *user)
{
    struct run_thread *r = user;
    r->code = trainer_run(r->trainer, &r->err);
    atomic_store(&r->over, true);
    return NULL;
}

int run_thread_build(struct run_thread *r, const struct run_config *rc, const char *resume_path,
                     struct err *e)
{
    memset(r, 0, sizeof *r);
    r->hub = hub_new();
    atomic_store(&hub_stop_request, 0);
    int code = trainer_new(&r->trainer, rc, r->hub, resume_path, e);
    if (code)
        run_thread_release(r);
    return code;
}

int run_thread_go(struct run_thread *r, struct err *e)
{
    r->started = thread_start(&r->thread, run, r);
    if (r->started)
        return 0;
    trainer_discard(r->trainer);
    trainer_free(r->trainer);
    run_thread_release(r);
    return err_set(e, TT_ERESOURCE, "no thread for the run");
}

bool run_thread_over(struct run_thread *r)
{
    return !r->started || atomic_load(&r->over);
}

int run_thread_join(struct run_thread *r, struct err *e)
{
    if (!r->started)
        return r->code;
    pthread_join(r->thread, NULL);
    r->started = false;
    trainer_free(r->trainer);
    r->trainer = NULL;
    if (r->code)
        *e = r->err;
    return r->code;
}

void run_thread_release(struct run_thread *r)
{
    hub_free(r->hub);
    r->hub = NULL;
}
