/* DistilBERT and BERT for themselves: counts and names of tensors, first values, what a batch's other rows
 * do not change, layers computed twice, dropout's places, refusals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tests/built_model.h"
#include "tests/support.h"
#include "tests/text_model.h"

#define LOGITS 1e-5

/* -- tensors --------------------------------------------------------------------------------- */

struct counted {
    const char *model;
    const char *opts[12];
    size_t elements;
    int tensors;
};

/* hf-formats 2.9, two labels. */
static void parameter_counts(void **state)
{
    static const struct counted cases[] = {
        {"distilbert", {"vocab_size", "28996"}, 65783042, 104},
        {"distilbert", {"vocab_size", "30522"}, 66955010, 104},
        {"bert", {"vocab_size", "30522"}, 109483778, 201},
        {"bert", {"vocab_size", "28996"}, 108311810, 201},
        {"bert",
         {"vocab_size", "30522", "hidden_size", "384", "num_hidden_layers", "6",
          "intermediate_size", "1536"},
         22713986, 105},
    };
    struct data_spec spec = {.kind = BATCH_TEXT, .problem = PROBLEM_CLASSES, .num_labels = 2};
    struct err e = ERR_INIT;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct model_class *cls = model_by_name(cases[i].model, &e);
        void *opts = model_opts(cls, cases[i].opts);
        struct param_set ps;
        struct model m;
        param_init(&ps, NULL);
        assert_int_equal(model_init(&m, cls, opts, &spec, &ps, &e), 0);
        assert_int_equal(ps.n, cases[i].elements);
        assert_int_equal(ps.nseg, cases[i].tensors);
        model_release(&m);
        param_release(&ps);
        model_opts_free(cls, opts);
    }
}

static const char *const tiny_distilbert[] = {
    "vocab_size", "20", "max_position_embeddings", "9", "dim", "8", "n_layers", "1", "n_heads", "2",
    "hidden_dim", "12", NULL};
static const char *const tiny_bert[] = {
    "vocab_size", "20", "max_position_embeddings", "9", "hidden_size", "8", "num_hidden_layers",
    "1", "num_attention_heads", "2", "intermediate_size", "12", NULL};
static const struct data_spec three = {.kind = BATCH_TEXT, .problem = PROBLEM_CLASSES,
                                       .num_labels = 3};

static void check_names(const char *model, const char *const *opts, const char *right)
{
    struct built_model b;
    struct strbuf list = STRBUF_INIT;
    char shape[64];
    build_model(&b, model, opts, &three);
    for (int i = 0; i < b.ps.nseg; i++)
        strbuf_addf(&list, "%s %s\n", b.ps.seg[i].name,
                    tensor_shape(&b.ps.tensor[i], shape, sizeof shape));
    assert_string_equal(list.s, right);
    strbuf_release(&list);
    release_model(&b);
}

