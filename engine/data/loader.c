/* The loader: one thread fills batches ahead of the one in use. The two sides meet in two counters
 * under a mutex; a slot belongs to the thread until it is counted in `made`, to the caller until
 * the next one is asked for. */
#include "engine/data/loader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/base/thread.h"

#define AHEAD 2           /* batches ready or in the making */
#define SLOTS (AHEAD + 1) /* and the one in use */

struct slot {
    struct batch batch;
    float *x, *target;
    int32_t *label;
    int32_t *ids, *types, *at; /* text */
    int64_t *row;
};

struct loader {
    const struct dataset *ds;
    struct loader_opts o;
    int64_t batches; /* of an epoch */
    struct slot slot[SLOTS];
    /* The thread's own: where it is, and facts of the group it is in. */
    int64_t epoch, micro;
    int64_t *order; /* [rows] of the epoch */
    struct row_length *lengths; /* to sort by; NULL: rows are not grouped by length */
    int64_t order_epoch, group;
    int64_t group_labelled;
    double group_weight;
    /* Shared, under the mutex. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint64_t made, asked; /* batches made; calls of loader_next so far */
    bool stop, end;       /* to the thread; from it: nothing follows `made` */
    pthread_t thread;
};

/* -- the thread ----------------------------------------------------------------------------- */

/* Place in `order` where a micro-batch begins. */
static int64_t rows_before(const struct loader *l, int64_t batch)
{
    int64_t row = batch * l->o.batch_size;
    return row < l->ds->rows ? row : l->ds->rows;
}

static int64_t group_size(const struct loader *l, int64_t group)
{
    int64_t rest = l->batches - group * l->o.accumulation;
    return rest < l->o.accumulation ? rest : l->o.accumulation;
}

static void count_group(struct loader *l, int64_t group)
{
    int64_t first = group * l->o.accumulation;
    int64_t end = rows_before(l, first + group_size(l, group));
    l->group = group;
    l->group_labelled = 0;
    l->group_weight = 0;
    for (int64_t i = rows_before(l, first); i < end; i++) {
        int64_t row = l->order[i];
        if (!dataset_row_labelled(l->ds, row))
            continue;
        l->group_labelled++;
        l->group_weight += l->o.class_weight ? l->o.class_weight[l->ds->label[row]] : 1;
    }
}

static int64_t rows_of_update(const struct loader *l)
{
    return (int64_t)l->o.batch_size * l->o.accumulation;
}

/* Order and group of the micro-batch that comes next. */
static void take_place(struct loader *l)
{
    if (l->epoch != l->order_epoch) {
        epoch_order(l->o.seed, l->epoch, l->o.shuffle, l->ds->rows, l->order);
        if (l->lengths)
            order_by_length(l->order, l->ds->rows, l->ds->at, rows_of_update(l), l->lengths);
        l->order_epoch = l->epoch;
        l->group = -1;
    }
    if (l->micro / l->o.accumulation != l->group)
        count_group(l, l->micro / l->o.accumulation);
}

static void pack(const struct dataset *ds, struct slot *s)
{
    struct batch *b = &s->batch;
    s->at[0] = 0;
    for (int i = 0; i < b->n; i++) {
        int64_t from = ds->at[s->row[i]], n = ds->at[s->row[i] + 1] - from;
        memcpy(s->ids + s->at[i], ds->ids + from, (size_t)n * sizeof *s->ids);
        for (int64_t k = 0; k < n && s->types; k++)
            s->types[s->at[i] + k] = ds->types[from + k];
        s->at[i + 1] = s->at[i] + (int32_t)n;
    }
    b->tokens = s->at[b->n];
}

static void fill(struct loader *l, struct slot *s)
{
    struct batch *b = &s->batch;
    int64_t first = rows_before(l, l->micro);
    take_place(l);
    b->n = (int)(rows_before(l, l->micro + 1) - first);
    memcpy(s->row, l->order + first, (size_t)b->n * sizeof *s->row);
    dataset_gather(l->ds, s->row, b->n, s->x, s->label, s->target);
    if (s->at)
        pack(l->ds, s);
    b->labelled = 0;
    for (int i = 0; i < b->n; i++)
        b->labelled += dataset_row_labelled(l->ds, s->row[i]);
    b->epoch = l->epoch;
    b->micro = l->micro;
    b->group_at = (int)(l->micro % l->o.accumulation);
    b->group_n = (int)group_size(l, l->group);
    b->group_labelled = l->group_labelled;
    b->group_weight = l->group_weight;
    l->micro++;
}

/* Step into the next epoch where this one is over; false: no batch follows. */
static bool advance(struct loader *l)
{
    if (l->batches == 0 || (l->micro >= l->batches && !l->o.endless))
        return false;
    if (l->micro >= l->batches) {
        l->epoch++;
        l->micro = 0;
    }
    return true;
}

