/* Gradient checkpointing: the same numbers to the bit, from less memory. */
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/ops/ops.h"

enum { ROWS = 32, WIDTH = 48, LAYERS = 6 };

static struct backend be;
static struct tensor weight[LAYERS][2];

struct layer {
    int number;
    float p;
    bool nested; /* its second half is a part of its own */
};

static struct tensor *half(struct tape *t, const void *arg, struct tensor *x)
{
    const struct layer *l = arg;
    struct tensor *y = op_linear(t, x, &weight[l->number][1], NULL, ACT_GELU, 0);
    return op_dropout(t, op_activation(t, y, ACT_TANH, 0), l->p);
}

static struct tensor *layer(struct tape *t, const void *arg, struct tensor *x)
{
    const struct layer *l = arg;
    struct tensor *y = op_linear(t, x, &weight[l->number][0], NULL, ACT_GELU, 0);
    y = op_dropout(t, y, l->p);
    y = l->nested ? tape_recompute(t, half, l, sizeof *l, y) : half(t, l, y);
    return op_add(t, x, y); /* x is read twice */
}

/* Loss and gradients of a stack of layers; peak of the tape. */
struct outcome {
    float loss, grad[LAYERS][2][WIDTH * WIDTH], input[ROWS * WIDTH];
    size_t peak;
};

static void train(struct outcome *o, bool recompute, bool nested)
{
    static float target[ROWS * WIDTH];
    struct tape t;
    struct err e = ERR_INIT;
    float input[ROWS * WIDTH];
    int64_t dim[] = {ROWS, WIDTH};
    rng_uniform((struct rng_key){1, RNG_SYNTHETIC, 99}, input, ROWS * WIDTH, -1, 1);
    assert_int_equal(tape_init(&t, &be, 0, &e), 0);
    t.mem.poison = true;
    for (int step = 0; step < 2; step++) { /* the second in the memory of the first */
        tape_begin(&t, true, 42, 5);
        struct tensor *x = tape_input(&t, 2, dim, input, true), *leaf = x;
        for (int i = 0; i < LAYERS; i++) {
            struct layer l = {i, 0.3f, nested};
            weight[i][0].grad_set = weight[i][1].grad_set = false;
            x = recompute ? tape_recompute(&t, layer, &l, sizeof l, x) : layer(&t, &l, x);
        }
        x = op_dropout(&t, x, 0.5f); /* a node behind the parts has the same mask */
        struct tensor *loss = op_mse(&t, x, target, 0);
        assert_non_null(loss);
        assert_int_equal(tape_backward(&t, loss, 1, &e), 0);
        o->loss = *loss->data;
        memcpy(o->input, leaf->grad, sizeof o->input);
    }
    for (int i = 0; i < LAYERS; i++)
        for (int k = 0; k < 2; k++)
            memcpy(o->grad[i][k], weight[i][k].grad, sizeof o->grad[i][k]);
    o->peak = t.mem.peak;
    tape_release(&t);
}

static void same_numbers(void **state)
{
    static struct outcome plain, parts, nested;
    (void)state;
    train(&plain, false, false);
    train(&parts, true, false);
    train(&nested, true, true);
    const struct outcome *others[] = {&parts, &nested};
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(&others[i]->loss, &plain.loss, sizeof plain.loss);
        assert_memory_equal(others[i]->grad, plain.grad, sizeof plain.grad);
        assert_memory_equal(others[i]->input, plain.input, sizeof plain.input);
    }
}

/* A layer keeps eight matrices, a part one: its input. */
static void less_memory(void **state)
{
    static struct outcome plain, parts;
    (void)state;
    train(&plain, false, false);
    train(&parts, true, false);
    if (parts.peak * 2 > plain.peak)
        fail_msg("%zu bytes with, %zu without", parts.peak, plain.peak);
}

static void without_recording(void **state)
{
    struct tape t;
    struct err e = ERR_INIT;
    float input[ROWS * WIDTH] = {1};
    int64_t dim[] = {ROWS, WIDTH};
    struct layer l = {0, 0.3f, false};
    (void)state;
    assert_int_equal(tape_init(&t, &be, 0, &e), 0);
    tape_begin(&t, false, 0, 0);
    struct tensor *x = tape_input(&t, 2, dim, input, false);
    struct tensor *a = layer(&t, &l, x), *b = tape_recompute(&t, layer, &l, sizeof l, x);
    assert_memory_equal(a->data, b->data, a->len * sizeof(float));
    tape_release(&t);
}

static struct tensor *nothing(struct tape *t, const void *arg, struct tensor *x)
{
    (void)t;
    (void)arg;
    return x;
}

static struct tensor *failing(struct tape *t, const void *arg, struct tensor *x)
{
    (void)arg;
    return op_add(t, x, &weight[0][0]);
}

static void edges(void **state)
{
    struct tape t;
    struct err e = ERR_INIT;
    float input[ROWS * WIDTH] = {1};
    int64_t dim[] = {ROWS, WIDTH};
    (void)state;
    assert_int_equal(tape_init(&t, &be, 0, &e), 0);
    tape_begin(&t, true, 0, 0);
    struct tensor *x = tape_input(&t, 2, dim, input, true);
    assert_ptr_equal(tape_recompute(&t, nothing, &t, 1, x), x);
    assert_null(tape_recompute(&t, failing, &t, 1, x));
    assert_int_equal(t.err.code, TT_ECONFIG);
    assert_null(tape_recompute(&t, nothing, &t, 1, NULL));
    tape_release(&t);
}

static int open_all(void **state)
{
    struct err e = ERR_INIT;
    (void)state;
    for (int i = 0; i < LAYERS; i++)
        for (int k = 0; k < 2; k++) {
            struct tensor *w = &weight[i][k];
            *w = (struct tensor){.ndim = 2, .dim = {WIDTH, WIDTH}, .len = WIDTH * WIDTH,
                                 .needs_grad = true};
            w->data = xmalloc(w->len * sizeof(float));
            w->grad = xcalloc(w->len, sizeof(float));
            rng_uniform((struct rng_key){1, RNG_SYNTHETIC, (uint64_t)(2 * i + k)}, w->data, w->len,
                        -0.3f, 0.3f);
        }
    return backend_open(&be, "cpu", 2, &e);
}

static int close_all(void **state)
{
    (void)state;
    for (int i = 0; i < LAYERS; i++)
        for (int k = 0; k < 2; k++) {
            free(weight[i][k].data);
            free(weight[i][k].grad);
        }
    backend_close(&be);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_numbers), cmocka_unit_test(less_memory),
        cmocka_unit_test(without_recording), cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
