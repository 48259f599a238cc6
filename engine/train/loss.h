/* The loss of a run by its problem type: cross-entropy, squared error, or one binary cross-entropy per
 * label. A micro-batch contributes its sum over the items of its whole accumulation group (decision D2). */
#ifndef TT_TRAIN_LOSS_H
#define TT_TRAIN_LOSS_H

#include "engine/data/batch.h"
#include "engine/tape/tape.h"

struct loss_rule {
    enum problem problem;
    float smoothing;
    const float *class_weight; /* [num_labels] or NULL */
};

/* [1]. */
struct tensor *loss_of_group(struct tape *t, struct tensor *logits, const struct batch *b,
                             const struct loss_rule *r);
/* The plain sum over a batch's labelled rows, for evaluation; divide by loss_items of all batches. */
struct tensor *loss_sum(struct tape *t, struct tensor *logits, const struct batch *b,
                        enum problem problem, float smoothing);
/* Items that `rows` labelled rows count for in loss_sum. */
double loss_items(enum problem problem, double rows, int num_labels);

#endif
