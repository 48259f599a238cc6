/* Predicted bytes are allocated bytes; a step makes no heap call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"
#include "engine/train/trainer_state.h"
#include "optimizers/table.h"
#include "tests/train_support.h"

static const char *const convnet = "[model]\ntype = convnet\nchannels = 4,6\nhidden = 16\n"
                                   "[data]\nformat = synthetic\nshape = 12x12\nrows = 50\n";
static const char *const mlp = "[model]\ntype = mlp\nhidden = 40,30\ndropout = 0.1\n"
                               "[data]\nformat = synthetic\nshape = 20\nrows = 50\n";

/* Fifty rows of token ids: `spread` 1 for rows of 21 each, else up to so many shorter. */
static const char *texts(const char *type, int spread)
{
    static char model[512];
    struct strbuf b = STRBUF_INIT;
    for (int i = 0; i < 50; i++) {
        strbuf_addf(&b, "{\"label\":%d,\"input_ids\":[2", i % 3);
        for (int k = 1; k < 21 - i * 7 % spread; k++)
            strbuf_addf(&b, ",%d", 3 + (i + k) % 40);
        strbuf_adds(&b, "]}\n");
    }
    snprintf(model, sizeof model,
             "[model]\ntype = %s\nvocab_size = 60\nmax_position_embeddings = 24\n%s[data]\ntrain = %s\n",
             type,
             strcmp(type, "bert") ? "dim = 32\nn_layers = 2\nn_heads = 4\nhidden_dim = 64\n"
                                  : "hidden_size = 32\nnum_hidden_layers = 2\n"
                                    "num_attention_heads = 4\nintermediate_size = 64\n",
             test_write_file(test_temp_dir(), "ids.jsonl", b.s));
    strbuf_release(&b);
    return model;
}

static const char *config(const char *dir, const char *name, const char *model,
                          const char *optimizer, int steps)
{
    struct strbuf b = STRBUF_INIT;
    strbuf_addf(&b,
                "[run]\nname = %s\ndir = %s/runs\nthreads = 2\n%s[optimizer]\nname = %s\nlr = 1e-3\n"
                "[train]\nmax_steps = %d\nbatch_size = 8\ngradient_accumulation_steps = 2\n"
                "[log]\nevery = 1\n[eval]\nevery = no\nbatch_size = 8\n[checkpoint]\nevery = no\n",
                name, dir, model, optimizer, steps);
    const char *path = test_write_file(dir, "plan.ini", b.s);
    strbuf_release(&b);
    return path;
}

/* Plan, train and evaluate, compare every figure of the ledger with what was taken. The plan is for the
 * longest texts: where no batch has them (`most` is false) less is needed, and as much reserved. */
static void check_bytes(const char *model, const char *optimizer, bool most)
{
    const char *dir = test_temp_dir();
    struct run_config rc;
    struct err e = ERR_INIT;
    struct trainer *t;
    struct hub *hub = hub_new();
    assert_int_equal(run_config_load(&rc, config(dir, "bytes", model, optimizer, 9), NULL, 0,
                                     optim_classes, &e), 0);
    assert_int_equal(trainer_new(&t, &rc, hub, NULL, &e), 0);
    assert_int_equal(trainer_build(t, &e), 0);
    const struct memory_plan *p = &t->plan;
    assert_int_equal(t->net.optim.bytes, p->state_bytes);
    assert_int_equal(t->net.ps.n * sizeof(float), p->weight_bytes);
    const struct batch *b;
    for (int i = 0; i < 4; i++) {
        b = loader_next(t->loader, NULL);
        struct tape *tape = accelerator_begin(&t->acc, true);
        struct tensor *loss = loss_of_group(tape, model_logits(&t->net.model, tape, b), b, &t->loss);
        assert_int_equal(accelerator_backward(&t->acc, &t->net, loss, &e), 0);
    }
    assert_non_null(model_logits(&t->net.model, accelerator_begin(&t->acc, false), b));
    assert_in_range(t->acc.tape.mem.peak, 0, p->activation_bytes);
    assert_true(!most || t->acc.tape.mem.peak == (size_t)p->activation_bytes);
    assert_int_equal(t->acc.tape.mem.capacity, p->activation_bytes);
    int64_t norm_result = sizeof(double);
    int64_t optimizer_scratch = (int64_t)optim_scratch_bytes(rc.optim_cls, rc.optim_own, &t->net.ps);
    size_t workspace = t->acc.tape.scratch_peak + (size_t)optimizer_scratch;
    assert_in_range(workspace, 0, p->workspace_bytes);
    assert_true(!most || workspace == (size_t)p->workspace_bytes);
    assert_int_equal((int64_t)t->acc.be.allocated, p->total_bytes + norm_result);
    trainer_teardown(t);
    trainer_discard(t);
    trainer_free(t);
    run_config_release(&rc);
    hub_free(hub);
}

