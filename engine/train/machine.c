/* The sampler: a thread that looks once a second, and at the size of the run directory less
 * often. */
#include "engine/train/machine.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/backend/backend.h"
#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/base/sys.h"
#include "engine/base/thread.h"

#define SAMPLES_PER_WALK 10 /* of the folders */
#define DEEPEST 6

struct machine {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool started;
    bool stop;                      /* lock */
    struct machine_reading reading; /* lock; written by the thread */
    char *path;
    int64_t pid;
};

static int64_t tree_bytes(const char *dir, int depth)
{
    struct strlist names = STRLIST_INIT;
    int64_t sum = 0;
    if (file_list(dir, NULL, &names, NULL))
        return 0;
    for (size_t i = 0; i < names.n; i++) {
        char *path = file_join(dir, names.s[i]);
        int64_t size = file_is_dir(path) ? depth < DEEPEST ? tree_bytes(path, depth + 1) : 0
                                         : file_size(path);
        sum += size > 0 ? size : 0; /* a file may be gone by now */
        free(path);
    }
    strlist_release(&names);
    return sum;
}

static int count_threads(int64_t pid)
{
    char line[256];
    int n = 0;
    snprintf(line, sizeof line, "/proc/%lld/status", (long long)pid);
    FILE *f = fopen(line, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Threads: %d", &n) == 1)
            break;
    if (f)
        fclose(f);
    return n;
}

static void sample(struct machine_reading *r, const struct machine *m, double *cpu_seconds, bool walk)
{
    double now = sys_now(), used = sys_cpu_seconds_of(m->pid);
    r->cpu = r->at > 0 && now > r->at ? (used - *cpu_seconds) / (now - r->at) : NAN;
    *cpu_seconds = used;
    r->at = now;
    r->threads = count_threads(m->pid);
    r->resident = sys_rss_of(m->pid);
    r->free = sys_mem_free();
    if (!walk)
        return;
    r->disk_used = file_is_dir(m->path) ? tree_bytes(m->path, 0) : -1;
    r->disk_free = sys_disk_free(m->path);
}

/* True: time to end. */
static bool wait_or_stop(struct machine *m, int milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!m->stop && pthread_cond_timedwait(&m->woken, &m->lock, &until) != ETIMEDOUT)
        ;
    return m->stop;
}

static void *run(void *user)
{
    struct machine *m = user;
    struct machine_reading r = {.cpus = sys_cpus(), .total = sys_mem_total(), .disk_used = -1,
                                .disk_free = -1};
    double cpu_seconds = 0;
    blas_describe(r.blas, sizeof r.blas);
    pthread_mutex_lock(&m->lock);
    for (int i = 0; !m->stop; i++) {
        pthread_mutex_unlock(&m->lock);
        sample(&r, m, &cpu_seconds, i % SAMPLES_PER_WALK == 0);
        pthread_mutex_lock(&m->lock);
        m->reading = r;
        if (wait_or_stop(m, i ? 1000 : 200)) /* a share of a core takes two looks */
            break;
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

struct machine *machine_start(const char *run_path, int64_t pid)
{
    struct machine *m = xcalloc(1, sizeof *m);
    pthread_condattr_t attr;
    m->path = xstrdup(run_path);
    m->pid = pid ? pid : getpid();
    m->reading.cpu = NAN;
    pthread_mutex_init(&m->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&m->woken, &attr);
    pthread_condattr_destroy(&attr);
    m->started = thread_start(&m->thread, run, m);
    return m;
}

void machine_read(struct machine *m, struct machine_reading *out)
{
    pthread_mutex_lock(&m->lock);
    *out = m->reading;
    pthread_mutex_unlock(&m->lock);
}

void machine_stop(struct machine *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    m->stop = true;
    pthread_cond_signal(&m->woken);
    pthread_mutex_unlock(&m->lock);
    if (m->started)
        pthread_join(m->thread, NULL);
    pthread_cond_destroy(&m->woken);
    pthread_mutex_destroy(&m->lock);
    free(m->path);
    free(m);
}
