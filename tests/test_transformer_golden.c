/* DistilBERT and BERT against transformers: hidden rows, pooled rows, logits, loss, every gradient, twenty
 * updates, from the directories that it wrote. Tolerances are those of goldens/models/README.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support.h"
#include "tests/text_model.h"

#define HIDDEN 2e-5
#define LOGITS 1e-5
#define LOSS 2e-6
#define GRAD 5e-5
#define GRAD_NORM 5e-6
#define KEY_BIAS 1e-6 /* softmax does not depend on it: its gradient is rounding alone */

/* -- what a forward and a backward leave ---------------------------------------------------- */

/* The n-th node (from 0) of an op, or from the end when n is below 0. */
static const struct tensor *output_of(const struct tape *t, const char *op, int n)
{
    int all = 0;
    for (size_t i = 0; i < t->n; i++)
        all += !strcmp(t->node[i].op->name, op);
    n = n < 0 ? all + n : n;
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->node[i].op->name, op) && n-- == 0)
            return t->node[i].out;
    return NULL;
}

/* Layer i's output is its second norm's; of the last layer only the first row of a text is made. */
static void check_hidden(struct text_model *m, struct golden *g, const struct batch *b, int layers)
{
    for (int i = 0; i <= layers; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        struct golden_tensor right = golden_f32(g, "hidden", name);
        const struct tensor *x = output_of(&m->acc.tape, "layernorm", 2 * i);
        int64_t dim = right.dim[1];
        assert_non_null(x);
        assert_int_equal(x->dim[1], dim);
        assert_int_equal(x->dim[0], i < layers ? b->tokens : b->n);
        if (i < layers)
            assert_close_f32(x->data, right.v, right.len, 0, HIDDEN);
        for (int k = 0; i == layers && k < b->n; k++)
            assert_close_f32(x->data + k * dim, right.v + b->at[k] * dim, (size_t)dim, 0, HIDDEN);
    }
}

static bool is_key_bias(const char *name)
{
    return strstr(name, "k_lin.bias") || strstr(name, "self.key.bias");
}

static void check_gradients(struct text_model *m, struct golden *g, const char *group)
{
    char grads[64];
    const struct param_set *ps = &m->net.ps;
    snprintf(grads, sizeof grads, "%s%sgrad", group ? group : "", group ? "/" : "");
    for (int i = 0; i < ps->nseg; i++) {
        struct golden_tensor right = golden_f32(g, grads, ps->seg[i].name);
        assert_non_null(right.v);
        assert_int_equal(right.len, ps->seg[i].len);
        if (!is_key_bias(ps->seg[i].name))
            golden_check(ps->tensor[i].grad, &right, GRAD, ps->seg[i].name);
        for (size_t k = 0; is_key_bias(ps->seg[i].name) && k < right.len; k++)
            assert_true(fabsf(ps->tensor[i].grad[k]) < (float)KEY_BIAS);
    }
    assert_close(param_grad_norm(&m->net.ps), golden_f32(g, group, "grad_norm").v[0], GRAD_NORM, 0);
}

/* [PAD]'s row gets nothing, though the batches hold its id between words. */
static void check_padding_row(const struct text_model *m)
{
    int i = param_find(&m->net.ps, m->cls->hf->prefix[0] == 'd'
                                       ? "distilbert.embeddings.word_embeddings.weight"
                                       : "bert.embeddings.word_embeddings.weight");
    for (int64_t k = 0; k < m->net.ps.seg[i].dim[1]; k++)
        assert_true(m->net.ps.tensor[i].grad[k] == 0);
}

static void open_golden(struct golden *g, const char *name, const char *what)
{
    char path[160];
    snprintf(path, sizeof path, "models/%s.%s.safetensors", name, what);
    golden_open(g, path);
}

static void check_model(const char *name, int layers)
{
    struct text_model m;
    struct golden in, out;
    struct tensor *logits;
    text_model_open(&m, name, 0);
    open_golden(&in, name, "batch");
    open_golden(&out, name, "expected");
    assert_int_equal(m.report.fresh.n + m.report.unused.n, 0);
    struct batch b = golden_batch(&in, NULL, 0);
    struct loss_rule rule = {.problem = m.spec.problem};
    double loss = text_model_step(&m, &b, &rule, &logits);
    struct golden_tensor right = golden_f32(&out, NULL, "logits");
    assert_close_f32(logits->data, right.v, right.len, 0, LOGITS);
    float wanted = golden_f32(&out, NULL, "loss").v[0];
    assert_close(loss, wanted, 0, LOSS * fmax(1, (double)wanted));
    check_hidden(&m, &out, &b, layers);
    check_gradients(&m, &out, NULL);
    check_padding_row(&m);
    golden_close(&in);
    golden_close(&out);
    text_model_close(&m);
}

