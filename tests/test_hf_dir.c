/* config.json of model directories: read into options, held against a run's config, kept whole; what is
 * saved is what transformers saves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "optimizers/table.h"
#include "tests/support.h"
#include "tests/text_model.h"

#define GOLDEN "tests/golden/models/"

/* -- config.json ----------------------------------------------------------------------------- */

static void *options_of(const char *dir, const struct model_class **cls, struct err *e)
{
    *cls = NULL;
    if (model_dir_class(dir, cls, e) || !*cls)
        return NULL;
    void *opts = xcalloc(1, (*cls)->opts_size);
    opt_defaults((*cls)->opts, opts);
    if (model_dir_options(dir, *cls, opts, e)) {
        opt_release((*cls)->opts, opts);
        free(opts);
        return NULL;
    }
    return opts;
}

/* Option KEY as config.json `text` leaves it. */
static void check_option(const char *text, const char *key, const char *right)
{
    const char *dir = test_temp_dir();
    const struct model_class *cls;
    struct err e = ERR_INIT;
    test_write_file(dir, "config.json", text);
    void *opts = options_of(dir, &cls, &e);
    if (!opts)
        fail_msg("%s", e.msg);
    char *now = opt_text(opt_find(cls->opts, key), opts);
    assert_string_equal(now, right);
    free(now);
    opt_release(cls->opts, opts);
    free(opts);
}

#define DISTIL "{\"model_type\": \"distilbert\", "
#define BERT "{\"model_type\": \"bert\", "

static void options_read(void **state)
{
    (void)state;
    check_option(DISTIL "\"dim\": 32}", "dim", "32");
    check_option(DISTIL "\"hidden_size\": 32}", "dim", "32");
    check_option(DISTIL "\"num_attention_heads\": 4, \"num_hidden_layers\": 3}", "n_layers", "3");
    check_option(DISTIL "\"num_attention_heads\": 4}", "n_heads", "4");
    check_option(DISTIL "\"n_heads\": 6, \"num_attention_heads\": 4}", "n_heads", "6");
    check_option(DISTIL "\"dim\": 32.0, \"dropout\": 0}", "dim", "32");
    check_option(DISTIL "\"activation\": \"relu\"}", "activation", "relu");
    check_option(DISTIL "\"sinusoidal_pos_embds\": true}", "sinusoidal_pos_embds", "yes");
    check_option(DISTIL "\"vocab_size\": 77}", "vocab_size", "77");
    check_option(BERT "\"layer_norm_eps\": 1e-5}", "layer_norm_eps", "1e-05");
    check_option(BERT "\"classifier_dropout\": null}", "classifier_dropout", "");
    check_option(BERT "\"classifier_dropout\": 0.25}", "classifier_dropout", "0.25");
    check_option(BERT "\"dim\": 32}", "hidden_size", "768");
    check_option("\xef\xbb\xbf" BERT "\"hidden_size\": 48}", "hidden_size", "48");
}

static void refuse_config(const char *text, const char *says)
{
    const char *dir = test_temp_dir();
    const struct model_class *cls;
    struct err e = ERR_INIT;
    test_write_file(dir, "config.json", text);
    assert_null(options_of(dir, &cls, &e));
    expect_error(&e, TT_EDATA, says);
    if (!strstr(e.msg, dir))
        fail_msg("\"%s\" does not name %s", e.msg, dir);
}

static void options_refused(void **state)
{
    (void)state;
    refuse_config(DISTIL "\"activation\": \"quick_silver\"}", "activation: \"quick_silver\" (gelu, ");
    refuse_config(BERT "\"position_embedding_type\": \"relative_key\"}",
                  "position_embedding_type: \"relative_key\" (absolute)");
    refuse_config(BERT "\"is_decoder\": true}", "is_decoder is true");
    refuse_config(BERT "\"add_cross_attention\": true}", "add_cross_attention is true");
    refuse_config(DISTIL "\"dim\": 0}", "dim: \"0\" (a whole number from 1");
    refuse_config(DISTIL "\"dim\": -768}", "dim: \"-768\"");
    refuse_config(DISTIL "\"n_layers\": [6]}", "n_layers: ");
    refuse_config(DISTIL "\"dropout\": 1.0}", "dropout: \"1\"");
    refuse_config("{\"model_type\": \"roberta\"}", "model_type is \"roberta\"");
}

/* -- a run's config against the directory's -------------------------------------------------- */

static int resolve(struct run_config *rc, const char *model, struct err *e)
{
    const char *dir = test_temp_dir();
    char text[2000];
    snprintf(text, sizeof text, "[model]\n%s\n[data]\nformat = csv\ntrain = x.csv\n", model);
    return run_config_load(rc, test_write_file(dir, "c.ini", text), NULL, 0, optim_classes, e);
}

