/* Runs over texts: a whole transformers.Trainer run reproduced from its TSV files, resumed runs equal to
 * the last byte, vocabularies that are learnt once. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/train/trainer.h"
#include "optimizers/table.h"
#include "tests/st_golden.h"
#include "tests/train_support.h"

#define GOLDEN "models/accelerate/trainer-distilbert"

static const char *golden_path(const char *rest)
{
    char rel[128];
    snprintf(rel, sizeof rel, "tests/golden/" GOLDEN "%s", rest);
    return test_path(rel);
}

/* The golden run; `data` and `more` as lines of [data] and after it. */
static const char *golden_config(const char *dir, const char *name, const char *data, const char *more)
{
    struct strbuf b = STRBUF_INIT;
    char file[64];
    strbuf_addf(&b,
                "[run]\nname = %s\ndir = %s/runs\n"
                "[model]\npretrained = %s\ndropout = 0\nattention_dropout = 0\n"
                "seq_classif_dropout = 0\n[data]\n%s"
                "[optimizer]\nname = adamw\nlr = 5e-4\nweight_decay = 0.01\n"
                "[schedule]\nname = linear\nwarmup_ratio = 0.1\n"
                "[train]\nepochs = 2\nbatch_size = 4\ngradient_accumulation_steps = 2\n"
                "shuffle = no\n[log]\nevery = 1\n%s",
                name, dir, test_path("tests/golden/models/distilbert-tiny"), data, more);
    snprintf(file, sizeof file, "%s.ini", name);
    const char *path = test_write_file(dir, file, b.s);
    strbuf_release(&b);
    return path;
}

static const char *tsv_files(void)
{
    static char lines[2048];
    snprintf(lines, sizeof lines, "train = %s\neval = %s\n", golden_path(".train.tsv"),
             golden_path(".eval.tsv"));
    return lines;
}

/* -- the golden run ------------------------------------------------------------------------ */

struct kept {
    const char *key;
    double tolerance, relative;
};

/* One kind of line of the log, in order. */
static void check_rows(const char *metrics, json_t *history, const char *mark,
                       const struct kept *keys, int nkeys)
{
    int n = 0;
    size_t i;
    json_t *row;
    json_array_foreach (history, i, row) {
        if (!json_object_get(row, mark))
            continue;
        for (int k = 0; k < nkeys; k++)
            assert_close(train_value(metrics, keys[k].key, n),
                         json_number_value(json_object_get(row, keys[k].key)), keys[k].relative,
                         keys[k].tolerance);
        n++;
    }
    assert_true(n > 0);
    assert_int_equal(train_count(metrics, mark), n);
}

static void check_log(const char *dir, const char *name)
{
    static const struct kept training[] = {
        {"loss", 3e-6, 0}, {"grad_norm", 0, 1e-5}, {"learning_rate", 1e-12, 0}};
    static const struct kept evaluation[] = {{"eval_loss", 3e-6, 0}, {"eval_accuracy", 0, 0},
                                             {"eval_f1", 0, 0},      {"eval_precision", 0, 0},
                                             {"eval_recall", 0, 0}};
    json_t *log = json_loads(test_golden(GOLDEN ".log.json", NULL), 0, NULL);
    json_t *history = json_object_get(log, "log_history");
    assert_true(json_array_size(history) > 8);
    char *m = train_metrics(dir, name);
    check_rows(m, history, "loss", training, 3);
    check_rows(m, history, "eval_loss", evaluation, 5);
    free(m);
    json_decref(log);
}

/* Key biases have no gradient but noise: goldens/models/README.md. */
static bool is_noise(const char *name)
{
    return strstr(name, "k_lin.bias") != NULL;
}

static void check_weights(const char *dir, const char *name)
{
    struct golden g;
    struct st_file f;
    struct err e = ERR_INIT;
    char *path = xasprintf("%s/runs/%s/final/model.safetensors", dir, name);
    golden_open(&g, GOLDEN ".final.safetensors");
    assert_int_equal(st_open(&f, path, &e), 0);
    assert_int_equal(f.n, 40);
    for (size_t i = 0; i < (size_t)f.n; i++) {
        struct golden_tensor right = golden_f32(&g, "final", f.t[i].name);
        float *v = xcalloc(right.len, sizeof *v);
        assert_int_equal(st_read_f32(&f, &f.t[i], v, &e), 0);
        if (!is_noise(f.t[i].name))
            assert_close_f32(v, right.v, right.len, 0, 5e-6);
        free(v);
    }
    st_close(&f);
    golden_close(&g);
    free(path);
}

