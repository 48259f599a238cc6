/* How many batches and updates an epoch has, and the order of its rows. */
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
