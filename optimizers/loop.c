/* Fixed partitions of a tensor. */
#include "optimizers/loop.h"

#include <omp.h>
#include <stdint.h>

#define CHUNK ((size_t)1 << 15) /* elements: 128 KiB of each array; fewer stay on one thread */
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

void for_chunks(size_t n, void (*fn)(const void *arg, size_t from, size_t to), const void *arg)
{
    size_t size = chunk_size(n);
    int64_t chunks = (int64_t)((n + size - 1) / size);
#pragma omp parallel for schedule(static) if (chunks > 1)
    for (int64_t c = 0; c < chunks; c++)
        fn(arg, (size_t)c * size, chunk_end((size_t)c * size, size, n));
}

struct sums sum_chunks(size_t n, struct sums (*fn)(const void *arg, size_t from, size_t to),
                       const void *arg)
{
    struct sums part[MAX_CHUNKS], sum = {0};
    size_t size = chunk_size(n);
    int64_t chunks = (int64_t)((n + size - 1) / size);
#pragma omp parallel for schedule(static) if (chunks > 1)
    for (int64_t c = 0; c < chunks; c++)
        part[c] = fn(arg, (size_t)c * size, chunk_end((size_t)c * size, size, n));
    for (int64_t c = 0; c < chunks; c++) {
        sum.x += part[c].x;
        sum.y += part[c].y;
    }
    return sum;
}

/* The run of this thread of the team. */
static void own_run(size_t n, size_t *from, size_t *to)
{
    size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
    *from = n * thread / threads;
    *to = n * (thread + 1) / threads;
}

void for_each(size_t n, size_t elements, void (*fn)(const void *arg, size_t i), const void *arg)
{
#pragma omp parallel if (elements > CHUNK)
    {
        size_t from, to;
        own_run(n, &from, &to);
        for (size_t i = from; i < to; i++)
            fn(arg, i);
    }
}

void for_each_back(size_t n, size_t elements, void (*fn)(const void *arg, size_t i),
                   const void *arg)
{
#pragma omp parallel if (elements > CHUNK)
    {
        size_t from, to;
        own_run(n, &from, &to);
        for (size_t i = to; i-- > from;)
            fn(arg, i);
    }
}
