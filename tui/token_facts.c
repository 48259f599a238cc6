/* Reading lengths in the background. */
#include "tui/token_facts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/thread.h"

/* Shared by the screen and the thread; the last one to leave frees it. */
struct token_job {
    struct run_config rc;
    char *run_path;
    struct token_counts side[2];
    atomic_bool done;
    atomic_int users;
};

static void job_leave(struct token_job *j)
{
    if (atomic_fetch_sub(&j->users, 1) > 1)
        return;
    token_counts_release(&j->side[0]);
    token_counts_release(&j->side[1]);
    run_config_release(&j->rc);
    free(j->run_path);
    free(j);
}

/* Data that is gone by now is told by the view's other facts. */
static void *job_run(void *user)
{
    struct token_job *j = user;
    struct err unread = ERR_INIT;
    token_counts_read(j->side, &j->rc, j->run_path, &unread);
    atomic_store(&j->done, true);
    job_leave(j);
    return NULL;
}

void token_facts_ask(struct token_facts *f, const struct run_config *rc, const char *run_path)
{
    struct err e = ERR_INIT;
    if (f->asked)
        return;
    f->asked = true;
    struct token_job *j = xcalloc(1, sizeof *j);
    if (run_config_copy(&j->rc, rc, &e)) {
        free(j);
        return;
    }
    j->run_path = xstrdup(run_path);
    atomic_store(&j->users, 2);
    f->job = j;
    if (!thread_start_detached(job_run, j))
        job_run(j);
}

bool token_facts_poll(struct token_facts *f)
{
    struct token_job *j = f->job;
    if (!j || !atomic_load(&j->done))
        return false;
    memcpy(f->side, j->side, sizeof f->side);
    memset(j->side, 0, sizeof j->side);
    f->job = NULL;
    job_leave(j);
    return true;
}

void token_facts_release(struct token_facts *f)
{
    if (f->job)
        job_leave(f->job);
    token_counts_release(&f->side[0]);
    token_counts_release(&f->side[1]);
    *f = (struct token_facts){.job = NULL};
}
