/* One encoder layer of DistilBERT's shape (dim 768, 12 heads, hidden 3072, dropout 0.1) in training,
 * beside the time of its matrix products alone, in one run.
 * usage: transformer [THREADS]
 * Milliseconds forward and backward over 1,024 tokens as 8 texts of 128, and over 32 texts of the lengths
 * of WordNet's glosses. Rounds of products and layers alternate, every figure is the median. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/nn/layers.h"
#include "engine/ops/ops.h"
#include "engine/tape/gradcheck.h"

enum { DIM = 768, HEADS = 12, HIDDEN = 3072, ROUNDS = 15, TEXTS_MAX = 64 };
#define DROPOUT 0.1f

static struct backend be;
static struct tape tape;
static struct param_set params;
static struct layer {
    struct linear_layer query, key, value, output, up, down;
    struct layernorm_layer first, second;
} layer;

struct job {
    const char *name;
    int texts;
    int32_t at[TEXTS_MAX + 1];
    float *x, *dy;
    double forward[ROUNDS], backward[ROUNDS], floor_forward[ROUNDS], floor_backward[ROUNDS];
};

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

static void must(int code, const struct err *e)
{
    if (code) {
        fprintf(stderr, "transformer: %s\n", e->msg);
        exit(1);
    }
}

static void build(void)
{
    struct err e = ERR_INIT;
    struct layer_init init = layer_init_normal(0.02f);
    param_init(&params, &be);
    linear_declare(&layer.query, &params, "q", DIM, DIM, init);
    linear_declare(&layer.key, &params, "k", DIM, DIM, init);
    linear_declare(&layer.value, &params, "v", DIM, DIM, init);
    linear_declare(&layer.output, &params, "o", DIM, DIM, init);
    layernorm_declare(&layer.first, &params, "norm1", DIM, 1e-12f);
    linear_declare(&layer.up, &params, "up", DIM, HIDDEN, init);
    linear_declare(&layer.down, &params, "down", HIDDEN, DIM, init);
    layernorm_declare(&layer.second, &params, "norm2", DIM, 1e-12f);
    must(param_build(&params, 1, &e), &e);
    must(tape_init(&tape, &be, 0, &e), &e);
}

static struct tensor *run_layer(const struct job *j, struct tensor *x)
{
    struct tensor *q = linear_apply(&layer.query, &params, &tape, x, ACT_NONE, 0);
    struct tensor *k = linear_apply(&layer.key, &params, &tape, x, ACT_NONE, 0);
    struct tensor *v = linear_apply(&layer.value, &params, &tape, x, ACT_NONE, 0);
    struct tensor *y = op_attention(&tape, q, k, v, j->at, j->texts, HEADS, DROPOUT);
    y = linear_apply(&layer.output, &params, &tape, y, ACT_NONE, 0);
    x = layernorm_apply(&layer.first, &params, &tape, op_add(&tape, y, x));
    y = linear_apply(&layer.up, &params, &tape, x, ACT_GELU, 0);
    y = op_dropout(&tape, linear_apply(&layer.down, &params, &tape, y, ACT_NONE, 0), DROPOUT);
    return layernorm_apply(&layer.second, &params, &tape, op_add(&tape, y, x));
}

static void step(struct job *j, int round)
{
    struct err e = ERR_INIT;
    int64_t dim[] = {j->at[j->texts], DIM};
    tape_begin(&tape, true, 1, (uint64_t)round);
    param_clear_grads(&params);
    double start = sys_now();
    struct tensor *y = run_layer(j, tape_input(&tape, 2, dim, j->x, true));
    double half = sys_now();
    struct tensor *loss = gradcheck_seed(&tape, y, j->dy);
    double seeded = sys_now();
    must(tape_backward(&tape, loss, 1, &e), &e);
    j->forward[round] = half - start;
    j->backward[round] = sys_now() - seeded;
}

/* y = x w', then the gradients of x and w. */
static void products(int rows, int in, int out, const float *x, float *y, double *forward,
                     double *backward)
{
    float *w = params.w, *g = params.g;
    double start = sys_now();
    be.k->gemm(&be, false, true, rows, out, in, 1, x, in, w, in, 0, y, out);
    double half = sys_now();
    be.k->gemm(&be, false, false, rows, in, out, 1, x, out, w, in, 0, y, in);
    be.k->gemm(&be, true, false, out, in, rows, 1, x, out, y, in, 0, g, in);
    *forward += half - start;
    *backward += sys_now() - half;
}