/* As their state_dict has them. */
static void names_in_order(void **state)
{
    (void)state;
    check_names("distilbert", tiny_distilbert,
                "distilbert.embeddings.word_embeddings.weight [20, 8]\n"
                "distilbert.embeddings.position_embeddings.weight [9, 8]\n"
                "distilbert.embeddings.LayerNorm.weight [8]\n"
                "distilbert.embeddings.LayerNorm.bias [8]\n"
                "distilbert.transformer.layer.0.attention.q_lin.weight [8, 8]\n"
                "distilbert.transformer.layer.0.attention.q_lin.bias [8]\n"
                "distilbert.transformer.layer.0.attention.k_lin.weight [8, 8]\n"
                "distilbert.transformer.layer.0.attention.k_lin.bias [8]\n"
                "distilbert.transformer.layer.0.attention.v_lin.weight [8, 8]\n"
                "distilbert.transformer.layer.0.attention.v_lin.bias [8]\n"
                "distilbert.transformer.layer.0.attention.out_lin.weight [8, 8]\n"
                "distilbert.transformer.layer.0.attention.out_lin.bias [8]\n"
                "distilbert.transformer.layer.0.sa_layer_norm.weight [8]\n"
                "distilbert.transformer.layer.0.sa_layer_norm.bias [8]\n"
                "distilbert.transformer.layer.0.ffn.lin1.weight [12, 8]\n"
                "distilbert.transformer.layer.0.ffn.lin1.bias [12]\n"
                "distilbert.transformer.layer.0.ffn.lin2.weight [8, 12]\n"
                "distilbert.transformer.layer.0.ffn.lin2.bias [8]\n"
                "distilbert.transformer.layer.0.output_layer_norm.weight [8]\n"
                "distilbert.transformer.layer.0.output_layer_norm.bias [8]\n"
                "pre_classifier.weight [8, 8]\n"
                "pre_classifier.bias [8]\n"
                "classifier.weight [3, 8]\n"
                "classifier.bias [3]\n");
    check_names("bert", tiny_bert,
                "bert.embeddings.word_embeddings.weight [20, 8]\n"
                "bert.embeddings.position_embeddings.weight [9, 8]\n"
                "bert.embeddings.token_type_embeddings.weight [2, 8]\n"
                "bert.embeddings.LayerNorm.weight [8]\n"
                "bert.embeddings.LayerNorm.bias [8]\n"
                "bert.encoder.layer.0.attention.self.query.weight [8, 8]\n"
                "bert.encoder.layer.0.attention.self.query.bias [8]\n"
                "bert.encoder.layer.0.attention.self.key.weight [8, 8]\n"
                "bert.encoder.layer.0.attention.self.key.bias [8]\n"
                "bert.encoder.layer.0.attention.self.value.weight [8, 8]\n"
                "bert.encoder.layer.0.attention.self.value.bias [8]\n"
                "bert.encoder.layer.0.attention.output.dense.weight [8, 8]\n"
                "bert.encoder.layer.0.attention.output.dense.bias [8]\n"
                "bert.encoder.layer.0.attention.output.LayerNorm.weight [8]\n"
                "bert.encoder.layer.0.attention.output.LayerNorm.bias [8]\n"
                "bert.encoder.layer.0.intermediate.dense.weight [12, 8]\n"
                "bert.encoder.layer.0.intermediate.dense.bias [12]\n"
                "bert.encoder.layer.0.output.dense.weight [8, 12]\n"
                "bert.encoder.layer.0.output.dense.bias [8]\n"
                "bert.encoder.layer.0.output.LayerNorm.weight [8]\n"
                "bert.encoder.layer.0.output.LayerNorm.bias [8]\n"
                "bert.pooler.dense.weight [8, 8]\n"
                "bert.pooler.dense.bias [8]\n"
                "classifier.weight [3, 8]\n"
                "classifier.bias [3]\n");
}

static const float *values(struct built_model *b, const char *name)
{
    int i = param_find(&b->ps, name);
    assert_true(i >= 0);
    return b->ps.tensor[i].data;
}

static void first_values(void **state)
{
    static const char *const opts[] = {"vocab_size", "3000", "dim", "16", "n_heads", "2",
                                       "n_layers", "1", "sinusoidal_pos_embds", "yes",
                                       "pad_token_id", "7", NULL};
    struct built_model b;
    double sum = 0;
    (void)state;
    build_model(&b, "distilbert", opts, &three);
    const float *word = values(&b, "distilbert.embeddings.word_embeddings.weight");
    for (int i = 0; i < 3000 * 16; i++)
        sum += (double)word[i] * (double)word[i];
    assert_close(sqrt(sum / (2999 * 16)), 0.02, 0.02, 0);
    for (int k = 0; k < 16; k++) {
        assert_true(word[7 * 16 + k] == 0);
        assert_true(word[6 * 16 + k] != 0);
    }
    const float *place = values(&b, "distilbert.embeddings.position_embeddings.weight");
    assert_close(place[0], 0, 0, 0);
    assert_close(place[1], 1, 0, 0);
    assert_close(place[5 * 16 + 6], sin(5 / pow(10000, 6.0 / 16)), 1e-6, 0);
    assert_close(place[511 * 16 + 15], cos(511 / pow(10000, 14.0 / 16)), 1e-6, 0);
    assert_close(values(&b, "classifier.bias")[2], 0, 0, 0);
    assert_close(values(&b, "distilbert.embeddings.LayerNorm.weight")[3], 1, 0, 0);
    release_model(&b);
}

