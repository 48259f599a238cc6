/* The one reader and the one writer of files. A file of ours is whole or absent: it is written
 * under a temporary name beside its place, synced, renamed, and its folder synced. Text output that
 * only grows (metrics, log) goes through `struct appender`. Tests make operation N fail with
 * file_fail_at(). */
#ifndef TT_BASE_FILE_H
#define TT_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/err.h"

/* The whole file, terminated with a NUL beyond `*n`. Refuses folders, and files over `limit` bytes.
 * A byte-order mark is left in place. Caller frees. Code TT_EDATA on failure. */
int file_read(const char *path, size_t limit, char **data, size_t *n, struct err *e);

/* gzip or plain, told by the first bytes, never by the name. A truncated gzip is an error. */
int file_read_gz(const char *path, size_t limit, char **data, size_t *n, struct err *e);

/* The first bytes of a file, unpacked where it is gzip: at most `size`, *n of them. */
int file_read_head(const char *path, void *dst, size_t size, size_t *n, struct err *e);

/* A file being written whole. file_commit syncs and renames; file_abort leaves nothing behind; both
 * release it. Failures are sticky: later writes do nothing and file_commit reports the first. */
struct outfile {
    int fd;
    char *path, *temp;
    struct err err;
    unsigned char *buf;
    size_t used;
    int64_t size;
};
int file_create(struct outfile *f, const char *path, struct err *e);
void file_write(struct outfile *f, const void *data, size_t n);
void file_printf(struct outfile *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int file_commit(struct outfile *f, struct err *e);
void file_abort(struct outfile *f);
int file_write_all(const char *path, const void *data, size_t n, struct err *e); /* all of it */

/* Lines added to a file, each with one writev() so that a reader never sees half of one. The first
 * failure is kept and told once through appender_error; later lines are still tried. No heap call
 * after opening. */
struct appender {
    int fd;
    char path[4096];
    struct err err;
    bool told;
};
int appender_open(struct appender *a, const char *path, struct err *e);
void appender_line(struct appender *a, const char *text, size_t n); /* the newline is added */
void appender_bytes(struct appender *a, const void *data, size_t n);
int appender_error(struct appender *a, struct err *e); /* its code, but once; else 0 */
void appender_close(struct appender *a);

int file_sync_dir(const char *dir, struct err *e);
int file_mkdirs(const char *dir, struct err *e); /* like mkdir -p, mode 0777 & ~umask */
int file_rename(const char *from, const char *to, struct err *e); /* and sync the folder of `to` */
int file_remove_tree(const char *dir, struct err *e);             /* absent is fine */
bool file_exists(const char *path);
bool file_is_dir(const char *path);
int64_t file_size(const char *path); /* bytes, -1 when absent */
int64_t file_mtime(const char *path);
char *file_join(const char *dir, const char *name); /* an absolute name stays; caller frees */
char *file_absolute(const char *path);   /* "." and ".." folded as text; caller frees */
const char *file_base(const char *path); /* after the last slash, borrowed */
char *file_dir(const char *path);        /* what lies before it, "." if nothing; caller frees */
char *file_stem(const char *path);       /* base without its last suffix; caller frees */

/* Names in a folder that pass, sorted by code point; names beginning with "._" never do. */
struct strlist;
int file_list(const char *dir, bool (*pass)(const char *name), struct strlist *out, struct err *e);

/* FNV-1a over the bytes, for "is this still the same file"; 0 when it can't be read. */
int file_checksum(const char *path, uint64_t *sum, struct err *e);

/* Test hook: the n-th write, sync, rename from now (1 = the next) fails with `errnum`; 0 turns it
 * off. file_ops() counts operations so far. */
void file_fail_at(long n, int errnum);
long file_ops(void);

#endif