/* Of one thread's heads; two share them. */
static void attention_products(const struct job *j, const float *x, float *y, double *forward,
                               double *backward)
{
    const int size = DIM / HEADS, times[] = {2, 5};
    for (int pass = 0; pass < 2; pass++) {
        double start = sys_now();
        for (int i = 0; i < j->texts; i++) {
            int n = j->at[i + 1] - j->at[i];
            for (int k = 0; k < times[pass] * HEADS / be.threads; k++)
                be.k->gemm(&be, false, true, n, n, size, 1, x, DIM, x, DIM, 0, y, n);
        }
        *(pass ? backward : forward) += sys_now() - start;
    }
}

static void floor_of(struct job *j, int round, float *y)
{
    static const int shape[][2] = {{DIM, DIM}, {DIM, DIM}, {DIM, DIM}, {DIM, DIM}, {DIM, HIDDEN},
                                   {HIDDEN, DIM}};
    double *f = &j->floor_forward[round], *b = &j->floor_backward[round];
    *f = *b = 0;
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        products(j->at[j->texts], shape[i][0], shape[i][1], j->x, y, f, b);
    attention_products(j, j->x, y, f, b);
}

static void print(struct job *j)
{
    double f = median(j->forward), b = median(j->backward);
    double ff = median(j->floor_forward), fb = median(j->floor_backward);
    printf("%-14s %5d tokens  forward %7.2f ms (products %7.2f)  backward %7.2f ms (%7.2f)  total "
           "%.2f x products\n",
           j->name, (int)j->at[j->texts], 1e3 * f, 1e3 * ff, 1e3 * b, 1e3 * fb, (f + b) / (ff + fb));
}

int main(int argc, char **argv)
{
    if (openmp_spin_briefly()) /* as the program does */
        execv("/proc/self/exe", argv);
    blas_choose_core();
    static struct job jobs[] = {{.name = "8 x 128", .texts = 8}, {.name = "32 glosses", .texts = 32}};
    enum { JOBS = sizeof jobs / sizeof jobs[0], MOST = 1024 };
    struct err e = ERR_INIT;
    must(backend_open(&be, "cpu", argc > 1 ? atoi(argv[1]) : sys_threads(0, NULL, 0), &e), &e);
    build();
    size_t n = (size_t)MOST * HIDDEN;
    float *x = xmalloc(n * sizeof *x), *dy = xmalloc(n * sizeof *dy), *y = xmalloc(n * sizeof *y);
    rng_normal((struct rng_key){.seed = 2}, x, n, 0, 1);
    rng_normal((struct rng_key){.seed = 3}, dy, n, 0, 1);
    for (int i = 0; i < JOBS; i++) {
        jobs[i].x = x;
        jobs[i].dy = dy;
        for (int k = 0; k < jobs[i].texts; k++) /* glosses: 6 to 28 tokens, 13.1 on average */
            jobs[i].at[k + 1] = jobs[i].at[k] + (i == 0 ? 128 : 6 + k * k * 22 / (31 * 31));
    }
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < JOBS; i++) {
            floor_of(&jobs[i], r, y);
            step(&jobs[i], r);
        }
    printf("%d threads\n", be.threads);
    for (int i = 0; i < JOBS; i++)
        print(&jobs[i]);
    return 0;
}
