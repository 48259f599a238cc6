/* Leaving a run, and going on with one that ended too early. */
#include "tui/quit_dialog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tui/form.h"
#include "tui/question.h"

static void leave_as(struct app *a, void *user, char key)
{
    (void)user;
    if (!app_run_is_live(a)) { /* it ended while the question stood */
        a->leave = true;
        return;
    }
    if (key == 'd') {
        if (app_run_is_own(a))
            a->requests |= APP_DETACH;
        else
            a->leave = true;
        return;
    }
    if (key == 'n') {
        if (!session_send(a->session, COMMAND_NEXT_RUN))
            app_say(a, true, "the run is too busy, try again");
        return;
    }
    a->leave_when_over = true;
    if (key == 's') {
        session_save_and_stop(a->session);
        app_say(a, false, "finishing the step, saving, then leaving; ^C stops at once");
    } else {
        session_stop_now(a->session);
        app_say(a, true, "stopping without saving");
    }
}

static void describe_loss(struct answer *x, const struct run_status *st)
{
    char count[32];
    int64_t lost = st->step - (st->saved_step > 0 ? st->saved_step : 0);
    x->costly = lost > 0;
    if (!x->costly) {
        str_copy(x->cost, sizeof x->cost, "loses nothing");
        return;
    }
    snprintf(x->cost, sizeof x->cost, "loses %s%s step%s", st->saved_step < 0 ? "all " : "",
             str_commas(count, sizeof count, lost), lost == 1 ? "" : "s");
}

/* The run goes on behind the question: its figures are those of the status row. */
static void describe_leaving(struct app *a, struct question *q)
{
    const struct run_status *st = &a->session->model.text;
    char step[32], saved[32];
    const char *state = run_state_name(st->state);
    str_commas(step, sizeof step, st->step);
    str_commas(saved, sizeof saved, st->saved_step);
    if (st->saved_step < 0)
        snprintf(q->intro, sizeof q->intro, "%s at step %s; no checkpoint yet", state, step);
    else if (snprintf(q->intro, sizeof q->intro, "%s at step %s; last checkpoint: step %s", state,
                      step, saved) > QUESTION_COLUMNS)
        snprintf(q->intro, sizeof q->intro, "%s at step %s; saved: step %s", state, step, saved);
    str_copy(q->answer[1].cost, sizeof q->answer[1].cost,
             run_state_over(st->state)   ? "the run is over"
             : st->state == RUN_PAUSED ? "the run stays paused"
                                       : "training goes on");
    snprintf(q->answer[2].cost, sizeof q->answer[2].cost, "checkpoint step-%lld",
             (long long)st->step);
    describe_loss(&q->answer[3], st);
    snprintf(q->answer[4].cost, sizeof q->answer[4].cost, "run %d of %d",
             a->session->model.queue + 1, a->session->model.queued);
}

void quit_dialog(struct app *a)
{
    struct question q = {.back = "back to the run", .refresh = describe_leaving, .chosen = leave_as};
    snprintf(q.title, sizeof q.title, "leave %.40s?", uimodel_name(&a->session->model));
    question_add(&q, 'b', "back to the run");
    question_add(&q, 'd', "detach");
    question_add(&q, 's', "save and stop");
    question_add(&q, 'x', "stop without saving");
    if (a->session->model.queue < a->session->model.queued)
        question_add(&q, 'n', "save, go on with the next run");
    app_push(a, question_new(a, &q));
}

/* -- going on --------------------------------------------------------------------------------- */

static void go_on(struct app *a, void *user, char key)
{
    struct session *s = a->session;
    struct err e = ERR_INIT;
    char *config = file_join(s->model.path, "config.ini"), set[64], scale[32];
    const char *assignment = set;
    snprintf(set, sizeof set, "schedule.scale=%s",
             str_f64(scale, sizeof scale, s->model.rc->sched.scale / 2));
    struct form_spec spec = {.path = config, .resume = s->model.path, .start = true,
                             .set = &assignment, .nset = key == 'h'};
    (void)user;
    if (form_open(a, &spec, &e))
        app_say(a, true, "%s", e.msg);
    free(config);
}

void resume_dialog(struct app *a)
{
    const struct run_status *st = &a->session->model.text;
    struct question q = {.back = "back", .chosen = go_on};
    char step[32], from[48];
    snprintf(q.title, sizeof q.title, "resume %.40s?", st->name);
    snprintf(q.intro, sizeof q.intro, "%s at step %s", run_state_name(st->state),
             str_commas(step, sizeof step, st->step));
    snprintf(from, sizeof from, "from step %s",
             str_commas(step, sizeof step, st->saved_step > 0 ? st->saved_step : 0));
    question_add(&q, 'b', "back");
    struct answer *same = question_add(&q, 'r', "resume, options as they are");
    struct answer *careful = question_add(&q, 'h', "resume, schedule.scale halved");
    str_copy(same->cost, sizeof same->cost, from);
    str_copy(careful->cost, sizeof careful->cost, from);
    app_push(a, question_new(a, &q));
}