/* Wait for a free slot; NULL: stop. */
static struct slot *free_slot(struct loader *l)
{
    pthread_mutex_lock(&l->mutex);
    while (!l->stop && l->made >= l->asked + AHEAD)
        pthread_cond_wait(&l->changed, &l->mutex);
    struct slot *s = l->stop ? NULL : &l->slot[l->made % SLOTS];
    pthread_mutex_unlock(&l->mutex);
    return s;
}

static void publish(struct loader *l, bool end)
{
    pthread_mutex_lock(&l->mutex);
    if (end)
        l->end = true;
    else
        l->made++;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
}

static void *work(void *arg)
{
    struct loader *l = arg;
    struct slot *s;
    while (advance(l) && (s = free_slot(l))) {
        fill(l, s);
        publish(l, false);
    }
    publish(l, true);
    return NULL;
}

/* -- the caller ----------------------------------------------------------------------------- */

/* Room for the longest texts in one batch. */
static void make_text(struct slot *s, const struct dataset *ds, size_t n)
{
    s->at = xmalloc((n + 1) * sizeof *s->at);
    dataset_longest(ds, (int64_t)n, s->at);
    size_t tokens = (size_t)s->at[n] + 1;
    s->ids = xmalloc(tokens * sizeof *s->ids);
    s->types = ds->types ? xmalloc(tokens * sizeof *s->types) : NULL;
}

static void make_slot(struct slot *s, const struct dataset *ds, size_t n)
{
    size_t width = dataset_target_width(&ds->spec);
    if (ds->spec.kind == BATCH_TEXT)
        make_text(s, ds, n);
    else
        s->x = xmalloc(n * ds->row_len * sizeof *s->x);
    s->row = xmalloc(n * sizeof *s->row);
    s->label = width ? NULL : xmalloc(n * sizeof *s->label);
    s->target = width ? xmalloc(n * width * sizeof *s->target) : NULL;
    s->batch = (struct batch){.x = s->x, .ids = s->ids, .types = s->types, .at = s->at,
                              .row = s->row, .label = s->label, .target = s->target};
}

static void start_thread(struct loader *l)
{
    if (!thread_start(&l->thread, work, l))
        die(err_exit_status(TT_ERESOURCE), "can't start the loader's thread");
}

struct loader *loader_new(const struct dataset *ds, const struct loader_opts *o)
{
    BUG_ON(o->batch_size < 1 || o->accumulation < 1);
    BUG_ON(ds->spec.kind == BATCH_TEXT && !ds->at);
    BUG_ON(o->class_weight && ds->spec.problem != PROBLEM_CLASSES);
    struct loader *l = xcalloc(1, sizeof *l);
    int64_t largest = o->batch_size < ds->rows ? o->batch_size : ds->rows;
    l->ds = ds;
    l->o = *o;
    l->batches = batches_per_epoch(ds->rows, o->batch_size, o->drop_last);
    l->epoch = o->epoch;
    l->micro = o->micro;
    l->order = xmalloc((size_t)ds->rows * sizeof *l->order);
    l->order_epoch = l->group = -1;
    if (o->group_by_length && ds->spec.kind == BATCH_TEXT)
        l->lengths = xcalloc((size_t)length_group_rows(ds->rows, rows_of_update(l)) + 1,
                             sizeof *l->lengths);
    for (int i = 0; i < SLOTS; i++)
        make_slot(&l->slot[i], ds, (size_t)largest);
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->changed, NULL);
    start_thread(l);
    return l;
}

const struct batch *loader_next(struct loader *l, double *wait)
{
    double start = wait ? sys_now() : 0;
    pthread_mutex_lock(&l->mutex);
    uint64_t wanted = l->asked;
    if (l->made > wanted || !l->end)
        l->asked++;
    while (l->made <= wanted && !l->end)
        pthread_cond_wait(&l->changed, &l->mutex);
    bool there = l->made > wanted;
    pthread_mutex_unlock(&l->mutex);
    pthread_cond_broadcast(&l->changed); /* the thread waits only while the next batch is there */
    if (wait)
        *wait += sys_now() - start;
    return there ? &l->slot[wanted % SLOTS].batch : NULL;
}

void loader_free(struct loader *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->mutex);
    l->stop = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
    pthread_join(l->thread, NULL);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->mutex);
    for (int i = 0; i < SLOTS; i++) {
        free(l->slot[i].x);
        free(l->slot[i].row);
        free(l->slot[i].label);
        free(l->slot[i].target);
        free(l->slot[i].ids);
        free(l->slot[i].types);
        free(l->slot[i].at);
    }
    free(l->lengths);
    free(l->order);
    free(l);
}
