/* Queues of the launcher: what is asked before one starts, and how it is told in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tui/launcher.h"
#include "tui/question.h"

/* "3 runs: adafactor, adamw, adamw8bit" */
static void runs_in_words(const struct run_queue *q, char *dst, size_t size)
{
    size_t n = (size_t)snprintf(dst, size, "%zu run%s: ", q->n, q->n == 1 ? "" : "s");
    for (size_t i = 0; i < q->n && n < size; i++)
        n += (size_t)snprintf(dst + n, size - n, "%s%s", i ? ", " : "", q->item[i].stem);
}

size_t launcher_queue_words(const struct launcher *l, const char *path, char *dst, size_t size,
                            struct err *e)
{
    struct run_queue q;
    if (run_queue_open(&q, path, NULL, 0, l->layer.app->optims, e))
        return 0;
    size_t n = q.n;
    runs_in_words(&q, dst, size);
    run_queue_release(&q);
    return n;
}

/* Runs of the queue that have ended, and whether any was begun. */
static size_t count_over(const struct app *a, const struct run_queue *q, bool *begun)
{
    size_t over = 0;
    *begun = false;
    for (size_t i = 0; i < q->n; i++) {
        struct run_config rc;
        struct run_summary sum;
        struct err ignored = ERR_INIT;
        if (run_queue_config(q, i, a->optims, &rc, &ignored))
            continue;
        char *path = run_queue_resume(&rc);
        *begun |= path != NULL;
        over += path && !rundir_read_summary(path, &sum, &ignored) && run_summary_over(&sum);
        free(path);
        run_config_release(&rc);
    }
    return over;
}

static void start(struct launcher *l, bool resumes)
{
    struct app *a = l->layer.app;
    struct queue q = {.resumes = resumes};
    struct err e = ERR_INIT;
    int code = run_queue_open(&q.runs, l->queue, (const char *const *)l->queue_set.s, l->queue_set.n,
                              a->optims, &e);
    if (!code)
        code = app_start_queue(a, &q, &e);
    if (code)
        app_say(a, true, "%s", e.msg);
}

static void answered(struct app *a, void *user, char key)
{
    (void)a;
    if (key == 'l')
        launcher_look_into(user, ((struct launcher *)user)->queue);
    else
        start(user, key == 'g');
}

void launcher_ask_queue(struct launcher *l, const char *path, const char *const *set, size_t nset)
{
    struct app *a = l->layer.app;
    struct run_queue runs;
    struct err e = ERR_INIT;
    struct question q = {.back = "back", .chosen = answered, .user = l, .selected = 1};
    bool begun;
    str_copy(l->queue, sizeof l->queue, path);
    strlist_release(&l->queue_set);
    for (size_t i = 0; i < nset; i++)
        strlist_add(&l->queue_set, set[i]);
    if (run_queue_open(&runs, path, set, nset, a->optims, &e)) {
        app_say(a, true, "%s", e.msg);
        return;
    }
    size_t over = count_over(a, &runs, &begun);
    snprintf(q.title, sizeof q.title, "start %.60s?", file_base(path));
    runs_in_words(&runs, q.intro, sizeof q.intro);
    question_add(&q, 'b', "back to the launcher");
    str_copy(question_add(&q, 'r', "start the queue")->cost, sizeof q.answer[1].cost,
             "one run after the other");
    if (begun && over < runs.n)
        snprintf(question_add(&q, 'g', "go on with the queue")->cost, sizeof q.answer[2].cost,
                 "%d of %d are over", (int)over, (int)runs.n);
    question_add(&q, 'l', "look at the configs");
    run_queue_release(&runs);
    app_push(a, question_new(a, &q));
}
