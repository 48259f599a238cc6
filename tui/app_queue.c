/* The queue of the console: one run after the other under the same dashboard. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tui/app.h"
#include "tui/launcher_scan.h"

#define LOOK_SECONDS 1.0

void app_release_queue(struct app *a)
{
    queue_release(&a->queue);
    strlist_release(&a->queue_paths);
    a->queue_on = false;
    a->queue_turns = 0;
}

bool app_queue_due(const struct app *a)
{
    return a->queue_turns > 0;
}

/* *out: the session of the next run; NULL: it is over since an earlier time. */
static int start_next(struct app *a, struct session **out, struct err *e)
{
    struct run_config rc;
    char *resume;
    bool over;
    *out = NULL;
    int code = queue_take(&a->queue, a->optims, &rc, &resume, &over, e);
    if (code)
        return code;
    if (!over && !(code = session_start(out, &rc, resume, e))) {
        queue_tell(&a->queue, &(*out)->model);
        strlist_add(&a->queue_paths, (*out)->model.path);
        a->queue_on = true;
    }
    free(resume);
    run_config_release(&rc);
    return code;
}

int app_start_queue(struct app *a, struct queue *q, struct err *e)
{
    struct session *s = NULL;
    int code = 0;
    app_release_queue(a);
    a->queue = *q;
    atomic_store(&hub_stop_request, 0);
    while (!code && !s && queue_has_next(&a->queue))
        code = start_next(a, &s, e);
    if (!code && !s)
        code = err_set(e, TT_ECONFIG, "every run of the queue is over");
    if (code) {
        app_release_queue(a);
        return code;
    }
    a->ui = s->rc.ui;
    app_show_session(a, s);
    return 0;
}

/* The open view stays open over another run. */
static void replace_session(struct app *a, struct session *s)
{
    a->hots.n = 0;
    dashboard_take_over(&s->dash, &a->session->dash);
    if (a->lost)
        session_unwatch(s);
    session_free(a->session);
    a->session = s;
    a->dirty = true;
    session_poll(s, a->now); /* views over several runs look away from the last one before they are drawn */
}

static void start_due(struct app *a)
{
    struct session *s;
    struct err e = ERR_INIT;
    int code = start_next(a, &s, &e);
    a->queue_turns = 0;
    if (s) {
        replace_session(a, s);
        app_say(a, false, "run %d of %d", s->model.queue, s->model.queued);
        return;
    }
    if (code)
        app_say(a, true, "run %zu of %zu does not start: %s", a->queue.next, a->queue.runs.n, e.msg);
    a->queue_turns = queue_goes_on(&a->queue, code, &e, false);
}

/* A run reads its data when it is built: first a frame says that it is starting. */
static void poll_due(struct app *a)
{
    struct err none = ERR_INIT;
    if (!queue_goes_on(&a->queue, 0, &none, false)) { /* a stop came between two runs */
        a->queue_turns = 0;
        return;
    }
    a->hurry = true;
    if (a->queue_turns == 1)
        app_say(a, false, "starting run %zu of %zu, %s", a->queue.next + 1, a->queue.runs.n,
                a->queue.runs.item[a->queue.next].stem);
    if (++a->queue_turns > 3)
        start_due(a);
}

/* ---- the queue of another process ----------------------------------------------------------- */

static bool is_gone(int64_t pid)
{
    return kill((pid_t)pid, 0) && errno == ESRCH;
}

/* The live run that the process of `s` went on to; NULL: none yet. */
static struct session *find_next(const struct app *a, const struct session *s)
{
    struct scan found = {0};
    struct session *next = NULL;
    char *dir = file_dir(s->model.path);
    scan_runs(&found, dir);
    for (int i = 0; i < found.nruns && found.run[i].live && !next; i++) {
        struct err ignored = ERR_INIT;
        if (!session_attach(&next, found.run[i].path, s->model.reads_only, a->optims, &ignored) &&
            (next->model.pid != s->model.pid || next->model.queue <= s->model.queue)) {
            session_free(next);
            next = NULL;
        }
    }
    scan_release(&found);
    free(dir);
    return next;
}

static void follow_other(struct app *a)
{
    const struct session *s = a->session;
    if (!s->attached || !s->joined || s->model.queue >= s->model.queued ||
        a->now - a->queue_looked_at < LOOK_SECONDS || is_gone(s->model.pid))
        return;
    a->queue_looked_at = a->now;
    struct session *next = find_next(a, s);
    if (!next)
        return;
    replace_session(a, next);
    app_say(a, false, "run %d of %d", next->model.queue, next->model.queued);
}

void app_poll_queue(struct app *a)
{
    struct session *s = a->session;
    if (!s)
        return;
    if (a->queue_on && s->joined) {
        a->queue_on = false;
        a->queue_turns = queue_goes_on(&a->queue, s->code, &s->err, s->model.st.next_run);
    }
    if (a->queue_turns)
        poll_due(a);
    else
        follow_other(a);
}
