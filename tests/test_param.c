/* The parameter table: decay by name, groups by glob, first values, gradients, their norm. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/nn/layers.h"

static struct backend be, null;
static struct param_set ps;

static int open_all(void **state)
{
    struct err e = ERR_INIT;
    (void)state;
    return backend_open(&be, "cpu", 2, &e) || backend_open(&null, "null", 1, &e);
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
    (void)state;
    param_init(&ps, &be);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    param_release(&ps);
    return be.allocated != 0;
}

static void build(void)
{
    struct err e = ERR_INIT;
    if (param_build(&ps, 42, &e) < 0)
        fail_msg("%s", e.msg);
}

static void test_names_that_decay(void **state)
{
    (void)state;
    static const char *const decayed[] = {"linear.0.weight",
                                          "distilbert.embeddings.word_embeddings.weight",
                                          "conv.1.weight",
                                          "classifier.weight",
                                          "distilbert.transformer.layer.3.attention.q_lin.weight",
                                          "enormous.weight",
                                          "alpha.weight",
                                          "blnk.weight"};
    static const char *const kept[] = {"linear.0.bias",
                                       "distilbert.embeddings.LayerNorm.weight",
                                       "distilbert.transformer.layer.0.sa_layer_norm.weight",
                                       "layer.1.layer_norm.weight",
                                       "encoder.norm1.norm.weight",
                                       "encoder.norm.weight",
                                       "bert.embeddings.LayerNorm.gamma",
                                       "bert.embeddings.LayerNorm.beta",
                                       "old.gamma",
                                       "old.beta",
                                       "bn1.weight",
                                       "block.batchnorm.weight",
                                       "normalization.weight",
                                       "decoder.layernorm_embedding.weight",
                                       "h.0.ln_1.weight",
                                       "ln_f.weight",
                                       "rmsnorm_2_in.weight",
                                       "batch_norm.weight",
                                       "relative_attention_bias.weight"};
    for (size_t i = 0; i < sizeof(decayed) / sizeof(*decayed); i++)
        if (!param_name_decays(decayed[i]))
            fail_msg("%s must decay", decayed[i]);
    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
        if (param_name_decays(kept[i]))
            fail_msg("%s must not decay", kept[i]);
}

/* The tensors of DistilBERT-base with two labels, the norms under the names given. */
static void declare_distilbert(struct param_set *set, const char *norm, const char *weight,
                               const char *bias)
{
    const int64_t words[] = {30522, 768}, places[] = {512, 768}, dim = 768;
    const struct init zero = {INIT_ZERO, 0};
    struct layer_init init = layer_init_normal(0.02f);
    struct linear_layer l;
    char name[128];
    param_declare(set, "embeddings.word_embeddings.weight", 2, words, zero, SEG_EMBEDDING);
    param_declare(set, "embeddings.position_embeddings.weight", 2, places, zero, SEG_EMBEDDING);
    for (int layer = -1; layer < 6; layer++) {
        static const char *const square[] = {"q_lin", "k_lin", "v_lin", "out_lin"};
        for (int i = 0; i < 4 && layer >= 0; i++) {
            snprintf(name, sizeof(name), "layer.%d.attention.%s", layer, square[i]);
            linear_declare(&l, set, name, 768, 768, init);
        }
        for (int i = 0; i < 2 && layer >= 0; i++) {
            snprintf(name, sizeof(name), "layer.%d.ffn.lin%d", layer, i + 1);
            linear_declare(&l, set, name, i ? 3072 : 768, i ? 768 : 3072, init);
        }
        for (int i = 0; i < (layer < 0 ? 1 : 2); i++) {
            snprintf(name, sizeof(name), "layer.%d.%d.%s.%s", layer, i, norm, weight);
            param_declare(set, name, 1, &dim, zero, 0);
            snprintf(name, sizeof(name), "layer.%d.%d.%s.%s", layer, i, norm, bias);
            param_declare(set, name, 1, &dim, zero, 0);
        }
    }
    linear_declare(&l, set, "pre_classifier", 768, 768, init);
    linear_declare(&l, set, "classifier", 768, 2, init);
}

