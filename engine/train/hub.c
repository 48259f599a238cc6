/* DESIGN. Three rings and a copy. Samples go through a lock-free ring of one producer (trainer) and one
 * consumer (screen): a chart must not miss a spike and the trainer must never wait, so a full ring counts
 * and drops the newest. Status, report, log lines and commands are copied under one mutex each holds for a
 * memcpy. A pipe wakes the screen; a pending flag keeps it at one byte until the screen has looked. */
#include "engine/train/hub.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/train/inspect.h"

#define SAMPLES 65536u /* power of two */
#define LOGS 512u
#define COMMANDS 32u
#define LINES (1u << 20) /* bytes */

struct hub {
    pthread_mutex_t lock;
    pthread_cond_t commanded; /* a command was queued */
    struct run_status status; /* lock; written by the trainer */
    struct eval_report *report; /* lock; written by the trainer */
    bool report_new;            /* lock */
    struct inspect_report inspect[HUB_INSPECTS]; /* lock; written by the trainer */
    int64_t inspects;           /* lock; so far */
    struct log_line log[LOGS];  /* lock */
    unsigned log_head, log_tail;
    struct command command[COMMANDS]; /* lock */
    unsigned command_head, command_tail;
    char *line;                 /* lock; a byte ring of terminated lines */
    unsigned line_head, line_tail;
    struct sample *sample;
    atomic_uint sample_head; /* written by the trainer */
    atomic_uint sample_tail; /* written by the screen */
    atomic_llong dropped;    /* written by the trainer */
    atomic_bool pending;     /* a byte is in the pipe */
    int pipe[2];
    hub_tap *tap;            /* of the screen, as is its user */
    void *tap_user;
};

atomic_int hub_stop_request;
atomic_int hub_save_request;

static const char *const state_names[] = {"starting", "training", "evaluating", "saving",
                                          "paused",   "stopping", "finished",   "stopped",
                                          "diverged", "failed"};
static const char *const phase_names[] = {"data wait", "forward",   "backward", "clip",
                                          "optimizer", "sync", "other"};
static const char *const series_names[SERIES_EVAL_FIRST] = {"loss", "learning_rate", "grad_norm",
                                                            "samples_per_second"};

const char *run_state_name(enum run_state s)
{
    return state_names[s];
}

const char *phase_name(enum phase p)
{
    return phase_names[p];
}

const char *series_name(int s)
{
    return s < SERIES_EVAL_FIRST ? series_names[s] : metric_descs[s - SERIES_EVAL_FIRST].series;
}

struct hub *hub_new(void)
{
    struct hub *h = xcalloc(1, sizeof *h);
    h->sample = xcalloc(SAMPLES, sizeof *h->sample);
    h->line = xmalloc(LINES);
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&h->commanded, &attr);
    pthread_condattr_destroy(&attr);
    if (pipe(h->pipe))
        die(6, "no pipe: %s", strerror(errno));
    for (int i = 0; i < 2; i++) {
        fcntl(h->pipe[i], F_SETFL, O_NONBLOCK);
        fcntl(h->pipe[i], F_SETFD, FD_CLOEXEC);
    }
    h->status.saved_step = h->status.best_step = h->status.next_eval = h->status.next_save = -1;
    return h;
}

void hub_free(struct hub *h)
{
    if (!h)
        return;
    close(h->pipe[0]);
    close(h->pipe[1]);
    pthread_cond_destroy(&h->commanded);
    pthread_mutex_destroy(&h->lock);
    eval_report_free(h->report);
    free(h->sample);
    free(h->line);
    free(h);
}

static void wake(struct hub *h)
{
    if (!atomic_exchange(&h->pending, true)) {
        ssize_t written = write(h->pipe[1], "", 1);
        (void)written; /* full: the screen has a byte to wake it already */
    }
}

void hub_publish(struct hub *h, const struct run_status *s)
{
    pthread_mutex_lock(&h->lock);
    h->status = *s;
    pthread_mutex_unlock(&h->lock);
    wake(h);
}

