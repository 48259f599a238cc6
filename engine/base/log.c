/* Log lines on their way to the one sink. */
#include "engine/base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "engine/base/die.h"
#include "engine/base/str.h"
#include "engine/base/sys.h"

static const char *const kind_names[LOG_KINDS] = {
    [LOG_INFO] = "info", [LOG_EVAL] = "eval",   [LOG_SAVE] = "save", [LOG_EDIT] = "edit",
    [LOG_WARN] = "warn", [LOG_ERROR] = "error", [LOG_OUT] = "out",
};

static pthread_mutex_t sink_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the two below */
static void (*sink_call)(void *user, const struct log_line *line);
static void *sink_user;

static _Atomic int64_t current_step = -1;

const char *log_kind_name(enum log_kind k)
{
    BUG_ON((unsigned)k >= LOG_KINDS);
    return kind_names[k];
}

void log_set_sink(void (*sink)(void *user, const struct log_line *line), void *user)
{
    pthread_mutex_lock(&sink_lock);
    sink_call = sink;
    sink_user = user;
    pthread_mutex_unlock(&sink_lock);
}

void log_set_step(int64_t step)
{
    atomic_store(&current_step, step);
}

void log_line(enum log_kind k, const char *fmt, ...)
{
    struct log_line line = {.time = sys_unix(), .step = atomic_load(&current_step), .kind = k};
    char raw[LOG_TEXT + 8], whole[LOG_TEXT]; /* str_copy() cuts between characters */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(raw, sizeof raw, fmt, ap);
    va_end(ap);
    str_copy(whole, sizeof whole, raw);
    str_visible(line.text, sizeof line.text, whole);

    pthread_mutex_lock(&sink_lock);
    if (sink_call)
        sink_call(sink_user, &line);
    pthread_mutex_unlock(&sink_lock);
}
