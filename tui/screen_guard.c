/* Opening the screen and every way of closing it. */
#include "tui/screen_guard.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/base/die.h"
#include "tui/capture.h"
#include "tui/crash.h"
#include "tui/process.h"
#include "tui/signals.h"

static atomic_bool is_open;

/* From any thread, from a handler: once. */
static void give_back_now(void)
{
    if (!atomic_exchange(&is_open, false))
        return;
    term_emergency();
    capture_emergency();
}

int screen_open(const struct term_opts *o, struct err *e)
{
    static bool guarded;
    int code = term_open(o, e);
    if (code)
        return code;
    if ((code = capture_open(e))) {
        term_close();
        return code;
    }
    atomic_store(&is_open, true);
    die_set_hook(give_back_now);
    crash_guard(give_back_now);
    if (!guarded)
        atexit(screen_close);
    guarded = true;
    return 0;
}

void screen_close(void)
{
    if (!atomic_exchange(&is_open, false))
        return;
    term_close();
    capture_close();
    capture_replay();
}

/* A write to a terminal that is gone fails or, on some systems, waits: descriptors 0 to 2 become
 * /dev/null, and curses is never called again. A terminal that is still there (kill -HUP) and is ours
 * is given back first. */
void screen_abandon(void)
{
    if (!atomic_exchange(&is_open, false))
        return;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (screen_in_front())
        term_emergency();
    capture_close();
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    close(null);
}

bool screen_suspend(void)
{
    struct err ignored = ERR_INIT;
    bool kept = process_front() != 0; /* what is printed meanwhile is for the log */
    if (!kept)
        capture_close();
    term_suspend();
    if (signals_stop_job())
        return true;
    term_resume();
    capture_open(&ignored);
    return false;
}

bool screen_in_front(void)
{
    return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

void screen_take_back(void)
{
    term_resume();
}
