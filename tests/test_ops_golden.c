/* Ops against torch: output and every gradient, one test per case of ops.json. */
#include "tests/support.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/ops/ops.h"
#include "engine/tape/gradcheck.h"
#include "tests/st_golden.h"

static struct backend be;
static struct tape tape;
static struct golden golden;
static json_t *ops;

/* A case while it runs: NAME/INPUT become leaves on the tape. */
struct golden_case {
    const char *name;
    const json_t *attr;
    struct tensor *leaf[3];
    const char *leaf_name[3];
    int n_leaf;
};

static double real(const struct golden_case *c, const char *key)
{
    const json_t *v = json_object_get(c->attr, key);
    assert_true(json_is_number(v));
    return json_number_value(v);
}

static int whole(const struct golden_case *c, const char *key)
{
    return (int)real(c, key);
}

/* NULL when the case has no such input. */
static struct tensor *leaf(struct golden_case *c, const char *name)
{
    struct golden_tensor g = golden_f32(&golden, c->name, name);
    if (!g.v)
        return NULL;
    c->leaf_name[c->n_leaf] = name;
    return c->leaf[c->n_leaf++] = tape_input(&tape, g.ndim, g.dim, g.v, true);
}

static const float *values(const struct golden_case *c, const char *name)
{
    return golden_f32(&golden, c->name, name).v;
}

static struct tensor *linear(struct golden_case *c)
{
    struct tensor *x = leaf(c, "input"), *w = leaf(c, "weight"), *b = leaf(c, "bias");
    return op_linear(&tape, x, w, b, ACT_NONE, 0);
}

static struct tensor *relu(struct golden_case *c)
{
    return op_activation(&tape, leaf(c, "x"), ACT_RELU, 0);
}

static struct tensor *leaky_relu(struct golden_case *c)
{
    return op_activation(&tape, leaf(c, "x"), ACT_LEAKY_RELU, (float)real(c, "slope"));
}

static struct tensor *gelu(struct golden_case *c)
{
    const char *kind = json_string_value(json_object_get(c->attr, "approximate"));
    return op_activation(&tape, leaf(c, "x"), strcmp(kind, "tanh") ? ACT_GELU : ACT_GELU_TANH, 0);
}

static struct tensor *tangens(struct golden_case *c)
{
    return op_activation(&tape, leaf(c, "x"), ACT_TANH, 0);
}

static struct tensor *sigmoid(struct golden_case *c)
{
    return op_activation(&tape, leaf(c, "x"), ACT_SIGMOID, 0);
}

static struct tensor *layernorm(struct golden_case *c)
{
    struct tensor *x = leaf(c, "x"), *w = leaf(c, "weight"), *b = leaf(c, "bias");
    return op_layernorm(&tape, x, w, b, (float)real(c, "eps"));
}

static struct tensor *conv2d(struct golden_case *c)
{
    struct tensor *x = leaf(c, "x"), *w = leaf(c, "weight"), *b = leaf(c, "bias");
    return op_conv2d(&tape, x, w, b, whole(c, "stride"), whole(c, "padding"), ACT_NONE, 0);
}

static struct tensor *max_pool2d(struct golden_case *c)
{
    return op_maxpool2d(&tape, leaf(c, "x"), whole(c, "kernel"), whole(c, "stride"),
                        whole(c, "padding"));
}

static struct tensor *softmax_cross_entropy(struct golden_case *c)
{
    assert_int_equal(whole(c, "ignore_index"), -100);
    return op_softmax_xent(&tape, leaf(c, "logits"), golden_i32(&golden, c->name, "labels"),
                           values(c, "class_weight"), (float)real(c, "label_smoothing"), 0);
}

static struct tensor *bce_with_logits(struct golden_case *c)
{
    return op_bce(&tape, leaf(c, "logits"), values(c, "targets"), values(c, "pos_weight"), 0);
}

static struct tensor *mse(struct golden_case *c)
{
    return op_mse(&tape, leaf(c, "x"), values(c, "target"), 0);
}

static struct tensor *embedding(struct golden_case *c)
{
    int padding = json_object_get(c->attr, "padding_idx") ? whole(c, "padding_idx") : -1;
    int64_t n = golden_f32(&golden, c->name, "y").dim[0];
    return op_embedding(&tape, leaf(c, "weight"), golden_i32(&golden, c->name, "ids"), n, padding);
}

