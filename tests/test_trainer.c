/* What a run means: steps, rates, skips, best, early stop, stops (trainer-semantics 1, bug-cases). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/io/rundir.h"
#include "engine/io/safetensors.h"
#include "tests/train_support.h"

/* Bug-cases 4, 5: the logged rate is the one that was used. */
static void test_linear_rates(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_run(train_config(dir, "rates",
                           "[optimizer]\nname = sgd\nlr = 6e-5\n[train]\nmax_steps = 6\n"
                           "[log]\nevery = 1\n[eval]\nevery = no\n"),
              false, &o);
    assert_int_equal(o.code, 0);
    char *m = train_metrics(dir, "rates");
    assert_int_equal(train_count(m, "loss"), 6);
    for (int i = 0; i < 6; i++)
        assert_close(train_value(m, "learning_rate", i), (6 - i) * 1e-5, 1e-12, 0);
    free(m);
}

/* Bug-case 12: the batch of 4 is the same update as four micro-batches of 1. */
static void test_accumulation_equals_batch(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    const char *common = "[optimizer]\nlr = 1e-2\n[log]\nevery = 1\n[eval]\nevery = no\n"
                         "[train]\nmax_steps = 3\n";
    char more[512];
    snprintf(more, sizeof more, "%sbatch_size = 4\n", common);
    train_run(train_config(dir, "whole", more), false, &o);
    assert_int_equal(o.code, 0);
    snprintf(more, sizeof more, "%sbatch_size = 1\ngradient_accumulation_steps = 4\n", common);
    train_run(train_config(dir, "parts", more), false, &o);
    assert_int_equal(o.code, 0);
    char *a = train_metrics(dir, "whole"), *b = train_metrics(dir, "parts");
    for (int i = 0; i < 3; i++) {
        assert_close(train_value(b, "loss", i), train_value(a, "loss", i), 1e-6, 0);
        assert_close(train_value(b, "grad_norm", i), train_value(a, "grad_norm", i), 1e-5, 0);
    }
    free(a);
    free(b);
}

/* Bug-case 18: eval_loss does not depend on the evaluation batch. */
static void test_eval_batch_does_not_matter(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    static const int sizes[] = {1, 2, 3, 7, 10, 1000};
    double loss[6], f1[6];
    for (int i = 0; i < 6; i++) {
        struct outcome o;
        char more[256], name[32];
        snprintf(name, sizeof name, "eval%d", sizes[i]);
        snprintf(more, sizeof more, "[train]\nmax_steps = 8\n[eval]\nbatch_size = %d\n", sizes[i]);
        train_run(train_config(dir, name, more), false, &o);
        assert_int_equal(o.code, 0);
        char *m = train_metrics(dir, name);
        loss[i] = train_value(m, "eval_loss", 0);
        f1[i] = train_value(m, "eval_f1", 0);
        assert_close(loss[i], loss[0], 1e-6, 0);
        assert_close(f1[i], f1[0], 0, 0);
        free(m);
    }
}

static void write_csv(const char *dir, const char *name, int rows, int nan_row, int unlabelled_from,
                      int unlabelled_to)
{
    struct strbuf b = STRBUF_INIT;
    strbuf_adds(&b, "a,b,label\n");
    for (int i = 0; i < rows; i++) {
        bool unlabelled = i >= unlabelled_from && i < unlabelled_to;
        strbuf_addf(&b, "%s,%g,%s\n", i == nan_row ? "nan" : i % 2 ? "1.5" : "-1", 0.1 * i,
                    unlabelled ? "-100" : i % 2 ? "yes" : "no");
    }
    test_write_file(dir, name, b.s);
    strbuf_release(&b);
}

static const char *csv_config(const char *dir, const char *name, const char *csv, const char *more)
{
    char text[1024], file[64];
    snprintf(text, sizeof text,
             "[run]\nname = %s\ndir = %s/runs\n[model]\ntype = mlp\nhidden = 4\n"
             "[data]\ntrain = %s/%s\n%s",
             name, dir, dir, csv, more);
    snprintf(file, sizeof file, "%s.ini", name);
    return test_write_file(dir, file, text);
}

/* Bug-cases 7, 24; D5: a nan step is skipped and counted, moves no weight and no schedule. */
static void test_nan_row_is_skipped(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    write_csv(dir, "nan.csv", 12, 0, 0, 0);
    train_run(csv_config(dir, "nan", "nan.csv",
                         "nonfinite = keep\n[train]\nbatch_size = 2\nmax_steps = 6\nshuffle = no\n"
                         "[optimizer]\nname = sgd\nlr = 6e-3\n[log]\nevery = 1\n[eval]\nevery = no\n"),
              false, &o);
    assert_int_equal(o.code, 0);
    char *m = train_metrics(dir, "nan");
    assert_true(isnan(train_value(m, "loss", 0)));
    assert_close(train_value(m, "skipped", 0), 1, 0, 0);
    assert_close(train_value(m, "skipped", 5), 1, 0, 0);
    assert_close(train_value(m, "learning_rate", 1), 6e-3, 1e-12, 0); /* still lambda(0) */
    assert_int_equal(o.st.nonfinite, 1);
    free(m);
}

static void test_diverged(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    struct run_summary s;
    struct err e = ERR_INIT;
    write_csv(dir, "nan.csv", 2, 0, 0, 0);
    train_run(csv_config(dir, "gone", "nan.csv",
                         "nonfinite = keep\n[train]\nbatch_size = 2\nmax_steps = 9\n"
                         "[eval]\nevery = no\n"),
              false, &o);
    assert_int_equal(o.code, TT_EDIVERGED);
    assert_int_equal(o.st.step, 3);
    assert_int_equal(o.st.state, RUN_DIVERGED);
    char *path = xasprintf("%s/runs/gone", dir), *final = file_join(path, "final");
    assert_int_equal(rundir_read_summary(path, &s, &e), 0);
    assert_string_equal(s.state, "diverged");
    assert_false(file_exists(final));
    free(path);
    free(final);
}

