/* Every op of op_classes against finite differences. A case runs with all its inputs at once, with
 * each alone (the others get no gradient), and applied twice (the second gradient is added). An op
 * without a case fails. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/ops/ops.h"
#include "engine/tape/gradcheck.h"

#define STEP 2e-2
#define TOLERANCE 2e-4
#define LEAVES 3
#define LEAF_LEN 512

/* Values of a leaf; those of AWAY and SPACED keep kinks further than two steps. */
enum fill {
    UNIT,   /* within 1 */
    SMALL,  /* within 0.2 */
    AWAY,   /* 0.3 to 1.3, either sign */
    FAR,    /* 2 or -2: as a bias it decides the sign */
    SPACED, /* a shuffled grid: no two are near each other */
};

struct leaf {
    enum fill fill;
    int ndim;
    int64_t dim[TENSOR_DIMS];
};

struct grad_case {
    const char *op, *name;
    gradcheck_fn *fn;
    struct leaf leaf[LEAVES];
    enum act act;
    int stride, pad, window;
    float real;   /* eps, probability or smoothing */
    double denom; /* of a loss */
    bool weights, gaps; /* a loss: class or positive weights; unlabelled rows */
    bool twice;
};

#define SLOPE 0.2f

static struct tensor *linear(struct tape *t, struct tensor *const *x, void *user)
{
    const struct grad_case *c = user;
    return op_linear(t, x[0], x[1], c->leaf[2].ndim ? x[2] : NULL, c->act, SLOPE);
}

static struct tensor *activation(struct tape *t, struct tensor *const *x, void *user)
{
    const struct grad_case *c = user;
    return op_activation(t, x[0], c->act, SLOPE);
}

static struct tensor *layernorm(struct tape *t, struct tensor *const *x, void *user)
{
    const struct grad_case *c = user;
    return op_layernorm(t, x[0], x[1], x[2], c->real);
}

static struct tensor *conv2d(struct tape *t, struct tensor *const *x, void *user)
{
    const struct grad_case *c = user;
    return op_conv2d(t, x[0], x[1], c->leaf[2].ndim ? x[2] : NULL, c->stride, c->pad, c->act,
                     SLOPE);
}

static struct tensor *maxpool2d(struct tape *t, struct tensor *const *x, void *user)
{
    const struct grad_case *c = user;
    return op_maxpool2d(t, x[0], c->window, c->stride, c->pad);
}

static struct tensor *add(struct tape *t, struct tensor *const *x, void *user)
{
    const struct grad_case *c = user;
    return op_add(t, x[0], c->leaf[1].ndim ? x[1] : x[0]);
}

static struct tensor *dropout(struct tape *t, struct tensor *const *x, void *user)
{
    const struct grad_case *c = user;
    return op_dropout(t, x[0], c->real);
}

static struct tensor *softmax_xent(struct tape *t, struct tensor *const *x, void *user)
{
    static const int32_t label[] = {2, 0, 1, 1, 3, 0}, gaps[] = {-100, 0, 1, -100, 3, -100};
    static const float weight[] = {0.5f, 2, 1, 0.25f};
    const struct grad_case *c = user;
    return op_softmax_xent(t, x[0], c->gaps ? gaps : label, c->weights ? weight : NULL, c->real,
                           c->denom);
}

static const float targets[] = {0.9f, 0.1f, 0.3f, 0.2f, 1, 0, 0, 0.7f, 0.4f, 1, 0.6f, 0.8f};
static const float target_gaps[] = {0.9f, 0.1f, 0.3f, NAN, 1, 0, 0, 0.7f, 0.4f, NAN, 0.6f, NAN};

static struct tensor *mse(struct tape *t, struct tensor *const *x, void *user)
{
    const struct grad_case *c = user;
    return op_mse(t, x[0], c->gaps ? target_gaps : targets, c->denom);
}

