/* Names, modes and lengths of sockets. */
#define _GNU_SOURCE 1 /* O_PATH */
#include "tui/run_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "engine/io/rundir.h"

#define WAITING 64

/* A place where the socket may be. */
struct place {
    const char *folder;
    int dir;
    char name[64];
};

static bool open_place(struct place *p)
{
    p->dir = open(p->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return p->dir >= 0;
}

static bool run_place(struct place *p, const char *run_path)
{
    *p = (struct place){.folder = run_path, .name = ".socket"};
    return open_place(p);
}

static bool runtime_place(struct place *p, const char *run_path)
{
    struct stat st, own;
    *p = (struct place){.folder = getenv("XDG_RUNTIME_DIR"), .dir = -1};
    if (!p->folder || *p->folder != '/' || stat(run_path, &st) || stat(p->folder, &own) ||
        own.st_uid != geteuid())
        return false;
    snprintf(p->name, sizeof p->name, "traintui-%llx-%llx.socket", (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    return open_place(p);
}

static bool (*const places[])(struct place *, const char *run_path) = {run_place, runtime_place};
#define PLACES (sizeof places / sizeof places[0])

/* A path that is too long for an address goes through the descriptor of its folder. */
static struct sockaddr_un address_of(const struct place *p)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int n = snprintf(a.sun_path, sizeof a.sun_path, "%s/%s", p->folder, p->name);
    if (n >= (int)sizeof a.sun_path)
        snprintf(a.sun_path, sizeof a.sun_path, "/proc/self/fd/%d/%s", p->dir, p->name);
    return a;
}

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static void remove_socket(const struct place *p)
{
    struct stat st;
    if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(st.st_mode))
        unlinkat(p->dir, p->name, 0);
}

/* The mode is that of the socket before it has a name: at no moment may another user open it. */
static int listen_at(const struct place *p)
{
    struct sockaddr_un a = address_of(p);
    int fd = new_socket();
    if (fd < 0)
        return -1;
    remove_socket(p);
    if (fchmod(fd, 0600) == 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0) {
        if (listen(fd, WAITING) == 0)
            return fd;
        remove_socket(p);
    }
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

int run_socket_listen(struct run_socket *s, const char *run_path, struct err *e)
{
    int why = ENOENT;
    *s = (struct run_socket){.fd = -1, .dir = -1};
    for (size_t i = 0; i < PLACES; i++) {
        struct place p;
        if (!places[i](&p, run_path))
            continue;
        s->fd = listen_at(&p);
        if (s->fd >= 0) {
            s->dir = p.dir;
            str_copy(s->name, sizeof s->name, p.name);
            return 0;
        }
        why = i == 0 ? errno : why;
        close(p.dir);
    }
    errno = why;
    return err_errno(e, TT_EFAIL, "attach is not possible: no socket in %s", run_path);
}

void run_socket_close(struct run_socket *s)
{
    if (s->fd < 0)
        return;
    unlinkat(s->dir, s->name, 0);
    close(s->dir);
    close(s->fd);
    s->fd = -1;
}

/* ---- reaching it ---------------------------------------------------------------------------- */

/* Others may be waiting to be let in, so many that there is no room for one more: not for long. */
static int connect_patiently(int fd, const struct sockaddr_un *a)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int i = 0; i < 300; i++, nanosleep(&pause, NULL)) {
        if (connect(fd, (const struct sockaddr *)a, sizeof *a) == 0)
            return 0;
        if (errno != EAGAIN)
            break;
    }
    return -1;
}

/* 0 connected; else why not, EPERM for a socket of another user. */
static int connect_to(const struct place *p, int *fd)
{
    struct sockaddr_un a = address_of(p);
    struct stat st;
    if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW))
        return errno;
    if (st.st_uid != geteuid())
        return EPERM;
    *fd = new_socket();
    if (*fd >= 0 && connect_patiently(*fd, &a) == 0)
        return 0;
    int why = errno;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return why;
}

static int not_going_on(const char *run_path, struct err *e)
{
    struct run_summary s;
    struct err ignored = ERR_INIT;
    bool known = rundir_read_summary(run_path, &s, &ignored) == 0;
    return err_set(e, TT_ECONFIG, "%s is not going on%s%s (traintui compare %s shows how it went)",
                   run_path, known ? ": " : "", known ? s.state : "", run_path);
}

int run_socket_connect(int *fd, const char *run_path, struct err *e)
{
    int why = ENOENT;
    *fd = -1;
    for (size_t i = 0; i < PLACES; i++) {
        struct place p;
        if (!places[i](&p, run_path))
            continue;
        int code = connect_to(&p, fd);
        close(p.dir);
        if (!code)
            return 0;
        if (i == 0 || code == EPERM)
            why = code;
    }
    if (why == EPERM || why == EACCES)
        return err_set(e, TT_ECONFIG, "%s is a run of another user", run_path);
    if (!rundir_in_use(run_path))
        return not_going_on(run_path, e);
    if (why == ENOENT || why == ECONNREFUSED)
        return err_set(e, TT_ECONFIG, "%s is going on, but made no socket to attach to (its log.txt "
                                      "says why), or it is on another machine", run_path);
    errno = why;
    return err_errno(e, TT_ECONFIG, "can't attach to %s", run_path);
}
