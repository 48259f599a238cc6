/* Counted writes, syncs and renames, any of which a test can make fail. */
#include "engine/base/file_ops.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/base/file.h"

static atomic_long operations;
static atomic_long fails_at; /* number of the operation; 0: none */
static atomic_int fails_with;

void file_fail_at(long n, int errnum)
{
    atomic_store(&fails_with, errnum);
    atomic_store(&fails_at, n > 0 ? atomic_load(&operations) + n : 0);
}

long file_ops(void)
{
    return atomic_load(&operations);
}

static bool is_made_to_fail(void)
{
    if (atomic_fetch_add(&operations, 1) + 1 != atomic_load(&fails_at))
        return false;
    errno = atomic_load(&fails_with);
    return true;
}

ssize_t op_writev(int fd, const struct iovec *part, int parts)
{
    return is_made_to_fail() ? -1 : writev(fd, part, parts);
}

int op_fsync(int fd)
{
    return is_made_to_fail() ? -1 : fsync(fd);
}

int op_rename(const char *from, const char *to)
{
    return is_made_to_fail() ? -1 : rename(from, to);
}