struct judged {
    const struct golden_tensor *right;
    int rows;
};

static int judge(void *user, int64_t row, const float *logits, const struct data_spec *spec)
{
    struct judged *j = user;
    assert_int_equal(row, j->rows);
    assert_close_f32(logits, j->right->v + row * spec->num_labels, (size_t)spec->num_labels, 0, 1e-5);
    j->rows++;
    return 0;
}

static void check_predictions(const char *config, const char *dir, const char *name)
{
    struct golden g;
    struct run_config rc;
    struct err e = ERR_INIT;
    char *run = xasprintf("%s/runs/%s", dir, name);
    golden_open(&g, GOLDEN ".final.safetensors");
    struct golden_tensor right = golden_f32(&g, NULL, "eval_logits");
    struct judged j = {.right = &right};
    assert_int_equal(run_config_load(&rc, config, NULL, 0, optim_classes, &e), 0);
    if (trainer_predict(&rc, run, golden_path(".eval.tsv"), judge, &j, &e))
        fail_msg("%s", e.msg);
    assert_int_equal(j.rows, 25);
    struct eval_report *report;
    if (trainer_evaluate(&rc, run, &report, &e))
        fail_msg("%s", e.msg);
    assert_close(report->value[METRIC_ACCURACY], 0.52, 0, 1e-12);
    eval_report_free(report);
    run_config_release(&rc);
    golden_close(&g);
    free(run);
}

static void test_golden_run(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    const char *config = golden_config(dir, "text", tsv_files(), "");
    train_run(config, false, &o);
    assert_string_equal(o.msg, "");
    assert_int_equal(o.code, 0);
    check_log(dir, "text");
    check_weights(dir, "text");
    check_predictions(config, dir, "text");
}

/* Layers that are computed again give the same numbers. */
static void test_recomputed(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_run(golden_config(dir, "text", tsv_files(), "[train]\ngradient_checkpointing = yes\n"), false,
              &o);
    assert_int_equal(o.code, 0);
    check_log(dir, "text");
    check_weights(dir, "text");
}

/* -- resuming ------------------------------------------------------------------------------ */

static const char *const learnt = "[model]\ntype = distilbert\ndim = 16\nn_layers = 2\nn_heads = 2\n"
                                  "hidden_dim = 32\nmax_position_embeddings = 24\n"
                                  "[tokenizer]\nvocab_size = 90\n";

/* A small model from scratch: 30 rows, batch 4 in groups of 2. */
static const char *small_config(const char *dir, const char *name, const char *more)
{
    struct strbuf b = STRBUF_INIT;
    char file[64];
    strbuf_addf(&b,
                "[run]\nname = %s\ndir = %s/runs\n%s[data]\n%s[optimizer]\nname = adamw\n"
                "[train]\nmax_steps = 10\nbatch_size = 4\ngradient_accumulation_steps = 2\n"
                "group_by_length = yes\n[log]\nevery = 1\n[eval]\nevery = 5\n[checkpoint]\nevery = 10\n%s",
                name, dir, learnt, tsv_files(), more);
    snprintf(file, sizeof file, "%s.ini", name);
    const char *path = test_write_file(dir, file, b.s);
    strbuf_release(&b);
    return path;
}

static void same_file(const char *dir, const char *a, const char *b, const char *file)
{
    char *pa = xasprintf("%s/runs/%s/%s", dir, a, file), *pb = xasprintf("%s/runs/%s/%s", dir, b, file);
    size_t na, nb;
    const char *da = test_read_file(pa, &na), *db = test_read_file(pb, &nb);
    assert_int_equal(na, nb);
    assert_memory_equal(da, db, na);
    free(pa);
    free(pb);
}

