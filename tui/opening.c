/* A run that is being read. */
#include "tui/opening.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/base/thread.h"
#include "tui/hints.h"
#include "tui/popup.h"

#define AT_ONCE 0.4 /* seconds in which no box is worth its flash */

/* Shared by the screen and the thread that reads; the last one to leave frees it. */
struct opening_job {
    const struct optim_class *const *optims;
    char *path;
    struct session *session;
    struct err err;
    atomic_bool done;
    atomic_int users;
};

struct opening {
    struct layer layer;
    struct opening_job *job;
    void (*opened)(struct app *, struct session *, const struct err *);
};

static void job_leave(struct opening_job *j)
{
    if (atomic_fetch_sub(&j->users, 1) > 1)
        return;
    session_free(j->session);
    free(j->path);
    free(j);
}

static void *job_run(void *user)
{
    struct opening_job *j = user;
    struct session *s = NULL;
    if (!session_load(&s, j->path, j->optims, &j->err))
        j->session = s;
    atomic_store(&j->done, true);
    job_leave(j);
    return NULL;
}

static void finish(struct app *a, struct opening_job *j,
                   void (*opened)(struct app *, struct session *, const struct err *))
{
    struct session *s = j->session;
    struct err e = j->err;
    j->session = NULL;
    job_leave(j);
    opened(a, s, &e);
}

static bool opening_poll(struct layer *layer)
{
    struct opening *o = (struct opening *)layer;
    struct opening_job *j = o->job;
    if (app_top(layer->app) != layer || !j || !atomic_load(&j->done))
        return false;
    o->job = NULL;
    app_pop(layer->app);
    finish(layer->app, j, o->opened);
    return true;
}

static void opening_draw(struct layer *layer, struct canvas *c)
{
    const struct opening *o = (struct opening *)layer;
    struct rect box = popup_rect(c, 56, 5);
    char title[96], text[160], size[32];
    char *metrics = file_join(o->job->path, "metrics.jsonl");
    snprintf(title, sizeof title, "opening %.60s", file_base(o->job->path));
    draw_box(c, box, title, NULL);
    str_bytes(size, sizeof size, (double)file_size(metrics));
    snprintf(text, sizeof text, "reading %s of metrics", size);
    canvas_put(c, box.x + 2, box.y + 2, ROLE_TEXT, text);
    draw_hints(c, "Esc give up", false);
    free(metrics);
}

static void opening_key(struct layer *layer, enum action action, const struct key_event *k)
{
    (void)k;
    if (action == ACTION_BACK || action == ACTION_QUIT)
        app_pop(layer->app);
}

static void opening_free(struct layer *layer)
{
    struct opening *o = (struct opening *)layer;
    if (o->job)
        job_leave(o->job);
    free(o);
}

static const struct layer_class opening_class = {
    .name = "opening",
    .popup = true,
    .draw = opening_draw,
    .key = opening_key,
    .poll = opening_poll,
    .free = opening_free,
};

static struct opening_job *begin(struct app *a, const char *run_path)
{
    struct opening_job *j = xcalloc(1, sizeof *j);
    j->optims = a->optims;
    j->path = xstrdup(run_path);
    j->err = (struct err)ERR_INIT;
    atomic_store(&j->users, 2);
    if (!thread_start_detached(job_run, j))
        job_run(j);
    return j;
}

void opening_start(struct app *a, const char *run_path,
                   void (*opened)(struct app *, struct session *, const struct err *))
{
    struct opening_job *j = begin(a, run_path);
    double until = sys_now() + AT_ONCE;
    while (!atomic_load(&j->done) && sys_now() < until)
        usleep(1000);
    if (atomic_load(&j->done)) {
        finish(a, j, opened);
        return;
    }
    struct opening *o = xcalloc(1, sizeof *o);
    *o = (struct opening){{&opening_class, a}, j, opened};
    app_push(a, &o->layer);
}
