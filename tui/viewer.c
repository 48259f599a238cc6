/* Bytes in, bytes out, and their limits. */
#include "tui/viewer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/train/hub.h"

#define WAITING_MOST ((size_t)8 << 20)
#define SAID_MOST ((size_t)64 << 10)
#define STALLED_SECONDS 10

struct viewer *viewer_new(int fd, int64_t id, double now)
{
    struct viewer *v = xcalloc(1, sizeof *v);
    *v = (struct viewer){.fd = fd, .id = id, .limit = WAITING_MOST, .moved_at = now};
    return v;
}

void viewer_free(struct viewer *v)
{
    close(v->fd);
    strbuf_release(&v->in);
    strbuf_release(&v->out);
    free(v);
}

void viewer_read(struct viewer *v, double now)
{
    char data[4096];
    ssize_t n;
    while (!v->gone && (n = recv(v->fd, data, sizeof data, MSG_DONTWAIT)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        v->gone = n < 0 || v->in.len + (size_t)n > SAID_MOST;
        if (v->gone)
            return;
        strbuf_add(&v->in, data, (size_t)n);
        v->moved_at = now;
    }
    v->gone = true;
}

int viewer_next(struct viewer *v, struct wire_message *m)
{
    size_t most = v->ready ? sizeof(struct command) : sizeof(struct wire_hello);
    return wire_next(v->in.s, v->in.len, most, m);
}

void viewer_done(struct viewer *v, const struct wire_message *m)
{
    v->in.len -= m->total;
    memmove(v->in.s, v->in.s + m->total, v->in.len);
}

size_t viewer_waiting(const struct viewer *v)
{
    return v->out.len - v->sent;
}

/* The memory of a large message is not kept for small ones. */
static void forget_sent(struct viewer *v)
{
    if (viewer_waiting(v)) {
        if (v->sent < v->out.len / 2)
            return;
        memmove(v->out.s, v->out.s + v->sent, viewer_waiting(v));
        v->out.len -= v->sent;
    } else if (v->out.cap > SAID_MOST) {
        strbuf_release(&v->out);
    } else {
        strbuf_clear(&v->out);
    }
    v->sent = 0;
}

void viewer_write(struct viewer *v, double now)
{
    while (!v->gone && viewer_waiting(v)) {
        ssize_t n = send(v->fd, v->out.s + v->sent, viewer_waiting(v), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        v->gone = n < 0;
        v->sent += n > 0 ? (size_t)n : 0;
        v->moved_at = now;
    }
    bool stalled = viewer_waiting(v) && now - v->moved_at > STALLED_SECONDS;
    v->gone |= stalled || viewer_waiting(v) > v->limit || (v->leaving && !viewer_waiting(v));
    v->gone |= !v->ready && now - v->moved_at > STALLED_SECONDS;
    forget_sent(v);
}
