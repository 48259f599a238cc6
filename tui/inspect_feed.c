/* Questions to the trainer and to checkpoints. */
#include "tui/inspect_feed.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/thread.h"

#define PATIENCE_SECONDS 30 /* then a question counts as lost */

/* Shared by the screen and the thread that reads; the last one to leave frees it. */
struct inspect_job {
    char path[4096];
    struct inspect_request want;
    struct state_codes codes;
    bool coded;
    struct inspect_report report;
    atomic_bool done;
    atomic_int users;
};

static void job_leave(struct inspect_job *j)
{
    if (atomic_fetch_sub(&j->users, 1) == 1)
        free(j);
}

static void *job_run(void *user)
{
    struct inspect_job *j = user;
    inspect_run(j->path, &j->want, j->coded ? &j->codes : NULL, &j->report);
    atomic_store(&j->done, true);
    job_leave(j);
    return NULL;
}

static void ask_disk(struct inspect_feed *f, const struct inspect_request *want,
                     const struct uimodel *m)
{
    struct inspect_job *j = xcalloc(1, sizeof *j);
    const struct optim_class *cls = m->rc ? m->rc->optim_cls : NULL;
    str_copy(j->path, sizeof j->path, m->path);
    j->want = *want;
    j->coded = cls && cls->codes && cls->codes(m->rc->optim_own, want->state, &j->codes);
    atomic_store(&j->users, 2);
    if (!thread_start_detached(job_run, j))
        job_run(j);
    f->job = j;
}

static bool take_disk(struct inspect_feed *f)
{
    struct inspect_job *j = f->job;
    if (!j || !atomic_load(&j->done))
        return false;
    f->report = j->report;
    f->job = NULL;
    job_leave(j);
    return true;
}

static void ask_trainer(struct inspect_feed *f, const struct inspect_request *want, struct hub *hub,
                        double now)
{
    struct command c = {.kind = COMMAND_INSPECT, .first = want->first};
    str_copy(c.key, sizeof c.key, want->tensor);
    str_copy(c.value, sizeof c.value, want->state);
    f->asked = hub_send(hub, &c) == 0;
    f->asked_at = now;
}

/* The trainer's answer to us: viewers may be asking, too. */
static bool take_trainer(struct inspect_feed *f, struct hub *hub)
{
    struct inspect_report r;
    bool fresh = false;
    while (hub_inspect_get(hub, &f->seen, &r)) {
        if (r.of.asker)
            continue;
        f->report = r;
        f->asked = false;
        fresh = true;
    }
    return fresh;
}

bool inspect_feed_answers(const struct inspect_feed *f, const struct inspect_request *want)
{
    const struct inspect_report *r = &f->report;
    return f->have && !strcmp(r->of.tensor, want->tensor) && !strcmp(r->of.state, want->state) &&
           want->first >= r->of.first && want->first < r->of.first + (r->nlead ? r->nlead : 1);
}

bool inspect_feed_poll(struct inspect_feed *f, const struct inspect_request *want,
                       const struct uimodel *m, struct hub *hub)
{
    bool live = hub && m->live && !run_state_over(m->st.state), fresh = take_disk(f);
    fresh |= hub && take_trainer(f, hub);
    f->have |= fresh;
    if (!live || m->now - f->asked_at > PATIENCE_SECONDS)
        f->asked = false;
    if (f->asked || f->job || !*want->tensor)
        return fresh;
    bool old = live && m->st.step >= f->report.step + INSPECT_STEPS;
    if (!f->again && inspect_feed_answers(f, want) && !old)
        return fresh;
    f->again = false;
    if (live)
        ask_trainer(f, want, hub, m->now);
    else if (*m->path)
        ask_disk(f, want, m);
    return fresh;
}

void inspect_feed_release(struct inspect_feed *f)
{
    if (f->job)
        job_leave(f->job);
    f->job = NULL;
}
