/* Two pipes in the place of standard output and error. */
#define _GNU_SOURCE 1 /* pipe2 */
#include "tui/capture.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/log.h"
#include "engine/base/str.h"

#define KEPT ((size_t)64 << 10) /* bytes that are printed again */

static struct stream {
    const int fd;
    const char *const name;
    int saved, from, to; /* the descriptor as it was; the ends of the pipe */
    char line[LOG_TEXT];
    size_t n;
} streams[2] = {{.fd = STDOUT_FILENO, .name = "stdout", .saved = -1, .from = -1, .to = -1},
                {.fd = STDERR_FILENO, .name = "stderr", .saved = -1, .from = -1, .to = -1}};

static struct strbuf kept;
static size_t dropped;

static int open_stream(struct stream *s, struct err *e)
{
    int ends[2];
    s->saved = fcntl(s->fd, F_DUPFD_CLOEXEC, 10);
    if (s->saved < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return err_errno(e, TT_EFAIL, "can't capture %s", s->name);
    s->from = ends[0];
    s->to = ends[1];
    dup2(s->to, s->fd);
    return 0;
}

int capture_open(struct err *e)
{
    fflush(stdout);
    fflush(stderr);
    int code = open_stream(&streams[0], e);
    if (!code)
        code = open_stream(&streams[1], e);
    if (code)
        capture_close();
    setvbuf(stdout, NULL, _IOLBF, 0);
    return code;
}

static void end_line(struct stream *s)
{
    if (!s->n)
        return;
    s->line[s->n] = 0;
    s->n = 0;
    log_line(LOG_OUT, "[%s] %s", s->name, s->line);
}

static void keep(const char *data, size_t n)
{
    size_t room = KEPT - kept.len;
    strbuf_add(&kept, data, n < room ? n : room);
    dropped += n < room ? 0 : n - room;
}

static bool drain(struct stream *s)
{
    char data[4096];
    ssize_t n;
    bool any = false;
    while (s->from >= 0 && (n = read(s->from, data, sizeof data)) > 0) {
        any = true;
        keep(data, (size_t)n);
        for (ssize_t i = 0; i < n; i++) {
            if (data[i] == '\n' || s->n == sizeof s->line - 1)
                end_line(s);
            if (data[i] != '\n')
                s->line[s->n++] = data[i];
        }
    }
    return any;
}

bool capture_read(void)
{
    bool any = drain(&streams[0]);
    return drain(&streams[1]) || any;
}

void capture_fds(int fds[2])
{
    for (int i = 0; i < 2; i++)
        fds[i] = streams[i].from;
}

static void close_stream(struct stream *s)
{
    if (s->saved < 0)
        return;
    dup2(s->saved, s->fd);
    close(s->saved);
    drain(s);
    end_line(s);
    if (s->from >= 0) {
        close(s->from);
        close(s->to);
    }
    s->saved = s->from = s->to = -1;
}

void capture_close(void)
{
    fflush(stdout);
    fflush(stderr);
    close_stream(&streams[0]);
    close_stream(&streams[1]);
}

static void write_all(const char *data, size_t n)
{
    for (ssize_t done; n && (done = write(STDERR_FILENO, data, n)) > 0; n -= (size_t)done)
        data += done;
}

void capture_replay(void)
{
    char note[80];
    if (kept.len)
        write_all(kept.s, kept.len);
    if (dropped)
        write_all(note, (size_t)snprintf(note, sizeof note, "(%zu bytes more in the log)\n", dropped));
    strbuf_release(&kept);
    dropped = 0;
}

void capture_emergency(void)
{
    char data[1024];
    ssize_t n;
    for (int i = 0; i < 2; i++)
        if (streams[i].saved >= 0)
            dup2(streams[i].saved, streams[i].fd);
    for (int i = 0; i < 2; i++)
        while (streams[i].from >= 0 && (n = read(streams[i].from, data, sizeof data)) > 0)
            write_all(data, (size_t)n);
}
