/* The tape: who gets which memory, which gradient is stored or added, what a dry run says. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "engine/ops/ops.h"

#define KIB ((size_t)1024)

static struct backend be, null;
static struct tape tape;

static int open_all(void **state)
{
    struct err e = ERR_INIT;
    (void)state;
    return backend_open(&be, "cpu", 1, &e) || backend_open(&null, "null", 1, &e);
}

static int close_all(void **state)
{
    (void)state;
    backend_close(&be);
    backend_close(&null);
    return 0;
}

static int setup(void **state)
{
    struct err e = ERR_INIT;
    (void)state;
    int r = tape_init(&tape, &be, 0, &e);
    tape.mem.poison = true;
    tape_begin(&tape, true, 7, 0);
    return r;
}

static int teardown(void **state)
{
    (void)state;
    tape_release(&tape);
    return be.allocated != 0; /* all blocks were given back */
}

static struct tensor *vector(const float *x, int64_t n)
{
    return tape_input(&tape, 1, &n, x, true);
}

/* Its gradient is 2x. */
static struct tensor *sum_squares(struct tensor *x)
{
    static const float zero[64];
    return op_mse(&tape, x, zero, 1);
}

static void backward(struct tensor *loss, float scale)
{
    struct err e = ERR_INIT;
    if (tape_backward(&tape, loss, scale, &e) < 0)
        fail_msg("%s", e.msg);
}

static void test_failure_is_sticky(void **state)
{
    (void)state;
    static const float zero[12];
    struct err e = ERR_INIT;
    struct tensor *x = tape_input(&tape, 2, (int64_t[]){3, 4}, zero, false);
    struct tensor *w = tape_input(&tape, 2, (int64_t[]){2, 5}, zero, true);
    struct tensor *y = op_linear(&tape, x, w, NULL, ACT_NONE, 0);
    assert_null(y);
    assert_int_equal(tape.err.code, TT_ECONFIG);
    assert_non_null(strstr(tape.err.msg, "linear of [3, 4], [2, 5]: "));
    assert_null(op_activation(&tape, y, ACT_RELU, 0));
    assert_null(op_flatten(&tape, y));
    assert_null(op_mse(&tape, y, zero, 0));
    assert_null(op_softmax_xent(&tape, y, NULL, NULL, 0, 0));
    assert_null(op_add(&tape, x, x)); /* though its shapes fit */
    assert_int_equal(tape_backward(&tape, NULL, 1, &e), TT_ECONFIG);
    assert_string_equal(e.msg, tape.err.msg);
    tape_begin(&tape, true, 7, 1);
    assert_int_equal(tape.err.code, 0);
    assert_non_null(vector(zero, 3));
}

static void test_misfits_are_named(void **state)
{
    (void)state;
    static const float zero[200];
    struct tensor *image = tape_input(&tape, 4, (int64_t[]){1, 2, 5, 5}, zero, false);
    struct tensor *kernel = tape_input(&tape, 4, (int64_t[]){3, 2, 7, 7}, zero, false);
    assert_null(op_conv2d(&tape, image, kernel, NULL, 1, 0, ACT_NONE, 0));
    assert_non_null(strstr(tape.err.msg, "larger than the image"));
    tape_begin(&tape, true, 7, 0);
    image = tape_input(&tape, 4, (int64_t[]){1, 2, 5, 5}, zero, false);
    assert_null(op_maxpool2d(&tape, image, 6, 6, 0));
    assert_non_null(strstr(tape.err.msg, "window 6"));
    tape_begin(&tape, true, 7, 0);
    image = tape_input(&tape, 4, (int64_t[]){1, 2, 5, 5}, zero, false);
    assert_null(tape_view(&tape, image, 1, (int64_t[]){49}));
    assert_non_null(strstr(tape.err.msg, "[1, 2, 5, 5]"));
}

