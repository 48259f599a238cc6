/* Reading on where the last look ended. The file is opened for each look: a resume puts another one
 * in its place. */
#include "engine/io/follow.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/mem.h"

#define CHUNK ((size_t)1 << 16)

enum follow_news follow_look(struct follow *f)
{
    struct stat st;
    if (stat(f->path, &st))
        return FOLLOW_SAME;
    int64_t mtime = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    bool seen = f->ino || f->dev;
    bool other = seen && (st.st_ino != f->ino || st.st_dev != f->dev || st.st_size < f->at);
    bool same = seen && !other && st.st_size == f->size && mtime == f->mtime_ns;
    if (other)
        f->at = 0;
    f->dev = st.st_dev;
    f->ino = st.st_ino;
    f->size = st.st_size;
    f->mtime_ns = mtime;
    return other ? FOLLOW_ANEW : same ? FOLLOW_SAME : FOLLOW_MORE;
}

/* Lines of the n bytes read; returns the bytes that were whole lines. */
static size_t hand_over(char *text, size_t n, void (*line)(void *user, char *text, size_t n),
                        void *user)
{
    size_t done = 0;
    for (char *end; (end = memchr(text + done, '\n', n - done)); done = (size_t)(end - text) + 1) {
        *end = '\0';
        line(user, text + done, (size_t)(end - text) - done);
    }
    return done;
}

int follow_read(struct follow *f, int64_t most, void (*line)(void *user, char *text, size_t n),
                void *user, struct err *e)
{
    int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(e, TT_EDATA, "can't read %s", f->path);
    char *text = xmalloc(CHUNK);
    int64_t stop = f->at + most;
    ssize_t n;
    int code = 0;
    while (!code && (n = pread(fd, text, CHUNK, f->at)) != 0) {
        if (n < 0) {
            code = err_errno(e, TT_EDATA, "can't read %s", f->path);
            break;
        }
        size_t done = hand_over(text, (size_t)n, line, user);
        if (!done && (size_t)n < CHUNK)
            break; /* a line that is not whole yet */
        f->at += done ? (int64_t)done : n;
        code = f->at >= stop;
    }
    free(text);
    close(fd);
    return code;
}
