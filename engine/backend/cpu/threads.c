/* The team of threads: the backend's parallel regions, how its threads wait, and that tiny numbers
 * don't slow them down. */
#include "engine/backend/cpu/cpu.h"

#include <omp.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

int cpu_threads(const struct backend *be)
{
    return omp_in_parallel() ? 1 : be->threads;
}

/* libgomp keeps the team of the last region for the next one of the same size; any other size, one
 * thread included, takes heap memory anew. So every region has be->threads, and what isn't worth
 * them is a plain loop. */
void cpu_each(const struct backend *be, size_t work, size_t pieces, cpu_piece *fn, const void *arg)
{
    if (pieces < 2 || work < CPU_PARALLEL || cpu_threads(be) == 1) {
        for (size_t i = 0; i < pieces; i++)
            fn(arg, i);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(be->threads)
    for (size_t i = 0; i < pieces; i++)
        fn(arg, i);
}

struct chunks {
    size_t n;
    cpu_range *fn;
    const void *arg;
};

static void chunk(const void *arg, size_t i)
{
    const struct chunks *c = arg;
    size_t from = i * CPU_CHUNK;
    c->fn(c->arg, from, c->n - from < CPU_CHUNK ? c->n : from + CPU_CHUNK);
}

void cpu_each_chunk(const struct backend *be, size_t n, cpu_range *fn, const void *arg)
{
    cpu_each(be, n, (n + CPU_CHUNK - 1) / CPU_CHUNK, chunk, &(struct chunks){n, fn, arg});
}

/* Sums and products of numbers below the normal range take a processor a hundred times as long, and
 * training makes many: moments of a weight whose gradient stays 0 shrink into that range and stop
 * there. Such numbers are taken and given as 0. */
static void flush_tiny(const void *arg, size_t i)
{
    (void)arg;
    (void)i;
#ifdef __SSE2__
    enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40 };
    _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
#endif
}

void cpu_open_team(const struct backend *be)
{
    omp_set_num_threads(be->threads);
    cpu_each(be, CPU_PARALLEL, (size_t)be->threads, flush_tiny, NULL);
}

/* 15 to 40 microseconds. Measured with a small mlp and a convnet on two cores: two runs at once do
 * the work of 1.05 to 1.2 runs alone; with 3000 they do 0.5 to 0.9, with libgomp's own 300000 nearly
 * none, and a run alone is up to a quarter faster. */
#define SPINS "1000"

bool openmp_spin_briefly(void)
{
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
        return false;
    return setenv("GOMP_SPINCOUNT", SPINS, 1) == 0;
}