static void test_view_shares_gradient(void **state)
{
    (void)state;
    const float values[] = {1, -2, 3, 4, 5, -6}, right[] = {4, -8, 12, 16, 20, -24};
    struct tensor *x = tape_input(&tape, 3, (int64_t[]){2, 3, 1}, values, true);
    struct tensor *flat = op_flatten(&tape, x);
    struct tensor *again = tape_view(&tape, flat, 1, (int64_t[]){6});
    assert_int_equal(flat->ndim, 2);
    assert_int_equal(flat->dim[1], 3);
    assert_ptr_equal(again->data, x->data);
    backward(op_add(&tape, sum_squares(again), sum_squares(flat)), 1);
    assert_close_f32(x->grad, right, 6, 0, 0);
}

static void test_first_stores_later_add(void **state)
{
    (void)state;
    const float values[] = {1, 2, 3};
    float grad[] = {NAN, NAN, NAN};
    struct tensor w = {.data = (float *)values, .grad = grad, .ndim = 1, .dim = {3}, .len = 3,
                       .needs_grad = true, .name = "w"};
    backward(sum_squares(&w), 1);
    assert_close_f32(grad, ((float[]){2, 4, 6}), 3, 0, 0);
    tape_begin(&tape, true, 7, 1); /* the next micro-batch */
    backward(sum_squares(&w), 0.5f);
    assert_close_f32(grad, ((float[]){3, 6, 9}), 3, 0, 0);
    w.grad_set = false; /* the next update */
    tape_begin(&tape, true, 7, 2);
    backward(sum_squares(&w), -1);
    assert_close_f32(grad, ((float[]){-2, -4, -6}), 3, 0, 0);
}

static void never(struct tape *t, struct node *n)
{
    (void)t;
    (void)n;
    fail_msg("backward of a node whose output got no gradient");
}

static void test_dead_branch_is_skipped(void **state)
{
    (void)state;
    const float values[] = {1, 2, 3};
    struct tensor *x = vector(values, 3);
    struct tensor *y = op_activation(&tape, x, ACT_RELU, 0);
    struct op_class dead = *tape.node[0].op;
    dead.backward = never;
    struct tensor *unused = op_activation(&tape, y, ACT_TANH, 0);
    tape.node[1].op = &dead;
    backward(sum_squares(y), 1);
    assert_null(unused->grad);
    assert_close_f32(x->grad, ((float[]){2, 4, 6}), 3, 0, 0);
}

static void test_frozen_and_evaluation(void **state)
{
    (void)state;
    static const float ones[16] = {1, 1, 1, 1};
    struct tensor *x = tape_input(&tape, 2, (int64_t[]){4, 4}, ones, false);
    struct tensor *w = tape_input(&tape, 2, (int64_t[]){4, 4}, ones, false);
    struct tensor *y = op_linear(&tape, x, w, NULL, ACT_GELU, 0);
    assert_false(y->needs_grad);
    assert_null(tape.node[0].saved);
    backward(sum_squares(y), 1); /* nothing to do, no failure */

    tape_begin(&tape, false, 7, 0);
    w = tape_input(&tape, 2, (int64_t[]){4, 4}, ones, true);
    y = op_linear(&tape, w, w, NULL, ACT_GELU, 0);
    assert_false(y->needs_grad);
    assert_ptr_equal(op_dropout(&tape, y, 0.5f), y);
    assert_int_equal(tape.mem.live, POOL_ALIGN); /* the output, nothing saved */
    assert_close(tape.flops, 2 * 4 * 4 * 4, 0, 0);
}

