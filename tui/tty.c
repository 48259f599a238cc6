/* The terminal as a file. */
#include "tui/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define PATIENCE_MS 100 /* with a terminal that takes nothing */

FILE *tty_open(int fd)
{
    int copy = isatty(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, 10) : open("/dev/tty", O_RDWR | O_CLOEXEC);
    FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
    if (!f && copy >= 0)
        close(copy);
    return f;
}

static bool same_terminal(int a, int b)
{
    unsigned one, other;
    return ioctl(a, TIOCGDEV, &one) == 0 && ioctl(b, TIOCGDEV, &other) == 0 && one == other;
}

/* The controlling terminal may always be opened, another one only by its owner. */
int tty_open_own(int fd)
{
    const int flags = O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    char path[32];
    int own = open("/dev/tty", flags);
    if (!isatty(fd) || (own >= 0 && same_terminal(own, fd)))
        return own;
    if (own >= 0)
        close(own);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    own = open(path, flags);
    return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 10);
}

bool tty_size(int fd, int *w, int *h)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
        return false;
    *w = size.ws_col;
    *h = size.ws_row;
    return true;
}

bool tty_writable(int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, timeout_ms) == 1 && (p.revents & POLLOUT) &&
           !(p.revents & (POLLERR | POLLHUP));
}

void tty_make_room(int fd)
{
    if (!tty_writable(fd, PATIENCE_MS))
        tcflush(fd, TCOFLUSH);
}

void tty_write(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t done = write(fd, text, n);
        if (done < 0 && errno != EINTR && !(errno == EAGAIN && tty_writable(fd, PATIENCE_MS)))
            return;
        text += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
}

bool tty_gone(int fd, int read_errno)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int waiting = 0;
    if (read_errno == EIO)
        return true;
    if (poll(&p, 1, 0) != 1)
        return false;
    if (p.revents & (POLLHUP | POLLERR | POLLNVAL))
        return true;
    return (p.revents & POLLIN) && ioctl(fd, FIONREAD, &waiting) == 0 && waiting == 0;
}

void tty_add_capability(char *dst, size_t size, size_t *n, const char *text)
{
    if (!text || text == (const char *)-1)
        return;
    for (; *text && *n < size; text++) {
        if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
            text = strchr(text, '>');
        else
            dst[(*n)++] = *text;
    }
}
