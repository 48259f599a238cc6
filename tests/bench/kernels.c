/* Speed of the CPU kernels. usage: kernels [THREADS] Products and convolutions in GFLOP/s with
 * their share of a large sgemm of the same run; kernels that move numbers in GB/s with their share
 * of a plain copy; last a whole training step of the convnet. Every figure is the best of many
 * runs. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/backend/backend.h"
#include "engine/base/sys.h"

#define SECONDS 0.3 /* spent on one line */

enum { POOL = 6 << 20, N = 4 << 20, BATCH = 64 };

/* Numbers that every case takes as its inputs and outputs. */
static struct backend be;
static const struct kernels *k;
static float *in[3], *out[3];
static int32_t *ints;
static void *scratch;

static void *take(size_t bytes)
{
    struct err e = ERR_INIT;
    void *p = backend_alloc(&be, bytes, &e);
    if (!p) {
        fprintf(stderr, "%s\n", e.msg);
        exit(6);
    }
    return p;
}

static double best_time(void (*run)(const void *), const void *arg)
{
    double start = sys_now(), best = 1e30;
    do {
        double t = sys_now();
        run(arg);
        t = sys_now() - t;
        best = t < best ? t : best;
    } while (sys_now() - start < SECONDS);
    return best;
}

/* ---- products ---- */

struct product {
    const char *what;
    bool ta, tb;
    int m, n, k;
};

static void run_gemm(const void *arg)
{
    const struct product *p = arg;
    k->gemm(&be, p->ta, p->tb, p->m, p->n, p->k, 1, in[0], p->ta ? p->m : p->k, in[1],
            p->tb ? p->k : p->n, 0, out[0], p->n);
}

static double gflops(const struct product *p)
{
    return 2.0 * p->m * p->n * p->k / best_time(run_gemm, p) * 1e-9;
}

static void bench_products(double full)
{
    static const struct product products[] = {
        {"sgemm 512", false, true, 512, 512, 512},
        {"sgemm 2048", false, true, 2048, 2048, 2048},
        {"linear 64x3136 -> 128", false, true, BATCH, 128, 3136},
        {"  its input's gradient", false, false, BATCH, 3136, 128},
        {"  its weight's gradient", true, false, 128, 3136, BATCH},
        {"linear 512x768 -> 768", false, true, 512, 768, 768},
        {"linear 64x128 -> 10", false, true, BATCH, 10, 128},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        double rate = gflops(&products[i]);
        printf("%-28s %8.1f GFLOP/s  %3.0f %%\n", products[i].what, rate, 100 * rate / full);
    }
}

/* ---- convolutions ---- */

static const struct conv_dims conv1 = {BATCH, 1, 28, 28, 32, 3, 3, 1, 1, 28, 28};
static const struct conv_dims conv2 = {BATCH, 32, 14, 14, 64, 3, 3, 1, 1, 14, 14};

static double conv_flops(const struct conv_dims *d)
{
    return 2.0 * d->n * d->oc * d->oh * d->ow * d->c * d->kh * d->kw;
}

static void run_conv_fwd(const void *d)
{
    k->conv2d_fwd(&be, out[0], in[0], in[1], in[2], d, ACT_RELU, 0, scratch);
}

static void run_conv_bwd(const void *d)
{
    k->conv2d_bwd(&be, out[0], out[1], out[2], in[2], in[0], in[1], d, false, false, false,
                  scratch);
}

static void run_conv_bwd_first(const void *d)
{
    k->conv2d_bwd(&be, NULL, out[1], out[2], in[2], in[0], in[1], d, false, false, false, scratch);
}

static void bench_convs(double full)
{
    const struct {
        const char *what;
        const struct conv_dims *d;
        void (*run)(const void *);
        double passes;
    } convs[] = {
        {"conv [64,1,28,28] -> 32 fwd", &conv1, run_conv_fwd, 1},
        {"  bwd, no input gradient", &conv1, run_conv_bwd_first, 1},
        {"  bwd", &conv1, run_conv_bwd, 2},
        {"conv [64,32,14,14] -> 64 fwd", &conv2, run_conv_fwd, 1},
        {"  bwd", &conv2, run_conv_bwd, 2},
    };
    for (size_t i = 0; i < sizeof convs / sizeof *convs; i++) {
        double t = best_time(convs[i].run, convs[i].d);
        double rate = convs[i].passes * conv_flops(convs[i].d) / t * 1e-9;
        printf("%-28s %8.1f GFLOP/s  %3.0f %%  %6.2f ms\n", convs[i].what, rate, 100 * rate / full,
               t * 1e3);
    }
}

