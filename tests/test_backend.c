/* Backends as objects: names, bytes, the dry run, the BLAS; that no kernel's result depends on the
 * number of threads, and that none takes heap memory. */
#include "tests/kernel_support.h"

#include <omp.h>
#include <stdlib.h>

/* ---- names ---- */

static void test_open(void **state)
{
    struct backend b;
    struct err e = ERR_INIT;
    (void)state;
    assert_int_equal(backend_open(&b, "cpu", 1, &e), 0);
    assert_ptr_equal(b.cls, &backend_cpu);
    assert_int_equal(b.threads, 1);
    assert_int_equal(omp_get_max_threads(), 1);
    backend_close(&b);
    assert_int_equal(backend_open(&b, "null", 1, &e), 0);
    assert_ptr_equal(b.cls, &backend_null);
    backend_close(&b);
    assert_int_equal(backend_open(&b, "auto", 2, &e), 0);
    assert_ptr_not_equal(b.cls, &backend_null);
    assert_int_equal(omp_get_max_threads(), 2);
    backend_close(&b);
    assert_string_equal(e.msg, "");

    assert_int_equal(backend_open(&b, "abacus", 1, &e), TT_ECONFIG);
    assert_non_null(strstr(e.msg, "\"abacus\""));
    assert_non_null(strstr(e.msg, "(auto, "));
    assert_non_null(strstr(e.msg, "cpu)"));
    assert_null(strstr(e.msg, "null"));
    static const char *const broken[] = {"cpu:", "cpu:x", "cpu:-1", "cpu:99999999999", ""};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(backend_open(&b, broken[i], 1, &e), TT_ECONFIG);
    assert_int_equal(backend_open(&b, broken[4], 1, &e), TT_ECONFIG);
}

static void test_kernel_names(void **state)
{
    (void)state;
    assert_string_equal(kernel_name(KERNEL_fill), "fill");
    assert_string_equal(kernel_name(KERNEL_conv2d_bwd), "conv2d_bwd");
    assert_string_equal(kernel_name(KERNEL_COUNT - 1), "bce_bwd");
}

/* ---- bytes ---- */

static void test_bytes(void **state)
{
    static const char *const names[] = {"cpu", "null"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct backend b;
        struct err e = ERR_INIT;
        assert_int_equal(backend_open(&b, names[i], 1, &e), 0);
        void *p = backend_alloc(&b, 100, &e), *q = backend_alloc(&b, 1, &e),
             *z = backend_alloc(&b, 0, &e);
        assert_true(p && q && z && p != q && q != z);
        assert_int_equal((uintptr_t)p % 64, 0);
        assert_int_equal((uintptr_t)q % 64, 0);
        assert_int_equal(b.allocated, 101);
        backend_free(&b, q, 1);
        backend_free(&b, NULL, 5);
        assert_int_equal(b.allocated, 100);
        q = backend_alloc(&b, 30, &e);
        assert_int_equal(b.peak, 130);
        backend_free(&b, q, 30);
        backend_free(&b, p, 100);
        backend_free(&b, z, 0);
        assert_int_equal(b.allocated, 0);
        assert_int_equal(b.peak, 130);
        assert_null(backend_alloc(&b, SIZE_MAX, &e));
        assert_int_equal(e.code, TT_ERESOURCE);
        assert_int_equal(b.allocated, 0);
        backend_close(&b);
    }
}

static void test_no_memory(void **state)
{
    struct backend b;
    struct err e = ERR_INIT;
    int64_t left, total;
    (void)state;
    assert_int_equal(backend_open(&b, "cpu", 1, &e), 0);
    b.cls->mem_info(&b, &left, &total);
    assert_true(0 < left && left <= total);
    assert_null(backend_alloc(&b, (size_t)total + 1, &e)); /* the system would promise it */
    assert_int_equal(e.code, TT_ERESOURCE);
    assert_non_null(strstr(e.msg, "no memory on cpu"));
    backend_close(&b);
}

static void test_moves(void **state)
{
    struct backend b;
    struct err e = ERR_INIT;
    float host[3] = {1, 2, 3}, back[3] = {7, 7, 7};
    (void)state;
    assert_int_equal(backend_open(&b, "cpu", 1, &e), 0);
    float *p = backend_alloc(&b, 12, &e), *q = backend_alloc(&b, 12, &e);
    b.cls->upload(&b, p, host, 12);
    b.cls->copy(&b, q, p, 12);
    b.cls->zero(&b, p, 12);
    b.cls->download(&b, back, q, 12);
    b.cls->sync(&b);
    assert_memory_equal(back, host, 12);
    b.cls->download(&b, back, p, 8);
    assert_true(back[0] == 0 && back[1] == 0 && back[2] == 3);
    backend_free(&b, p, 12);
    backend_free(&b, q, 12);
    backend_close(&b);
}

/* ---- the dry run ---- */

