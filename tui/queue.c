/* The order of runs. */
#include "tui/queue.h"

#include "engine/io/rundir.h"
#include "engine/train/trainer.h"

void queue_release(struct queue *q)
{
    run_queue_release(&q->runs);
    *q = (struct queue){0};
}

void queue_tell(const struct queue *q, struct uimodel *m)
{
    bool alone = q->runs.n < 2;
    m->queue = alone ? 0 : (int)q->next;
    m->queued = alone ? 0 : (int)q->runs.n;
}

bool queue_has_next(const struct queue *q)
{
    return q->next < q->runs.n;
}

/* A config alone goes on with the newest of its unfinished runs, and says so when there is none. */
static int find_resume(const struct queue *q, const struct run_config *rc, char **resume, bool *over,
                       struct err *e)
{
    struct run_summary sum;
    struct err unread = ERR_INIT;
    if (q->runs.n == 1)
        return trainer_find_resume(rc, resume, e);
    *resume = run_queue_resume(rc);
    *over = *resume && !rundir_read_summary(*resume, &sum, &unread) && run_summary_over(&sum);
    return 0;
}

int queue_take(struct queue *q, const struct optim_class *const *optims, struct run_config *rc,
               char **resume, bool *over, struct err *e)
{
    *resume = NULL;
    *over = false;
    int code = run_queue_config(&q->runs, q->next++, optims, rc, e);
    if (code || !q->resumes || !(code = find_resume(q, rc, resume, over, e)))
        return code;
    run_config_release(rc);
    return code;
}

bool queue_goes_on(struct queue *q, int code, const struct err *e, bool next_run)
{
    bool stopped = atomic_load(&hub_stop_request) > 0;
    if (code == TT_ESTOPPED && next_run && !stopped)
        return queue_has_next(q);
    if (code == TT_ESTOPPED || (stopped && queue_has_next(q))) {
        q->code = code ? code : TT_ESTOPPED;
        q->err = *e;
        q->err.code = q->code;
        q->next = q->runs.n;
        return false;
    }
    if (code && !q->code) {
        q->code = code;
        q->err = *e;
    }
    return queue_has_next(q);
}
