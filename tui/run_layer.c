/* Keys that ask something of the run; all others belong to the dashboard and its views. */
#include "tui/run_layer.h"

#include <ctype.h>
#include <stdlib.h>

#include "engine/base/mem.h"
#include "tui/app.h"
#include "tui/form.h"
#include "tui/hints.h"
#include "tui/live_options.h"
#include "tui/look_layer.h"
#include "tui/quit_dialog.h"

static void run_draw(struct layer *l, struct canvas *c)
{
    struct session *s = l->app->session;
    dashboard_draw(&s->dash, c, &s->model);
}

/* "s: no run": why a key does nothing. */
static void refuse(struct app *a, enum action action, const char *why)
{
    char key[16];
    str_copy(key, sizeof key, action_key(action));
    if (key[0] && key[1])
        key[0] = (char)tolower((unsigned char)key[0]);
    app_say(a, true, "%s: %s", key, why);
}

static const char *why_no_evaluation(const struct session *s)
{
    if (s->rc.eval.every.kind == EVERY_NO)
        return "evaluation is off (eval.every = no)";
    return run_evaluates(&s->model) ? NULL : "no rows to evaluate on (data.eval, data.eval_fraction)";
}

static void ask_run(struct app *a, enum action action, enum command_kind kind, const char *said)
{
    if (!session_send(a->session, kind))
        refuse(a, action, "the run is too busy, try again");
    else if (said)
        app_say(a, false, "%s", said);
}

/* Something only a run that is going on can do. */
static void run_action(struct app *a, enum action action)
{
    struct session *s = a->session;
    bool paused = s->model.st.paused_at > 0;
    const char *why;
    switch (action) {
    case ACTION_PAUSE:
        ask_run(a, action, paused ? COMMAND_RESUME : COMMAND_PAUSE, NULL);
        break;
    case ACTION_STEP_ONCE:
        if (paused)
            ask_run(a, action, COMMAND_STEP_ONCE, NULL);
        else
            refuse(a, action, "one step, while the run is paused");
        break;
    case ACTION_SAVE:
        ask_run(a, action, COMMAND_SAVE, "saving at the end of this step");
        break;
    case ACTION_EVALUATE:
        if ((why = why_no_evaluation(s)))
            refuse(a, action, why);
        else
            ask_run(a, action, COMMAND_EVALUATE, "evaluating at the end of this step");
        break;
    case ACTION_OPTIONS:
        app_push(a, live_options_new(a));
        break;
    default:
        break;
    }
}

static bool is_run_action(enum action action)
{
    return action == ACTION_PAUSE || action == ACTION_STEP_ONCE || action == ACTION_SAVE ||
           action == ACTION_EVALUATE || action == ACTION_OPTIONS;
}

/* A run that is only looked at shows its options where its config was changed on disk. */
static bool is_refused(const struct session *s, enum action action)
{
    return s->model.reads_only && !(action == ACTION_OPTIONS && disk_changes_rows(&s->disk));
}

/* A run that ended before its time, with its directory at hand. */
static bool can_resume(const struct app *a)
{
    const struct session *s = a->session;
    enum run_state st = s->model.st.state;
    return !app_run_is_live(a) && run_state_over(st) && st != RUN_FINISHED && *s->model.path;
}

static void leave(struct app *a)
{
    if (app_queue_due(a)) {
        refuse(a, ACTION_QUIT, "the next run is starting");
        return;
    }
    if (app_run_is_live(a) && !a->session->model.reads_only)
        quit_dialog(a);
    else
        a->leave = true;
}

/* Back to the launcher, where the run was opened from there. */
static void go_back(struct app *a)
{
    if (!a->session->own && a->nlayers > 1)
        app_pop(a);
}

/* True: the open view took it. */
static bool view_action(struct app *a, enum action action)
{
    unsigned done = dashboard_action(&a->session->dash, action, &a->session->model);
    if (done & REACT_QUIT)
        leave(a);
    if (done & REACT_OPEN_RUN)
        look_at_run(a, a->session->dash.open_run);
    return done != 0;
}

static void run_key(struct layer *l, enum action action, const struct key_event *k)
{
    struct app *a = l->app;
    bool ended = can_resume(a);
    (void)k;
    if (action == ACTION_NONE)
        return;
    dashboard_quiet(&a->session->dash);
    if (action == ACTION_QUIT)
        leave(a);
    else if (action == ACTION_START && ended)
        resume_dialog(a);
    else if (action == ACTION_OPTIONS && ended)
        form_resume(a, a->session->model.path, false);
    else if (view_action(a, action))
        return;
    else if (is_run_action(action) && app_run_is_live(a) && is_refused(a->session, action))
        refuse(a, action, "this run is read-only");
    else if (is_run_action(action) && app_run_is_live(a))
        run_action(a, action);
    else if (is_run_action(action))
        refuse(a, action, a->session->own || a->session->attached ? "the run is over" : "no run");
    else if (action == ACTION_BACK)
        go_back(a);
}

static bool run_text(struct layer *l, const struct key_event *k)
{
    struct session *s = l->app->session;
    return dashboard_key(&s->dash, k, &s->model);
}

static void run_free(struct layer *l)
{
    free(l);
}

const struct layer_class run_layer_class = {
    .name = "run",
    .draw = run_draw,
    .text = run_text,
    .key = run_key,
    .free = run_free,
};

struct layer *run_layer_new(struct app *a)
{
    struct layer *l = xcalloc(1, sizeof *l);
    *l = (struct layer){&run_layer_class, a};
    return l;
}
