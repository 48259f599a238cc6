/* Which rows an update trains on, told without its loader: their order depends on seed, epoch and,
 * where they are grouped by length, on how long they are. */
#ifndef TT_TRAIN_ROW_ORDER_H
#define TT_TRAIN_ROW_ORDER_H

#include "engine/train/run_config.h"

struct row_order { /* starts as {0} */
    int64_t *order; /* [rows] of the epoch it was last asked for */
    int64_t rows, epoch;
};

/* Rows of update `update` (from 0) of a run over `rows` rows: returns how many, *first points at
 * them until the next call. Batches grouped by length need `at`, the packed data set's [rows + 1];
 * where it is NULL their order is not known: 0. */
int64_t row_order_of(struct row_order *o, const struct run_config *rc, int64_t rows,
                     const int64_t *at, int64_t update, const int64_t **first);
void row_order_release(struct row_order *o);

#endif
