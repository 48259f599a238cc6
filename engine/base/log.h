/* Log lines. The engine says things through log_line; where they go (log.txt, stderr, the log view)
 * is the sink's business. Any thread; the sink is called under a mutex and must not log. */
#ifndef TT_BASE_LOG_H
#define TT_BASE_LOG_H

#include <stdint.h>

enum log_kind { LOG_INFO, LOG_EVAL, LOG_SAVE, LOG_EDIT, LOG_WARN, LOG_ERROR, LOG_OUT, LOG_KINDS };

#define LOG_TEXT 480

struct log_line {
    int64_t time; /* Unix seconds */
    int64_t step; /* -1: before the first step */
    enum log_kind kind;
    char text[LOG_TEXT]; /* one line, no control characters */
};

const char *log_kind_name(enum log_kind k); /* "info", "eval", ... */

/* The sink; NULL drops lines. Replaces the one before; returns nothing. */
void log_set_sink(void (*sink)(void *user, const struct log_line *line), void *user);

/* The step that later lines carry. Trainer thread. */
void log_set_step(int64_t step);

void log_line(enum log_kind k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