static void test_losses_count_labelled_rows(void **state)
{
    (void)state;
    const float logits[] = {2, 0, 0, 1, 1, 1}, zero[6] = {0};
    const int32_t some[] = {0, -100, 0}, none[] = {-100, -100, -100};
    const float gaps[] = {NAN, 0, 1, 1, NAN, 0}, all_gaps[] = {NAN, 0, NAN, 0, NAN, 0};
    struct tensor *x = tape_input(&tape, 2, (int64_t[]){3, 2}, logits, true);
    double right = (log1p(exp(-2)) + log(2)) / 2;
    assert_close(op_softmax_xent(&tape, x, some, NULL, 0, 0)->data[0], right, 1e-6, 0);
    assert_close(op_softmax_xent(&tape, x, some, NULL, 0, 8)->data[0], right / 4, 1e-6, 0);
    assert_close(op_mse(&tape, x, gaps, 0)->data[0], 0.5, 1e-6, 0);
    assert_close(op_mse(&tape, x, zero, 0)->data[0], 7.0 / 6, 1e-6, 0);

    struct tensor *loss = op_softmax_xent(&tape, x, none, NULL, 0, 0);
    loss = op_add(&tape, loss, op_mse(&tape, x, all_gaps, 0));
    loss = op_add(&tape, loss, op_bce(&tape, x, all_gaps, NULL, 0));
    backward(loss, 1);
    assert_close(loss->data[0], 0, 0, 0);
    assert_close_f32(x->grad, zero, 6, 0, 0);
}

static void test_dropout_key(void **state)
{
    (void)state;
    enum { N = 4000 };
    static float ones[N], first[N];
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    struct tensor *x = vector(ones, N), *y = op_dropout(&tape, x, 0.25f);
    double sum = 0;
    memcpy(first, y->data, sizeof(first));
    for (int i = 0; i < N; i++)
        sum += (double)first[i];
    assert_close(sum / N, 1, 0.05, 0);
    struct tensor *z = op_dropout(&tape, x, 0.25f); /* another node: another mask */
    assert_memory_not_equal(z->data, first, sizeof(first));

    for (uint64_t micro = 0; micro < 2; micro++) {
        tape_begin(&tape, true, 7, micro);
        y = op_dropout(&tape, vector(ones, N), 0.25f);
        assert_int_equal(memcmp(y->data, first, sizeof(first)) == 0, micro == 0);
    }
    tape_begin(&tape, true, 8, 0); /* another seed */
    y = op_dropout(&tape, vector(ones, N), 0.25f);
    assert_memory_not_equal(y->data, first, sizeof(first));
}

static void test_device_copies(void **state)
{
    (void)state;
    const float values[] = {1, 2, 3};
    const int32_t ids[] = {4, 5};
    assert_ptr_equal(vector(values, 3)->data, values);
    tape.in_place = false;
    struct tensor *x = vector(values, 3);
    const int32_t *dev = tape_upload_i32(&tape, ids, 2);
    assert_ptr_not_equal(x->data, values);
    assert_memory_equal(x->data, values, sizeof(values));
    assert_memory_equal(dev, ids, sizeof(ids));
}

static void test_pool_joins_holes(void **state)
{
    (void)state;
    struct pool p;
    struct err e = ERR_INIT;
    assert_int_equal(pool_init(&p, &be, 4 * KIB, &e), 0);
    p.poison = true;
    char *a = pool_alloc(&p, KIB, &e), *b = pool_alloc(&p, KIB - 100, &e);
    char *c = pool_alloc(&p, KIB, &e);
    assert_true(isnan(*(float *)a));
    assert_ptr_equal(b, a + KIB);
    assert_ptr_equal(c, b + KIB);
    pool_free(&p, a, KIB);
    assert_ptr_equal(pool_alloc(&p, 10, &e), a); /* first fit */
    pool_free(&p, a, 10);
    pool_free(&p, c, KIB); /* joins the rest of the block */
    assert_int_equal(p.nhole, 2);
    pool_free(&p, b, KIB - 100);
    assert_int_equal(p.nhole, 1);
    assert_int_equal(p.live, 0);
    assert_int_equal(p.peak, 3 * KIB);
    assert_ptr_equal(pool_alloc(&p, 4 * KIB, &e), a);
    assert_int_equal(p.capacity, 4 * KIB);
    assert_non_null(pool_alloc(&p, 1, &e)); /* a second block */
    assert_true(p.capacity > 4 * KIB);
    assert_int_equal(p.peak, 4 * KIB + POOL_ALIGN);
    pool_release(&p);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    static const float zero[4];
    struct tensor *x = vector(zero, 4);
    tape.in_place = false;
    assert_null(tape_input(&tape, 3, (int64_t[]){1 << 30, 1 << 20, 1 << 8}, zero, false));
    assert_int_equal(tape.err.code, TT_ERESOURCE);
    assert_null(op_add(&tape, x, x));
}