/* ---- kernels at the speed of memory ---- */

static void run_copy(const void *arg)
{
    (void)arg;
    k->act_fwd(&be, out[0], in[0], N, ACT_NONE, 0);
}

static void run_fill(const void *arg)
{
    (void)arg;
    k->fill(&be, out[0], N, 1);
}

static void run_add(const void *arg)
{
    (void)arg;
    k->add(&be, out[0], in[0], in[1], N);
}

static void run_axpy(const void *arg)
{
    (void)arg;
    k->axpy(&be, out[0], 1e-6f, in[0], N);
}

static void run_sumsq(const void *arg)
{
    (void)arg;
    double sum;
    k->sumsq(&be, &sum, in[0], N);
}

static void run_act(const void *arg)
{
    k->act_fwd(&be, out[0], in[0], N, *(const enum act *)arg, 0.1f);
}

static void run_act_bwd(const void *arg)
{
    k->act_bwd(&be, out[0], in[0], in[1], in[1], N, *(const enum act *)arg, 0.1f, false);
}

static void run_bias_act(const void *arg)
{
    k->bias_act_fwd(&be, out[0], NULL, in[0], N / 1024, 1024, *(const enum act *)arg, 0);
}

static void run_dropout(const void *arg)
{
    (void)arg;
    k->dropout_fwd(&be, out[0], in[0], N, 0.1f, (struct rng_key){1, RNG_DROPOUT, 1});
}

static void run_col_sum(const void *arg)
{
    (void)arg;
    k->col_sum(&be, out[0], in[0], N / 1024, 1024, false);
}

static void run_layernorm(const void *arg)
{
    (void)arg;
    k->layernorm_fwd(&be, out[0], out[1], out[2], in[0], in[1], in[2], N / 1024, 1024, 1e-12f);
}

static void run_layernorm_bwd(const void *arg)
{
    (void)arg;
    k->layernorm_bwd(&be, out[0], out[1], out[2], in[0], in[1], in[2], in[2], in[1], N / 1024, 1024,
                     false, false, false);
}

static const struct pool_dims pool1 = {BATCH, 32, 28, 28, 2, 2, 0, 14, 14};
static const struct pool_dims pool2 = {BATCH, 64, 14, 14, 2, 2, 0, 7, 7};

static void run_pool(const void *d)
{
    k->maxpool_fwd(&be, out[0], ints, in[0], d);
}

static void run_pool_bwd(const void *d)
{
    k->maxpool_bwd(&be, out[0], in[0], ints, d, false);
}

