/* The last words of a process. */
#include "engine/base/die.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/base/err.h"

static void (*_Atomic die_hook)(void);
static atomic_bool dying;
static _Thread_local bool dying_here;

void die_set_hook(void (*hook)(void))
{
    atomic_store(&die_hook, hook);
}

/* One thread dies, the others wait for the end. A hook that dies ends the process at once. */
static void begin_death(int status)
{
    if (dying_here)
        _exit(status);
    if (atomic_exchange(&dying, true)) {
        for (;;)
            pause();
    }
    dying_here = true;
    void (*hook)(void) = atomic_load(&die_hook);
    if (hook)
        hook();
}

void die(int status, const char *fmt, ...)
{
    begin_death(status);
    va_list ap;
    va_start(ap, fmt);
    fputs("traintui: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(status);
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
    begin_death(err_exit_status(TT_EFAIL));
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "traintui: BUG at %s:%d: ", file, line);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    abort();
}