/* -- what a batch is ------------------------------------------------------------------------- */

static const struct loss_rule classes = {.problem = PROBLEM_CLASSES};

/* Text i of a batch as a batch of its own. */
static struct batch alone(const struct batch *b, int i, int32_t at[2])
{
    struct batch one = *b;
    at[0] = 0;
    at[1] = b->at[i + 1] - b->at[i];
    one.n = 1;
    one.at = at;
    one.tokens = at[1];
    one.ids = b->ids + b->at[i];
    one.types = b->types ? b->types + b->at[i] : NULL;
    one.label = b->label + i;
    return one;
}

static void check_company(const char *name)
{
    struct text_model m;
    struct golden in;
    struct tensor *y;
    char path[80];
    snprintf(path, sizeof path, "models/%s.batch.safetensors", name);
    text_model_open(&m, name, 0);
    golden_open(&in, path);
    struct batch b = golden_batch(&in, NULL, 0);
    text_model_step(&m, &b, &classes, &y);
    size_t labels = (size_t)y->dim[1];
    float *together = xcalloc(y->len, sizeof *together);
    memcpy(together, y->data, y->len * sizeof *together);
    for (int i = 0; i < b.n; i++) {
        int32_t at[2];
        struct batch one = alone(&b, i, at);
        text_model_step(&m, &one, &classes, &y);
        assert_close_f32(y->data, together + (size_t)i * labels, labels, 0, LOGITS);
    }
    free(together);
    golden_close(&in);
    text_model_close(&m);
}

static void company_changes_nothing(void **state)
{
    (void)state;
    check_company("distilbert-tiny");
    check_company("bert-tiny");
}

/* -- layers computed twice ------------------------------------------------------------------- */

static void set_dropouts(struct text_model *m, const char *value)
{
    struct err e = ERR_INIT;
    for (const struct opt_desc *d = m->cls->opts; d->key; d++)
        if (strstr(d->key, "dropout"))
            assert_int_equal(opt_parse(d, m->opts, value, &e), 0);
}

/* Loss and gradients of a step with dropout; the caller frees. */
static float *gradients(const char *name, bool recompute, double *loss, size_t *n, size_t *peak)
{
    struct text_model m;
    struct golden in;
    struct tensor *y;
    char path[80];
    snprintf(path, sizeof path, "models/%s.batch.safetensors", name);
    text_model_open(&m, name, 0);
    golden_open(&in, path);
    network_release(&m.net);
    set_dropouts(&m, "0.3");
    struct err e = ERR_INIT;
    assert_int_equal(network_init(&m.net, &m.acc.be, m.cls, m.opts, &m.spec, &e), 0);
    assert_int_equal(param_build(&m.net.ps, 5, &e), 0);
    m.net.model.recompute = recompute;
    struct batch b = golden_batch(&in, NULL, 0);
    *loss = text_model_step(&m, &b, &classes, &y);
    *n = m.net.ps.n;
    *peak = m.acc.tape.mem.peak;
    float *g = xcalloc(*n, sizeof *g);
    memcpy(g, m.net.ps.g, *n * sizeof *g);
    golden_close(&in);
    text_model_close(&m);
    return g;
}

static void recomputing_changes_nothing(void **state)
{
    static const char *const names[] = {"distilbert-tiny", "bert-tiny"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double loss[2];
        size_t n[2], peak[2];
        float *plain = gradients(names[i], false, &loss[0], &n[0], &peak[0]);
        float *twice = gradients(names[i], true, &loss[1], &n[1], &peak[1]);
        assert_true(loss[0] == loss[1]);
        assert_memory_equal(plain, twice, n[0] * sizeof *plain);
        assert_true(peak[1] < peak[0]);
        free(plain);
        free(twice);
    }
}