static void check_contradiction(const char *line, int code, const char *says)
{
    char model[600];
    struct run_config rc;
    struct err e = ERR_INIT;
    snprintf(model, sizeof model, "pretrained = %s\n%s", test_path(GOLDEN "distilbert-tiny"), line);
    assert_int_equal(resolve(&rc, model, &e), code);
    if (code)
        expect_error(&e, code, says);
    else
        run_config_release(&rc);
}

static void configs_that_contradict(void **state)
{
    (void)state;
    check_contradiction("", 0, "");
    check_contradiction("type = distilbert", 0, "");
    check_contradiction("dim = 32\ndropout = 0.5\nattention_dropout = 0.2", 0, "");
    check_contradiction("type = bert", TT_ECONFIG, "c.ini:3: model.type is bert, config.json of ");
    check_contradiction("dim = 64", TT_ECONFIG, "c.ini:3: model.dim is 64, config.json of ");
    check_contradiction("dim = 64", TT_ECONFIG, "says 32");
    check_contradiction("activation = relu", TT_ECONFIG, "model.activation is relu");
    check_contradiction("vocab_size = 119", TT_ECONFIG, "model.vocab_size is 119");
}

/* The effective config has the directory's values, and needs it no more. */
static void effective_config(void **state)
{
    char model[600];
    struct run_config rc;
    struct strbuf text = STRBUF_INIT;
    struct err e = ERR_INIT;
    (void)state;
    snprintf(model, sizeof model, "pretrained = %s", test_path(GOLDEN "bert-tiny"));
    assert_int_equal(resolve(&rc, model, &e), 0);
    assert_string_equal(rc.model_cls->name, "bert");
    run_config_format(&rc, &text);
    assert_non_null(strstr(text.s, "type = bert\n"));
    assert_non_null(strstr(text.s, "hidden_size = 40\n"));
    assert_non_null(strstr(text.s, "vocab_size = 130\n"));
    run_config_release(&rc);
    strbuf_release(&text);
    assert_int_equal(resolve(&rc, "pretrained = /nowhere/at/all\ntype = bert", &e), 0);
    run_config_release(&rc);
    assert_int_equal(resolve(&rc, "pretrained = /nowhere/at/all", &e), TT_ECONFIG);
    expect_error(&e, TT_ECONFIG, "model.type is missing");
}

/* -- saving ---------------------------------------------------------------------------------- */

static void save(struct text_model *m, const char *from, const char *to)
{
    struct run_config rc = {.model_cls = m->cls, .model_own = m->opts};
    struct hf_config c = {0};
    struct err e = ERR_INIT;
    if (from)
        assert_int_equal(hf_config_read(&c, test_path_in(from, "config.json"), &e), 0);
    if (model_dir_save(to, &m->net, &rc, &c, &e))
        fail_msg("%s", e.msg);
    hf_config_release(&c);
}

/* The file that transformers wrote, and ours made of what we read from it. */
static void round_trip(void **state)
{
    static const char *const names[] = {"distilbert-tiny", "bert-tiny", "distilbert-regression",
                                        "bert-multi-label"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *from = golden_dir(names[i]), *to = test_temp_dir();
        struct text_model m;
        size_t a, b;
        text_model_open_dir(&m, from, 0);
        save(&m, from, to);
        const char *theirs = test_read_file(test_path_in(from, "model.safetensors"), &a);
        const char *ours = test_read_file(test_path_in(to, "model.safetensors"), &b);
        assert_int_equal(a, b);
        assert_memory_equal(theirs, ours, a);
        save(&m, from, from); /* onto itself */
        assert_memory_equal(test_read_file(test_path_in(from, "model.safetensors"), NULL), ours, a);
        text_model_close(&m);
    }
}

static void check_saved(const char *config, const char *says)
{
    if (!strstr(config, says))
        fail_msg("no %s in:\n%s", says, config);
}

static void saved_config(void **state)
{
    const char *from = golden_dir("distilbert-tiny-bf16"), *to = test_temp_dir();
    struct text_model m;
    (void)state;
    test_write_file(from, "config.json",
                    DISTIL "\"hidden_size\": 32, \"n_layers\": 2, \"n_heads\": 4, \"hidden_dim\": 64, "
                           "\"vocab_size\": 120, \"max_position_embeddings\": 64, \"dropout\": 0, "
                           "\"mine\": [1, {\"deep\": 1e-12}], \"dtype\": \"bfloat16\", "
                           "\"architectures\": [\"DistilBertModel\"], \"num_labels\": 3, "
                           "\"id2label\": {\"0\": \"a\", \"1\": \"b\", \"2\": \"c\"}}");
    text_model_open_dir(&m, from, 0);
    save(&m, from, to);
    const char *c = test_read_file(test_path_in(to, "config.json"), NULL);
    check_saved(c, "\"deep\": 1e-12");
    check_saved(c, "\"dtype\": \"float32\"");
    check_saved(c, "\"torch_dtype\": \"float32\"");
    check_saved(c, "\"DistilBertForSequenceClassification\"");
    check_saved(c, "\"dim\": 32,");
    check_saved(c, "\"dropout\": 0.0,");
    check_saved(c, "\"initializer_range\": 0.02,");
    check_saved(c, "\"sinusoidal_pos_embds\": false");
    check_saved(c, "\"1\": \"b\"");
    check_saved(c, "\"c\": 2");
    assert_null(strstr(c, "hidden_size"));
    assert_null(strstr(c, "num_labels"));
    assert_null(strstr(c, "problem_type"));
    assert_null(strstr(c, "input_shape"));
    text_model_close(&m);
    text_model_open_dir(&m, to, 0); /* and it opens again */
    text_model_close(&m);
}

