/* Bytes on their way to the terminal, and the pace at which it takes them. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "tui/tty_queue.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/sys.h"
#include "tui/tty.h"

#define PACE_LEAST 0.05 /* seconds; below it a link is quick */
#define PACE_MOST 2.0
#define PACE_DECAY 0.7 /* with each frame that went at once */
#define FINISH_MS 1000

bool tty_queue_open(struct tty_queue *q, int fd)
{
    int memory = memfd_create("traintui screen", MFD_CLOEXEC);
    *q = (struct tty_queue){.drawn = memory < 0 ? NULL : fdopen(memory, "w+"),
                            .fd = tty_open_own(fd)};
    if (q->drawn && q->fd >= 0)
        return true;
    if (!q->drawn && memory >= 0)
        close(memory);
    tty_queue_close(q);
    return false;
}

void tty_queue_close(struct tty_queue *q)
{
    if (q->drawn)
        fclose(q->drawn);
    if (q->fd >= 0)
        close(q->fd);
    strbuf_release(&q->waiting);
    *q = (struct tty_queue){.fd = -1};
}

/* What curses has written since. */
static void collect(struct tty_queue *q)
{
    char part[4096];
    int memory = fileno(q->drawn);
    off_t at = 0;
    for (ssize_t n; (n = pread(memory, part, sizeof part, at)) > 0; at += n)
        strbuf_add(&q->waiting, part, (size_t)n);
    if (at && ftruncate(memory, 0) == 0)
        lseek(memory, 0, SEEK_SET);
}

void tty_queue_add(struct tty_queue *q, const char *text, size_t n)
{
    collect(q);
    strbuf_add(&q->waiting, text, n);
}

static void forget(struct tty_queue *q)
{
    strbuf_clear(&q->waiting);
    q->sent = 0;
}

/* A terminal that is gone loses the rest: who reads its keys learns why. */
static void push(struct tty_queue *q)
{
    while (q->sent < q->waiting.len) {
        ssize_t n = write(q->fd, q->waiting.s + q->sent, q->waiting.len - q->sent);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0 && errno != EINTR)
            break;
        q->sent += n > 0 ? (size_t)n : 0;
        q->bytes += n > 0 ? n : 0;
    }
    forget(q);
}

/* After a frame that had to wait the link gets as long again to breathe; quick ones bring the pace
 * back. */
static void set_pace(struct tty_queue *q, bool sent, bool has_room)
{
    double now = sys_now();
    if (!has_room) {
        q->stuck_since = q->stuck_since > 0 ? q->stuck_since : now;
    } else if (q->stuck_since > 0) {
        q->pace = fmin(fmax(2 * (now - q->stuck_since), PACE_LEAST), PACE_MOST);
        q->stuck_since = 0;
    } else if (sent) {
        q->pace *= q->pace * PACE_DECAY < PACE_LEAST ? 0 : PACE_DECAY;
    }
}

bool tty_queue_send(struct tty_queue *q)
{
    int64_t before = q->bytes;
    collect(q);
    push(q);
    bool has_room = q->waiting.len == 0 && tty_writable(q->fd, 0);
    set_pace(q, q->bytes > before, has_room);
    return has_room;
}

void tty_queue_drop(struct tty_queue *q)
{
    collect(q);
    forget(q);
    tty_make_room(q->fd);
}

void tty_queue_finish(struct tty_queue *q)
{
    double until = sys_now() + 1e-3 * FINISH_MS;
    collect(q);
    for (push(q); q->waiting.len && sys_now() < until; push(q))
        tty_writable(q->fd, FINISH_MS);
}