static void same_run(const char *dir, const char *a, const char *b)
{
    static const char *const files[] = {
        "final/model.safetensors", "final/vocab.txt", "final/tokenizer.json",
        "checkpoints/step-10/model.safetensors", "checkpoints/step-10/optimizer.safetensors",
        "checkpoints/step-10/vocab.txt"};
    char *ma = train_metrics(dir, a), *mb = train_metrics(dir, b);
    assert_string_equal(ma, mb);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        same_file(dir, a, b, files[i]);
    free(ma);
    free(mb);
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_run(small_config(dir, "whole", ""), false, &o);
    assert_string_equal(o.msg, "");
    for (train_cut_at = 0; train_cut_at < 10; train_cut_at += 3) {
        char name[32];
        snprintf(name, sizeof name, "cut%lld", (long long)train_cut_at);
        const char *path = small_config(dir, name, "");
        train_run_with(path, false, train_cut, &o);
        assert_int_equal(o.code, TT_ESTOPPED);
        train_run(path, true, &o);
        assert_int_equal(o.code, 0);
        same_run(dir, "whole", name);
    }
}

/* Every checkpoint carries the learnt vocabulary. */
static void test_vocabulary_is_saved(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    const char *path = small_config(dir, "kept", "");
    train_cut_at = 4;
    train_run_with(path, false, train_cut, &o);
    assert_int_equal(o.code, TT_ESTOPPED);
    char *vocab = xasprintf("%s/runs/kept/checkpoints/step-%lld/vocab.txt", dir, (long long)o.st.step);
    size_t n;
    const char *text = test_read_file(vocab, &n);
    assert_true(n > 0);
    size_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 90);
    free(vocab);
}

/* -- what is refused ----------------------------------------------------------------------- */

static void refused(const char *more, const char *data, int code, const char *says)
{
    const char *dir = test_temp_dir();
    struct strbuf b = STRBUF_INIT;
    struct outcome o;
    strbuf_addf(&b, "[run]\nname = bad\ndir = %s/runs\n[model]\ntype = distilbert\ndim = 16\n"
                    "n_layers = 1\nn_heads = 2\nhidden_dim = 32\nmax_position_embeddings = 24\n%s"
                    "[data]\n%s[train]\nmax_steps = 1\n",
                dir, more, data);
    train_run(test_write_file(dir, "bad.ini", b.s), false, &o);
    if (!strstr(o.msg, says))
        fail_msg("\"%s\" does not say \"%s\"", o.msg, says);
    assert_int_equal(o.code, code);
    strbuf_release(&b);
}

static const char *data_lines(const char *name, const char *content)
{
    static char line[1200];
    snprintf(line, sizeof line, "train = %s\n", test_write_file(test_temp_dir(), name, content));
    return line;
}

static void test_refusals(void **state)
{
    (void)state;
    char more[4096];
    const char *ids = "{\"input_ids\":[2,90,3],\"label\":0}\n{\"input_ids\":[2,5,3],\"label\":1}\n";
    refused("vocab_size = 50\n", data_lines("a.jsonl", ids), TT_EDATA,
            "a.jsonl:1: token id 90 (0 to 49)");
    refused("", data_lines("a.jsonl", ids), TT_ECONFIG, "model.vocab_size is missing");
    refused("vocab_size = 91\n", data_lines("a.jsonl", ids), 0, "");
    snprintf(more, sizeof more, "vocab_size = 50\n[tokenizer]\nvocab = %s\n",
             test_path("tests/golden/models/distilbert-tiny/vocab.txt"));
    refused(more, tsv_files(), TT_ECONFIG, "model.vocab_size: 50, the vocabulary has 120 entries");
    snprintf(more, sizeof more, "%smax_length = 25\n", tsv_files());
    refused("", more, TT_ECONFIG, "data.max_length: 25 (24 at most, model.max_position_embeddings)");
    snprintf(more, sizeof more, "%smax_length = 3\ntext_pair = text\ntext = text\n", tsv_files());
    refused("", more, TT_ECONFIG, "data.max_length: 3 tokens leave no room for a text (4)");
    refused("", "train = /none/of/this.tsv\nfallback = synthetic\n", TT_EDATA,
            "/none/of/this.tsv: no such file; data.fallback makes no text");
    refused("", "format = synthetic\n", TT_ECONFIG, "reads text, the data is numbers");
    refused("", data_lines("a.csv", "text,label\n,0\n,1\n"), 0, ""); /* empty texts are texts */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_run),
        cmocka_unit_test(test_recomputed),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_vocabulary_is_saved),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
