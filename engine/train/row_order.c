/* Rows of an update. */
#include "engine/train/row_order.h"

#include <stdlib.h>

#include "engine/base/mem.h"
#include "engine/data/loader.h"

static bool is_grouped(const struct run_config *rc)
{
    return rc->train.group_by_length && rc->model_cls->kind == BATCH_TEXT;
}

static void order_epoch(struct row_order *o, const struct run_config *rc, int64_t rows,
                        const int64_t *at, int64_t epoch)
{
    if (o->order && o->rows == rows && o->epoch == epoch)
        return;
    o->order = xreallocarray(o->order, (size_t)rows, sizeof *o->order);
    o->rows = rows;
    o->epoch = epoch;
    epoch_order((uint64_t)rc->run.seed, epoch, rc->train.shuffle, rows, o->order);
    if (!is_grouped(rc))
        return;
    int64_t batch = rc->train.batch_size * rc->train.gradient_accumulation_steps;
    struct row_length *work = xcalloc((size_t)length_group_rows(rows, batch) + 1, sizeof *work);
    order_by_length(o->order, rows, at, batch, work);
    free(work);
}

int64_t row_order_of(struct row_order *o, const struct run_config *rc, int64_t rows,
                     const int64_t *at, int64_t update, const int64_t **first)
{
    const struct train_opts *t = &rc->train;
    if ((is_grouped(rc) && !at) || rows < 1 || update < 0)
        return 0;
    int64_t batches = batches_per_epoch(rows, t->batch_size, t->drop_last);
    if (!batches)
        return 0;
    int64_t updates = updates_per_epoch(batches, t->gradient_accumulation_steps);
    int64_t each = t->batch_size * t->gradient_accumulation_steps;
    int64_t begin = update % updates * each, end = begin + each, last = batches * t->batch_size;
    order_epoch(o, rc, rows, at, update / updates);
    last = last < rows ? last : rows;
    *first = o->order + begin;
    return (end < last ? end : last) - begin;
}

void row_order_release(struct row_order *o)
{
    free(o->order);
    *o = (struct row_order){0};
}