static void distilbert_tiny(void **state)
{
    (void)state;
    check_model("distilbert-tiny", 2);
}

static void bert_tiny(void **state)
{
    (void)state;
    check_model("bert-tiny", 2);
}

static void distilbert_regression(void **state)
{
    (void)state;
    check_model("distilbert-regression", 2);
}

static void bert_multi_label(void **state)
{
    (void)state;
    check_model("bert-multi-label", 2);
}

/* -- other files of the same weights --------------------------------------------------------- */

static void check_logits(const char *name, const char *expected)
{
    struct text_model m;
    struct golden in, out;
    struct tensor *logits;
    text_model_open(&m, name, 0);
    open_golden(&in, "distilbert-tiny", "batch");
    open_golden(&out, expected, "expected");
    struct batch b = golden_batch(&in, NULL, 0);
    struct loss_rule rule = {.problem = PROBLEM_CLASSES};
    double loss = text_model_step(&m, &b, &rule, &logits);
    struct golden_tensor right = golden_f32(&out, NULL, "logits");
    assert_close_f32(logits->data, right.v, right.len, 0, LOGITS);
    assert_close(loss, golden_f32(&out, NULL, "loss").v[0], 0, LOSS);
    golden_close(&in);
    golden_close(&out);
    text_model_close(&m);
}

static void shards(void **state)
{
    (void)state;
    check_logits("distilbert-tiny-sharded", "distilbert-tiny");
}

static void bfloat16(void **state)
{
    (void)state;
    check_logits("distilbert-tiny-bf16", "distilbert-tiny-bf16");
}

/* A base model without a head, by new names or old ones: the golden file has a head for it. */
static void check_minilm(const char *name)
{
    struct text_model m;
    struct golden in, out;
    struct tensor *logits;
    text_model_open(&m, name, 0);
    golden_open(&in, "models/minilm-tiny.batch.safetensors");
    golden_open(&out, "models/minilm-tiny.expected.safetensors");
    assert_int_equal(m.report.unused.n, 0);
    assert_int_equal(m.report.fresh.n, 2);
    for (size_t i = 0; i < m.report.fresh.n; i++) {
        struct golden_tensor head = golden_f32(&out, "with_head", m.report.fresh.s[i]);
        assert_non_null(head.v);
        memcpy(m.net.ps.tensor[param_find(&m.net.ps, m.report.fresh.s[i])].data, head.v,
               head.len * sizeof(float));
    }
    struct batch b = golden_batch(&in, NULL, 0);
    struct loss_rule rule = {.problem = PROBLEM_CLASSES};
    double loss = text_model_step(&m, &b, &rule, &logits);
    struct golden_tensor right = golden_f32(&out, "with_head", "logits");
    assert_close_f32(logits->data, right.v, right.len, 0, LOGITS);
    assert_close(loss, golden_f32(&out, "with_head", "loss").v[0], 0, LOSS);
    check_hidden(&m, &out, &b, 3);
    right = golden_f32(&out, NULL, "pooled");
    assert_close_f32(output_of(&m.acc.tape, "linear", -2)->data, right.v, right.len, 0, HIDDEN);
    golden_close(&in);
    golden_close(&out);
    text_model_close(&m);
}

static void minilm(void **state)
{
    (void)state;
    check_minilm("minilm-tiny");
}

static void minilm_old_names(void **state)
{
    (void)state;
    check_minilm("minilm-tiny-legacy");
}

/* -- other losses ---------------------------------------------------------------------------- */

static void check_loss(const char *group, struct batch *b, const struct loss_rule *rule,
                       struct golden *g)
{
    struct text_model m;
    struct tensor *logits;
    text_model_open(&m, "distilbert-tiny", 0);
    double loss = text_model_step(&m, b, rule, &logits);
    struct golden_tensor right = golden_f32(g, group, "logits");
    assert_close_f32(logits->data, right.v, right.len, 0, LOGITS);
    assert_close(loss, golden_f32(g, group, "loss").v[0], 0, LOSS);
    check_gradients(&m, g, group);
    text_model_close(&m);
}

