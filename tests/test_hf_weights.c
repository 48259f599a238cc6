/* Weights of model directories: one file or several, under old names and new; what is refused, and what it
 * says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/hf_weights.h"
#include "tests/support.h"
#include "tests/text_model.h"
#include "tests/train_support.h"

#define GOLDEN "tests/golden/models/"

/* model.safetensors of `dir` written again with what `change` makes of each tensor; false: left out. */
static void rewrite(const char *dir, bool (*change)(struct st_tensor *))
{
    struct err e = ERR_INIT;
    struct st_file f;
    const char *path = test_path_in(dir, "model.safetensors");
    size_t n = 0;
    assert_int_equal(st_open(&f, path, &e), 0);
    struct st_tensor *list = xcalloc(f.n, sizeof *list);
    for (size_t i = 0; i < f.n; i++) {
        void *data = xmalloc(f.t[i].bytes + 1);
        assert_int_equal(st_read(&f, &f.t[i], data, &e), 0);
        list[n] = f.t[i];
        list[n].data = data;
        if (change(&list[n]))
            n++;
        else
            free(data);
    }
    assert_int_equal(st_write(path, list, n, NULL, &e), 0);
    for (size_t i = 0; i < n; i++)
        free((void *)list[i].data);
    free(list);
    st_close(&f);
}

/* -- which files ----------------------------------------------------------------------------- */

static void refuse_weights(const char *dir, const char *says)
{
    struct hf_weights w;
    struct err e = ERR_INIT;
    assert_int_equal(hf_weights_open(&w, dir, NULL, &e), TT_EDATA);
    expect_error(&e, TT_EDATA, says);
    if (!strstr(e.msg, dir))
        fail_msg("\"%s\" does not name %s", e.msg, dir);
    assert_int_equal(w.n + w.nfile, 0);
}

static void no_weights(void **state)
{
    const char *dir = test_temp_dir();
    (void)state;
    refuse_weights(test_path_in(dir, "nowhere"), "no such directory");
    refuse_weights(dir, "no model.safetensors");
    assert_false(hf_weights_exist(dir));
    test_write_file(dir, "pytorch_model.bin", "PK");
    refuse_weights(dir, "only pytorch_model.bin");
    assert_true(hf_weights_exist(test_path(GOLDEN "distilbert-tiny")));
    assert_true(hf_weights_exist(test_path(GOLDEN "distilbert-tiny-sharded")));
}

static void other_files(void **state)
{
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    const char *dir = test_temp_dir();
    struct hf_config c;
    struct err e = ERR_INIT;
    (void)state;
    test_write_file(dir, "model.safetensors", pointer);
    refuse_weights(dir, "Git LFS pointer");
    test_write_file(dir, "model.safetensors", "<!DOCTYPE html><html></html>");
    refuse_weights(dir, "HTML page");
    golden_file(test_path(GOLDEN "distilbert-tiny/model.safetensors"), dir, "model.safetensors");
    size_t n;
    const char *whole = test_read_file(test_path_in(dir, "model.safetensors"), &n);
    assert_int_equal(file_write_all(test_path_in(dir, "model.safetensors"), whole, n - 5, &e), 0);
    refuse_weights(dir, "file of 101135 bytes (its header says 101140)");
    const char *config = test_write_file(dir, "config.json", pointer);
    assert_int_equal(hf_config_read(&c, config, &e), TT_EDATA);
    expect_error(&e, TT_EDATA, "Git LFS pointer");
}

static void check_index(const char *text, const char *says)
{
    const char *dir = golden_dir("distilbert-tiny-sharded");
    test_write_file(dir, "model.safetensors.index.json", text);
    refuse_weights(dir, says);
}

static void bad_indexes(void **state)
{
    (void)state;
    check_index("{\"weight_map\": {}}", "no weight_map or no metadata");
    check_index("{\"metadata\": {}}", "no weight_map or no metadata");
    check_index("{\"metadata\": {}, \"weight_map\": {\"a\": \"../x.safetensors\"}}", "\"a\"");
    check_index("{\"metadata\": {}, \"weight_map\": {\"a\": 3}}", "\"a\"");
    check_index("{\"metadata\": {}, \"weight_map\": {\"a\": \"model-00009-of-00003.safetensors\"}}",
                "model-00009-of-00003.safetensors");
    check_index("{\"metadata\": {}, \"weight_map\": {\"a\": \"model-00001-of-00003.safetensors\"}}",
                "no tensor \"a\", which the index puts there");
    check_index("{\"metadata\": {}, \"weight_map\": {", "index.json:1:");
}

