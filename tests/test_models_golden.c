/* Whole models against torch: logits, loss, every gradient, its norm, the input's gradient. */
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

#include "engine/ops/ops.h"
#include "tests/built_model.h"
#include "tests/st_golden.h"

/* The README's. */
#define LOGITS 1e-5
#define LOSS 3e-6
#define GRAD 5e-6
#define GRAD_NORM 5e-6

struct golden_model {
    const char *file, *model;
    const char *opts[12];
};

static const struct golden_model mlp_relu = {
    "models/mlp/relu.safetensors", "mlp", {"hidden", "16,16", "activation", "relu"}};
static const struct golden_model mlp_gelu = {
    "models/mlp/gelu.safetensors", "mlp", {"hidden", "16, 16", "activation", "gelu"}};
static const struct golden_model convnet_relu = {
    "models/convnet/relu.safetensors",
    "convnet",
    {"channels", "4,8", "kernel", "3", "padding", "1,0", "pool", "2", "hidden", "none"}};

/* Every declared tensor is in the file under its name, with its shape, and no other is. */
static void load_params(struct built_model *b, struct golden *g)
{
    size_t in_file = 0;
    for (size_t i = 0; i < g->file.n; i++)
        in_file += !strncmp(g->file.t[i].name, "param/", 6);
    assert_int_equal(in_file, b->ps.nseg);
    for (int i = 0; i < b->ps.nseg; i++) {
        const struct segment *s = &b->ps.seg[i];
        struct golden_tensor w = golden_f32(g, "param", s->name);
        if (!w.v || w.ndim != s->ndim || memcmp(w.dim, s->dim, (size_t)w.ndim * sizeof(*w.dim)))
            fail_msg("the file has no %s of that shape", s->name);
        memcpy(b->ps.tensor[i].data, w.v, w.len * sizeof(float));
    }
}

static void check_gradients(struct built_model *b, struct golden *g)
{
    for (int i = 0; i < b->ps.nseg; i++) {
        struct golden_tensor right = golden_f32(g, "grad", b->ps.seg[i].name);
        golden_check(b->ps.tensor[i].grad, &right, GRAD, b->ps.seg[i].name);
    }
    struct golden_tensor right = golden_f32(g, NULL, "grad_input");
    golden_check(b->model.input->grad, &right, GRAD, "grad_input");
    right = golden_f32(g, NULL, "grad_norm");
    assert_close(param_grad_norm(&b->ps), right.v[0], GRAD_NORM, 0);
}

static void test_model(void **state)
{
    const struct golden_model *c = *state;
    struct built_model b;
    struct golden g;
    struct err e = ERR_INIT;
    golden_open(&g, c->file);
    struct golden_tensor x = golden_f32(&g, NULL, "input");
    struct golden_tensor logits = golden_f32(&g, NULL, "logits");
    struct golden_tensor loss = golden_f32(&g, NULL, "loss");
    struct data_spec spec = {.kind = BATCH_DENSE, .problem = PROBLEM_CLASSES, .ndim = x.ndim - 1,
                             .num_labels = (int)logits.dim[1]};
    memcpy(spec.dim, &x.dim[1], sizeof(spec.dim));
    build_model(&b, c->model, c->opts, &spec);
    load_params(&b, &g);

    struct batch batch = {.n = (int)x.dim[0], .x = x.v};
    b.model.input_grad = true;
    tape_begin(&b.tape, true, 0, 0);
    struct tensor *y = model_logits(&b.model, &b.tape, &batch);
    struct tensor *l = op_softmax_xent(&b.tape, y, golden_i32(&g, NULL, "labels"), NULL, 0, 0);
    if (!l)
        fail_msg("%s", b.tape.err.msg);
    assert_close_f32(y->data, logits.v, logits.len, 0, LOGITS);
    assert_close(l->data[0], loss.v[0], 0, LOSS);
    if (tape_backward(&b.tape, l, 1, &e) < 0)
        fail_msg("%s", e.msg);
    param_finish_grads(&b.ps);
    check_gradients(&b, &g);
    release_model(&b);
    golden_close(&g);
}

int main(void)
{
#define CASE(name) {#name, test_model, NULL, NULL, (void *)&name}
    const struct CMUnitTest tests[] = {CASE(mlp_relu), CASE(mlp_gelu), CASE(convnet_relu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