static void test_dry_run(void **state)
{
    struct backend dry;
    struct err e = ERR_INIT;
    struct backend_class lame = backend_cpu;
    const struct conv_dims d = {2, 3, 8, 8, 4, 3, 3, 1, 1, 8, 8};
    float value = 5;
    (void)state;
    assert_int_equal(backend_open(&dry, "null", 2, &e), 0);
    float *p = backend_alloc(&dry, (size_t)1 << 40, &e); /* more than there is */
    assert_non_null(p);
    dry.k->fill(&dry, p, 1 << 20, 1);
    assert_int_equal(dry.k->conv2d_scratch(&dry, &d), k->conv2d_scratch(&be, &d));
    dry.k->conv2d_fwd(&dry, p, p, p, p, &d, ACT_RELU, 0, p);
    dry.cls->upload(&dry, p, &value, 4);
    dry.cls->copy(&dry, p, p + 1000, 4);
    dry.cls->zero(&dry, p, 4);
    dry.cls->download(&dry, &value, p, 4);
    assert_true(value == 0);
    for (int i = 0; i < KERNEL_COUNT; i++)
        assert_int_equal(dry.used[i],
                         i == KERNEL_fill || i == KERNEL_conv2d_scratch || i == KERNEL_conv2d_fwd);
    assert_int_equal(backend_check_kernels(&be, &dry, "convnet", &e), 0);
    lame.k.maxpool_fwd = NULL; /* not called */
    be.k = &lame.k;
    assert_int_equal(backend_check_kernels(&be, &dry, "convnet", &e), 0);
    lame.k.conv2d_fwd = NULL;
    assert_int_equal(backend_check_kernels(&be, &dry, "convnet", &e), TT_ERESOURCE);
    assert_string_equal(e.msg, "backend cpu has no kernel conv2d_fwd, needed by convnet");
    backend_free(&dry, p, (size_t)1 << 40);
    backend_close(&dry);
}

/* ---- BLAS ---- */

static void test_blas(void **state)
{
    struct err e = ERR_INIT;
    char text[128], tiny[4];
    (void)state;
    assert_int_equal(blas_check(&e), 0);
    blas_describe(text, sizeof text);
    assert_true(strlen(text) > 4);
    blas_describe(tiny, sizeof tiny);
    assert_int_equal(strlen(tiny), 3);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && !getenv("OPENBLAS_CORETYPE"))
        assert_null(strstr(text, "Prescott")); /* its choice for processors it does not know */
#endif
}

/* ---- threads ---- */

/* Sizes that several threads share. */
enum { ROWS = 700, COLS = 300, LEN = ROWS * COLS, ROOM = 16 * LEN };

static const struct conv_dims conv = {21, 3, 16, 16, 8, 3, 3, 1, 1, 16, 16};
static const struct pool_dims pool = {21, 8, 16, 16, 2, 2, 0, 8, 8};
enum { CONV_X = 21 * 3 * 256, CONV_Y = 21 * 8 * 256, CONV_W = 8 * 27, POOL_Y = CONV_Y / 4 };

/* Inputs, and where the next result goes. */
struct results {
    const float *a, *b, *t; /* t: within [0, 1] */
    const int32_t *label;
    float *all;
    size_t n;
    void *scratch; /* of conv2d */
    int32_t *place; /* of maxpool */
};

static float *next(struct results *r, size_t n)
{
    float *out = r->all + r->n;
    r->n += n;
    assert_true(r->n <= ROOM);
    return out;
}

static void run_plain(struct results *r)
{
    const float *a = r->a, *b = r->b;
    double sum;
    k->fill(&be, next(r, LEN), LEN, 3);
    k->scale(&be, memcpy(next(r, LEN), a, LEN * sizeof *a), LEN, 0.3f);
    k->add(&be, next(r, LEN), a, b, LEN);
    k->axpy(&be, memcpy(next(r, LEN), a, LEN * sizeof *a), 0.3f, b, LEN);
    k->sumsq(&be, &sum, a, LEN);
    memcpy(next(r, 2), &sum, sizeof sum);
    k->col_sum(&be, next(r, COLS), a, ROWS, COLS, false);
    k->dropout_fwd(&be, next(r, LEN), a, LEN, 0.1f, (struct rng_key){3, RNG_DROPOUT, 9});
    k->bias_act_fwd(&be, memcpy(next(r, LEN), a, LEN * sizeof *a), NULL, b, ROWS, COLS, ACT_GELU,
                    0);
    k->act_bwd(&be, next(r, LEN), a, b, NULL, LEN, ACT_GELU, 0, false);
    float *mean = next(r, ROWS), *rstd = next(r, ROWS), *y = next(r, LEN);
    k->layernorm_fwd(&be, y, mean, rstd, a, b, b, ROWS, COLS, 1e-5f);
    float *dx = next(r, LEN), *dw = next(r, COLS), *db = next(r, COLS);
    k->layernorm_bwd(&be, dx, dw, db, b, a, mean, rstd, b, ROWS, COLS, false, false, false);
}

