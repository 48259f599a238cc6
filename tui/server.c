/* DESIGN. The tap of the hub appends what is taken out of it to `fresh`, once, as messages. At each poll
 * `fresh` goes to the viewers that know the past, then new ones get the past as the model has it: what
 * the model took came through the tap, so for each of them the two join without gap or repetition. */
#define _GNU_SOURCE 1 /* accept4, struct ucred */
#include "tui/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/train/inspect.h"
#include "tui/run_socket.h"
#include "tui/snapshot.h"
#include "tui/viewer.h"

#define STATUS_SECONDS 0.1
#define PULSE_SECONDS 1
#define LAST_WORDS_SECONDS 0.3

struct server {
    struct run_socket socket;
    struct hub *hub;
    int epoll;
    bool deaf;         /* no descriptor for one more viewer */
    struct viewer **viewer;
    size_t n, cap;
    size_t ready;      /* viewers that are */
    int64_t last_id;
    struct strbuf fresh;
    struct run_status told; /* newest status sent */
    double status_at, pulse_at;
    int pulsed;        /* viewers as last told */
    int64_t inspects;  /* seen */
};

static void take_item(void *user, enum hub_item item, const void *what, int n)
{
    struct server *s = user;
    if (!s->ready)
        return;
    switch (item) {
    case HUB_SAMPLES:
        wire_put(&s->fresh, WIRE_SAMPLES, what, (size_t)n * sizeof(struct sample));
        break;
    case HUB_LOGS:
        wire_put(&s->fresh, WIRE_LOG, what, (size_t)n * sizeof(struct log_line));
        break;
    case HUB_REPORT:
        snapshot_put_report(&s->fresh, what);
        break;
    }
}

static void listen_for(struct server *s, bool on)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(s->epoll, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, s->socket.fd, &ev);
    s->deaf = !on;
}

struct server *server_open(const char *run_path, struct hub *hub, struct err *e)
{
    struct server *s = xcalloc(1, sizeof *s);
    s->epoll = -1;
    int code = run_socket_listen(&s->socket, run_path, e);
    if (!code && (s->epoll = epoll_create1(EPOLL_CLOEXEC)) < 0)
        code = err_errno(e, TT_EFAIL, "attach is not possible: no epoll");
    if (code) {
        run_socket_close(&s->socket);
        free(s);
        return NULL;
    }
    s->hub = hub;
    listen_for(s, true);
    hub_set_tap(hub, take_item, s);
    return s;
}

int server_fd(const struct server *s)
{
    return s->epoll;
}

/* ---- who comes ------------------------------------------------------------------------------ */

static void refuse(struct viewer *v, const char *why)
{
    wire_put(&v->out, WIRE_REFUSED, why, strlen(why));
    v->leaving = true;
}

static void welcome(struct server *s, int fd, double now)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    struct wire_hello hello;
    struct viewer *v = viewer_new(fd, ++s->last_id, now);
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = v};
    s->viewer = xgrow(s->viewer, &s->cap, s->n + 1, sizeof(struct viewer *));
    s->viewer[s->n++] = v;
    epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid()) {
        refuse(v, "it is a run of another user");
        return;
    }
    wire_hello(&hello, false);
    wire_put(&v->out, WIRE_HELLO, &hello, sizeof hello);
}