/* A tensor in two shards; one that no entry names is put aside. */
static void shards_and_index_differ(void **state)
{
    const char *dir = golden_dir("distilbert-tiny-sharded");
    const char *third = "model-00003-of-00003.safetensors";
    const char *path = test_path_in(dir, "model.safetensors.index.json");
    struct hf_weights w;
    struct hf_config c;
    struct err e = ERR_INIT;
    (void)state;
    assert_int_equal(hf_weights_open(&w, dir, NULL, &e), 0);
    assert_int_equal(w.n, 40);
    assert_int_equal(w.nfile, 3);
    char *of_third = NULL;
    for (size_t i = 0; i < w.n && !of_third; i++)
        if (strstr(w.t[i].file->path, third))
            of_third = xstrdup(w.t[i].name);
    hf_weights_close(&w);
    golden_file(test_path_in(dir, third), dir, "model-00002-of-00003.safetensors");
    refuse_weights(dir, "which the index puts into");
    golden_file(test_path(GOLDEN "distilbert-tiny-sharded/model-00002-of-00003.safetensors"), dir,
              "model-00002-of-00003.safetensors");

    assert_int_equal(hf_config_read(&c, path, &e), 0);
    char *text = xstrdup(test_read_file(path, NULL)), *entry = strstr(text, of_third);
    assert_non_null(entry);
    entry[0] = 'D';
    test_write_file(dir, "model.safetensors.index.json", text);
    refuse_weights(dir, "no tensor \"D");
    hf_config_release(&c);
    free(text);
    free(of_third);
}

/* Both are there: the single file is taken. */
static void single_file_wins(void **state)
{
    const char *dir = golden_dir("distilbert-tiny-sharded");
    struct hf_weights w;
    struct err e = ERR_INIT;
    (void)state;
    golden_file(test_path(GOLDEN "distilbert-tiny/model.safetensors"), dir, "model.safetensors");
    assert_int_equal(hf_weights_open(&w, dir, NULL, &e), 0);
    assert_int_equal(w.nfile, 1);
    hf_weights_close(&w);
}

/* -- names ----------------------------------------------------------------------------------- */

static void write_names(const char *dir, const char *const *names, size_t n)
{
    static const float one[1];
    struct st_tensor list[8];
    struct err e = ERR_INIT;
    for (size_t i = 0; i < n; i++)
        list[i] = (struct st_tensor){.name = names[i], .dtype = DT_F32, .ndim = 1, .dim = {1},
                                     .data = one, .bytes = sizeof one};
    assert_int_equal(st_write(test_path_in(dir, "model.safetensors"), list, n, NULL, &e), 0);
}