static void run_losses(struct results *r)
{
    const struct xent_rule rule = {ROWS, COLS, -100, 0.1f, 1e-3f, NULL};
    const float one = 1;
    float *loss = next(r, 3), *prob = next(r, LEN);
    k->xent_fwd(&be, loss, prob, r->a, r->label, &rule);
    k->xent_bwd(&be, next(r, LEN), &one, prob, r->label, &rule, false);
    k->mse_fwd(&be, loss + 1, r->a, r->t, ROWS, COLS, 1e-5f);
    k->bce_fwd(&be, loss + 2, r->a, r->t, r->b, ROWS, COLS, 1e-5f);
    k->bce_bwd(&be, next(r, LEN), &one, r->a, r->t, r->b, ROWS, COLS, 1e-5f, false);
}

static void run_images(struct results *r)
{
    k->conv2d_fwd(&be, next(r, CONV_Y), r->a, r->b, r->b, &conv, ACT_TANH, 0, r->scratch);
    float *dx = next(r, CONV_X), *dw = next(r, CONV_W), *db = next(r, 8);
    k->conv2d_bwd(&be, dx, dw, db, r->b, r->a, r->b, &conv, false, false, false, r->scratch);
    k->maxpool_fwd(&be, next(r, POOL_Y), r->place, r->a, &pool);
    k->maxpool_bwd(&be, next(r, CONV_Y), r->b, r->place, &pool, false);
}

/* Each way in which a product is made. */
static void run_products(struct results *r)
{
    static const int sizes[][3] = {{9, 10, 11}, {33, 36, 70}, {70, 130, 300}, {40, 50, 1000}, {64, 96, 64}};
    for (size_t i = 0; i < 3 * sizeof sizes / sizeof *sizes; i++) {
        const int *s = sizes[i / 3], m = s[0], n = s[1], depth = s[2];
        bool ta = i % 3 == 1, tb = i % 3 == 2;
        k->gemm(&be, ta, tb, m, n, depth, 1, r->a, ta ? m : depth, r->b, tb ? depth : n, 0,
                next(r, m * n), n);
    }
}

static struct results inputs(void)
{
    int32_t *label = (int32_t *)zeros(ROWS);
    for (int i = 0; i < ROWS; i++)
        label[i] = i % 9 ? i % COLS : -100;
    return (struct results){.a = numbers(LEN, -1, 1),
                            .b = numbers(LEN, -1, 1),
                            .t = numbers(LEN, 0, 1),
                            .label = label,
                            .all = zeros(ROOM),
                            .place = (int32_t *)zeros(POOL_Y)};
}

static void open_threads(struct results *r, int threads)
{
    struct err e = ERR_INIT;
    backend_close(&be);
    assert_int_equal(backend_open(&be, "cpu", threads, &e), 0);
    r->n = 0;
    r->scratch = zeros(k->conv2d_scratch(&be, &conv) / sizeof(float));
}

static void test_threads(void **state)
{
    struct results one = inputs(), more = one;
    (void)state;
    more.all = zeros(ROOM);
    for (int threads = 1; threads <= 5; threads++) {
        struct results *r = threads == 1 ? &one : &more;
        open_threads(r, threads);
        run_plain(r);
        run_losses(r);
        run_images(r);
        run_products(r);
        assert_int_equal(r->n, one.n);
        assert_same(r->all, one.all, r->n);
    }
}

static void test_no_heap_call(void **state)
{
    struct results r = inputs();
    long before = 0;
    (void)state;
    if (test_heap_calls() < 0)
        skip();
    for (int threads = 1; threads <= 3; threads++) {
        open_threads(&r, threads);
        for (int round = 0; round < 2; round++) { /* the first takes what is kept */
            before = test_heap_calls();
            r.n = 0;
            run_plain(&r);
            run_losses(&r);
            run_images(&r);
            run_products(&r);
        }
        assert_int_equal(test_heap_calls(), before);
    }
}

/* Below the normal range: given and taken as 0 by every thread. */
static void test_tiny(void **state)
{
    enum { N = 1 << 18 };
    float *x = zeros(N), *y = zeros(N);
    const uint32_t tiny = 0x00400000; /* 5.9e-39 */
    (void)state;
#ifndef __SSE2__
    skip();
#endif
    k->fill(&be, x, N, 2e-38f);
    k->scale(&be, x, N, 0.25f);
    for (int i = 0; i < N; i++)
        assert_memory_equal(&x[i], &y[i], sizeof *x);
    for (int i = 0; i < N; i++)
        memcpy(&x[i], &tiny, sizeof *x);
    k->axpy(&be, y, 1e30f, x, N);
    for (int i = 0; i < N; i++)
        assert_true(y[i] == 0);
}

static void test_spin(void **state)
{
    (void)state;
    unsetenv("GOMP_SPINCOUNT");
    setenv("OMP_WAIT_POLICY", "passive", 1);
    assert_false(openmp_spin_briefly());
    assert_null(getenv("GOMP_SPINCOUNT"));
    unsetenv("OMP_WAIT_POLICY");
    assert_true(openmp_spin_briefly());
    assert_non_null(getenv("GOMP_SPINCOUNT"));
    assert_false(openmp_spin_briefly());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_kernel_names),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_moves),
        cmocka_unit_test_setup_teardown(test_dry_run, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_blas, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_threads, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_no_heap_call, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_tiny, kernels_setup, kernels_teardown),
        cmocka_unit_test(test_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