static struct tensor *bce(struct tape *t, struct tensor *const *x, void *user)
{
    static const float weight[] = {0.5f, 3, 1};
    const struct grad_case *c = user;
    return op_bce(t, x[0], c->gaps ? target_gaps : targets, c->weights ? weight : NULL, c->denom);
}

static struct tensor *embedding(struct tape *t, struct tensor *const *x, void *user)
{
    static const int32_t id[] = {3, 0, 3, 1, 0, 3};
    const struct grad_case *c = user;
    return op_embedding(t, x[0], id, 6, c->gaps ? 0 : -1);
}

static struct tensor *attention(struct tape *t, struct tensor *const *x, void *user)
{
    static const int32_t at[] = {0, 1, 6, 8};
    const struct grad_case *c = user;
    return op_attention(t, x[0], x[1], x[2], at, 3, c->window, c->real);
}

static struct tensor *first_tokens(struct tape *t, struct tensor *const *x, void *user)
{
    static const int32_t at[] = {0, 1, 6, 8};
    (void)user;
    return op_first_tokens(t, x[0], at, 3);
}

/* A linear layer whose activation has a kink: the bias keeps every value away from it. */
#define LINEAR_KINK {{SMALL, 2, {3, 4}}, {SMALL, 2, {5, 4}}, {FAR, 1, {5}}}
#define LINEAR {{UNIT, 2, {3, 4}}, {UNIT, 2, {5, 4}}, {UNIT, 1, {5}}}
#define LINEAR_NO_BIAS {{UNIT, 2, {3, 4}}, {UNIT, 2, {5, 4}}}
#define CONV_KINK {{SMALL, 4, {2, 2, 5, 4}}, {SMALL, 4, {3, 2, 3, 3}}, {FAR, 1, {3}}}
#define CONV {{UNIT, 4, {2, 2, 5, 4}}, {UNIT, 4, {3, 2, 3, 3}}, {UNIT, 1, {3}}}
#define IMAGE {{SPACED, 4, {1, 1, 5, 7}}}
#define LOGITS {{UNIT, 2, {6, 4}}}
#define QKV {{UNIT, 2, {8, 6}}, {UNIT, 2, {8, 6}}, {UNIT, 2, {8, 6}}}
#define MATRIX {{UNIT, 2, {4, 3}}}

#define CASE(op_, name_, ...) {.op = #op_, .name = name_, .fn = op_, __VA_ARGS__}