/* A chain of layers; the pointers of the batch may be NULL on the null backend. */
#define DEPTH 12
#define WIDTH 64
#define ROWS 32

static float weight[DEPTH][WIDTH * WIDTH], weight_grad[DEPTH][WIDTH * WIDTH];

static void chain_step(struct tape *t, const float *x, const int32_t *label, uint64_t micro)
{
    struct err e = ERR_INIT;
    tape_begin(t, true, 7, micro);
    struct tensor *y = tape_input(t, 2, (int64_t[]){ROWS, WIDTH}, x, false);
    for (int i = 0; i < DEPTH; i++) {
        struct tensor *w = tensor_new(t, 2, (int64_t[]){WIDTH, WIDTH});
        w->data = weight[i];
        w->grad = weight_grad[i];
        w->needs_grad = true;
        y = op_linear(t, y, w, NULL, ACT_GELU, 0);
    }
    y = op_softmax_xent(t, y, label, NULL, 0, 0);
    assert_int_equal(tape_backward(t, y, 1, &e), 0);
}

static void test_gradients_reuse_memory(void **state)
{
    (void)state;
    static float x[ROWS * WIDTH];
    static int32_t label[ROWS];
    size_t one = sizeof(x);
    chain_step(&tape, x, label, 0);
    /* Output and kept input of each layer, probabilities; two gradients at a time, not DEPTH. */
    size_t forward = 2 * DEPTH * one + one + POOL_ALIGN;
    assert_int_equal(tape.mem.peak, forward + POOL_ALIGN + 2 * one);
}

static void test_dry_run_is_exact(void **state)
{
    (void)state;
    static float x[ROWS * WIDTH];
    static int32_t label[ROWS];
    struct err e = ERR_INIT;
    struct tape dry, real;
    for (int in_place = 0; in_place < 2; in_place++) {
        assert_int_equal(tape_init(&dry, &null, TAPE_DRY, &e), 0);
        dry.in_place = in_place;
        chain_step(&dry, NULL, NULL, 0);
        assert_int_equal(tape_init(&real, &be, dry.mem.peak, &e), 0);
        real.in_place = in_place;
        chain_step(&real, x, label, 0);
        assert_int_equal(real.mem.peak, dry.mem.peak);
        assert_int_equal(real.mem.capacity, dry.mem.peak);
        assert_int_equal(real.mem.nblock, 1);
        assert_int_equal(real.scratch_peak, dry.scratch_peak);
        assert_close(real.flops, dry.flops, 0, 0);
        tape_release(&real);
        tape_release(&dry);
    }
    assert_true(null.used[KERNEL_gemm] && null.used[KERNEL_xent_bwd]);
    assert_false(null.used[KERNEL_conv2d_fwd]);
}

static void test_no_heap_call_in_a_step(void **state)
{
    (void)state;
    static float x[ROWS * WIDTH];
    static int32_t label[ROWS];
    chain_step(&tape, x, label, 0);
    chain_step(&tape, x, label, 1);
    long before = test_heap_calls();
    if (before < 0)
        skip();
    for (uint64_t micro = 2; micro < 5; micro++)
        chain_step(&tape, x, label, micro);
    assert_int_equal(test_heap_calls(), before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(failure_is_sticky),
        TEST(misfits_are_named),
        TEST(view_shares_gradient),
        TEST(first_stores_later_add),
        TEST(dead_branch_is_skipped),
        TEST(frozen_and_evaluation),
        TEST(losses_count_labelled_rows),
        TEST(dropout_key),
        TEST(device_copies),
        TEST(pool_joins_holes),
        TEST(out_of_memory),
        TEST(gradients_reuse_memory),
        TEST(dry_run_is_exact),
        TEST(no_heap_call_in_a_step),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
