/* A run and what the console keeps of it: its thread or its link, its model, its dashboard. */
#include "tui/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/io/rundir.h"

#define HARD_STOP_SECONDS 0.5
#define LINK_SECONDS 0.5

static struct session *session_new(void)
{
    struct session *s = xcalloc(1, sizeof *s);
    uimodel_init(&s->model);
    dashboard_init(&s->dash);
    return s;
}

int session_start(struct session **out, const struct run_config *rc, const char *resume, struct err *e)
{
    struct session *s = session_new();
    struct trainer *t;
    int code = run_config_copy(&s->rc, rc, e);
    if (!code && !(code = run_thread_build(&s->thread, &s->rc, resume, e))) {
        t = s->thread.trainer;
        str_copy(s->model.path, sizeof s->model.path, trainer_run_path(t));
        uimodel_start(&s->model, &s->rc, trainer_plan(t), trainer_data(t));
        uimodel_count_tokens(&s->model, trainer_data(t), trainer_eval_data(t));
        struct err unread = ERR_INIT; /* then the curves begin where the run goes on */
        if (resume)
            uimodel_read_series(&s->model, s->model.path, &unread);
        code = run_thread_go(&s->thread, e);
    }
    if (code) {
        session_free(s);
        return code;
    }
    s->own = s->model.watched = true;
    disk_changes_start(&s->disk, rc, s->model.path, rc->optims);
    *out = s;
    return 0;
}

/* The run as its process tells it now, in the place of what was known of it. */
static int link_to(struct session *s, const char *run_path, bool reads_only, struct err *e)
{
    struct uimodel fresh;
    struct hub *hub = hub_new();
    uimodel_init(&fresh);
    uimodel_start(&fresh, &s->rc, NULL, NULL);
    str_copy(fresh.path, sizeof fresh.path, run_path);
    int code = link_open(&s->link, run_path, reads_only, &fresh, hub, e);
    if (code) {
        uimodel_release(&fresh);
        hub_free(hub);
        return code;
    }
    uimodel_release(&s->model);
    hub_free(s->thread.hub);
    s->model = fresh;
    s->thread.hub = hub;
    s->log_seen = fresh.log_end;
    s->dash.message_id = fresh.st.message_id; /* an old message is no news */
    return 0;
}

int session_attach(struct session **out, const char *run_path, bool reads_only,
                   const struct optim_class *const *optims, struct err *e)
{
    struct session *s = session_new();
    char *config = file_join(run_path, "config.ini");
    s->attached = true;
    int code = run_config_load(&s->rc, config, NULL, 0, optims, e);
    if (!code)
        code = link_to(s, run_path, reads_only, e);
    free(config);
    if (code) {
        session_free(s);
        return code;
    }
    disk_changes_start(&s->disk, NULL, run_path, optims);
    *out = s;
    return 0;
}

int session_load(struct session **out, const char *run_path, const struct optim_class *const *optims,
                 struct err *e)
{
    struct session *s = session_new();
    int code = uimodel_load(&s->model, run_path, optims, e);
    if (code) {
        session_free(s);
        return code;
    }
    *out = s;
    return 0;
}

void session_free(struct session *s)
{
    if (!s)
        return;
    if (s->own && !s->joined)
        run_thread_join(&s->thread, &s->model, &s->err);
    link_close(s->link);
    disk_changes_release(&s->disk);
    uimodel_release(&s->model);
    dashboard_release(&s->dash);
    if (s->own || s->attached)
        run_thread_release(&s->thread);
    run_config_release(&s->rc);
    free(s);
}

bool session_live(const struct session *s)
{
    return s && (s->own || s->attached) && !s->joined;
}

bool session_own_live(const struct session *s)
{
    return s && s->own && !s->joined;
}

/* ---- what comes ----------------------------------------------------------------------------- */

/* A live option that was changed on another screen is changed here. */
static void follow_edits(struct session *s)
{
    char section[64], value[64];
    for (; s->log_seen < s->model.log_end; s->log_seen++) {
        const struct log_line *l = uimodel_log(&s->model, s->log_seen);
        struct err ignored = ERR_INIT;
        void *values;
        if (!l || l->kind != LOG_EDIT ||
            sscanf(l->text, "%63s %*s -> %63[^ ,]", section, value) != 2 || !strchr(section, '.'))
            continue;
        char *key = strrchr(section, '.');
        *key++ = '\0';
        const struct opt_desc *d = run_config_find(&s->rc, section, key, &values);
        if (d && d->flags & OPT_LIVE)
            opt_parse(d, values, strcmp(value, "unset") ? value : "", &ignored);
    }
}

