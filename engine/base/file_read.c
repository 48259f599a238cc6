/* Whole files into memory, plain or gzip. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/base/sys.h"

#define LARGE ((size_t)64 << 20) /* bytes from which memory may not be there for more */

static ssize_t read_some(int fd, void *dst, size_t n)
{
    ssize_t got;
    do
        got = read(fd, dst, n);
    while (got < 0 && errno == EINTR);
    return got;
}

static int is_folder(const char *path, struct err *e)
{
    return err_set(e, TT_EDATA, "%s: is a folder (a file)", path);
}

static int too_large(const char *path, size_t limit, struct err *e)
{
    char most[32];
    str_bytes(most, sizeof most, (double)limit);
    return err_set(e, TT_EDATA, "%s: too large (at most %s)", path, most);
}

/* A device may have no end, but for the empty one. */
static bool is_device(const struct stat *st)
{
    return S_ISBLK(st->st_mode) || (S_ISCHR(st->st_mode) && st->st_rdev != makedev(1, 3));
}

/* The descriptor, or a negative code. O_NONBLOCK for the open alone: a pipe that nobody writes to
 * must not hold us up. */
static int open_file(const char *path, struct stat *st, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_errno(e, TT_EDATA, "can't open %s", path);
    int rc = 0;
    if (fstat(fd, st) != 0 || fcntl(fd, F_SETFL, 0) != 0)
        rc = err_errno(e, TT_EDATA, "can't open %s", path);
    else if (S_ISDIR(st->st_mode))
        rc = is_folder(path, e);
    else if (is_device(st))
        rc = err_set(e, TT_EDATA, "%s: is a device (a file or a pipe)", path);
    if (rc) {
        close(fd);
        return rc;
    }
    return fd;
}

/* Room for at least one byte and the final NUL behind what is there. */
static size_t make_room(struct strbuf *b)
{
    b->s = xgrow(b->s, &b->cap, b->len + 2, 1);
    return b->cap - b->len - 1;
}

/* A pipe or packed data may hold more than there is memory for: then the kernel ends somebody. */
static int check_memory(const struct strbuf *b, const char *path, struct err *e)
{
    char have[32], left[32];
    int64_t free_bytes;
    if (b->len + 2 <= b->cap || b->cap < LARGE || (free_bytes = sys_mem_free()) > (int64_t)b->cap)
        return 0;
    return err_set(e, TT_ERESOURCE, "%s: no memory for more than the first %s of it, %s are free", path,
                   str_bytes(have, sizeof have, (double)b->len),
                   str_bytes(left, sizeof left, (double)free_bytes));
}

static int read_to_end(int fd, const char *path, size_t limit, struct strbuf *b, struct err *e)
{
    for (;;) {
        int rc = check_memory(b, path, e);
        if (rc)
            return rc;
        size_t room = make_room(b);
        ssize_t got = read_some(fd, b->s + b->len, room);
        if (got < 0)
            return err_errno(e, TT_EDATA, "can't read %s", path);
        b->len += (size_t)got;
        if (b->len > limit)
            return too_large(path, limit, e);
        if (got == 0)
            return 0;
    }
}

static void hand_over(struct strbuf *b, char **data, size_t *n)
{
    make_room(b);
    b->s[b->len] = '\0';
    *n = b->len;
    *data = strbuf_take(b);
}

int file_read(const char *path, size_t limit, char **data, size_t *n, struct err *e)
{
    struct stat st;
    int fd = open_file(path, &st, e);
    if (fd < 0)
        return fd;

    struct strbuf b = STRBUF_INIT;
    int rc;
    if (st.st_size > 0 && (uint64_t)st.st_size > limit) {
        rc = too_large(path, limit, e);
    } else {
        b.s = xgrow(b.s, &b.cap, (size_t)st.st_size + 2, 1);
        rc = read_to_end(fd, path, limit, &b, e);
    }
    close(fd);
    if (rc == 0)
        hand_over(&b, data, n);
    strbuf_release(&b);
    return rc;
}

/* One gzip member that fills the whole file; the output is cut off as soon as it passes `limit`. */
static int inflate_all(z_stream *z, const char *path, size_t n, size_t limit, struct strbuf *b,
                       struct err *e)
{
    const size_t piece = 1 << 30; /* zlib counts in unsigned int */
    int state = Z_OK;
    while (state != Z_STREAM_END) {
        int rc = check_memory(b, path, e);
        if (rc)
            return rc;
        size_t rest = n - z->total_in, room = make_room(b);
        z->avail_in = (uInt)(rest < piece ? rest : piece);
        z->avail_out = (uInt)(room < piece ? room : piece);
        z->next_out = (Bytef *)b->s + b->len;
        size_t before = z->avail_out;
        state = inflate(z, Z_NO_FLUSH);
        b->len += before - z->avail_out;
        if (b->len > limit)
            return too_large(path, limit, e);
        if (state == Z_BUF_ERROR || (state == Z_OK && rest == 0 && z->avail_out))
            return err_set(e, TT_EDATA, "%s: the gzip data ends too early", path);
        if (state != Z_OK && state != Z_STREAM_END)
            return err_set(e, TT_EDATA, "%s: broken gzip data: %s", path,
                           z->msg ? z->msg : zError(state));
    }
    if (z->total_in != n)
        return err_set(e, TT_EDATA, "%s: %zu bytes after the end of the gzip data (none)", path,
                       (size_t)(n - z->total_in));
    return 0;
}

int file_read_gz(const char *path, size_t limit, char **data, size_t *n, struct err *e)
{
    char *raw;
    size_t size;
    int rc = file_read(path, limit, &raw, &size, e);
    if (rc)
        return rc;
    if (size < 2 || (unsigned char)raw[0] != 0x1f || (unsigned char)raw[1] != 0x8b) {
        *data = raw;
        *n = size;
        return 0;
    }

    struct strbuf b = STRBUF_INIT;
    z_stream z = {.next_in = (Bytef *)raw};
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) {
        rc = err_set(e, TT_ERESOURCE, "%s: no memory to read gzip", path);
    } else {
        rc = inflate_all(&z, path, size, limit, &b, e);
        inflateEnd(&z);
    }
    if (rc == 0)
        hand_over(&b, data, n);
    strbuf_release(&b);
    free(raw);
    return rc;
}

int file_checksum(const char *path, uint64_t *sum, struct err *e)
{
    struct stat st;
    *sum = 0;
    int fd = open_file(path, &st, e);
    if (fd < 0)
        return fd;
    unsigned char chunk[65536];
    uint64_t hash = 0xcbf29ce484222325u;
    ssize_t got;
    while ((got = read_some(fd, chunk, sizeof chunk)) > 0)
        for (ssize_t i = 0; i < got; i++)
            hash = (hash ^ chunk[i]) * 0x100000001b3u;
    int rc = got < 0 ? err_errno(e, TT_EDATA, "can't read %s", path) : 0;
    close(fd);
    if (rc == 0)
        *sum = hash;
    return rc;
}