static void test_predicted_is_allocated(void **state)
{
    (void)state;
    for (int i = 0; optim_classes[i]; i++) {
        check_bytes(mlp, optim_classes[i]->name, true);
        check_bytes(convnet, optim_classes[i]->name, true);
        check_bytes(texts("distilbert", 1), optim_classes[i]->name, true);
        check_bytes(texts("bert", 1), optim_classes[i]->name, true);
    }
    check_bytes(texts("distilbert", 19), "adamw", false);
    check_bytes(texts("bert", 19), "adamw", false);
}

static long calls_of(const char *dir, const char *name, const char *model, int steps)
{
    struct outcome o;
    const char *path = config(dir, name, model, "adamw", steps);
    long before = test_heap_calls();
    train_run(path, false, &o);
    assert_int_equal(o.code, 0);
    return test_heap_calls() - before;
}

/* A run of twenty steps makes as many heap calls as one of two. */
static void test_no_heap_call_in_a_step(void **state)
{
    (void)state;
    if (test_heap_calls() < 0)
        skip();
    const char *dir = test_temp_dir();
    calls_of(dir, "warm", mlp, 12); /* what the libraries take once */
    calls_of(dir, "worm", convnet, 12);
    long few = calls_of(dir, "tiny", mlp, 12), many = calls_of(dir, "long", mlp, 20);
    assert_int_equal(many, few);
    few = calls_of(dir, "less", convnet, 12);
    many = calls_of(dir, "conv", convnet, 20);
    assert_int_equal(many, few);
    const char *of_any_length = texts("distilbert", 19);
    calls_of(dir, "word", of_any_length, 12);
    few = calls_of(dir, "text", of_any_length, 12);
    many = calls_of(dir, "page", of_any_length, 20);
    assert_int_equal(many, few);
}

/* The largest batch fits, one row more does not. */
static void test_largest_batch(void **state)
{
    (void)state;
    const char *dir = test_temp_dir();
    struct run_config rc;
    struct dataset train = {0}, eval = {0};
    struct memory_plan p;
    struct err e = ERR_INIT;
    const char *path = config(dir, "most", convnet, "adamw", 2);
    assert_int_equal(run_config_load(&rc, path, NULL, 0, optim_classes, &e), 0);
    assert_int_equal(dataset_peek(&rc.data, 42, &train, &eval, &e), 0);
    assert_int_equal(plan_make(&p, &rc, &train, &eval, &e), 0);
    assert_true(p.fits);
    int64_t most = p.largest_batch, free_bytes = p.free_bytes;
    plan_release(&p);
    assert_true(most > 8);
    rc.train.batch_size = most * 2;
    assert_int_equal(plan_make(&p, &rc, &train, &eval, &e), 0);
    assert_true(p.total_bytes > free_bytes);
    assert_false(p.fits);
    plan_release(&p);
    dataset_release(&train);
    dataset_release(&eval);
    run_config_release(&rc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicted_is_allocated),
        cmocka_unit_test(test_no_heap_call_in_a_step),
        cmocka_unit_test(test_largest_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