/* The log of a run of another process is what its process says; on this screen it says this too. */
static void log_change(struct session *s, bool bad, const char *text)
{
    struct log_line l = {.time = sys_unix(), .step = s->model.st.step, .kind = bad ? LOG_WARN : LOG_INFO};
    if (s->own) {
        log_line(l.kind, "%s", text);
        return;
    }
    str_visible(l.text, sizeof l.text, text);
    hub_log(s->thread.hub, &l);
}

static bool poll_disk(struct session *s, double now)
{
    char text[LOG_TEXT];
    if (!disk_changes_poll(&s->disk, now, &s->rc))
        return false;
    bool bad = disk_changes_bad(&s->disk);
    disk_changes_say(&s->disk, text, sizeof text);
    log_change(s, bad, text);
    dashboard_say(&s->dash, bad, now, "%s", text);
    return true;
}

/* The link has ended: with the run, or because we did not keep up, or because its process is gone. */
static void after_link(struct session *s, double now)
{
    struct uimodel *m = &s->model;
    struct err ignored = ERR_INIT;
    bool over = run_state_over(m->st.state);
    link_close(s->link);
    s->link = NULL;
    if (!over && now - s->link_at < LINK_SECONDS)
        return;
    s->link_at = now;
    if (!over && rundir_in_use(m->path)) {
        link_to(s, m->path, m->reads_only, &ignored);
        return;
    }
    s->joined = true;
    if (!over) {
        m->st.state = RUN_FAILED;
        str_copy(m->st.error, sizeof m->st.error, "its process ended without a word");
    }
    m->text = m->st;
    hub_publish(s->thread.hub, &m->st);
}

static bool poll_attached(struct session *s, double now)
{
    bool ended = !s->joined && (!s->link || !link_poll(s->link, &s->model, now));
    bool changed = uimodel_poll(&s->model, s->thread.hub, now);
    if (ended)
        after_link(s, now);
    return changed || ended;
}

static bool poll_own(struct session *s, double now)
{
    if (s->joined)
        return uimodel_poll(&s->model, s->thread.hub, now);
    bool over = run_thread_over(&s->thread); /* asked before the last words are taken */
    bool changed = run_thread_poll(&s->thread, &s->model, now);
    if (atomic_load(&hub_stop_request) > 1 && !(s->stop_at > 0))
        s->stop_at = now; /* a viewer said so */
    if (over) {
        s->code = run_thread_join(&s->thread, &s->model, &s->err);
        s->joined = true;
    }
    return changed || over;
}

bool session_poll(struct session *s, double now)
{
    bool changed = false;
    if (s->own)
        changed = poll_own(s, now);
    else if (s->attached)
        changed = poll_attached(s, now);
    else
        s->model.now = now;
    if (session_live(s))
        follow_edits(s);
    if (!s->dash.nviews)
        return changed;
    if (session_live(s))
        changed |= poll_disk(s, now);
    return dashboard_poll(&s->dash, &s->model, session_live(s) ? s->thread.hub : NULL) || changed;
}

void session_fds(const struct session *s, int fds[2])
{
    fds[0] = fds[1] = -1;
    if (session_own_live(s)) {
        fds[0] = hub_wake_fd(s->thread.hub);
        fds[1] = run_thread_server_fd(&s->thread);
    } else if (session_live(s) && s->link) {
        fds[1] = link_fd(s->link);
    }
}

void session_unwatch(struct session *s)
{
    if (s->dash.nviews)
        dashboard_release(&s->dash);
    s->model.watched = false;
}

/* ---- what is asked -------------------------------------------------------------------------- */

static bool send(struct session *s, const struct command *c)
{
    s->dash.asked = true;
    return session_live(s) && !s->model.reads_only && hub_send(s->thread.hub, c) == 0;
}

bool session_send(struct session *s, enum command_kind kind)
{
    return send(s, &(struct command){.kind = kind});
}

bool session_set(struct session *s, const char *key, const char *value)
{
    struct command c = {.kind = COMMAND_SET};
    str_copy(c.key, sizeof c.key, key);
    str_copy(c.value, sizeof c.value, value);
    return send(s, &c);
}

void session_save_and_stop(struct session *s)
{
    int none = 0;
    s->stops++;
    if (s->attached)
        session_send(s, COMMAND_SAVE_AND_STOP);
    else
        atomic_compare_exchange_strong(&hub_stop_request, &none, 1);
}

void session_stop_now(struct session *s)
{
    s->stops++;
    if (s->attached) {
        session_send(s, COMMAND_STOP);
        return;
    }
    s->stop_at = sys_now();
    atomic_store(&hub_stop_request, 2);
}

bool session_overdue(const struct session *s, double now)
{
    return session_own_live(s) && s->stop_at > 0 && now - s->stop_at > HARD_STOP_SECONDS;
}