/* After its first round no step takes memory, whatever its texts' lengths. */
static void steps_take_no_memory(void **state)
{
    struct text_model m;
    struct golden in;
    struct tensor *y;
    struct batch b[3];
    long before = 0;
    (void)state;
    if (test_heap_calls() < 0)
        skip();
    text_model_open(&m, "bert-tiny", 0);
    golden_open(&in, "models/bert-tiny.batch.safetensors");
    b[0] = golden_batch(&in, NULL, 0);
    b[1] = golden_batch(&in, "traj", 0);
    b[2] = golden_batch(&in, "traj", 1);
    for (int recompute = 0; recompute < 2; recompute++) {
        m.net.model.recompute = recompute;
        for (int round = 0; round < 3; round++) {
            before = test_heap_calls();
            for (int k = 0; k < 3; k++)
                text_model_step(&m, &b[k], &classes, &y);
        }
        assert_int_equal(test_heap_calls(), before);
    }
    golden_close(&in);
    text_model_close(&m);
}

/* -- dropout --------------------------------------------------------------------------------- */

static int count_nodes(const struct tape *t, const char *op)
{
    int n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += !strcmp(t->node[i].op->name, op);
    return n;
}

/* One option on, the others off: how many nodes drop values. */
static void check_places(const char *model, const char *const *shape, const char *option,
                         int places, bool changes)
{
    static const int32_t ids[] = {1, 5, 6, 2, 1, 7, 2}, at[] = {0, 4, 7};
    const struct batch batch = {.n = 2, .ids = ids, .at = at, .tokens = 7};
    const struct model_class *cls = model_by_name(model, NULL);
    struct built_model b;
    struct err e = ERR_INIT;
    float plain[6];
    build_model(&b, model, shape, &three);
    for (const struct opt_desc *d = cls->opts; d->key; d++)
        if (strstr(d->key, "dropout") && opt_parse(d, b.opts, "0", &e))
            fail_msg("%s", e.msg);
    model_release(&b.model);
    for (int on = 0; on < 2; on++) {
        if (on && opt_parse(opt_find(cls->opts, option), b.opts, "0.5", &e))
            fail_msg("%s", e.msg);
        param_release(&b.ps);
        param_init(&b.ps, &b.be);
        assert_int_equal(model_init(&b.model, cls, b.opts, &three, &b.ps, &e), 0);
        assert_int_equal(param_build(&b.ps, 3, &e), 0);
        tape_begin(&b.tape, true, 1, 1);
        struct tensor *y = model_logits(&b.model, &b.tape, &batch);
        assert_non_null(y);
        assert_int_equal(count_nodes(&b.tape, "dropout"), on ? places : 0);
        if (on && changes)
            assert_memory_not_equal(y->data, plain, sizeof plain);
        memcpy(plain, y->data, sizeof plain);
        if (!on)
            model_release(&b.model);
    }
    release_model(&b);
}

static void dropout_places(void **state)
{
    (void)state;
    check_places("distilbert", tiny_distilbert, "dropout", 2, true);
    check_places("distilbert", tiny_distilbert, "attention_dropout", 0, true);
    check_places("distilbert", tiny_distilbert, "seq_classif_dropout", 1, true);
    check_places("bert", tiny_bert, "hidden_dropout_prob", 3, true);
    check_places("bert", tiny_bert, "attention_probs_dropout_prob", 0, true);
    check_places("bert", tiny_bert, "classifier_dropout", 1, true);
}

/* Unset, the classifier has the hidden layers' dropout: one place more. */
static void classifier_dropout_unset(void **state)
{
    static const int32_t ids[] = {1, 5}, at[] = {0, 2};
    const struct batch batch = {.n = 1, .ids = ids, .at = at, .tokens = 2};
    struct built_model b;
    (void)state;
    build_model(&b, "bert", tiny_bert, &three);
    tape_begin(&b.tape, true, 1, 1);
    assert_non_null(model_logits(&b.model, &b.tape, &batch));
    assert_int_equal(count_nodes(&b.tape, "dropout"), 4);
    release_model(&b);
}

