/* Threads of this program: signals are the main thread's business. */
#ifndef TT_BASE_THREAD_H
#define TT_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* A thread with all signals blocked, to be joined. False: the system has none to give. */
bool thread_start(pthread_t *out, void *(*run)(void *), void *arg);
/* The same, which nobody joins. */
bool thread_start_detached(void *(*run)(void *), void *arg);

#endif