static void bench_memory(void)
{
    static const enum act relu = ACT_RELU, gelu = ACT_GELU, gelu_tanh = ACT_GELU_TANH,
                          tanhs = ACT_TANH, sigmoid = ACT_SIGMOID;
    const double pool_in = BATCH * 32 * 28 * 28 * 4.0, n4 = 4.0 * N;
    const struct {
        const char *what;
        void (*run)(const void *);
        const void *arg;
        double bytes; /* read and written once */
    } cases[] = {
        {"fill", run_fill, NULL, n4},
        {"add", run_add, NULL, 3 * n4},
        {"axpy", run_axpy, NULL, 3 * n4},
        {"sumsq", run_sumsq, NULL, n4},
        {"relu", run_act, &relu, 2 * n4},
        {"relu bwd", run_act_bwd, &relu, 3 * n4},
        {"gelu", run_act, &gelu, 2 * n4},
        {"gelu bwd", run_act_bwd, &gelu, 3 * n4},
        {"gelu_tanh", run_act, &gelu_tanh, 2 * n4},
        {"gelu_tanh bwd", run_act_bwd, &gelu_tanh, 3 * n4},
        {"tanh", run_act, &tanhs, 2 * n4},
        {"sigmoid", run_act, &sigmoid, 2 * n4},
        {"bias + relu", run_bias_act, &relu, 2 * n4},
        {"dropout", run_dropout, NULL, 2 * n4},
        {"col_sum [4096,1024]", run_col_sum, NULL, n4},
        {"layernorm [4096,1024]", run_layernorm, NULL, 2 * n4},
        {"layernorm bwd", run_layernorm_bwd, NULL, 3 * n4},
        {"maxpool 2 [64,32,28,28]", run_pool, &pool1, pool_in * 1.5},
        {"maxpool 2 bwd", run_pool_bwd, &pool1, pool_in * 1.5},
    };
    double copy = 2 * n4 / best_time(run_copy, NULL) * 1e-9;
    printf("%-28s %8.1f GB/s\n", "copy", copy);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double t = best_time(cases[i].run, cases[i].arg), rate = cases[i].bytes / t * 1e-9;
        printf("%-28s %8.1f GB/s     %3.0f %%  %6.2f ms\n", cases[i].what, rate, 100 * rate / copy,
               t * 1e3);
    }
}

/* ---- the convnet: conv 32, pool, conv 64, pool, dense 128, dense 10, batch 64 ---- */

static struct {
    float *x, *y1, *p1, *y2, *p2, *h, *logits, *prob, *loss; /* forward */
    float *w1, *w2, *w3, *w4, *b;                            /* weights, all biases */
    float *dlogits, *dh, *dp2, *dy2, *dp1, *dy1;             /* backward */
    float *dw1, *dw2, *dw3, *dw4, *db;
    int32_t *arg1, *arg2;
} net;

static void net_init(void)
{
    const struct {
        float **p;
        size_t n;
    } all[] = {
        {&net.x, 784},        {&net.y1, 32 * 784},  {&net.p1, 32 * 196}, {&net.y2, 64 * 196},
        {&net.p2, 3136},      {&net.h, 128},        {&net.logits, 10},   {&net.prob, 10},
        {&net.dlogits, 10},   {&net.dh, 128},       {&net.dp2, 3136},    {&net.dy2, 64 * 196},
        {&net.dp1, 32 * 196}, {&net.dy1, 32 * 784}, {&net.loss, 1},      {&net.b, 16},
        {&net.db, 16},        {&net.w1, 5},         {&net.dw1, 5},       {&net.w2, 288},
        {&net.dw2, 288},      {&net.w3, 6272},      {&net.dw3, 6272},    {&net.w4, 20},
        {&net.dw4, 20},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t n = BATCH * all[i].n;
        *all[i].p = take(n * sizeof(float));
        rng_uniform((struct rng_key){1, RNG_SYNTHETIC, i}, *all[i].p, n, -0.1f, 0.1f);
    }
    net.arg1 = take(BATCH * 32 * 196 * sizeof *net.arg1);
    net.arg2 = take(BATCH * 3136 * sizeof *net.arg2);
}

static void net_fwd(const struct xent_rule *rule)
{
    k->conv2d_fwd(&be, net.y1, net.x, net.w1, net.b, &conv1, ACT_RELU, 0, scratch);
    k->maxpool_fwd(&be, net.p1, net.arg1, net.y1, &pool1);
    k->conv2d_fwd(&be, net.y2, net.p1, net.w2, net.b, &conv2, ACT_RELU, 0, scratch);
    k->maxpool_fwd(&be, net.p2, net.arg2, net.y2, &pool2);
    k->gemm(&be, false, true, BATCH, 128, 3136, 1, net.p2, 3136, net.w3, 3136, 0, net.h, 128);
    k->bias_act_fwd(&be, net.h, NULL, net.b, BATCH, 128, ACT_RELU, 0);
    k->gemm(&be, false, true, BATCH, 10, 128, 1, net.h, 128, net.w4, 128, 0, net.logits, 10);
    k->bias_act_fwd(&be, net.logits, NULL, net.b, BATCH, 10, ACT_NONE, 0);
    k->xent_fwd(&be, net.loss, net.prob, net.logits, ints, rule);
}

