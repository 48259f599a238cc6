/* Looking at data in the background, and the plan that follows. */
#include "tui/facts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/thread.h"

/* Shared by the screen and the thread that looks; the last one to leave frees it. */
struct facts_job {
    struct data_opts opts;
    uint64_t seed;
    struct dataset train, eval;
    struct err err;
    atomic_bool done;
    atomic_int users;
};

static void job_leave(struct facts_job *j)
{
    if (atomic_fetch_sub(&j->users, 1) > 1)
        return;
    dataset_release(&j->train);
    dataset_release(&j->eval);
    opt_release(data_opts_table, &j->opts);
    free(j);
}

static void *job_run(void *user)
{
    struct facts_job *j = user;
    if (j->opts.want_text) /* costs the same, and the texts can be shown */
        dataset_open(&j->opts, j->seed, &j->train, &j->eval, &j->err);
    else
        dataset_peek(&j->opts, j->seed, &j->train, &j->eval, &j->err);
    atomic_store(&j->done, true);
    job_leave(j);
    return NULL;
}

static void forget_data(struct facts *f)
{
    if (f->job)
        job_leave(f->job);
    f->job = NULL;
    dataset_release(&f->train);
    dataset_release(&f->eval);
    f->have_data = f->reading = false;
}

static void forget_plan(struct facts *f)
{
    if (f->have_plan)
        plan_release(&f->plan);
    f->have_plan = false;
    f->err = (struct err)ERR_INIT;
}

static void look(struct facts *f, const struct run_config *rc)
{
    struct facts_job *j = xcalloc(1, sizeof *j);
    opt_copy(data_opts_table, &j->opts, &rc->data);
    j->opts.want_text = rc->data.want_text;
    j->seed = (uint64_t)rc->run.seed;
    atomic_store(&j->users, 2);
    if (!thread_start_detached(job_run, j))
        job_run(j);
    f->job = j;
    f->reading = true;
}

static char *key_of(const struct run_config *rc)
{
    struct strbuf key = STRBUF_INIT;
    char value[4200];
    for (const struct opt_desc *d = data_opts_table; d->key; d++)
        strbuf_addf(&key, "%s=%s\n", d->key, opt_format(d, &rc->data, value, sizeof value));
    strbuf_addf(&key, "%lld %d", (long long)rc->run.seed, rc->data.want_text);
    return strbuf_take(&key);
}

static void make_plan(struct facts *f, const struct run_config *rc)
{
    forget_plan(f);
    f->have_plan = plan_make(&f->plan, rc, &f->train, &f->eval, &f->err) == 0;
}

void facts_set(struct facts *f, const struct run_config *rc)
{
    char *key = key_of(rc);
    bool same = f->key && !strcmp(f->key, key) && (f->have_data || f->reading);
    if (same) {
        free(key);
        if (f->have_data)
            make_plan(f, rc);
        return;
    }
    free(f->key);
    f->key = key;
    forget_data(f);
    forget_plan(f);
    look(f, rc);
}

bool facts_poll(struct facts *f, const struct run_config *rc)
{
    struct facts_job *j = f->job;
    if (!j || !atomic_load(&j->done))
        return false;
    f->train = j->train;
    f->eval = j->eval;
    j->train = j->eval = (struct dataset){0};
    f->err = j->err;
    f->have_data = !f->err.code;
    f->reading = false;
    f->job = NULL;
    job_leave(j);
    if (f->have_data)
        make_plan(f, rc);
    return true;
}

void facts_release(struct facts *f)
{
    forget_data(f);
    forget_plan(f);
    free(f->key);
    memset(f, 0, sizeof *f);
}
