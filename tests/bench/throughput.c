/* Training throughput of the dense models beside the machine's own matrix product, in one run.
 * usage: throughput [THREADS]
 * Samples/s of mlp 784-256-128-10 (batch 32 and 128) and of the Fashion-MNIST convnet (batch 64), whole
 * steps with clipping and AdamW on made-up rows; GFLOP/s counts the products of forward and backward.
 * Rounds of product and training alternate, every figure is the median. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/mem.h"
#include "engine/base/rng.h"
#include "engine/base/sys.h"
#include "engine/data/loader.h"
#include "engine/train/accelerator.h"
#include "engine/train/loss.h"
#include "optimizers/table.h"

#define ROUNDS 9
#define SIDE 1024
#define ROUND_SECONDS 0.4

struct job {
    const char *name, *model, *key, *value;
    int batch;
    struct accelerator acc;
    struct network net;
    void *model_opts, *optim_opts;
    struct dataset data;
    struct loader *loader;
    double samples[ROUNDS], gflops[ROUNDS];
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
        fprintf(stderr, "throughput: %s\n", e->msg);
        exit(1);
    }
}

static void *defaults(const struct opt_desc *table, size_t size)
{
    void *opts = xcalloc(1, size);
    opt_defaults(table, opts);
    return opts;
}

static void build(struct job *j, int threads)
{
    struct err e = ERR_INIT;
    struct data_opts d = {0};
    struct dataset eval;
    opt_defaults(data_opts_table, &d);
    must(opt_parse(opt_find(data_opts_table, "format"), &d, "synthetic", &e), &e);
    must(dataset_open(&d, 1, &j->data, &eval, &e), &e);
    dataset_release(&eval);
    const struct model_class *cls = model_by_name(j->model, &e);
    const struct optim_class *adamw = optim_by_name(optim_classes, "adamw", &e);
    j->model_opts = defaults(cls->opts, cls->opts_size);
    j->optim_opts = defaults(adamw->opts, adamw->opts_size);
    must(opt_parse(opt_find(cls->opts, j->key), j->model_opts, j->value, &e), &e);
    must(accelerator_open(&j->acc, "cpu", threads, 1, 0, &e), &e);
    must(network_init(&j->net, &j->acc.be, cls, j->model_opts, &j->data.spec, &e), &e);
    must(network_build(&j->net, 1, adamw, j->optim_opts, &e), &e);
    static const struct sched_opts plain = {.warmup_steps = 0, .scale = 1};
    must(sched_init(&j->net.sched, sched_by_name("constant", &e), &plain, NULL, 1e-3, 1 << 30, &e),
         &e);
    struct loader_opts o = {.batch_size = j->batch, .accumulation = 1, .shuffle = true, .seed = 1,
                            .drop_last = true, .endless = true};
    j->loader = loader_new(&j->data, &o);
}

static void step(struct job *j)
{
    struct err e = ERR_INIT;
    struct step_info info;
    struct loss_rule rule = {.problem = PROBLEM_CLASSES};
    const struct batch *b = loader_next(j->loader, NULL);
    struct tape *t = accelerator_begin(&j->acc, true);
    must(accelerator_backward(&j->acc, &j->net,
                              loss_of_group(t, model_logits(&j->net.model, t, b), b, &rule), &e),
         &e);
    accelerator_step(&j->acc, &j->net, 1, &info);
}

static void round_of(struct job *j, int r)
{
    double start = sys_now(), flops = 0;
    int64_t steps = 0;
    do {
        step(j);
        flops += 3 * j->acc.tape.flops;
        steps++;
    } while (sys_now() - start < ROUND_SECONDS);
    double took = sys_now() - start;
    j->samples[r] = (double)(steps * j->batch) / took;
    j->gflops[r] = flops / took * 1e-9;
}

static double product(struct backend *be, const float *a, const float *b, float *c)
{
    double start = sys_now();
    int n = 0;
    do {
        be->k->gemm(be, false, true, SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE);
        n++;
    } while (sys_now() - start < ROUND_SECONDS);
    return 2.0 * SIDE * SIDE * SIDE * n / (sys_now() - start) * 1e-9;
}

int main(int argc, char **argv)
{
    if (openmp_spin_briefly()) /* as the program does */
        execv("/proc/self/exe", argv);
    blas_choose_core();
    static struct job jobs[] = {
        {.name = "mlp 256,128", .model = "mlp", .key = "hidden", .value = "256,128", .batch = 32},
        {.name = "mlp 256,128", .model = "mlp", .key = "hidden", .value = "256,128", .batch = 128},
        {.name = "convnet 32,64,128", .model = "convnet", .key = "hidden", .value = "128", .batch = 64},
    };
    enum { JOBS = sizeof jobs / sizeof jobs[0] };
    int threads = argc > 1 ? atoi(argv[1]) : sys_threads(0, NULL, 0);
    double peak[ROUNDS];
    size_t n = (size_t)SIDE * SIDE;
    float *a = xmalloc(n * sizeof *a), *b = xmalloc(n * sizeof *b), *c = xmalloc(n * sizeof *c);
    rng_normal((struct rng_key){.seed = 1}, a, n, 0, 1);
    rng_normal((struct rng_key){.seed = 2}, b, n, 0, 1);
    for (int i = 0; i < JOBS; i++)
        build(&jobs[i], threads);
    for (int r = 0; r < ROUNDS; r++) {
        peak[r] = product(&jobs[0].acc.be, a, b, c);
        for (int i = 0; i < JOBS; i++)
            round_of(&jobs[i], r);
    }
    printf("%d threads; sgemm %dx%dx%d %.1f GFLOP/s\n", threads, SIDE, SIDE, SIDE, median(peak));
    for (int i = 0; i < JOBS; i++)
        printf("%-18s batch %3d  %9.0f samples/s  %6.1f GFLOP/s  %5.1f %% of sgemm\n", jobs[i].name,
               jobs[i].batch, median(jobs[i].samples), median(jobs[i].gflops),
               100 * median(jobs[i].gflops) / median(peak));
    return 0;
}