static void old_names(void **state)
{
    static const char *const names[] = {"module.a.LayerNorm.gamma", "a.LayerNorm.beta", "x.gamma",
                                        "gamma_layer.weight", "LayerNorm.gamma.extra"};
    static const char *const now[] = {"p.LayerNorm.gamma.extra", "p.a.LayerNorm.bias",
                                      "p.a.LayerNorm.weight", "p.gamma_layer.weight", "p.x.gamma"};
    static const char *const twice[] = {"LayerNorm.gamma", "LayerNorm.weight"};
    const char *dir = test_temp_dir();
    struct hf_weights w;
    struct err e = ERR_INIT;
    (void)state;
    write_names(dir, names, 5);
    assert_int_equal(hf_weights_open(&w, dir, "p.", &e), 0);
    assert_int_equal(w.n, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(w.t[i].name, now[i]);
    assert_string_equal(hf_weights_find(&w, "p.x.gamma")->t->name, "x.gamma");
    assert_null(hf_weights_find(&w, "p.x.weight"));
    hf_weights_close(&w);
    write_names(dir, twice, 2);
    refuse_weights(dir, "two tensors for \"LayerNorm.weight\"");
}

/* A file with the prefix anywhere gets none. */
static void prefix_once(void **state)
{
    static const char *const names[] = {"bert.a", "classifier.b"};
    const char *dir = test_temp_dir();
    struct hf_weights w;
    struct err e = ERR_INIT;
    (void)state;
    write_names(dir, names, 2);
    assert_int_equal(hf_weights_open(&w, dir, "bert.", &e), 0);
    assert_non_null(hf_weights_find(&w, "bert.a"));
    assert_non_null(hf_weights_find(&w, "classifier.b"));
    hf_weights_close(&w);
}

/* -- weights into a model -------------------------------------------------------------------- */

static bool drop_head(struct st_tensor *t)
{
    return !strstr(t->name, "classifier");
}

static bool drop_word_table(struct st_tensor *t)
{
    return !strstr(t->name, "word_embeddings");
}

static bool drop_pooler(struct st_tensor *t)
{
    return !strstr(t->name, "pooler");
}

static bool add_module(struct st_tensor *t)
{
    static char name[64][128];
    static int n;
    char *to = name[n++ % 64];
    snprintf(to, 128, "module.%s", t->name);
    t->name = to;
    return true;
}

static bool strangers(struct st_tensor *t)
{
    if (!strcmp(t->name, "pre_classifier.bias"))
        t->name = "vocab_transform.bias";
    if (!strcmp(t->name, "classifier.bias"))
        t->name = "stranger.bias";
    return true;
}

static void refuse_start(const char *dir, bool head, const char *says)
{
    struct text_model m;
    struct weights_report r;
    struct err e = ERR_INIT;
    text_model_open(&m, "distilbert-tiny", 0);
    assert_int_equal(model_weights_start(dir, &m.net, head, 1, &r, &e), TT_EDATA);
    expect_error(&e, TT_EDATA, says);
    weights_report_release(&r);
    text_model_close(&m);
}

/* A head may be new; what is under it may not. */
static void missing_tensors(void **state)
{
    struct text_model m;
    struct err e = ERR_INIT;
    (void)state;
    const char *dir = golden_dir("distilbert-tiny");
    rewrite(dir, drop_head);
    text_model_open_dir(&m, dir, 0);
    assert_int_equal(m.report.fresh.n, 4);
    assert_string_equal(m.report.fresh.s[0], "pre_classifier.weight");
    assert_int_equal(model_weights_load(dir, &m.net, &e), TT_EDATA);
    expect_error(&e, TT_EDATA, "no tensor pre_classifier.weight");
    text_model_close(&m);
    rewrite(dir, drop_word_table);
    refuse_start(dir, true, "no tensor distilbert.embeddings.word_embeddings.weight");
    dir = golden_dir("bert-tiny");
    rewrite(dir, drop_pooler);
    text_model_open_dir(&m, dir, 0);
    assert_int_equal(m.report.fresh.n, 2);
    assert_string_equal(m.report.fresh.s[1], "bert.pooler.dense.bias");
    text_model_close(&m);
}

static void unexpected_tensors(void **state)
{
    const char *dir = golden_dir("distilbert-tiny");
    struct text_model m;
    (void)state;
    rewrite(dir, strangers);
    text_model_open_dir(&m, dir, 0);
    assert_int_equal(m.report.fresh.n, 2);
    assert_int_equal(m.report.unused.n, 1);
    assert_string_equal(m.report.unused.s[0], "stranger.bias");
    text_model_close(&m);
}

static void data_parallel_names(void **state)
{
    const char *dir = golden_dir("distilbert-tiny");
    struct text_model m;
    (void)state;
    rewrite(dir, add_module);
    text_model_open_dir(&m, dir, 0);
    assert_int_equal(m.report.fresh.n + m.report.unused.n, 0);
    text_model_close(&m);
}

/* Another number of labels: a new classifier, the layer before it from the file. */
static void other_labels(void **state)
{
    struct text_model m, same;
    (void)state;
    text_model_open(&m, "distilbert-tiny", 5);
    text_model_open(&same, "distilbert-tiny", 0);
    assert_int_equal(m.report.fresh.n, 2);
    assert_string_equal(m.report.fresh.s[0], "classifier.weight");
    int i = param_find(&m.net.ps, "pre_classifier.weight");
    assert_memory_equal(m.net.ps.tensor[i].data, same.net.ps.tensor[i].data,
                        m.net.ps.seg[i].len * sizeof(float));
    text_model_close(&m);
    text_model_close(&same);
}

static void other_shapes(void **state)
{
    (void)state;
    refuse_start(test_path(GOLDEN "distilbert-regression"), true,
                 "classifier.weight is [1, 32], the model's is [3, 32]");
    refuse_start(test_path(GOLDEN "bert-tiny"), true, "no tensor distilbert.");
}

/* Found before the run has a directory. */
static void refused_before_the_run(void **state)
{
    static const char *const names[] = {"linear.0.weight", "linear.0.bias"};
    const char *dir = test_temp_dir();
    struct outcome o;
    char more[300];
    (void)state;
    snprintf(more, sizeof more, "[model]\npretrained = %s\n", dir);
    const char *config = train_config(dir, "run", more);
    train_run(config, false, &o);
    assert_int_equal(o.code, TT_EDATA);
    assert_non_null(strstr(o.msg, "no model.safetensors"));
    write_names(dir, names, 2);
    train_run(config, false, &o);
    assert_int_equal(o.code, TT_EDATA);
    assert_non_null(strstr(o.msg, "linear.0.weight is [1], the model's is [16, 12]"));
    assert_false(file_exists(test_path_in(dir, "runs")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_weights),
        cmocka_unit_test(other_files),
        cmocka_unit_test(bad_indexes),
        cmocka_unit_test(shards_and_index_differ),
        cmocka_unit_test(single_file_wins),
        cmocka_unit_test(old_names),
        cmocka_unit_test(prefix_once),
        cmocka_unit_test(missing_tensors),
        cmocka_unit_test(unexpected_tensors),
        cmocka_unit_test(data_parallel_names),
        cmocka_unit_test(other_labels),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(refused_before_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