static const struct grad_case cases[] = {
    CASE(linear, "plain", .leaf = LINEAR),
    CASE(linear, "one row", .leaf = {{UNIT, 1, {4}}, {UNIT, 2, {5, 4}}, {UNIT, 1, {5}}}),
    CASE(linear, "no bias", .leaf = LINEAR_NO_BIAS),
    CASE(linear, "3 dimensions", .leaf = {{UNIT, 3, {2, 3, 4}}, {UNIT, 2, {2, 4}}, {UNIT, 1, {2}}}),
    CASE(linear, "relu", .leaf = LINEAR_KINK, .act = ACT_RELU),
    CASE(linear, "leaky_relu", .leaf = LINEAR_KINK, .act = ACT_LEAKY_RELU),
    CASE(linear, "gelu", .leaf = LINEAR, .act = ACT_GELU),
    CASE(linear, "gelu, no bias", .leaf = LINEAR_NO_BIAS, .act = ACT_GELU),
    CASE(linear, "gelu_tanh", .leaf = LINEAR, .act = ACT_GELU_TANH),
    CASE(linear, "tanh", .leaf = LINEAR, .act = ACT_TANH),
    CASE(linear, "tanh, no bias", .leaf = LINEAR_NO_BIAS, .act = ACT_TANH),
    CASE(linear, "sigmoid", .leaf = LINEAR, .act = ACT_SIGMOID),
    CASE(activation, "relu", .leaf = {{AWAY, 2, {3, 7}}}, .act = ACT_RELU),
    CASE(activation, "leaky_relu", .leaf = {{AWAY, 1, {19}}}, .act = ACT_LEAKY_RELU),
    CASE(activation, "gelu", .leaf = {{UNIT, 2, {3, 7}}}, .act = ACT_GELU),
    CASE(activation, "gelu_tanh", .leaf = {{UNIT, 2, {3, 7}}}, .act = ACT_GELU_TANH),
    CASE(activation, "tanh", .leaf = {{UNIT, 4, {2, 1, 3, 3}}}, .act = ACT_TANH),
    CASE(activation, "silu", .leaf = {{UNIT, 2, {3, 7}}}, .act = ACT_SILU),
    CASE(activation, "quick_gelu", .leaf = {{UNIT, 2, {3, 7}}}, .act = ACT_QUICK_GELU),
    CASE(linear, "silu", .leaf = LINEAR, .act = ACT_SILU),
    CASE(linear, "quick_gelu, no bias", .leaf = LINEAR_NO_BIAS, .act = ACT_QUICK_GELU),
    CASE(activation, "sigmoid", .leaf = {{UNIT, 2, {3, 7}}}, .act = ACT_SIGMOID),
    CASE(layernorm, "rows", .leaf = {{UNIT, 2, {4, 7}}, {UNIT, 1, {7}}, {UNIT, 1, {7}}},
     .real = 1e-5f),
    CASE(layernorm, "3 dimensions",
     .leaf = {{UNIT, 3, {2, 2, 16}}, {UNIT, 1, {16}}, {UNIT, 1, {16}}}, .real = 1e-12f),
    CASE(layernorm, "large eps", .leaf = {{UNIT, 2, {3, 5}}, {UNIT, 1, {5}}, {UNIT, 1, {5}}},
     .real = 0.5f),
    CASE(conv2d, "plain", .leaf = CONV, .stride = 1),
    CASE(conv2d, "padding", .leaf = CONV, .stride = 1, .pad = 1),
    CASE(conv2d, "stride and padding", .leaf = CONV, .stride = 2, .pad = 1),
    CASE(conv2d, "padding as the kernel", .leaf = CONV, .stride = 3, .pad = 3),
    CASE(conv2d, "1x1, no bias", .leaf = {{UNIT, 4, {2, 3, 3, 2}}, {UNIT, 4, {2, 3, 1, 1}}},
     .stride = 1),
    CASE(conv2d, "whole image",
     .leaf = {{UNIT, 4, {2, 2, 3, 4}}, {UNIT, 4, {2, 2, 3, 4}}, {UNIT, 1, {2}}}, .stride = 1),
    CASE(conv2d, "relu", .leaf = CONV_KINK, .stride = 1, .pad = 1, .act = ACT_RELU),
    CASE(conv2d, "leaky_relu", .leaf = CONV_KINK, .stride = 2, .act = ACT_LEAKY_RELU),
    CASE(conv2d, "gelu", .leaf = CONV, .stride = 1, .pad = 1, .act = ACT_GELU),
    CASE(conv2d, "gelu_tanh", .leaf = CONV, .stride = 1, .act = ACT_GELU_TANH),
    CASE(conv2d, "tanh", .leaf = CONV, .stride = 1, .act = ACT_TANH),
    CASE(conv2d, "sigmoid", .leaf = CONV, .stride = 1, .act = ACT_SIGMOID),
    CASE(maxpool2d, "2x2", .leaf = IMAGE, .window = 2, .stride = 2),
    CASE(maxpool2d, "row and column left over", .leaf = IMAGE, .window = 3, .stride = 3),
    CASE(maxpool2d, "overlap and padding", .leaf = IMAGE, .window = 3, .stride = 2, .pad = 1),
    CASE(add, "two", .leaf = {{UNIT, 3, {2, 3, 4}}, {UNIT, 3, {2, 3, 4}}}),
    CASE(add, "itself", .leaf = {{UNIT, 2, {5, 3}}}),
    CASE(dropout, "0.4", .leaf = {{UNIT, 2, {6, 9}}}, .real = 0.4f),
    CASE(dropout, "0.9", .leaf = {{UNIT, 1, {40}}}, .real = 0.9f),
    CASE(dropout, "0", .leaf = {{UNIT, 1, {5}}}),
    CASE(embedding, "repeated ids", .leaf = {{UNIT, 2, {5, 4}}}),
    CASE(attention, "2 heads", .leaf = QKV, .window = 2),
    CASE(attention, "6 heads", .leaf = QKV, .window = 6),
    CASE(attention, "dropout", .leaf = QKV, .window = 2, .real = 0.4f),
    CASE(first_tokens, "3 texts", .leaf = {{UNIT, 2, {8, 3}}}),
    CASE(softmax_xent, "plain", .leaf = LOGITS),
    CASE(softmax_xent, "unlabelled rows", .leaf = LOGITS, .gaps = true),
    CASE(softmax_xent, "smoothing", .leaf = LOGITS, .real = 0.1f),
    CASE(softmax_xent, "weights", .leaf = LOGITS, .weights = true),
    CASE(softmax_xent, "all three", .leaf = LOGITS, .weights = true, .gaps = true,
     .real = 0.2f),
    CASE(softmax_xent, "count of the group", .leaf = LOGITS, .denom = 2.5),
    CASE(mse, "matrix", .leaf = MATRIX),
    CASE(mse, "vector", .leaf = {{UNIT, 1, {12}}}),
    CASE(mse, "unlabelled rows", .leaf = MATRIX, .gaps = true),
    CASE(mse, "unlabelled elements", .leaf = {{UNIT, 1, {12}}}, .gaps = true),
    CASE(mse, "count of the group", .leaf = MATRIX, .denom = 5),
    CASE(bce, "matrix", .leaf = MATRIX),
    CASE(bce, "vector", .leaf = {{UNIT, 1, {12}}}),
    CASE(bce, "unlabelled rows", .leaf = MATRIX, .gaps = true),
    CASE(bce, "positive weights", .leaf = MATRIX, .weights = true, .gaps = true),
    CASE(bce, "count of the group", .leaf = MATRIX, .denom = 5),
};