static void let_in(struct server *s, double now)
{
    int fd;
    while ((fd = accept4(s->socket.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
        welcome(s, fd, now);
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
        listen_for(s, false);
}

/* ---- what they say -------------------------------------------------------------------------- */

static void greet(struct viewer *v, const struct wire_message *m, const struct uimodel *model)
{
    struct wire_hello hello;
    char why[256];
    if (m->kind != WIRE_HELLO || !wire_take(m, &hello, sizeof hello)) {
        v->gone = true;
        return;
    }
    hello.program[sizeof hello.program - 1] = 0;
    if (!wire_understands(&hello, why, sizeof why)) { /* it has our hello, and says so itself */
        v->leaving = true;
        return;
    }
    v->reads_only = hello.reads_only;
    v->ready = true;
    snapshot_put(&v->out, model);
    v->limit += viewer_waiting(v);
}

/* As the signals of this process do: a step that takes long is left, too. */
static void ask_to_stop(int level)
{
    int now = atomic_load(&hub_stop_request);
    while (now < level && !atomic_compare_exchange_weak(&hub_stop_request, &now, level))
        ;
}

/* False: the run is too busy to take it now. */
static bool obey(struct server *s, struct viewer *v, const struct wire_message *m)
{
    struct command c;
    if (m->kind != WIRE_COMMAND || !wire_take(m, &c, sizeof c) || (unsigned)c.kind > COMMAND_INSPECT) {
        v->gone = true;
        return false;
    }
    c.key[sizeof c.key - 1] = 0;
    c.value[sizeof c.value - 1] = 0;
    c.asker = v->id;
    if (v->reads_only && c.kind != COMMAND_INSPECT)
        return true;
    if (c.kind == COMMAND_SAVE_AND_STOP || c.kind == COMMAND_STOP)
        ask_to_stop(c.kind == COMMAND_STOP ? 2 : 1);
    return hub_send(s->hub, &c) == 0;
}

static void listen_to(struct server *s, struct viewer *v, const struct uimodel *model, double now)
{
    struct wire_message m;
    int got;
    viewer_read(v, now);
    while (!v->leaving && (got = viewer_next(v, &m)) != 0) {
        if (got < 0) {
            v->gone = true;
            return;
        }
        if (!v->ready)
            greet(v, &m, model);
        else if (!obey(s, v, &m))
            return;
        viewer_done(v, &m);
    }
}

/* ---- what they are told --------------------------------------------------------------------- */

static void tell(struct server *s, enum wire_kind kind, const void *what, size_t size)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->viewer[i]->ready)
            wire_put(&s->viewer[i]->out, kind, what, size);
}

static void tell_fresh(struct server *s)
{
    if (!s->fresh.len)
        return;
    for (size_t i = 0; i < s->n; i++)
        if (s->viewer[i]->ready)
            strbuf_add(&s->viewer[i]->out, s->fresh.s, s->fresh.len);
    strbuf_clear(&s->fresh);
}

static void tell_answers(struct server *s)
{
    struct inspect_report r;
    while (hub_inspect_get(s->hub, &s->inspects, &r))
        for (size_t i = 0; i < s->n; i++)
            if (s->viewer[i]->ready && s->viewer[i]->id == r.of.asker) {
                r.of.asker = 0;
                wire_put(&s->viewer[i]->out, WIRE_INSPECT, &r, sizeof r);
                break;
            }
}

static void tell_status(struct server *s, const struct run_status *st, double now)
{
    if (st->state == s->told.state && now - s->status_at < STATUS_SECONDS)
        return;
    s->status_at = now;
    if (!memcmp(st, &s->told, sizeof *st))
        return;
    s->told = *st;
    tell(s, WIRE_STATUS, st, sizeof *st);
}

/* Once a second, that the run is alive; at once, that there is one screen more or less. */
static void tell_pulse(struct server *s, struct uimodel *m, double now)
{
    m->viewers = (int)s->ready + m->watched;
    if (m->viewers == s->pulsed && now - s->pulse_at < PULSE_SECONDS)
        return;
    struct wire_pulse pulse = {.viewers = m->viewers};
    s->pulsed = m->viewers;
    s->pulse_at = now;
    tell(s, WIRE_PULSE, &pulse, sizeof pulse);
    if (s->deaf && s->socket.fd >= 0)
        listen_for(s, true);
}

/* ---- the turn ------------------------------------------------------------------------------- */

/* Drop those that are gone; ask to be woken for those with something left to be told. */
static void look_after(struct server *s)
{
    size_t kept = 0;
    s->ready = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct viewer *v = s->viewer[i];
        struct epoll_event ev = {.events = EPOLLIN | (viewer_waiting(v) ? EPOLLOUT : 0), .data.ptr = v};
        if (v->gone) {
            viewer_free(v);
            continue;
        }
        epoll_ctl(s->epoll, EPOLL_CTL_MOD, v->fd, &ev);
        s->viewer[kept++] = v;
        s->ready += v->ready;
    }
    s->n = kept;
}

void server_poll(struct server *s, struct uimodel *m, double now)
{
    tell_fresh(s);
    tell_answers(s);
    tell_status(s, &m->st, now);
    if (!s->deaf)
        let_in(s, now);
    for (size_t i = 0; i < s->n; i++)
        listen_to(s, s->viewer[i], m, now);
    tell_pulse(s, m, now);
    for (size_t i = 0; i < s->n; i++)
        viewer_write(s->viewer[i], now);
    look_after(s);
}

static bool all_told(const struct server *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (viewer_waiting(s->viewer[i]))
            return false;
    return true;
}

void server_close(struct server *s, struct uimodel *m)
{
    if (!s)
        return;
    double until = sys_now() + LAST_WORDS_SECONDS;
    struct epoll_event any;
    run_socket_close(&s->socket);
    s->deaf = true;
    s->status_at = 0;
    do
        server_poll(s, m, sys_now());
    while (!all_told(s) && sys_now() < until && epoll_wait(s->epoll, &any, 1, 20) >= 0);
    hub_set_tap(s->hub, NULL, NULL);
    for (size_t i = 0; i < s->n; i++)
        viewer_free(s->viewer[i]);
    close(s->epoll);
    strbuf_release(&s->fresh);
    free(s->viewer);
    free(s);
}
