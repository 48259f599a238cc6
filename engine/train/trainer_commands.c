/* What the screen, a signal or another process asks of a run, acted on at a step border. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/sys.h"
#include "engine/train/inspect.h"
#include "engine/train/trainer_state.h"

/* Recompute what hangs on options that have changed. */
static void refresh(struct trainer *t)
{
    struct err ignored = ERR_INIT;
    run_length_of(&t->rc, t->train.rows, &t->length, &ignored);
    t->net.sched.scale = t->rc.sched.scale;
    t->net.sched.args.total = t->length.max_steps;
    t->net.sched.args.warmup = t->length.warmup;
    char *path = file_join(t->dir.path, "config.ini");
    if (run_config_write(&t->rc, path, &ignored))
        report_message(t, true, "%s", ignored.msg);
    free(path);
}

/* A live option: checked by its row, written to the run's config, journalled. */
static void set_option(struct trainer *t, const struct command *c)
{
    char section[64], was[64], is[64];
    struct err e = ERR_INIT;
    str_copy(section, sizeof section, c->key);
    char *dot = strrchr(section, '.');
    void *values = NULL;
    const struct opt_desc *d = NULL;
    if (dot) {
        *dot = 0;
        d = run_config_find(&t->rc, section, dot + 1, &values);
    }
    if (!d || !(d->flags & OPT_LIVE)) {
        report_message(t, true, "%s can't be changed while the run goes on", c->key);
        return;
    }
    opt_format(d, values, was, sizeof was);
    if (opt_parse(d, values, c->value, &e)) {
        report_message(t, true, "%s: %s", c->key, e.msg);
        return;
    }
    opt_format(d, values, is, sizeof is);
    if (!strcmp(was, is))
        return;
    ini_put(&t->rc.ini, section, dot + 1, is, INI_FORM);
    refresh(t);
    log_line(LOG_EDIT, "%s %s -> %s", c->key, *was ? was : "unset", *is ? is : "unset");
    report_message(t, false, "%s %s -> %s from step %lld", c->key, *was ? was : "unset",
                   *is ? is : "unset", (long long)t->p.step + 1);
}

/* Here, at a step border, no tensor changes. */
static void inspect(struct trainer *t, const struct command *c)
{
    struct inspect_request q = {.first = c->first, .asker = c->asker};
    struct inspect_report r;
    str_copy(q.tensor, sizeof q.tensor, c->key);
    str_copy(q.state, sizeof q.state, c->value);
    inspect_network(&t->net, &q, t->p.step, &r);
    hub_inspect(t->hub, &r);
}

static void apply(struct trainer *t, const struct command *c)
{
    switch (c->kind) {
    case COMMAND_PAUSE:
        t->paused = true;
        break;
    case COMMAND_RESUME:
        t->paused = false;
        break;
    case COMMAND_STEP_ONCE:
        t->step_once = t->paused;
        break;
    case COMMAND_EVALUATE:
        t->want_eval = true;
        break;
    case COMMAND_SAVE:
        t->want_save = true;
        break;
    case COMMAND_SAVE_AND_STOP:
        t->want_stop = true;
        break;
    case COMMAND_NEXT_RUN:
        t->want_stop = t->st.next_run = true;
        break;
    case COMMAND_STOP:
        t->want_stop_now = true;
        break;
    case COMMAND_SET:
        set_option(t, c);
        break;
    case COMMAND_INSPECT:
        inspect(t, c);
        break;
    }
}

static void look_at_signals(struct trainer *t)
{
    int stop = atomic_load(&hub_stop_request);
    t->want_stop |= stop == 1;
    t->want_stop_now |= stop > 1;
    if (atomic_exchange(&hub_save_request, 0))
        t->want_save = true;
}

static bool stays_paused(const struct trainer *t)
{
    return t->paused && !t->step_once && !t->want_stop && !t->want_stop_now;
}

/* Evaluate and save work on a paused run too. */
static void serve_paused(struct trainer *t)
{
    struct err e = ERR_INIT;
    if (trainer_serve(t, &e))
        report_message(t, true, "%s", e.msg);
    report_status(t, RUN_PAUSED);
}

void commands_handle(struct trainer *t)
{
    struct command c;
    while (!t->step_once && hub_receive(t->hub, &c)) /* what follows a granted step waits for it */
        apply(t, &c);
    look_at_signals(t);
    if (!stays_paused(t)) {
        t->step_once = false;
        return;
    }
    double start = sys_now();
    if (t->st.paused_at == 0) {
        t->st.paused_at = start;
        log_line(LOG_INFO, "paused");
    }
    serve_paused(t);
    while (stays_paused(t)) {
        bool got = hub_wait(t->hub, &c, 0.1);
        if (got)
            apply(t, &c);
        look_at_signals(t);
        if (got || t->want_save)
            serve_paused(t);
    }
    double took = sys_now() - start;
    t->paused_seconds += took;
    t->window_start += took;
    t->step_once = false;
    if (!t->paused) {
        t->st.paused_at = 0;
        log_line(LOG_INFO, "resumed");
    }
}