#define N_CASES (sizeof(cases) / sizeof(*cases))

static struct backend be;

static void fill_leaf(enum fill fill, uint64_t number, float *x, size_t n)
{
    struct rng_key key = {5, RNG_SYNTHETIC, number};
    int64_t place[LEAF_LEN];
    rng_uniform(key, x, n, -1, 1);
    rng_permutation(key, place, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        switch (fill) {
        case UNIT: break;
        case SMALL: x[i] *= 0.2f; break;
        case AWAY: x[i] += x[i] < 0 ? -0.3f : 0.3f; break;
        case FAR: x[i] = i % 2 ? 2 : -2; break;
        case SPACED: x[i] = 0.1f * (float)(place[i] - (int64_t)n / 2); break;
        }
    }
}

static struct tensor *apply(struct tape *t, struct tensor *const *x, void *user)
{
    const struct grad_case *c = user;
    struct tensor *y = c->fn(t, x, user);
    return c->twice ? op_add(t, y, c->fn(t, x, user)) : y;
}

/* Gradients of the leaves in the bit set `checked`. */
static void check(const struct grad_case *c, unsigned checked, bool twice)
{
    static float data[LEAVES][LEAF_LEN];
    struct gradcheck_leaf leaf[LEAVES];
    struct gradcheck_result r;
    struct err e = ERR_INIT;
    struct grad_case user = *c;
    int n = 0;
    user.twice = twice;
    for (; n < LEAVES && c->leaf[n].ndim; n++) {
        size_t len = 1;
        leaf[n] = (struct gradcheck_leaf){c->leaf[n].ndim, {0}, data[n], checked >> n & 1};
        memcpy(leaf[n].dim, c->leaf[n].dim, sizeof(leaf[n].dim));
        for (int i = 0; i < leaf[n].ndim; i++)
            len *= (size_t)leaf[n].dim[i];
        assert_true(len <= LEAF_LEN);
        fill_leaf(c->leaf[n].fill, (uint64_t)n, data[n], len);
    }
    if (gradcheck(&be, apply, &user, leaf, n, STEP, &r, &e) < 0)
        fail_msg("%s", e.msg);
    if (!(r.worst <= TOLERANCE))
        fail_msg("input %d, element %zu: analytic %.9g, numeric %.9g, off by %.3g", r.leaf, r.at,
                 r.analytic, r.numeric, r.worst);
}