static void label_smoothing(void **state)
{
    struct golden in, g;
    (void)state;
    open_golden(&in, "distilbert-tiny", "batch");
    open_golden(&g, "distilbert-tiny", "losses");
    struct batch b = golden_batch(&in, NULL, 0);
    struct loss_rule rule = {.problem = PROBLEM_CLASSES, .smoothing = 0.1f};
    b.label = golden_i32(&g, "label_smoothing", "labels");
    b.group_weight = 0;
    for (int i = 0; i < b.n; i++)
        b.group_weight += b.label[i] != LABEL_IGNORE;
    assert_true(b.group_weight < b.n);
    check_loss("label_smoothing", &b, &rule, &g);
    golden_close(&in);
    golden_close(&g);
}

static void class_weights(void **state)
{
    struct golden in, g;
    (void)state;
    open_golden(&in, "distilbert-tiny", "batch");
    open_golden(&g, "distilbert-tiny", "losses");
    struct batch b = golden_batch(&in, NULL, 0);
    struct loss_rule rule = {.problem = PROBLEM_CLASSES,
                             .class_weight = golden_f32(&g, "class_weights", "weight").v};
    b.group_weight = 0;
    for (int i = 0; i < b.n; i++)
        b.group_weight += (double)rule.class_weight[b.label[i]];
    check_loss("class_weights", &b, &rule, &g);
    golden_close(&in);
    golden_close(&g);
}

/* -- fine-tuning ----------------------------------------------------------------------------- */

static void check_weights(struct text_model *m, struct golden *out)
{
    for (int i = 0; i < m->net.ps.nseg; i++) {
        const char *name = m->net.ps.seg[i].name;
        struct golden_tensor right = golden_f32(out, "traj/final", name);
        assert_non_null(right.v);
        if (!is_key_bias(name))
            test_close_f32(m->net.ps.tensor[i].data, right.v, right.len, 0, 5e-6, name, __FILE__,
                           __LINE__);
    }
}

/* AdamW with a linear schedule and 2 warm-up steps of 20, clipping at 1. */
static void check_trajectory(const char *name)
{
    enum { STEPS = 20 };
    struct sched_opts schedule = {.warmup_steps = 2, .warmup_ratio = NAN, .scale = 1};
    struct text_model m;
    struct golden in, out;
    struct tensor *logits;
    struct err e = ERR_INIT;
    text_model_open(&m, name, 0);
    open_golden(&in, name, "batch");
    open_golden(&out, name, "expected");
    assert_int_equal(sched_init(&m.net.sched, sched_by_name("linear", &e), &schedule, NULL, 1e-3,
                                STEPS, &e), 0);
    struct golden_tensor loss = golden_f32(&out, "traj", "loss"), lr = golden_f32(&out, "traj", "lr");
    struct golden_tensor norm = golden_f32(&out, "traj", "grad_norm");
    for (int k = 0; k < STEPS; k++) {
        struct batch b = golden_batch(&in, "traj", k);
        struct loss_rule rule = {.problem = PROBLEM_CLASSES};
        struct step_info info;
        text_model_step(&m, &b, &rule, &logits);
        accelerator_step(&m.acc, &m.net, 1, &info);
        assert_false(info.skipped);
        assert_close(info.loss, loss.v[k], 0, 5e-6);
        assert_close(info.lr, lr.v[k], 0, 1e-9);
        assert_close(info.grad_norm, norm.v[k], 2e-5, 0);
    }
    check_weights(&m, &out);
    golden_close(&in);
    golden_close(&out);
    text_model_close(&m);
}

static void distilbert_trajectory(void **state)
{
    (void)state;
    check_trajectory("distilbert-tiny");
}

static void bert_trajectory(void **state)
{
    (void)state;
    check_trajectory("bert-tiny");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distilbert_tiny),       cmocka_unit_test(bert_tiny),
        cmocka_unit_test(distilbert_regression), cmocka_unit_test(bert_multi_label),
        cmocka_unit_test(shards),                cmocka_unit_test(bfloat16),
        cmocka_unit_test(minilm),                cmocka_unit_test(minilm_old_names),
        cmocka_unit_test(label_smoothing),       cmocka_unit_test(class_weights),
        cmocka_unit_test(distilbert_trajectory), cmocka_unit_test(bert_trajectory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
