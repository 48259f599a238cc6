/* Errors as a code and one line of text. */
#include "engine/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/str.h"

/* Formatting goes through a copy, because an argument may be the old message; it is larger, so that
 * str_copy() makes the cut, between two characters. */
static void set_message(struct err *e, const char *fmt, va_list ap, const char *tail)
{
    char text[sizeof e->msg + 8], whole[2 * sizeof text];
    vsnprintf(text, sizeof text, fmt, ap);
    snprintf(whole, sizeof whole, "%s%s", text, tail);
    str_copy(e->msg, sizeof e->msg, whole);
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
    if (!e)
        return code;
    va_list ap;
    va_start(ap, fmt);
    set_message(e, fmt, ap, "");
    va_end(ap);
    e->code = code;
    return code;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
    if (!e)
        return TT_EFAIL;
    char tail[sizeof e->msg];
    memcpy(tail, e->msg, sizeof tail);
    va_list ap;
    va_start(ap, fmt);
    set_message(e, fmt, ap, tail);
    va_end(ap);
    return e->code;
}

int err_errno(struct err *e, int code, const char *fmt, ...)
{
    int errnum = errno;
    if (!e)
        return code;
    char tail[128];
    snprintf(tail, sizeof tail, ": %s", strerror(errnum));
    va_list ap;
    va_start(ap, fmt);
    set_message(e, fmt, ap, tail);
    va_end(ap);
    e->code = code;
    return code;
}

int err_exit_status(int code)
{
    return code <= 0 && code >= TT_ERESOURCE ? -code : 1;
}
