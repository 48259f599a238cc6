/* The error a fallible function reports: a code, which is also the exit status of the program, and
 * one line of text. Functions return 0 or the negative code; `err` is left alone on success, so
 * calls chain. Messages are lower case, without a full stop: what was found, (what is allowed). */
#ifndef TT_BASE_ERR_H
#define TT_BASE_ERR_H

#include <stddef.h>

enum tt_code {
    TT_OK = 0,
    TT_EFAIL = -1,     /* anything else: a file that can't be written, a bug of the world */
    TT_ECONFIG = -2,   /* usage, options, run directory in use */
    TT_EDATA = -3,     /* a data or model file */
    TT_EDIVERGED = -4, /* too many non-finite steps in a row */
    TT_ESTOPPED = -5,  /* stopped and saved */
    TT_ERESOURCE = -6, /* out of memory or no device */
};

struct err {
    int code;       /* enum tt_code */
    char msg[1024]; /* always terminated; "FILE:LINE: found (allowed)" where a file is at fault */
};

#define ERR_INIT {0, ""}

/* Format into `e` (which may be NULL) and return `code`. A later call overwrites an earlier one. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Put text before the message: err_prefix(e, "%s:%d: ", path, line). Returns e->code. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Append ": strerror(errno)" style text: err_errno(e, TT_EFAIL, "can't write %s", path). */
int err_errno(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Exit status of the process for a (negative or zero) code. */
int err_exit_status(int code);

#endif
