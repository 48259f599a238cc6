/* optimizers [THREADS [NAME...]]: one update by each optimizer of 24 matrices, 25 M parameters, beside a
 * plain copy that moves as many bytes: reads of weights, gradients and states, writes of weights and
 * states. Muon, which computes more than it moves: of 2 matrices, beside its matrix products alone. Rounds
 * of all of them alternate; medians are shown. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "optimizers/table.h"

enum { TENSORS = 24, PRODUCT_TENSORS = 2, PRODUCT_STEPS = 5, SIDE = 1024, ROUNDS = 9 };

struct bench {
    struct optim optim;
    void *opts;
    double bytes; /* moved by one update, at least */
    double update[ROUNDS], base[ROUNDS];
};

static char *copy_from, *copy_to;

static void check(int rc, const struct err *e)
{
    if (rc < 0) {
        fprintf(stderr, "%s\n", e->msg);
        exit(1);
    }
}

static void make_params(struct param_set *ps, struct backend *be, int tensors)
{
    struct err e = ERR_INIT;
    const int64_t dim[2] = {SIDE, SIDE};
    param_init(ps, be);
    for (int i = 0; i < tensors; i++) {
        char name[32];
        snprintf(name, sizeof name, "w%d", i);
        param_declare(ps, name, 2, dim, (struct init){INIT_NORMAL, 0.02f}, SEG_MATRIX);
    }
    check(param_build(ps, 1, &e), &e);
    rng_normal((struct rng_key){2, RNG_NOISE, 0}, ps->g, ps->n, 0, 1e-3f);
}

static bool is_product(const struct optim_class *cls)
{
    return strcmp(cls->name, "muon") == 0;
}

static void bench_open(struct bench *b, const struct optim_class *cls, struct param_set *ps)
{
    struct err e = ERR_INIT;
    *b = (struct bench){.opts = xcalloc(1, cls->opts_size)};
    opt_defaults(cls->opts, b->opts);
    check(optim_init(&b->optim, cls, b->opts, ps, &e), &e);
    b->bytes = 3.0 * (double)ps->n * sizeof(float) + 2.0 * (double)b->optim.bytes;
}

static void bench_close(struct bench *b)
{
    opt_release(b->optim.cls->opts, b->opts);
    optim_release(&b->optim);
    free(b->opts);
}

/* Half of the bytes read, half written. */
static void copy(const struct bench *b)
{
    size_t n = (size_t)(b->bytes / 2), piece = 1 << 16;
#pragma omp parallel for schedule(static)
    for (size_t at = 0; at < n; at += piece)
        memcpy(copy_to + at, copy_from + at, n - at < piece ? n - at : piece);
}

/* The products of Newton-Schulz iterations. */
static void products(const struct bench *b)
{
    struct backend *be = b->optim.ps->be;
    float *x = b->optim.scratch, *next = x + SIDE * SIDE, *outer = next + SIDE * SIDE;
    float *poly = outer + SIDE * SIDE;
    for (int i = 0; i < PRODUCT_TENSORS * PRODUCT_STEPS; i++) {
        be->k->gemm(be, false, true, SIDE, SIDE, SIDE, 1, x, SIDE, x, SIDE, 0, outer, SIDE);
        be->k->gemm(be, false, false, SIDE, SIDE, SIDE, 1, outer, SIDE, outer, SIDE, 1, poly, SIDE);
        be->k->gemm(be, false, false, SIDE, SIDE, SIDE, 1, poly, SIDE, x, SIDE, 1, next, SIDE);
    }
}

static void run_round(struct bench *b, int at)
{
    double start = sys_now();
    if (is_product(b->optim.cls))
        products(b);
    else
        copy(b);
    double middle = sys_now();
    optim_update(&b->optim, 1e-6);
    b->base[at] = middle - start;
    b->update[at] = sys_now() - middle;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, ROUNDS, sizeof *v, by_value);
    return v[ROUNDS / 2];
}

static bool wanted(const char *name, int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], name) == 0)
            return true;
    }
    return argc <= 2;
}

static void show(struct bench *b)
{
    double base = median(b->base), update = median(b->update), n = (double)b->optim.ps->n;
    printf("%-20s %10.2f %8.1f %8.2f %8.2f %7.0f%% %8.3f\n", b->optim.cls->name, b->bytes / n,
           update * 1e3, b->bytes / update * 1e-9, b->bytes / base * 1e-9, 100 * base / update,
           n / update * 1e-9);
}

int main(int argc, char **argv)
{
    struct err e = ERR_INIT;
    struct backend be;
    struct param_set ps, few;
    struct bench bench[64];
    int n = 0;
    if (openmp_spin_briefly())
        execv("/proc/self/exe", argv); /* libgomp has read its environment already */
    blas_choose_core();
    check(backend_open(&be, "cpu", argc > 1 ? atoi(argv[1]) : sys_cpus(), &e), &e);
    make_params(&ps, &be, TENSORS);
    make_params(&few, &be, PRODUCT_TENSORS);
    double most = 0;
    for (int i = 0; optim_classes[i]; i++) {
        if (!wanted(optim_classes[i]->name, argc, argv))
            continue;
        bench_open(&bench[n], optim_classes[i], is_product(optim_classes[i]) ? &few : &ps);
        most = fmax(most, bench[n++].bytes);
    }
    size_t half = (size_t)most / 2;
    if (!(copy_from = backend_alloc(&be, half, &e)) || !(copy_to = backend_alloc(&be, half, &e)))
        check(e.code, &e);
    memset(copy_from, 1, half);
    for (int round = -1; round < ROUNDS; round++) { /* the first only warms up */
        for (int i = 0; i < n; i++)
            run_round(&bench[i], round < 0 ? 0 : round);
    }
    printf("%d threads, median of %d; base: copy of as many bytes, for muon its products\n",
           be.threads, ROUNDS);
    printf("%-20s %10s %8s %8s %8s %8s %8s\n", "optimizer", "B/element", "ms", "GB/s", "base",
           "share", "G elem/s");
    for (int i = 0; i < n; i++) {
        show(&bench[i]);
        bench_close(&bench[i]);
    }
    backend_free(&be, copy_from, half);
    backend_free(&be, copy_to, half);
    param_release(&ps);
    param_release(&few);
    backend_close(&be);
    return 0;
}
