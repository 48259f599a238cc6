/* One background run. Signals are the main thread's business: they are blocked in the trainer's. */
#include "tui/run_thread.h"

#include <string.h>

#include "engine/base/sys.h"
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
    int code = trainer_new(&r->trainer, rc, r->hub, resume_path, e);
    if (code)
        run_thread_release(r);
    return code;
}

int run_thread_go(struct run_thread *r, struct err *e)
{
    r->started = thread_start(&r->thread, run, r);
    if (r->started) {
        r->server = server_open(trainer_run_path(r->trainer), r->hub, &r->unreachable);
        return 0;
    }
    trainer_discard(r->trainer);
    trainer_free(r->trainer);
    run_thread_release(r);
    return err_set(e, TT_ERESOURCE, "no thread for the run");
}

bool run_thread_over(struct run_thread *r)
{
    return !r->started || atomic_load(&r->over);
}

/* Once there is a log to say it in. */
static void say_unreachable(struct run_thread *r)
{
    log_line(LOG_WARN, "%s", r->unreachable.msg);
    r->unreachable = (struct err)ERR_INIT;
}

bool run_thread_poll(struct run_thread *r, struct uimodel *m, double now)
{
    bool changed = uimodel_poll(m, r->hub, now);
    int viewers = m->viewers;
    m->viewers = m->watched;
    if (r->server)
        server_poll(r->server, m, now);
    else if (r->unreachable.code && m->st.max_steps)
        say_unreachable(r);
    return changed || m->viewers != viewers;
}

int run_thread_server_fd(const struct run_thread *r)
{
    return r->server ? server_fd(r->server) : -1;
}

int run_thread_join(struct run_thread *r, struct uimodel *m, struct err *e)
{
    if (!r->started)
        return r->code;
    pthread_join(r->thread, NULL);
    r->started = false;
    uimodel_poll(m, r->hub, sys_now());
    server_close(r->server, m);
    r->server = NULL;
    trainer_free(r->trainer);
    r->trainer = NULL;
    if (r->code)
        *e = r->err;
    return r->code;
}

void run_thread_abandon(struct run_thread *r, struct uimodel *m)
{
    m->st.state = RUN_STOPPED;
    str_copy(m->st.error, sizeof m->st.error, "stopped at once, within a step; nothing was saved");
    server_close(r->server, m);
    r->server = NULL;
}

void run_thread_release(struct run_thread *r)
{
    hub_free(r->hub);
    r->hub = NULL;
}