static void net_bwd(const struct xent_rule *rule)
{
    const float one = 1;
    k->xent_bwd(&be, net.dlogits, &one, net.prob, ints, rule, false);
    k->gemm(&be, true, false, 10, 128, BATCH, 1, net.dlogits, 10, net.h, 128, 0, net.dw4, 128);
    k->col_sum(&be, net.db, net.dlogits, BATCH, 10, false);
    k->gemm(&be, false, false, BATCH, 128, 10, 1, net.dlogits, 10, net.w4, 128, 0, net.dh, 128);
    k->act_bwd(&be, net.dh, net.dh, NULL, net.h, BATCH * 128, ACT_RELU, 0, false);
    k->gemm(&be, true, false, 128, 3136, BATCH, 1, net.dh, 128, net.p2, 3136, 0, net.dw3, 3136);
    k->col_sum(&be, net.db, net.dh, BATCH, 128, false);
    k->gemm(&be, false, false, BATCH, 3136, 128, 1, net.dh, 128, net.w3, 3136, 0, net.dp2, 3136);
    k->maxpool_bwd(&be, net.dy2, net.dp2, net.arg2, &pool2, false);
    k->act_bwd(&be, net.dy2, net.dy2, NULL, net.y2, BATCH * 64 * 196, ACT_RELU, 0, false);
    k->conv2d_bwd(&be, net.dp1, net.dw2, net.db, net.dy2, net.p1, net.w2, &conv2, false, false,
                  false, scratch);
    k->maxpool_bwd(&be, net.dy1, net.dp1, net.arg1, &pool1, false);
    k->act_bwd(&be, net.dy1, net.dy1, NULL, net.y1, BATCH * 32 * 784, ACT_RELU, 0, false);
    k->conv2d_bwd(&be, NULL, net.dw1, net.db, net.dy1, net.x, net.w1, &conv1, false, false, false,
                  scratch);
}

static void run_net(const void *rule)
{
    net_fwd(rule);
    net_bwd(rule);
}

static void bench_convnet(double full)
{
    static const struct xent_rule rule = {BATCH, 10, -100, 0, 1.0f / BATCH, NULL};
    for (int i = 0; i < BATCH; i++)
        ints[i] = i % 10;
    net_init();
    double t = best_time(run_net, &rule);
    double flops =
        2 * conv_flops(&conv1) + 3 * conv_flops(&conv2) + 3 * 2.0 * BATCH * (3136 * 128 + 128 * 10);
    printf("%-28s %8.1f GFLOP/s  %3.0f %%  %6.2f ms  %.0f samples/s\n", "convnet step, batch 64",
           flops / t * 1e-9, 100 * flops / t * 1e-9 / full, t * 1e3, BATCH / t);
}

int main(int argc, char **argv)
{
    static const struct product large = {"", false, true, 1024, 1024, 1024};
    struct err e = ERR_INIT;
    char blas[128];
    if (backend_open(&be, "cpu", argc > 1 ? atoi(argv[1]) : sys_cpus(), &e) != 0) {
        fprintf(stderr, "%s\n", e.msg);
        return 6;
    }
    k = be.k;
    for (int i = 0; i < 3; i++) {
        in[i] = take(POOL * sizeof(float));
        out[i] = take(POOL * sizeof(float));
        rng_uniform((struct rng_key){1, RNG_SYNTHETIC, 100 + i}, in[i], POOL, -1, 1);
        k->fill(&be, out[i], POOL, 0);
    }
    ints = take(POOL * sizeof *ints);
    scratch = take(k->conv2d_scratch(&be, &conv1) + k->conv2d_scratch(&be, &conv2));
    blas_describe(blas, sizeof blas);
    double full = gflops(&large);
    printf("%s, %d threads\n%-28s %8.1f GFLOP/s  100 %%\n", blas, be.threads, "sgemm 1024", full);
    bench_products(full);
    bench_convs(full);
    bench_memory();
    bench_convnet(full);
    backend_close(&be);
    return 0;
}