/* D14: a group without a labelled row makes no update and is counted. */
static void test_unlabelled_group(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    write_csv(dir, "gap.csv", 8, -1, 2, 4);
    train_run(csv_config(dir, "gap", "gap.csv",
                         "[train]\nbatch_size = 2\nmax_steps = 4\nshuffle = no\n[log]\nevery = 1\n"
                         "[eval]\nevery = no\n"),
              false, &o);
    assert_int_equal(o.code, 0);
    char *m = train_metrics(dir, "gap");
    assert_true(isnan(train_value(m, "loss", 1)));
    assert_close(train_value(m, "skipped", 3), 1, 0, 0);
    assert_int_equal(o.st.skipped, 1);
    assert_int_equal(o.st.nonfinite, 0);
    free(m);
}

/* The best evaluation's checkpoint is kept beyond `keep`, and final/ has its weights. */
static void test_best_is_final(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_run(train_config(dir, "best",
                           "[optimizer]\nname = sgd\nlr = 0.5\n[schedule]\nname = constant\n"
                           "[train]\nmax_steps = 40\nbatch_size = 10\n[eval]\nevery = 2\n"
                           "best = loss\n[checkpoint]\nevery = 10\nkeep = 1\n"),
              false, &o);
    assert_int_equal(o.code, 0);
    char *m = train_metrics(dir, "best");
    int best = 0;
    for (int i = 1; i < train_count(m, "eval_loss"); i++)
        if (train_value(m, "eval_loss", i) < train_value(m, "eval_loss", best))
            best = i;
    assert_int_equal(o.st.best_step, 2 * (best + 1));
    char *run = xasprintf("%s/runs/best", dir);
    char *ckpt = xasprintf("%s/checkpoints/step-%d/model.safetensors", run, 2 * (best + 1));
    char *final = xasprintf("%s/final/model.safetensors", run);
    size_t na, nb;
    const char *a = test_read_file(ckpt, &na), *b = test_read_file(final, &nb);
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, na);
    int64_t *steps;
    int n = ckpt_list(run, &steps, NULL);
    assert_true(n <= 2);
    assert_int_equal(steps[n - 1], 40);
    free(steps);
    free(m);
    free(run);
    free(ckpt);
    free(final);
}

/* Bug-case 52: an early stop holds over a resume. */
static void test_early_stop(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    const char *config = train_config(
        dir, "early",
        "[optimizer]\nname = sgd\nlr = 0\n[train]\nmax_steps = 40\n[eval]\nevery = 2\n"
        "best = accuracy\nearly_stopping_patience = 3\n");
    train_run(config, false, &o);
    assert_int_equal(o.code, 0);
    assert_int_equal(o.st.step, 8); /* best at 2, then three evaluations without a better one */
    train_run(config, true, &o);
    assert_int_equal(o.code, 0);
    assert_int_equal(o.st.step, 8);
}

static void ask_to_stop(struct hub *h)
{
    struct command c = {.kind = COMMAND_SAVE_AND_STOP};
    assert_int_equal(hub_send(h, &c), 0);
}

static void test_save_and_stop(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_run_with(train_config(dir, "stop", "[train]\nmax_steps = 4\n"), false, ask_to_stop, &o);
    assert_int_equal(o.code, TT_ESTOPPED);
    assert_int_equal(o.st.state, RUN_STOPPED);
    assert_int_equal(o.st.saved_step, o.st.step);
}

static void set_scale(struct hub *h)
{
    struct command c = {.kind = COMMAND_SET, .key = "schedule.scale", .value = "0.5"};
    assert_int_equal(hub_send(h, &c), 0);
}

static void test_live_option(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct outcome o;
    train_run_with(train_config(dir, "live",
                                "[schedule]\nname = constant\n[optimizer]\nlr = 1e-3\n"
                                "[train]\nmax_steps = 2\n[log]\nevery = 1\n"),
                   false, set_scale, &o);
    assert_int_equal(o.code, 0);
    char *m = train_metrics(dir, "live"), *config = xasprintf("%s/runs/live/config.ini", dir);
    assert_close(train_value(m, "learning_rate", 0), 5e-4, 1e-12, 0);
    assert_non_null(strstr(test_read_file(config, NULL), "scale = 0.5"));
    free(m);
    free(config);
}

/* A refused start leaves no file. */
static void test_refused_leaves_nothing(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    static const char *const bad[] = {
        "[eval]\nbest = perplexity\n", "[eval]\naverage = binary\n", "[group.x]\nmatch = nothing.*\n",
        "[model]\nnum_labels = 2\n", "[train]\nclass_weights = 1,2\n", "[eval]\nbest = mse\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct outcome o;
        train_run(train_config(dir, "refused", bad[i]), false, &o);
        assert_int_equal(o.code, TT_ECONFIG);
        char *runs = xasprintf("%s/runs", dir);
        assert_false(file_exists(runs));
        free(runs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_rates),
        cmocka_unit_test(test_accumulation_equals_batch),
        cmocka_unit_test(test_eval_batch_does_not_matter),
        cmocka_unit_test(test_nan_row_is_skipped),
        cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_unlabelled_group),
        cmocka_unit_test(test_best_is_final),
        cmocka_unit_test(test_early_stop),
        cmocka_unit_test(test_save_and_stop),
        cmocka_unit_test(test_live_option),
        cmocka_unit_test(test_refused_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
