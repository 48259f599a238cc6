/* Files written whole or not at all, and files that grow by lines. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/base/die.h"
#include "engine/base/file.h"
#include "engine/base/file_ops.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

#define BUFFER 65536

static int no_write(const char *path, struct err *e)
{
    return err_errno(e, TT_EFAIL, "can't write %s", path);
}

/* Write everything; false with errno when that was not possible. */
static bool write_fully(int fd, const unsigned char *data, size_t n)
{
    while (n) {
        struct iovec part = {.iov_base = (void *)data, .iov_len = n};
        ssize_t done = op_writev(fd, &part, 1);
        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            data += done;
            n -= (size_t)done;
        }
    }
    return true;
}

/* A name nobody else has, in the folder of `path`, whatever the length of its own name. */
static int open_temp(struct outfile *f)
{
    static atomic_uint serial;
    char *dir = file_dir(f->path);
    do {
        free(f->temp);
        f->temp = xasprintf("%s/.tmp-%ld-%u", dir, (long)getpid(), atomic_fetch_add(&serial, 1));
        f->fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (f->fd < 0 && errno == EEXIST);
    free(dir);
    return f->fd;
}

static void release(struct outfile *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->path);
    free(f->temp);
    free(f->buf);
    f->fd = -1;
    f->path = f->temp = NULL;
    f->buf = NULL;
}

int file_create(struct outfile *f, const char *path, struct err *e)
{
    *f = (struct outfile){.fd = -1, .path = xstrdup(path)};
    if (open_temp(f) < 0) {
        no_write(path, e);
        release(f);
        return TT_EFAIL;
    }
    struct stat old;
    if (stat(path, &old) == 0 && S_ISREG(old.st_mode) && fchmod(f->fd, old.st_mode & 07777) != 0) {
        no_write(path, e);
        file_abort(f);
        return TT_EFAIL;
    }
    f->buf = xmalloc(BUFFER);
    return 0;
}

static void flush(struct outfile *f)
{
    if (!f->err.code && !write_fully(f->fd, f->buf, f->used))
        no_write(f->path, &f->err);
    f->used = 0;
}

void file_write(struct outfile *f, const void *data, size_t n)
{
    if (f->err.code)
        return;
    f->size += (int64_t)n;
    if (f->used + n > BUFFER)
        flush(f);
    if (n <= BUFFER) {
        memcpy(f->buf + f->used, data, n);
        f->used += n;
    } else if (!f->err.code && !write_fully(f->fd, data, n)) {
        no_write(f->path, &f->err);
    }
}

void file_printf(struct outfile *f, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    BUG_ON(n < 0);
    if ((size_t)n < sizeof text) {
        file_write(f, text, (size_t)n);
        return;
    }
    char *longer = xmalloc((size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(longer, (size_t)n + 1, fmt, ap);
    va_end(ap);
    file_write(f, longer, (size_t)n);
    free(longer);
}

int file_commit(struct outfile *f, struct err *e)
{
    flush(f);
    if (!f->err.code && op_fsync(f->fd) != 0)
        no_write(f->path, &f->err);
    int closed = close(f->fd);
    f->fd = -1;
    if (!f->err.code && closed != 0)
        no_write(f->path, &f->err);
    if (!f->err.code && op_rename(f->temp, f->path) != 0)
        no_write(f->path, &f->err);
    if (f->err.code) {
        int code = err_set(e, f->err.code, "%s", f->err.msg);
        file_abort(f);
        return code;
    }
    char *dir = file_dir(f->path);
    int rc = file_sync_dir(dir, e);
    free(dir);
    release(f);
    return rc;
}

void file_abort(struct outfile *f)
{
    if (f->temp)
        unlink(f->temp);
    release(f);
}

int file_write_all(const char *path, const void *data, size_t n, struct err *e)
{
    struct outfile f;
    int rc = file_create(&f, path, e);
    if (rc)
        return rc;
    file_write(&f, data, n);
    return file_commit(&f, e);
}

int appender_open(struct appender *a, const char *path, struct err *e)
{
    *a = (struct appender){.fd = -1};
    if (strlen(path) >= sizeof a->path)
        return err_set(e, TT_EFAIL, "path of %zu bytes (at most %zu)", strlen(path),
                       sizeof a->path - 1);
    str_copy(a->path, sizeof a->path, path);
    a->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return a->fd < 0 ? no_write(path, e) : 0;
}

/* A line that was cut short, on a full disk, is taken back: half a line helps nobody. */
static void take_back(int fd, size_t n)
{
    struct stat st;
    if (n && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        (void)!ftruncate(fd, st.st_size - (off_t)n);
}

/* Past `n` bytes that are written; the number of parts that are left. */
static int advance(struct iovec **part, int parts, size_t n)
{
    for (; parts && n >= (*part)->iov_len; parts--, ++*part)
        n -= (*part)->iov_len;
    if (parts) {
        (*part)->iov_base = (char *)(*part)->iov_base + n;
        (*part)->iov_len -= n;
    }
    return parts;
}

static void append(struct appender *a, struct iovec *part, int parts)
{
    size_t written = 0;
    if (a->fd < 0)
        return;
    while (parts) {
        ssize_t done = op_writev(a->fd, part, parts);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            break;
        written += (size_t)done;
        parts = advance(&part, parts, (size_t)done);
    }
    if (!parts)
        return;
    int why = errno;
    take_back(a->fd, written);
    errno = why;
    if (!a->err.code)
        no_write(a->path, &a->err);
}

void appender_line(struct appender *a, const char *text, size_t n)
{
    struct iovec part[] = {{.iov_base = (void *)text, .iov_len = n},
                           {.iov_base = (void *)"\n", .iov_len = 1}};
    append(a, part, 2);
}

void appender_bytes(struct appender *a, const void *data, size_t n)
{
    struct iovec part = {.iov_base = (void *)data, .iov_len = n};
    append(a, &part, 1);
}

int appender_error(struct appender *a, struct err *e)
{
    if (!a->err.code || a->told)
        return 0;
    a->told = true;
    return err_set(e, a->err.code, "%s", a->err.msg);
}

void appender_close(struct appender *a)
{
    if (a->fd >= 0 && close(a->fd) != 0 && !a->err.code)
        no_write(a->path, &a->err);
    a->fd = -1;
}