/* -- refusals -------------------------------------------------------------------------------- */

static void check_refused(const char *model, const char *key, const char *value,
                          const struct data_spec *spec, const char *says)
{
    const struct model_class *cls = model_by_name(model, NULL);
    const char *pairs[] = {key, value, NULL};
    void *opts = model_opts(cls, pairs);
    struct err e = ERR_INIT;
    assert_int_equal(model_check(cls, opts, spec, &e), TT_ECONFIG);
    if (!strstr(e.msg, says))
        fail_msg("\"%s\" does not say %s", e.msg, says);
    model_opts_free(cls, opts);
}

static void options_that_do_not_fit(void **state)
{
    struct data_spec small = three, large = three, pairs = three;
    (void)state;
    small.vocab_size = 100;
    large.vocab_size = 100;
    large.longest = 513;
    pairs.vocab_size = 100;
    pairs.pairs = true;
    check_refused("distilbert", "n_heads", "5", &small, "model.n_heads: 5 does not divide model.dim, 768");
    check_refused("bert", "num_attention_heads", "7", &small, "model.num_attention_heads: 7");
    check_refused("distilbert", "vocab_size", "99", &small, "model.vocab_size: 99");
    check_refused("distilbert", "pad_token_id", "100", &small, "model.pad_token_id: 100");
    check_refused("bert", "max_position_embeddings", "512", &large, "has 513 tokens");
    check_refused("bert", "type_vocab_size", "1", &pairs, "model.type_vocab_size: 1");
    check_refused("distilbert", "dim", "768", &three, "model.vocab_size is missing");
}

static void check_bad_batch(const struct batch *batch, const char *says)
{
    struct built_model b;
    build_model(&b, "bert", tiny_bert, &three);
    tape_begin(&b.tape, true, 1, 1);
    assert_null(model_logits(&b.model, &b.tape, batch));
    assert_int_equal(b.tape.err.code, TT_EDATA);
    if (!strstr(b.tape.err.msg, says))
        fail_msg("\"%s\" does not say %s", b.tape.err.msg, says);
    release_model(&b);
}

static void batches_that_do_not_fit(void **state)
{
    static const int32_t ids[] = {1, 5, 20, 2, 1, 7, 2, 1, 1, 1, 1, 1, 1, 1}, at[] = {0, 2, 4};
    static const int32_t minus[] = {1, -1}, types[] = {0, 2, 0, 0}, wide[] = {0, 10}, none[] = {0, 0};
    static const int64_t row[] = {41, 17};
    (void)state;
    check_bad_batch(&(struct batch){.n = 2, .ids = ids, .at = at, .row = row},
                    "row 18: token id 20 (0 to 19)");
    check_bad_batch(&(struct batch){.n = 1, .ids = minus, .at = at}, "row 1: token id -1");
    check_bad_batch(&(struct batch){.n = 1, .ids = ids, .types = types, .at = at},
                    "row 1: token type 2 (0 to 1)");
    check_bad_batch(&(struct batch){.n = 1, .ids = ids, .at = wide}, "row 1 has 10 tokens (1 to 9)");
    check_bad_batch(&(struct batch){.n = 1, .ids = ids, .at = none}, "row 1 has 0 tokens");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameter_counts),
        cmocka_unit_test(names_in_order),
        cmocka_unit_test(first_values),
        cmocka_unit_test(company_changes_nothing),
        cmocka_unit_test(recomputing_changes_nothing),
        cmocka_unit_test(steps_take_no_memory),
        cmocka_unit_test(dropout_places),
        cmocka_unit_test(classifier_dropout_unset),
        cmocka_unit_test(options_that_do_not_fit),
        cmocka_unit_test(batches_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
