/* A run and what the console keeps of it: its thread, its model, its dashboard. */
#include "tui/session.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"

#define HARD_STOP_SECONDS 0.5

static struct session *session_new(void)
{
    struct session *s = xcalloc(1, sizeof *s);
    uimodel_init(&s->model);
    dashboard_init(&s->dash);
    return s;
}

static int copy_config(struct run_config *dst, const struct run_config *src, struct err *e)
{
    struct ini ini;
    ini_copy(&ini, &src->ini);
    return run_config_resolve(dst, &ini, src->optims, e);
}

int session_start(struct session **out, const struct run_config *rc, const char *resume,
                  const struct memory_plan *plan, const struct dataset *train, struct err *e)
{
    struct session *s = session_new();
    int code = copy_config(&s->rc, rc, e);
    if (!code && !(code = run_thread_build(&s->thread, &s->rc, resume, e))) {
        str_copy(s->model.path, sizeof s->model.path, trainer_run_path(s->thread.trainer));
        uimodel_start(&s->model, &s->rc, plan, train);
        struct err unread = ERR_INIT; /* then the curves begin where the run goes on */
        if (resume)
            uimodel_read_series(&s->model, s->model.path, &unread);
        code = run_thread_go(&s->thread, e);
    }
    if (code) {
        session_free(s);
        return code;
    }
    s->own = true;
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
        run_thread_join(&s->thread, &s->err);
    uimodel_release(&s->model);
    dashboard_release(&s->dash);
    if (s->own)
        run_thread_release(&s->thread);
    run_config_release(&s->rc);
    free(s);
}

bool session_live(const struct session *s)
{
    return s && s->own && !s->joined;
}

bool session_poll(struct session *s, double now)
{
    if (!s->own) {
        s->model.now = now;
        return dashboard_poll(&s->dash, &s->model, NULL);
    }
    bool over = !s->joined && run_thread_over(&s->thread); /* asked before the last words are taken */
    bool changed = uimodel_poll(&s->model, s->thread.hub, now);
    if (over) {
        s->code = run_thread_join(&s->thread, &s->err);
        s->joined = true;
    }
    changed |= dashboard_poll(&s->dash, &s->model, s->joined ? NULL : s->thread.hub);
    return changed || over;
}

static bool send(struct session *s, const struct command *c)
{
    return session_live(s) && hub_send(s->thread.hub, c) == 0;
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
    atomic_compare_exchange_strong(&hub_stop_request, &none, 1);
}

void session_stop_now(struct session *s)
{
    s->stops++;
    s->stop_at = sys_now();
    atomic_store(&hub_stop_request, 2);
}

bool session_overdue(const struct session *s, double now)
{
    return session_live(s) && s->stop_at > 0 && now - s->stop_at > HARD_STOP_SECONDS;
}
