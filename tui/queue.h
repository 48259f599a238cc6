/* Runs that this process does one after the other: which comes next, and how those before it ended. */
#ifndef TT_TUI_QUEUE_H
#define TT_TUI_QUEUE_H

#include "engine/train/hub.h"
#include "engine/train/run_queue.h"
#include "tui/uimodel.h"

struct queue { /* starts as {0}: no runs */
    struct run_queue runs;
    size_t next;       /* number of the run that is to come; the one before it is on */
    bool resumes;      /* each goes on where it was cut, those that are over are passed */
    int code;          /* of the first run that did not end well */
    struct err err;    /* and its message */
};

void queue_release(struct queue *q);
/* The number of the run that is on, for its screens. */
void queue_tell(const struct queue *q, struct uimodel *m);
bool queue_has_next(const struct queue *q);
/* The config of the next run, which is then on. *resume: the directory where it goes on, or NULL; caller
 * frees. *over: it has ended before, and there is nothing to do. */
int queue_take(struct queue *q, const struct optim_class *const *optims, struct run_config *rc,
               char **resume, bool *over, struct err *e);
/* The run that was on has ended so. True: the next one is due. A run that fails or diverges leaves the
 * others to go on; a stop ends the queue, unless it was asked for as that of this run alone. */
bool queue_goes_on(struct queue *q, int code, const struct err *e, bool next_run);

#endif