static struct tensor *attention(struct golden_case *c)
{
    struct tensor *q = leaf(c, "q"), *k = leaf(c, "k"), *v = leaf(c, "v");
    const int32_t *length = golden_i32(&golden, c->name, "lengths");
    static int32_t at[8]; /* read again by backward */
    int n = 0;
    for (; at[n] < q->dim[0]; n++)
        at[n + 1] = at[n] + length[n];
    return op_attention(&tape, q, k, v, at, n, whole(c, "heads"), 0);
}

/* `exact`: the output is one of the inputs' numbers. */
static const struct runner {
    const char *op;
    struct tensor *(*run)(struct golden_case *);
    bool exact;
} runners[] = {
    {"attention", attention, false},
    {"bce_with_logits", bce_with_logits, false},
    {"conv2d", conv2d, false},
    {"embedding", embedding, true},
    {"gelu", gelu, false},
    {"layernorm", layernorm, false},
    {"leaky_relu", leaky_relu, false},
    {"linear", linear, false},
    {"max_pool2d", max_pool2d, true},
    {"mse", mse, false},
    {"relu", relu, true},
    {"sigmoid", sigmoid, false},
    {"softmax_cross_entropy", softmax_cross_entropy, false},
    {"tanh", tangens, false},
};

static const struct runner *find_runner(const json_t *attr)
{
    const char *op = json_string_value(json_object_get(attr, "op"));
    for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
        if (!strcmp(runners[i].op, op))
            return &runners[i];
    return NULL;
}

/* Relative, of the README: large sums cost layernorm_large_mean a digit. */
static double tolerance(const char *name)
{
    return strcmp(name, "layernorm_large_mean") ? 3e-6 : 3e-5;
}

static void test_case(void **state)
{
    struct golden_case c = {.name = *state, .attr = json_object_get(ops, *state)};
    const struct runner *r = find_runner(c.attr);
    double tol = tolerance(c.name);
    struct err e = ERR_INIT;
    tape_begin(&tape, true, 0, 0);
    struct tensor *y = r->run(&c);
    if (!y)
        fail_msg("%s", tape.err.msg);

    struct golden_tensor right = golden_f32(&golden, c.name, "y");
    assert_int_equal(y->len, right.len);
    for (int i = 0; i < right.ndim; i++)
        assert_int_equal(y->dim[i], right.dim[i]);
    golden_check(y->data, &right, r->exact ? 0 : tol, "y");

    if (tape_backward(&tape, gradcheck_seed(&tape, y, values(&c, "dy")), 1, &e) < 0)
        fail_msg("%s", e.msg);
    assert_true(c.n_leaf > 0);
    for (int i = 0; i < c.n_leaf; i++) {
        char name[32];
        snprintf(name, sizeof(name), "d_%s", c.leaf_name[i]);
        right = golden_f32(&golden, c.name, name);
        assert_int_equal(c.leaf[i]->len, right.len);
        golden_check(c.leaf[i]->grad, &right, tol, name);
    }
}

/* No case of the file is passed over but those of ops that are not here. */
static void test_all_ops_known(void **state)
{
    static const char *const others[] = {"batchnorm2d", "conv_transpose2d"};
    const char *name;
    json_t *attr;
    (void)state;
    json_object_foreach(ops, name, attr) {
        const char *op = json_string_value(json_object_get(attr, "op"));
        bool known = find_runner(attr) != NULL;
        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
            known |= !strcmp(op, others[i]);
        if (!known)
            fail_msg("%s: nothing runs op %s", name, op);
    }
}

static int open_all(void **state)
{
    struct err e = ERR_INIT;
    (void)state;
    golden_open(&golden, "models/ops.safetensors");
    if (backend_open(&be, "cpu", 2, &e) < 0 || tape_init(&tape, &be, 0, &e) < 0)
        fail_msg("%s", e.msg);
    tape.mem.poison = true;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    tape_release(&tape);
    backend_close(&be);
    golden_close(&golden);
    return 0;
}

int main(void)
{
    ops = json_loads(test_golden("models/ops.json", NULL), 0, NULL);
    struct CMUnitTest *tests = xcalloc(json_object_size(ops) + 1, sizeof(*tests));
    size_t n = 0;
    const char *name;
    json_t *attr;
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_all_ops_known);
    json_object_foreach(ops, name, attr)
        if (find_runner(attr))
            tests[n++] = (struct CMUnitTest){name, test_case, NULL, NULL, (void *)name};
    int failed = _cmocka_run_group_tests("ops", tests, n, open_all, close_all);
    free(tests);
    json_decref(ops);
    return failed;
}
