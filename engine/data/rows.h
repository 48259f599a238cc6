/* Rows of a data set in memory: cutting and dividing. */
#ifndef TT_DATA_ROWS_H
#define TT_DATA_ROWS_H

#include "engine/data/dataset.h"

/* Keep the first `limit` rows. */
void rows_limit(struct dataset *ds, int64_t limit);

/* Keep facts and answers. */
void rows_drop_features(struct dataset *ds);

/* What shapes a model, and the names of the classes; no rows. */
void rows_copy_spec(struct dataset *dst, const struct dataset *src);

/* Set ceil(fraction x rows) rows aside for evaluation, chosen by the seed; both sides keep the
 * order of the file. TT_ECONFIG when a side would be empty. */
int rows_split(struct dataset *train, struct dataset *eval, double fraction, uint64_t seed,
               struct err *e);

#endif