static void test_decay_groups_of_distilbert(void **state)
{
    (void)state;
    static const char *const names[][3] = {{"layer_norm", "weight", "bias"},
                                           {"LayerNorm", "weight", "bias"},
                                           {"norm1.norm", "weight", "bias"},
                                           {"LayerNorm", "gamma", "beta"},
                                           {"n", "gamma", "beta"}};
    for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
        struct param_set set;
        int tensors[2] = {0};
        size_t elements[2] = {0};
        param_init(&set, &null);
        declare_distilbert(&set, names[k][0], names[k][1], names[k][2]);
        for (int i = 0; i < set.nseg; i++) {
            bool decay = set.group[set.seg[i].group].decay;
            tensors[decay]++;
            elements[decay] += set.seg[i].len;
        }
        assert_int_equal(set.nseg, 104);
        assert_int_equal(tensors[1], 40);
        assert_int_equal(tensors[0], 64);
        assert_int_equal(elements[1], 66892800);
        assert_int_equal(elements[0], 62210);
        assert_int_equal(param_trainable(&set), 66955010);
        param_release(&set);
    }
}

static void declare_small(void)
{
    const struct layer_init init = layer_init_uniform(9);
    struct linear_layer l;
    struct layernorm_layer n;
    linear_declare(&l, &ps, "body.0", 9, 5, init);
    layernorm_declare(&n, &ps, "body.norm", 5, 1e-5f);
    linear_declare(&l, &ps, "head", 5, 3, init);
}

static void test_segments_lie_without_gaps(void **state)
{
    (void)state;
    declare_small();
    size_t at = 0;
    for (int i = 0; i < ps.nseg; i++) {
        assert_int_equal(ps.seg[i].at, at);
        at += ps.seg[i].len;
    }
    assert_int_equal(ps.n, at);
    assert_int_equal(ps.n, 45 + 5 + 5 + 5 + 15 + 3);
    assert_int_equal(param_find(&ps, "head.bias"), 5);
    assert_int_equal(param_find(&ps, "head"), -1);
    assert_true(ps.seg[0].matrix && !ps.seg[1].matrix && !ps.seg[2].matrix);
    build();
    assert_int_equal(be.allocated, 2 * 4 * ps.n + sizeof(double));
    assert_ptr_equal(param_tensor(&ps, 4)->data, ps.w + ps.seg[4].at);
    assert_ptr_equal(param_tensor(&ps, 4)->grad, ps.g + ps.seg[4].at);
}

static void test_first_values(void **state)
{
    (void)state;
    struct conv2d_layer c;
    conv2d_declare(&c, &ps, "conv", 4, 100, 5, 1, 0, layer_init_uniform(4 * 5 * 5));
    declare_small();
    param_declare(&ps, "words", 2, (int64_t[]){100, 40}, (struct init){INIT_NORMAL, 0.02f},
                  SEG_EMBEDDING);
    build();
    double sum = 0, squares = 0, most = 0;
    const struct tensor *w = param_tensor(&ps, 0), *words = param_tensor(&ps, ps.nseg - 1);
    for (size_t i = 0; i < w->len; i++) {
        most = fmax(most, fabs((double)w->data[i]));
        sum += (double)w->data[i];
    }
    assert_true(most <= 0.1 && most > 0.0999);
    assert_close(sum / (double)w->len, 0, 0, 3 * 0.1 / sqrt(3 * (double)w->len));
    for (size_t i = 0; i < words->len; i++)
        squares += (double)words->data[i] * (double)words->data[i];
    assert_close(sqrt(squares / (double)words->len), 0.02, 0.05, 0);
    const struct tensor *scale = param_tensor(&ps, param_find(&ps, "body.norm.weight"));
    for (size_t i = 0; i < scale->len; i++)
        assert_close(scale->data[i], 1, 0, 0);

    struct param_set other; /* segment i depends on (seed, i) only */
    struct err e = ERR_INIT;
    param_init(&other, &be);
    conv2d_declare(&c, &other, "other", 4, 100, 5, 1, 0, layer_init_uniform(4 * 5 * 5));
    assert_int_equal(param_build(&other, 42, &e), 0);
    assert_memory_equal(other.w, ps.w, other.n * sizeof(float));
    param_release(&other);
}

