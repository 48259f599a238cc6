/* The viewer's end of the socket. */
#include "tui/link.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/train/inspect.h"
#include "tui/run_socket.h"
#include "tui/snapshot.h"

#define ANSWER_SECONDS 3
#define SAMPLES_A_TURN 32768 /* half of what the hub holds; the log likewise */
#define LINES_A_TURN 256
#define READ_A_TURN ((size_t)4 << 20)
#define SAID_MOST ((size_t)64 << 10)

struct link {
    int fd;
    struct hub *hub;
    struct strbuf in, out;
    size_t used, sent;  /* of in, of out */
    bool reads_only, ready;
    bool closed;        /* there is nothing more to receive */
    bool waiting;       /* what was received is for another turn */
    int samples, lines; /* handed on in this turn */
    struct eval_report *report;
    struct err err;     /* why there is no point in going on; code 0: there is one */
};

/* ---- bytes ---------------------------------------------------------------------------------- */

static void receive(struct link *l)
{
    char data[65536];
    size_t got = 0;
    while (!l->closed && got < READ_A_TURN) {
        ssize_t n = recv(l->fd, data, sizeof data, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        l->closed = n <= 0;
        if (n > 0)
            strbuf_add(&l->in, data, (size_t)n);
        got += n > 0 ? (size_t)n : 0;
    }
}

static void transmit(struct link *l)
{
    while (l->sent < l->out.len) {
        ssize_t n = send(l->fd, l->out.s + l->sent, l->out.len - l->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return; /* later; the end shows in what is received */
        l->sent += (size_t)n;
    }
    strbuf_clear(&l->out);
    l->sent = 0;
}

static void forget_used(struct link *l)
{
    if (!l->used || l->used < l->in.len / 2)
        return;
    memmove(l->in.s, l->in.s + l->used, l->in.len - l->used);
    l->in.len -= l->used;
    l->used = 0;
}

/* ---- messages ------------------------------------------------------------------------------- */

static int malformed(struct link *l)
{
    return err_set(&l->err, TT_EDATA, "the run sent a message that makes no sense");
}

static int take_hello(struct link *l, const struct wire_message *msg, struct uimodel *m)
{
    struct wire_hello hello;
    char why[256];
    if (!wire_take(msg, &hello, sizeof hello))
        return malformed(l);
    hello.program[sizeof hello.program - 1] = hello.host[sizeof hello.host - 1] = 0;
    if (!wire_understands(&hello, why, sizeof why))
        return err_set(&l->err, TT_ECONFIG, "%s", why);
    m->pid = hello.pid;
    str_copy(m->host, sizeof m->host, hello.host);
    return 0;
}

static int take_refusal(struct link *l, const struct wire_message *msg)
{
    char why[256];
    snprintf(why, sizeof why, "%.*s", (int)(msg->size < 250 ? msg->size : 250), msg->data);
    return err_set(&l->err, TT_ECONFIG, "%s", why);
}

static int take_samples(struct link *l, const struct wire_message *msg)
{
    struct sample s;
    if (msg->size % sizeof s)
        return malformed(l);
    for (size_t i = 0; i < msg->size; i += sizeof s) {
        memcpy(&s, msg->data + i, sizeof s);
        if (s.series < 0 || s.series >= SERIES_COUNT)
            return malformed(l);
        hub_sample(l->hub, &s);
        l->samples++;
    }
    return 0;
}

static int take_log(struct link *l, const struct wire_message *msg)
{
    struct log_line line;
    if (msg->size % sizeof line)
        return malformed(l);
    for (size_t i = 0; i < msg->size; i += sizeof line, l->lines++) {
        memcpy(&line, msg->data + i, sizeof line);
        hub_log(l->hub, &line);
    }
    return 0;
}

static int take_report(struct link *l, const struct wire_message *msg)
{
    bool first = !l->report;
    int code = snapshot_take_report(&l->report, msg, &l->err);
    if (code)
        return code;
    if (first)
        hub_report_init(l->hub, l->report);
    hub_report(l->hub, l->report);
    return 0;
}

static int take_status(struct link *l, const struct wire_message *msg)
{
    struct run_status s;
    if (!wire_take(msg, &s, sizeof s))
        return malformed(l);
    hub_publish(l->hub, &s);
    return 0;
}

static int take_inspect(struct link *l, const struct wire_message *msg)
{
    struct inspect_report r;
    if (!wire_take(msg, &r, sizeof r))
        return malformed(l);
    hub_inspect(l->hub, &r);
    return 0;
}

static int take_pulse(struct link *l, const struct wire_message *msg, struct uimodel *m)
{
    struct wire_pulse p;
    if (!wire_take(msg, &p, sizeof p))
        return malformed(l);
    m->viewers = p.viewers;
    return 0;
}

/* Of the present. */
static int take(struct link *l, const struct wire_message *msg, struct uimodel *m)
{
    switch (msg->kind) {
    case WIRE_SAMPLES: return take_samples(l, msg);
    case WIRE_LOG: return take_log(l, msg);
    case WIRE_REPORT: return take_report(l, msg);
    case WIRE_STATUS: return take_status(l, msg);
    case WIRE_INSPECT: return take_inspect(l, msg);
    case WIRE_PULSE: return take_pulse(l, msg, m);
    default: return malformed(l);
    }
}

/* Of the past, whose end makes the hub one of a run under way. */
static int take_past(struct link *l, const struct wire_message *msg, struct uimodel *m)
{
    switch (msg->kind) {
    case WIRE_HELLO: return take_hello(l, msg, m);
    case WIRE_REFUSED: return take_refusal(l, msg);
    case WIRE_READY:
        l->ready = true;
        hub_publish(l->hub, &m->st);
        return 0;
    case WIRE_REPORT: {
        int code = take_report(l, msg);
        return code ? code : snapshot_take(m, msg, &l->err);
    }
    default: return snapshot_take(m, msg, &l->err);
    }
}

/* The messages that are whole, as many as the hub surely has room for. */
static void take_all(struct link *l, struct uimodel *m)
{
    struct wire_message msg;
    int got = 0;
    l->samples = l->lines = 0;
    l->waiting = false;
    while (!l->err.code && !l->waiting &&
           (got = wire_next(l->in.s + l->used, l->in.len - l->used, WIRE_MOST, &msg)) > 0) {
        (void)(l->ready ? take(l, &msg, m) : take_past(l, &msg, m));
        l->used += msg.total;
        l->waiting = l->samples >= SAMPLES_A_TURN || l->lines >= LINES_A_TURN;
    }
    if (got < 0)
        malformed(l);
    forget_used(l);
}

static void hand_on(struct link *l)
{
    struct command c;
    while (l->out.len - l->sent < SAID_MOST / 2 && hub_receive(l->hub, &c))
        if (!l->reads_only || c.kind == COMMAND_INSPECT)
            wire_put(&l->out, WIRE_COMMAND, &c, sizeof c);
    transmit(l);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Until the past is known: the only wait, and a short one. */
static int wait_for_past(struct link *l, struct uimodel *m, const char *run_path, struct err *e)
{
    double until = sys_now() + ANSWER_SECONDS, left;
    while (!l->ready && !l->closed && !l->err.code && (left = until - sys_now()) > 0) {
        struct pollfd p = {.fd = l->fd, .events = POLLIN};
        poll(&p, 1, (int)ceil(1000 * left));
        receive(l);
        take_all(l, m);
    }
    if (l->ready)
        return 0;
    if (l->err.code)
        return err_set(e, TT_ECONFIG, "can't attach to %s: %s", run_path, l->err.msg);
    return err_set(e, TT_ECONFIG, "can't attach to %s: %s", run_path,
                   l->closed ? "it closed the connection" : "it does not answer (its process is stopped?)");
}

int link_open(struct link **out, const char *run_path, bool reads_only, struct uimodel *m,
              struct hub *hub, struct err *e)
{
    struct wire_hello hello;
    struct link *l = xcalloc(1, sizeof *l);
    *l = (struct link){.hub = hub, .reads_only = reads_only};
    int code = run_socket_connect(&l->fd, run_path, e);
    if (!code) {
        wire_hello(&hello, reads_only);
        wire_put(&l->out, WIRE_HELLO, &hello, sizeof hello);
        transmit(l);
        code = wait_for_past(l, m, run_path, e);
    }
    if (code) {
        link_close(l);
        return code;
    }
    m->attached = true;
    m->reads_only = reads_only;
    m->heard_at = sys_now();
    *out = l;
    return 0;
}

int link_fd(const struct link *l)
{
    return l->fd;
}

bool link_poll(struct link *l, struct uimodel *m, double now)
{
    size_t had = l->in.len;
    hand_on(l);
    receive(l);
    if (l->in.len > had)
        m->heard_at = now;
    take_all(l, m);
    return !l->err.code && (!l->closed || l->waiting);
}

void link_close(struct link *l)
{
    if (!l)
        return;
    if (l->fd >= 0)
        close(l->fd);
    strbuf_release(&l->in);
    strbuf_release(&l->out);
    eval_report_free(l->report);
    free(l);
}
