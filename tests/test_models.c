/* Models as classes: found by name, refused with the key at fault, declared by their options; a dry
 * run takes the bytes of a real step. */
#include "tests/support.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"
#include "engine/ops/ops.h"
#include "tests/built_model.h"

static const struct data_spec image = {.kind = BATCH_DENSE, .problem = PROBLEM_CLASSES, .ndim = 3,
                                       .dim = {1, 28, 28}, .num_labels = 10};
static const struct data_spec features = {.kind = BATCH_DENSE, .problem = PROBLEM_CLASSES,
                                          .ndim = 1, .dim = {20}, .num_labels = 3};
static const struct data_spec text = {.kind = BATCH_TEXT, .problem = PROBLEM_CLASSES,
                                      .num_labels = 2};

static void test_classes_are_complete(void **state)
{
    (void)state;
    for (int i = 0; model_classes[i]; i++) {
        const struct model_class *m = model_classes[i];
        assert_true(m->name[0] && m->summary[0] && m->declare && m->logits);
        for (const char *c = m->name; *c; c++)
            assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_');
        assert_true(!i || strcmp(model_classes[i - 1]->name, m->name) < 0);
        assert_ptr_equal(model_by_name(m->name, NULL), m);
        for (const struct opt_desc *d = m->opts; d->key; d++)
            assert_true(d->help[0] && d->at < m->opts_size);
        model_opts_free(m, model_opts(m, NULL));
    }
}

static void test_unknown_name(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    assert_null(model_by_name("convnett", &e));
    assert_int_equal(e.code, TT_ECONFIG);
    assert_non_null(strstr(e.msg, "\"convnett\""));
    assert_non_null(strstr(e.msg, "mlp"));
    assert_non_null(strstr(e.msg, "did you mean convnet)"));
    assert_null(model_by_name("zzzzzzzzz", &e));
    assert_null(strstr(e.msg, "did you mean"));
}

struct refusal {
    const char *model;
    const struct data_spec *spec;
    const char *opts[8];
    const char *says[2];
};

