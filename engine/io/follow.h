/* A text file that grows, read line by line as it does: what was added since the last look, and no
 * more of it at a time than asked for. */
#ifndef TT_IO_FOLLOW_H
#define TT_IO_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/err.h"

struct follow { /* starts with its path, borrowed, and zeros */
    const char *path;
    dev_t dev;
    ino_t ino;
    int64_t at;   /* bytes taken, whole lines */
    int64_t size; /* of the file at the last look */
    int64_t mtime_ns;
};

enum follow_news { FOLLOW_SAME, FOLLOW_MORE, FOLLOW_ANEW };

/* Has it grown since the last look? FOLLOW_ANEW: it is another file or was cut, so that what was
 * read of it no longer counts and reading begins at its start. Absent: FOLLOW_SAME. */
enum follow_news follow_look(struct follow *f);

/* Hand over whole lines, terminated in place of their newline, of `most` bytes at least; the caller
 * may change their text. Returns 1: there is more to read now, 0: not yet, negative: an error. A
 * line longer than 64 KiB is passed over. */
int follow_read(struct follow *f, int64_t most, void (*line)(void *user, char *text, size_t n),
                void *user, struct err *e);

#endif