static void test_groups_by_glob(void **state)
{
    (void)state;
    declare_small();
    assert_int_equal(param_group_add(&ps, "nothing", "bert.*", 1, NAN, 0, false), 0);
    assert_int_equal(ps.ngroup, 2);
    assert_int_equal(param_group_add(&ps, "head", "nowhere, head.*", 10, NAN, 32, false), 2);
    assert_int_equal(param_group_add(&ps, "all biases", "*.bias", 1, 0.5, 0, false), 2);
    assert_int_equal(param_group_add(&ps, "rest", "*", 1, NAN, 0, true), 2);
    assert_int_equal(param_group_add(&ps, "late", "*", 1, NAN, 0, true), 0);

    const struct param_group *weight = &ps.group[ps.seg[4].group];
    const struct param_group *bias = &ps.group[ps.seg[5].group];
    assert_string_equal(weight->name, "head");
    assert_string_equal(bias->name, "head");
    assert_true(weight->decay && !bias->decay && isnan(bias->weight_decay));
    assert_close(bias->lr_scale, 10, 0, 0);
    assert_int_equal(bias->state_bits, 32);
    const struct param_group *own = &ps.group[ps.seg[3].group];
    assert_true(own->decay); /* an own weight decay is meant for all that match */
    assert_close(own->weight_decay, 0.5, 0, 0);

    assert_true(ps.seg[0].frozen && ps.seg[2].frozen && !ps.seg[1].frozen);
    assert_int_equal(param_trainable(&ps), 5 + 5 + 15 + 3);
    build();
    assert_false(param_tensor(&ps, 0)->needs_grad);
    assert_true(param_tensor(&ps, 1)->needs_grad);
}

static void declare_two(void)
{
    param_declare(&ps, "a.weight", 1, (int64_t[]){1}, (struct init){INIT_ZERO, 0}, 0);
    param_declare(&ps, "b.weight", 1, (int64_t[]){1}, (struct init){INIT_ZERO, 0}, 0);
    build();
    for (int i = 0; i < 2; i++)
        param_tensor(&ps, i)->grad_set = true;
}

/* trainer-semantics 1.7. */
static double clip(double max)
{
    double norm = param_grad_norm(&ps), factor = max / (norm + 1e-6);
    if (factor < 1)
        param_scale_grads(&ps, factor);
    return norm;
}

static void test_norm_and_clip(void **state)
{
    (void)state;
    declare_two();
    ps.g[0] = 3;
    ps.g[1] = 4;
    assert_close(clip(1), 5, 0, 0);
    assert_close_f32(ps.g, ((float[]){0.59999988f, 0.79999984f}), 2, 1e-7, 0);
    ps.g[0] = 0.3f;
    ps.g[1] = 0.4f;
    assert_close(clip(1), 0.5, 1e-7, 0);
    assert_close_f32(ps.g, ((float[]){0.3f, 0.4f}), 2, 0, 0);
    ps.g[0] = INFINITY;
    assert_true(isinf(clip(1)));
    assert_true(isnan(ps.g[0]));
    assert_close(ps.g[1], 0, 0, 0);
    assert_true(isnan(clip(1)));
}

static void test_gradients_of_an_update(void **state)
{
    (void)state;
    declare_two();
    ps.g[0] = 3;
    ps.g[1] = 4;
    param_finish_grads(&ps); /* both are of this update */
    assert_close_f32(ps.g, ((float[]){3, 4}), 2, 0, 0);
    param_clear_grads(&ps);
    param_tensor(&ps, 1)->grad_set = true;
    param_finish_grads(&ps); /* nothing wrote the first */
    assert_close_f32(ps.g, ((float[]){0, 4}), 2, 0, 0);
    assert_true(param_tensor(&ps, 0)->grad_set);
}

static void test_dry_run_takes_the_same_bytes(void **state)
{
    (void)state;
    struct param_set dry;
    struct err e = ERR_INIT;
    size_t before = null.allocated;
    param_init(&dry, &null);
    declare_distilbert(&dry, "LayerNorm", "weight", "bias");
    assert_int_equal(param_build(&dry, 42, &e), 0);
    assert_int_equal(null.allocated - before, 2 * (size_t)66955010 * 4 + sizeof(double));
    param_release(&dry);
    assert_int_equal(null.allocated, before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_that_decay),
        TEST(decay_groups_of_distilbert),
        TEST(segments_lie_without_gaps),
        TEST(first_values),
        TEST(groups_by_glob),
        TEST(norm_and_clip),
        TEST(gradients_of_an_update),
        TEST(dry_run_takes_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
