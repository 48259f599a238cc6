/* Scores of a network over a data set, for the trainer, `eval` and any loop of its own. */
#ifndef TT_TRAIN_EVALUATE_H
#define TT_TRAIN_EVALUATE_H

#include "engine/data/loader.h"
#include "engine/train/accelerator.h"
#include "engine/train/metrics.h"

struct eval_job {
    struct accelerator *acc;
    struct network *net;
    const struct dataset *data;
    int64_t batch_size;
    float smoothing; /* above 0: the smoothed loss is reported besides the plain one */
    enum average average;
    struct metrics *metrics; /* sized for the data; cleared here */
    bool (*tell)(void *user, int64_t rows); /* a few times a second; false: stop. NULL: none */
    void *user;
};

/* Weights to evaluate are put in and taken out again (schedule-free). TT_ESTOPPED when `tell` said so. */
int evaluate_rows(const struct eval_job *job, struct eval_report *out, struct err *e);

/* Logits of one batch into host memory [n, num_labels]. */
int predict_batch(struct accelerator *acc, struct network *net, const struct batch *b, float *logits,
                  struct err *e);

#endif
