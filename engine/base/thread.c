/* Threads with all signals blocked. */
#include "engine/base/thread.h"

#include <signal.h>

bool thread_start(pthread_t *out, void *(*run)(void *), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(out, NULL, run, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

bool thread_start_detached(void *(*run)(void *), void *arg)
{
    pthread_t thread;
    bool ok = thread_start(&thread, run, arg);
    if (ok)
        pthread_detach(thread);
    return ok;
}
