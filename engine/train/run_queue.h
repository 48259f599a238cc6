/* Runs that go one after the other: a config with a [sweep] section, or a folder of configs.
 *
 * [sweep] holds options with several values by commas; every combination is one run, the first key
 * slowest, named STEM-VALUE-VALUE (after run.name, where that is given). */
#ifndef TT_TRAIN_RUN_QUEUE_H
#define TT_TRAIN_RUN_QUEUE_H

#include "engine/train/run_config.h"

#define RUN_QUEUE_MAX 1000 /* runs of a queue */

struct run_queue_item {
    struct ini ini; /* without [sweep], with its values and the assignments of --set */
    char *stem;     /* what its run is named after */
};

struct run_queue {
    struct run_queue_item *item;
    size_t n;
};

/* Every run of `path`: a config, or a folder whose *.ini are taken in the order of their names. Each
 * config is resolved once, so that a mistake in the last one is found before the first starts:
 * TT_ECONFIG with FILE:LINE. No config, an empty value, over RUN_QUEUE_MAX runs: TT_ECONFIG. Nothing to
 * release after a failure. */
int run_queue_open(struct run_queue *q, const char *path, const char *const *set, size_t nset,
                   const struct optim_class *const *optims, struct err *e);
/* The runs of a config that is at hand as text. */
int run_queue_of(struct run_queue *q, const struct ini *ini, const struct optim_class *const *optims,
                 struct err *e);
void run_queue_release(struct run_queue *q);

/* The config of run i. */
int run_queue_config(const struct run_queue *q, size_t i, const struct optim_class *const *optims,
                     struct run_config *rc, struct err *e);

/* Where a queue goes on: the run directory of run i, or NULL when it has not been started. Caller
 * frees. */
char *run_queue_resume(const struct run_config *rc);

#endif
