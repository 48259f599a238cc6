/* Batches in order, made ahead by one thread. The order of epoch e depends on (seed, e) only; a
 * resume starts at any micro-batch of any epoch. */
#ifndef TT_DATA_LOADER_H
#define TT_DATA_LOADER_H

#include "engine/data/dataset.h"

struct loader_opts {
    int batch_size;
    int accumulation;     /* micro-batches of a group; the last group of an epoch may be shorter */
    bool shuffle, drop_last;
    bool group_by_length; /* text: rows of like length side by side */
    uint64_t seed;
    int64_t epoch, micro; /* where to start */
    bool endless;         /* go on with the next epoch; false: one pass, then the end */
    const float *class_weight; /* [num_labels] or NULL, borrowed; for group_weight */
};

struct loader;

/* Starts the thread. All memory is taken here. The data set is borrowed. */
struct loader *loader_new(const struct dataset *ds, const struct loader_opts *o);
/* The next batch, valid until the next call; NULL at the end. Waits for the thread; the seconds
 * waited are added to *wait when it is not NULL. */
const struct batch *loader_next(struct loader *l, double *wait);
void loader_free(struct loader *l);

/* Counts of trainer-semantics 1.1. */
int64_t batches_per_epoch(int64_t rows, int64_t batch_size, bool drop_last);
int64_t updates_per_epoch(int64_t batches, int64_t accumulation); /* at least 1 */

/* Row order of an epoch into out[rows]; identity without shuffle. */
void epoch_order(uint64_t seed, int64_t epoch, bool shuffle, int64_t rows, int64_t *out);

/* Put rows of like length side by side, as transformers' LengthGroupedSampler: each group of 50 updates
 * (a quarter of the rows where that is less) is sorted, longer ones first; the longest row of all comes
 * first. `batch`: rows of an update; at: the packed data set's; work[length_group_rows()]. */
struct row_length {
    int64_t length, place, row;
};
int64_t length_group_rows(int64_t rows, int64_t batch);
void order_by_length(int64_t *order, int64_t rows, const int64_t *at, int64_t batch,
                     struct row_length *work);

#endif
