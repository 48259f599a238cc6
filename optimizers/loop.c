/* Fixed partitions of a tensor. */
#include "optimizers/loop.h"

#include <omp.h>
#include <stdbool.h>

#define CHUNK ((size_t)1 << 13)   /* elements: 32 KiB of each array */
#define SHARED ((size_t)1 << 15) /* elements from which a second thread pays */
#define MAX_CHUNKS 4096

/* Chunks grow with n beyond MAX_CHUNKS of them, so that partial sums fit the stack. */
static size_t chunk_size(size_t n)
{
    size_t least = (n + MAX_CHUNKS - 1) / MAX_CHUNKS;
    return least > CHUNK ? (least + 63) / 64 * 64 : CHUNK;
}

static size_t chunk_end(size_t from, size_t size, size_t n)
{
    return n - from < size ? n : from + size;
}

/* Pieces from .. to of a job. */
typedef void run_fn(const void *job, size_t from, size_t to);

/* A run of pieces for each thread. (What isn't worth the team does without a parallel region: libgomp
 * keeps one team, and takes heap memory anew for a region with another number of threads.) */
static void share_out(size_t pieces, bool worth_it, run_fn *run, const void *job)
{
    if (!worth_it || omp_get_max_threads() == 1) {
        run(job, 0, pieces);
        return;
    }
#pragma omp parallel
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
        run(job, pieces * thread / threads, pieces * (thread + 1) / threads);
    }
}

struct chunks {
    size_t n, size;
    void (*fn)(const void *arg, size_t from, size_t to);
    struct sums (*sum)(const void *arg, size_t from, size_t to);
    struct sums *part; /* of each chunk */
    const void *arg;
};

static void run_chunks(const void *job, size_t from, size_t to)
{
    const struct chunks *c = job;
    for (size_t i = from; i < to; i++)
        c->fn(c->arg, i * c->size, chunk_end(i * c->size, c->size, c->n));
}

void for_chunks(size_t n, void (*fn)(const void *arg, size_t from, size_t to), const void *arg)
{
    const struct chunks c = {.n = n, .size = chunk_size(n), .fn = fn, .arg = arg};
    size_t chunks = (n + c.size - 1) / c.size;
    share_out(chunks, n >= SHARED, run_chunks, &c);
}

static void run_sums(const void *job, size_t from, size_t to)
{
    const struct chunks *c = job;
    for (size_t i = from; i < to; i++)
        c->part[i] = c->sum(c->arg, i * c->size, chunk_end(i * c->size, c->size, c->n));
}

struct sums sum_chunks(size_t n, struct sums (*fn)(const void *arg, size_t from, size_t to),
                       const void *arg)
{
    struct sums part[MAX_CHUNKS], sum = {0};
    const struct chunks c = {.n = n, .size = chunk_size(n), .sum = fn, .part = part, .arg = arg};
    size_t chunks = (n + c.size - 1) / c.size;
    share_out(chunks, n >= SHARED, run_sums, &c);
    for (size_t i = 0; i < chunks; i++) {
        sum.x += part[i].x;
        sum.y += part[i].y;
    }
    return sum;
}

struct each {
    void (*fn)(const void *arg, size_t i);
    const void *arg;
};

static void run_each(const void *job, size_t from, size_t to)
{
    const struct each *e = job;
    for (size_t i = from; i < to; i++)
        e->fn(e->arg, i);
}

static void run_each_back(const void *job, size_t from, size_t to)
{
    const struct each *e = job;
    for (size_t i = to; i-- > from;)
        e->fn(e->arg, i);
}

void for_each(size_t n, size_t elements, void (*fn)(const void *arg, size_t i), const void *arg)
{
    share_out(n, elements >= SHARED, run_each, &(struct each){fn, arg});
}

void for_each_back(size_t n, size_t elements, void (*fn)(const void *arg, size_t i),
                   const void *arg)
{
    share_out(n, elements >= SHARED, run_each_back, &(struct each){fn, arg});
}
