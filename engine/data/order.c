/* How many batches and updates an epoch has, and the order of its rows. */
#include <stdlib.h>

#include "engine/base/die.h"
#include "engine/base/rng.h"
#include "engine/data/loader.h"

int64_t batches_per_epoch(int64_t rows, int64_t batch_size, bool drop_last)
{
    BUG_ON(rows < 0 || batch_size < 1);
    return rows / batch_size + (!drop_last && rows % batch_size);
}

int64_t updates_per_epoch(int64_t batches, int64_t accumulation)
{
    BUG_ON(batches < 0 || accumulation < 1);
    int64_t n = batches / accumulation + (batches % accumulation != 0);
    return n ? n : 1;
}

void epoch_order(uint64_t seed, int64_t epoch, bool shuffle, int64_t rows, int64_t *out)
{
    struct rng_key key = {seed, RNG_ORDER, (uint64_t)epoch};
    if (shuffle) {
        rng_permutation(key, out, rows);
        return;
    }
    for (int64_t i = 0; i < rows; i++)
        out[i] = i;
}

/* -- by length ------------------------------------------------------------------------------ */

#define MEGA_BATCH 50 /* updates whose rows are sorted together */

int64_t length_group_rows(int64_t rows, int64_t batch)
{
    int64_t updates = rows / (4 * batch);
    updates = updates < 1 ? 1 : updates > MEGA_BATCH ? MEGA_BATCH : updates;
    return updates * batch < rows ? updates * batch : rows;
}

static int compare_lengths(const void *a, const void *b)
{
    const struct row_length *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

static int64_t length_of(const int64_t *at, int64_t row)
{
    return at[row + 1] - at[row];
}

static void sort_rows(int64_t *order, int64_t n, const int64_t *at, struct row_length *work)
{
    for (int64_t i = 0; i < n; i++)
        work[i] = (struct row_length){length_of(at, order[i]), i, order[i]};
    qsort(work, (size_t)n, sizeof *work, compare_lengths);
    for (int64_t i = 0; i < n; i++)
        order[i] = work[i].row;
}

void order_by_length(int64_t *order, int64_t rows, const int64_t *at, int64_t batch,
                     struct row_length *work)
{
    int64_t each = length_group_rows(rows, batch), longest = 0;
    for (int64_t i = 0; i < rows; i += each) {
        sort_rows(order + i, each < rows - i ? each : rows - i, at, work);
        if (length_of(at, order[i]) > length_of(at, order[longest]))
            longest = i;
    }
    if (rows == 0)
        return;
    int64_t first = order[0];
    order[0] = order[longest];
    order[longest] = first;
}
