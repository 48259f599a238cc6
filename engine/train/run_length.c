/* How long a run is (trainer-semantics 1.1): all counts in integers, the one product in double. */
#include <math.h>

#include "engine/data/loader.h"
#include "engine/train/run_config.h"

int run_length_of(const struct run_config *rc, int64_t rows, struct run_length *out, struct err *e)
{
    const struct train_opts *t = &rc->train;
    out->rows = rows;
    out->batches = batches_per_epoch(rows, t->batch_size, t->drop_last);
    if (out->batches == 0)
        return err_set(e, TT_ECONFIG,
                       "train.batch_size %lld with train.drop_last leaves no batch of %lld rows",
                       (long long)t->batch_size, (long long)rows);
    out->updates_per_epoch = updates_per_epoch(out->batches, t->gradient_accumulation_steps);
    if (t->max_steps != OPT_INT_UNSET)
        out->max_steps = t->max_steps;
    else
        out->max_steps = (int64_t)ceil(t->epochs * (double)out->updates_per_epoch);
    out->epochs = t->max_steps != OPT_INT_UNSET
                      ? (double)out->max_steps / (double)out->updates_per_epoch
                      : t->epochs;
    return sched_warmup(rc->sched_cls, &rc->sched, out->max_steps, &out->warmup, e);
}
