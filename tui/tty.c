/* The terminal as a file. */
#include "tui/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

FILE *tty_open(int fd, const char *mode)
{
    int copy = isatty(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, 10) : open("/dev/tty", O_RDWR | O_CLOEXEC);
    FILE *f = copy < 0 ? NULL : fdopen(copy, mode);
    if (!f && copy >= 0)
        close(copy);
    return f;
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

void tty_write(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t done = write(fd, text, n);
        if (done < 0 && errno != EINTR)
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

int tty_io_open(void)
{
    return open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);
}

int64_t tty_io_written(int io)
{
    char text[256];
    ssize_t n = io >= 0 ? pread(io, text, sizeof text - 1, 0) : -1;
    if (n <= 0)
        return 0;
    text[n] = '\0';
    const char *at = strstr(text, "wchar: ");
    return at ? strtoll(at + 7, NULL, 10) : 0;
}