static void test_case(void **state)
{
    const struct grad_case *c = *state;
    unsigned all = 0;
    for (int i = 0; i < LEAVES && c->leaf[i].ndim; i++)
        all |= 1u << i;
    check(c, all, false);
    check(c, all, true);
    for (int i = 0; all >> i; i++)
        check(c, 1u << i, false);
}

static void test_every_op(void **state)
{
    (void)state;
    for (int i = 0; op_classes[i]; i++) {
        size_t n = 0;
        for (size_t k = 0; k < N_CASES; k++)
            n += !strcmp(cases[k].op, op_classes[i]->name);
        if (!n)
            fail_msg("op %s has no case", op_classes[i]->name);
    }
}

static int wrong_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    (void)e;
    *ndim = n->in[0]->ndim;
    memcpy(dim, n->in[0]->dim, sizeof(n->in[0]->dim));
    return 0;
}

static void wrong_forward(struct tape *t, struct node *n)
{
    t->be->k->add(t->be, n->out->data, n->in[0]->data, n->in[0]->data, n->out->len);
}

static void wrong_backward(struct tape *t, struct node *n)
{
    bool add_to;
    float *dx = tape_grad(t, n->in[0], &add_to);
    t->be->cls->zero(t->be, dx, n->out->len * sizeof(float));
    t->be->k->axpy(t->be, dx, 2.02f, n->out->grad, n->out->len);
}

/* 2x with a gradient that is off by one in a hundred: must not pass. */
static struct tensor *wrong(struct tape *t, struct tensor *const *x, void *user)
{
    static const struct op_class op = {"wrong", 0, wrong_infer, NULL, NULL, wrong_forward,
                                       wrong_backward, NULL};
    (void)user;
    return tape_apply(t, &op, NULL, 0, x, 1);
}

static void test_notices_wrong_gradient(void **state)
{
    (void)state;
    float data[6] = {1, 2, 3, 4, 5, 6};
    struct gradcheck_leaf leaf = {1, {6}, data, true};
    struct gradcheck_result r;
    struct err e = ERR_INIT;
    assert_int_equal(gradcheck(&be, wrong, NULL, &leaf, 1, STEP, &r, &e), 0);
    assert_true(r.worst > 30 * TOLERANCE);
    assert_close(data[5], 6, 0, 0); /* put back */
}

static int open_backend(void **state)
{
    struct err e = ERR_INIT;
    (void)state;
    return backend_open(&be, "cpu", 1, &e);
}

static int close_backend(void **state)
{
    (void)state;
    backend_close(&be);
    return 0;
}

int main(void)
{
    struct CMUnitTest tests[N_CASES + 2] = {
        cmocka_unit_test(test_every_op),
        cmocka_unit_test(test_notices_wrong_gradient),
    };
    for (size_t i = 0; i < N_CASES; i++)
        tests[i + 2] = (struct CMUnitTest){xasprintf("%s: %s", cases[i].op, cases[i].name),
                                           test_case, NULL, NULL, (void *)&cases[i]};
    int failed = cmocka_run_group_tests(tests, open_backend, close_backend);
    for (size_t i = 0; i < N_CASES; i++)
        free((char *)tests[i + 2].name);
    return failed;
}
