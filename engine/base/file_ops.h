/* The system calls that decide whether a file of ours is whole, counted, with file_fail_at() in
 * front of them. For the files of engine/base alone. */
#ifndef TT_BASE_FILE_OPS_H
#define TT_BASE_FILE_OPS_H

#include <stddef.h>
#include <sys/types.h>

struct iovec;

ssize_t op_writev(int fd, const struct iovec *part, int parts);
int op_fsync(int fd);
int op_rename(const char *from, const char *to);

#endif