static void test_refusals_name_the_key(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {"mlp", &text, {NULL}, {"model.type", "text"}},
        {"bert", &image, {NULL}, {"model.type", "numbers"}},
        {"convnet", &features, {NULL}, {"model.type", "20 features"}},
        {"mlp", &features, {"hidden", "12,x"}, {"model.hidden", "\"x\""}},
        {"mlp", &features, {"hidden", "0"}, {"model.hidden", "from 1 to"}},
        {"mlp", &features, {"hidden", "12,,3"}, {"model.hidden", "\"\""}},
        {"mlp", &features, {"hidden", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"},
         {"model.hidden", "17 numbers"}},
        {"convnet", &image, {"channels", "none"}, {"model.channels", "at least one"}},
        {"convnet", &image, {"channels", "4,8,8", "kernel", "3,5"},
         {"model.kernel", "2 numbers (1, or 3 as in model.channels)"}},
        {"convnet", &image, {"padding", "1,0,0"}, {"model.padding", "3 numbers"}},
        {"convnet", &image, {"kernel", "0"}, {"model.kernel", "\"0\""}},
        {"convnet", &image, {"channels", "4,4", "kernel", "3,17"}, {"model.kernel", "14x14"}},
        {"convnet", &image, {"pool", "29", "channels", "4"}, {"model.pool", "28x28"}},
        {"convnet", &image, {"channels", "4,4,4,4,4"}, {"model.pool", "convolution 4"}},
        {"convnet", &image, {"hidden", "-1"}, {"model.hidden", "\"-1\""}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct refusal *c = &cases[i];
        const struct model_class *cls = model_by_name(c->model, NULL);
        void *opts = model_opts(cls, c->opts);
        struct err e = ERR_INIT;
        struct param_set ps;
        struct model m;
        assert_int_equal(model_check(cls, opts, c->spec, &e), TT_ECONFIG);
        for (int k = 0; k < 2; k++)
            if (!strstr(e.msg, c->says[k]))
                fail_msg("\"%s\" does not say %s", e.msg, c->says[k]);
        param_init(&ps, NULL);
        assert_int_equal(model_init(&m, cls, opts, c->spec, &ps, &e), TT_ECONFIG);
        param_release(&ps);
        model_opts_free(cls, opts);
    }
}

struct declared {
    const char *model;
    const struct data_spec *spec;
    const char *opts[12];
    const char *tensors; /* NAME [shape] by blanks */
};

static void test_declared_tensors(void **state)
{
    (void)state;
    static const struct declared cases[] = {
        {"mlp", &image, {NULL},
         "linear.0.weight[128, 784] linear.0.bias[128] linear.1.weight[64, 128] linear.1.bias[64] "
         "linear.2.weight[10, 64] linear.2.bias[10] "},
        {"mlp", &features, {"hidden", "none"}, "linear.0.weight[3, 20] linear.0.bias[3] "},
        {"convnet", &image, {NULL},
         "conv.0.weight[32, 1, 3, 3] conv.0.bias[32] conv.1.weight[64, 32, 3, 3] conv.1.bias[64] "
         "hidden.0.weight[128, 3136] hidden.0.bias[128] linear.weight[10, 128] linear.bias[10] "},
        {"convnet", &image,
         {"channels", "6,16", "kernel", "5", "padding", "2,0", "hidden", "120, 84"},
         "conv.0.weight[6, 1, 5, 5] conv.0.bias[6] conv.1.weight[16, 6, 5, 5] conv.1.bias[16] "
         "hidden.0.weight[120, 400] hidden.0.bias[120] hidden.1.weight[84, 120] hidden.1.bias[84] "
         "linear.weight[10, 84] linear.bias[10] "},
        {"convnet", &image, {"channels", "2", "pool", "0", "hidden", "none"},
         "conv.0.weight[2, 1, 3, 3] conv.0.bias[2] linear.weight[10, 1568] linear.bias[10] "},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct declared *c = &cases[i];
        struct built_model b;
        struct strbuf list = STRBUF_INIT;
        char shape[64];
        build_model(&b, c->model, c->opts, c->spec);
        for (int k = 0; k < b.ps.nseg; k++)
            strbuf_addf(&list, "%s%s ", b.ps.seg[k].name,
                        tensor_shape(&b.ps.tensor[k], shape, sizeof(shape)));
        assert_string_equal(list.s, c->tensors);
        strbuf_release(&list);
        release_model(&b);
    }
}

static void step(struct model *m, struct tape *t, const struct batch *batch, bool training)
{
    struct err e = ERR_INIT;
    tape_begin(t, training, 1, 0);
    struct tensor *y = model_logits(m, t, batch);
    y = op_softmax_xent(t, y, batch->label, NULL, 0, batch->n);
    if (!y || (training && tape_backward(t, y, 1, &e) < 0))
        fail_msg("%s", t->err.msg);
}

static const struct data_spec words = {.kind = BATCH_TEXT, .problem = PROBLEM_CLASSES,
                                       .vocab_size = 30, .longest = 7, .num_labels = 10};

/* Every class once, small, with dropout and gelu; data of its kind. */
static const struct small_model {
    const char *model;
    const struct data_spec *spec;
    const char *opts[16];
} small_models[] = {
    {"bert", &words,
     {"hidden_size", "8", "num_hidden_layers", "2", "num_attention_heads", "2",
      "intermediate_size", "12", "hidden_dropout_prob", "0.5"}},
    {"convnet", &image, {"dropout", "0.5", "activation", "gelu"}},
    {"distilbert", &words,
     {"dim", "8", "n_layers", "2", "n_heads", "2", "hidden_dim", "12", "dropout", "0.5"}},
    {"mlp", &image, {"dropout", "0.5", "activation", "gelu"}},
};

static const struct small_model *small_model(const char *name)
{
    for (size_t i = 0; i < sizeof(small_models) / sizeof(*small_models); i++)
        if (!strcmp(small_models[i].model, name))
            return &small_models[i];
    fail_msg("no small %s", name);
    return NULL;
}

enum { ROWS = 9, LABELS = 10 };

/* Rows for any of them: images, and texts of up to 7 tokens. */
static struct batch made_up_batch(void)
{
    static float x[ROWS * 28 * 28];
    static int32_t at[ROWS + 1], ids[7 * ROWS], label[ROWS];
    rng_normal((struct rng_key){4, RNG_SYNTHETIC, 0}, x, ROWS * 28 * 28, 0, 1);
    for (int i = 0; i < ROWS; i++)
        at[i + 1] = at[i] + 1 + 3 * i % 7;
    for (int i = 0; i < 7 * ROWS; i++)
        ids[i] = 7 * i % 30;
    return (struct batch){.n = ROWS, .x = x, .ids = ids, .at = at, .tokens = at[ROWS],
                          .label = label};
}

/* On in training only, and another mask for every micro-batch. */
static void test_dropout(void **state)
{
    (void)state;
    static float y[4][ROWS * LABELS];
    const struct batch batch = made_up_batch();
    for (int i = 0; model_classes[i]; i++) {
        const struct small_model *small = small_model(model_classes[i]->name);
        struct built_model b;
        build_model(&b, small->model, small->opts, small->spec);
        for (int k = 0; k < 4; k++) {
            tape_begin(&b.tape, k < 2, 1, (uint64_t)k);
            memcpy(y[k], model_logits(&b.model, &b.tape, &batch)->data, sizeof(y[k]));
        }
        assert_memory_not_equal(y[0], y[1], sizeof(y[0]));
        assert_memory_not_equal(y[0], y[2], sizeof(y[0]));
        assert_memory_equal(y[2], y[3], sizeof(y[0]));
        release_model(&b);
    }
}

/* Pointers of the dry batch are never read; the real run gets exactly the planned bytes. */
static void test_dry_run(void **state)
{
    (void)state;
    for (int i = 0; model_classes[i]; i++) {
        struct built_model b;
        struct backend null;
        struct param_set ps;
        struct model m;
        struct tape dry, real;
        struct err e = ERR_INIT;
        const struct small_model *small = small_model(model_classes[i]->name);
        const struct batch batch = made_up_batch();
        build_model(&b, small->model, small->opts, small->spec);
        assert_int_equal(backend_open(&null, "null", b.be.threads, &e), 0);
        param_init(&ps, &null);
        assert_int_equal(model_init(&m, model_classes[i], b.opts, small->spec, &ps, &e), 0);
        assert_int_equal(param_build(&ps, 1, &e), 0);
        assert_int_equal(null.allocated, b.be.allocated);
        assert_int_equal(tape_init(&dry, &null, TAPE_DRY, &e), 0);
        dry.in_place = true;

        for (int training = 0; training < 2; training++) {
            step(&m, &dry, &(struct batch){.n = ROWS, .at = batch.at}, training);
            assert_int_equal(tape_init(&real, &b.be, dry.mem.peak, &e), 0);
            step(&b.model, &real, &batch, training);
            assert_int_equal(real.mem.peak, dry.mem.peak);
            assert_int_equal(real.mem.capacity, dry.mem.peak);
            assert_int_equal(real.scratch_peak, dry.scratch_peak);
            assert_close(real.flops, dry.flops, 0, 0);
            tape_release(&real);
        }
        assert_int_equal(backend_check_kernels(&b.be, &null, m.cls->name, &e), 0);
        tape_release(&dry);
        model_release(&m);
        param_release(&ps);
        backend_close(&null);
        release_model(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_are_complete),
        cmocka_unit_test(test_unknown_name),
        cmocka_unit_test(test_refusals_name_the_key),
        cmocka_unit_test(test_declared_tensors),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_dry_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