/* One number has one label, the one that it came with; without any it gets the library's. */
static void saved_number(void **state)
{
    const char *from = golden_dir("distilbert-regression"), *to = test_temp_dir();
    struct text_model m;
    (void)state;
    text_model_open_dir(&m, from, 0);
    assert_int_equal(m.spec.problem, PROBLEM_REGRESSION);
    assert_int_equal(m.spec.num_labels, 1);
    save(&m, from, to);
    check_saved(test_read_file(test_path_in(to, "config.json"), NULL), "\"score\": 0");
    save(&m, NULL, to);
    const char *c = test_read_file(test_path_in(to, "config.json"), NULL);
    check_saved(c, "\"0\": \"LABEL_0\"");
    check_saved(c, "\"problem_type\": \"regression\"");
    text_model_close(&m);
}

/* A size that the options leave to the data is in the file. */
static void saved_vocab_size(void **state)
{
    const char *from = golden_dir("distilbert-tiny"), *to = test_temp_dir();
    struct text_model m;
    struct err e = ERR_INIT;
    (void)state;
    text_model_open_dir(&m, from, 0);
    assert_int_equal(opt_parse(opt_find(m.cls->opts, "vocab_size"), m.opts, "", &e), 0);
    save(&m, NULL, to);
    check_saved(test_read_file(test_path_in(to, "config.json"), NULL), "\"vocab_size\": 120");
    text_model_close(&m);
}

/* The size that every Trainer run produces (hf-formats 1.2): the smallest of the five. */
static void file_size_of_minilm(void **state)
{
    const char *dir = test_temp_dir();
    struct text_model m;
    (void)state;
    test_write_file(dir, "config.json",
                    BERT "\"vocab_size\": 30522, \"hidden_size\": 384, \"num_hidden_layers\": 6, "
                         "\"intermediate_size\": 1536}");
    text_model_open_dir(&m, dir, 0);
    save(&m, dir, dir);
    assert_int_equal(file_size(test_path_in(dir, "model.safetensors")), 90867952);
    text_model_close(&m);
}

static void facts_of_a_directory(void **state)
{
    static const char *const wrong[] = {"{\"model_type\": \"bert\", \"problem_type\": \"guess\"}",
                                        "{\"model_type\": \"gpt2\"}",
                                        "{\"model_type\": \"bert\", \"id2label\": {\"1\": \"x\"}}"};
    const char *dir = test_temp_dir();
    struct data_spec spec;
    struct spec_names names;
    struct err e = ERR_INIT;
    (void)state;
    test_write_file(dir, "config.json", BERT "\"vocab_size\": 9}");
    assert_int_equal(model_dir_spec(dir, &spec, &names, &e), 0);
    assert_int_equal(spec.kind, BATCH_TEXT);
    assert_int_equal(spec.vocab_size, 9);
    assert_int_equal(spec.num_labels, 2);
    assert_string_equal(spec.label[1], "LABEL_1");
    spec_names_release(&names);
    test_write_file(dir, "config.json", BERT "\"id2label\": {\"0\": \"x\"}}");
    assert_int_equal(model_dir_spec(dir, &spec, &names, &e), 0);
    assert_int_equal(spec.problem, PROBLEM_REGRESSION);
    spec_names_release(&names);
    for (int i = 0; i < 3; i++) {
        test_write_file(dir, "config.json", wrong[i]);
        assert_int_equal(model_dir_spec(dir, &spec, &names, &e), TT_EDATA);
        expect_error(&e, TT_EDATA, dir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_read),
        cmocka_unit_test(options_refused),
        cmocka_unit_test(configs_that_contradict),
        cmocka_unit_test(effective_config),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(saved_config),
        cmocka_unit_test(saved_number),
        cmocka_unit_test(saved_vocab_size),
        cmocka_unit_test(file_size_of_minilm),
        cmocka_unit_test(facts_of_a_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
