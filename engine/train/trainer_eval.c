/* One evaluation: every row once, scores over all of them, then what they mean for best and patience. */
#include <math.h>
#include <string.h>

#include "engine/base/sys.h"
#include "engine/train/evaluate.h"
#include "engine/train/trainer_state.h"

static bool better(int metric, double value, double than)
{
    if (isnan(value))
        return false;
    return isnan(than) || (metric_descs[metric].larger ? value > than : value < than);
}

/* Patience counts evaluations without a change for the better by more than the threshold
 * (trainer-semantics 1.11); the best itself moves on any strict improvement. */
static bool judge(struct trainer *t, bool scheduled)
{
    struct progress *p = &t->p;
    const double *value = t->report->value;
    double now = value[t->patience_metric], was = p->best_values[t->patience_metric];
    bool calm = better(t->patience_metric, now, was) &&
                (isnan(was) || fabs(now - was) > t->rc.eval.early_stopping_threshold);
    if (scheduled)
        p->bad_evals = calm ? 0 : p->bad_evals + 1;
    for (int i = 0; i < METRIC_COUNT; i++)
        if (better(i, value[i], p->best_values[i])) {
            p->best_values[i] = value[i];
            p->best_steps[i] = p->step;
        }
    p->evals++;
    if (t->watch < 0 || p->best_steps[t->watch] != p->step)
        return false;
    p->best = value[t->watch];
    p->best_step = p->step;
    return true;
}

bool patience_is_over(const struct trainer *t)
{
    int64_t patience = t->rc.eval.early_stopping_patience;
    return patience != OPT_INT_UNSET && t->p.bad_evals >= patience;
}

static bool tell_progress(void *user, int64_t rows)
{
    struct trainer *t = user;
    t->st.eval_rows_done = rows;
    report_status(t, RUN_EVALUATING);
    return atomic_load(&hub_stop_request) < 2;
}

int evaluate(struct trainer *t, bool scheduled, struct err *e)
{
    double start = sys_now();
    t->st.eval_rows = t->eval.rows;
    struct eval_job job = {.acc = &t->acc, .net = &t->net, .data = &t->eval,
                           .batch_size = t->rc.eval.batch_size,
                           .smoothing = t->loss.smoothing, .average = (enum average)t->rc.eval.average,
                           .metrics = &t->metrics, .tell = tell_progress, .user = t};
    int code = evaluate_rows(&job, t->report, e);
    if (code)
        return code;
    t->report->step = t->p.step;
    t->report->epoch = t->st.epoch;
    t->report->seconds = sys_now() - start;
    double took = t->report->seconds;
    t->st.eval_seconds = isnan(t->st.eval_seconds) ? took : 0.5 * (t->st.eval_seconds + took);
    bool best = judge(t, scheduled);
    double watched = t->report->value[t->patience_metric];
    if (scheduled)
        sched_observe(&t->net.sched, watched, metric_descs[t->patience_metric].larger);
    report_evaluation(t, best);
    return 0;
}