void hub_sample(struct hub *h, const struct sample *s)
{
    unsigned head = atomic_load_explicit(&h->sample_head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(&h->sample_tail, memory_order_acquire);
    if (head - tail == SAMPLES) {
        atomic_fetch_add_explicit(&h->dropped, 1, memory_order_relaxed);
        return;
    }
    h->sample[head % SAMPLES] = *s;
    atomic_store_explicit(&h->sample_head, head + 1, memory_order_release);
}

void hub_log(struct hub *h, const struct log_line *l)
{
    pthread_mutex_lock(&h->lock);
    if (h->log_head - h->log_tail == LOGS)
        h->log_tail++;
    h->log[h->log_head++ % LOGS] = *l;
    pthread_mutex_unlock(&h->lock);
    wake(h);
}

void hub_line(struct hub *h, const char *text, size_t n)
{
    if (n == 0 || n >= HUB_LINE)
        return;
    pthread_mutex_lock(&h->lock);
    if (LINES - (h->line_head - h->line_tail) > n) {
        for (size_t i = 0; i < n; i++)
            h->line[h->line_head++ % LINES] = text[i];
        h->line[h->line_head++ % LINES] = 0;
    } else {
        atomic_fetch_add(&h->dropped, 1);
    }
    pthread_mutex_unlock(&h->lock);
    wake(h);
}

size_t hub_line_get(struct hub *h, char *dst)
{
    size_t n = 0;
    pthread_mutex_lock(&h->lock);
    if (h->line_tail != h->line_head) {
        while ((dst[n] = h->line[h->line_tail++ % LINES]))
            n++;
    }
    pthread_mutex_unlock(&h->lock);
    return n;
}

void hub_report_init(struct hub *h, const struct eval_report *like)
{
    struct eval_report *fresh = eval_report_like(like);
    pthread_mutex_lock(&h->lock);
    struct eval_report *old = h->report;
    h->report = fresh;
    h->report_new = false;
    pthread_mutex_unlock(&h->lock);
    eval_report_free(old);
}

void hub_report(struct hub *h, const struct eval_report *r)
{
    pthread_mutex_lock(&h->lock);
    eval_report_copy(h->report, r);
    h->report_new = true;
    pthread_mutex_unlock(&h->lock);
    wake(h);
}

void hub_inspect(struct hub *h, const struct inspect_report *r)
{
    pthread_mutex_lock(&h->lock);
    h->inspect[h->inspects++ % HUB_INSPECTS] = *r;
    pthread_mutex_unlock(&h->lock);
    wake(h);
}

static bool take_command(struct hub *h, struct command *c)
{
    if (h->command_tail == h->command_head)
        return false;
    *c = h->command[h->command_tail++ % COMMANDS];
    return true;
}

bool hub_receive(struct hub *h, struct command *c)
{
    pthread_mutex_lock(&h->lock);
    bool got = take_command(h, c);
    pthread_mutex_unlock(&h->lock);
    return got;
}

bool hub_wait(struct hub *h, struct command *c, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&h->lock);
    bool got;
    while (!(got = take_command(h, c)))
        if (pthread_cond_timedwait(&h->commanded, &h->lock, &until) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&h->lock);
    return got;
}

void hub_status(struct hub *h, struct run_status *out)
{
    char bytes[64];
    while (read(h->pipe[0], bytes, sizeof bytes) > 0)
        ;
    atomic_store(&h->pending, false);
    pthread_mutex_lock(&h->lock);
    *out = h->status;
    pthread_mutex_unlock(&h->lock);
}

void hub_set_tap(struct hub *h, hub_tap *tap, void *user)
{
    h->tap = tap;
    h->tap_user = user;
}

static void show(struct hub *h, enum hub_item item, const void *what, int n)
{
    if (h->tap && n)
        h->tap(h->tap_user, item, what, n);
}

int hub_samples(struct hub *h, struct sample *out, int max)
{
    unsigned tail = atomic_load_explicit(&h->sample_tail, memory_order_relaxed);
    unsigned head = atomic_load_explicit(&h->sample_head, memory_order_acquire);
    int n = 0;
    while (n < max && tail != head)
        out[n++] = h->sample[tail++ % SAMPLES];
    atomic_store_explicit(&h->sample_tail, tail, memory_order_release);
    show(h, HUB_SAMPLES, out, n);
    return n;
}

int64_t hub_dropped(struct hub *h)
{
    return atomic_load(&h->dropped);
}

int hub_logs(struct hub *h, struct log_line *out, int max)
{
    pthread_mutex_lock(&h->lock);
    int n = 0;
    while (n < max && h->log_tail != h->log_head)
        out[n++] = h->log[h->log_tail++ % LOGS];
    pthread_mutex_unlock(&h->lock);
    show(h, HUB_LOGS, out, n);
    return n;
}

bool hub_report_get(struct hub *h, struct eval_report **out)
{
    if (!*out) {
        pthread_mutex_lock(&h->lock);
        struct eval_report shape = h->report ? *h->report : (struct eval_report){.n = 0};
        pthread_mutex_unlock(&h->lock);
        if (!shape.n)
            return false;
        *out = eval_report_like(&shape);
    }
    pthread_mutex_lock(&h->lock);
    bool fresh = h->report_new;
    if (fresh)
        eval_report_copy(*out, h->report);
    h->report_new = false;
    pthread_mutex_unlock(&h->lock);
    show(h, HUB_REPORT, *out, fresh);
    return fresh;
}

bool hub_inspect_get(struct hub *h, int64_t *seen, struct inspect_report *out)
{
    pthread_mutex_lock(&h->lock);
    bool fresh = *seen < h->inspects;
    if (*seen < h->inspects - HUB_INSPECTS)
        *seen = h->inspects - HUB_INSPECTS;
    if (fresh)
        *out = h->inspect[(*seen)++ % HUB_INSPECTS];
    pthread_mutex_unlock(&h->lock);
    return fresh;
}

int hub_send(struct hub *h, const struct command *c)
{
    pthread_mutex_lock(&h->lock);
    bool full = h->command_head - h->command_tail == COMMANDS;
    if (!full)
        h->command[h->command_head++ % COMMANDS] = *c;
    pthread_cond_signal(&h->commanded);
    pthread_mutex_unlock(&h->lock);
    return full ? TT_EFAIL : 0;
}

int hub_wake_fd(struct hub *h)
{
    return h->pipe[0];
}
