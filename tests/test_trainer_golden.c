/* The whole trainer against goldens/models/accelerate: loss, norm and weights of six updates with
 * accumulation, from a CSV file and a model directory, as a user would give them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/io/safetensors.h"
#include "tests/st_golden.h"
#include "tests/train_support.h"

#define GOLDEN "models/accelerate/mlp-accumulation.safetensors"

static const char *const names[] = {"linear.0.weight", "linear.0.bias",   "linear.1.weight",
                                    "linear.1.bias",   "linear.2.weight", "linear.2.bias"};

static void write_csv(struct golden *g, const char *dir, const char *which)
{
    struct strbuf b = STRBUF_INIT;
    struct golden_tensor x = golden_f32(g, NULL, "input");
    const int32_t *label = golden_i32(g, which, "labels");
    for (int k = 0; k < 20; k++)
        strbuf_addf(&b, "x%d,", k);
    strbuf_adds(&b, "label\n");
    for (int i = 0; i < 30; i++) {
        for (int k = 0; k < 20; k++)
            strbuf_addf(&b, "%.9g,", (double)x.v[i * 20 + k]);
        strbuf_addf(&b, "%d\n", label[i]);
    }
    test_write_file(dir, "train.csv", b.s);
    strbuf_release(&b);
}

static void write_start(struct golden *g, const char *dir)
{
    struct st_tensor list[6];
    struct err e = ERR_INIT;
    for (int i = 0; i < 6; i++) {
        struct golden_tensor t = golden_f32(g, "param", names[i]);
        list[i] = (struct st_tensor){.name = names[i], .dtype = DT_F32, .ndim = t.ndim,
                                     .data = t.v, .bytes = t.len * sizeof(float)};
        memcpy(list[i].dim, t.dim, sizeof list[i].dim);
    }
    assert_int_equal(st_write(test_path_in(dir, "model.safetensors"), list, 6, NULL, &e), 0);
}

static void check_final(struct golden *g, const char *dir, const char *which)
{
    struct st_file f;
    struct err e = ERR_INIT;
    char *path = xasprintf("%s/runs/%s/final/model.safetensors", dir, which), group[32];
    snprintf(group, sizeof group, "%s/final", which);
    assert_int_equal(st_open(&f, path, &e), 0);
    for (int i = 0; i < 6; i++) {
        struct golden_tensor right = golden_f32(g, group, names[i]);
        const struct st_tensor *t = st_find(&f, names[i]);
        assert_non_null(t);
        float *v = xcalloc(right.len, sizeof *v);
        assert_int_equal(st_read_f32(&f, t, v, &e), 0);
        assert_close_f32(v, right.v, right.len, 0, 5e-6);
        free(v);
    }
    st_close(&f);
    free(path);
}

static void check(const char *which)
{
    const char *dir = test_temp_dir();
    struct golden g;
    struct outcome o;
    golden_open(&g, GOLDEN);
    write_csv(&g, dir, which);
    write_start(&g, dir);
    char config[2048];
    snprintf(config, sizeof config,
             "[run]\nname = %s\ndir = %s/runs\n"
             "[model]\ntype = mlp\nhidden = 16,16\npretrained = %s\n"
             "[data]\ntrain = %s/train.csv\n"
             "[optimizer]\nname = adamw\nlr = 0.01\nweight_decay = 0.01\n"
             "[schedule]\nname = constant\n"
             "[train]\nepochs = 2\nbatch_size = 4\ngradient_accumulation_steps = 3\nshuffle = no\n"
             "[eval]\nevery = no\n[log]\nevery = 1\n",
             which, dir, dir, dir);
    train_run(test_write_file(dir, "golden.ini", config), false, &o);
    assert_int_equal(o.code, 0);
    char *m = train_metrics(dir, which);
    struct golden_tensor loss = golden_f32(&g, which, "loss"), norm = golden_f32(&g, which, "grad_norm");
    assert_int_equal(train_count(m, "loss"), (int)loss.len);
    for (int i = 0; i < (int)loss.len; i++) {
        assert_close(train_value(m, "loss", i), (double)loss.v[i], 0, 2e-6);
        assert_close(train_value(m, "grad_norm", i), (double)norm.v[i], 5e-6, 0);
    }
    check_final(&g, dir, which);
    golden_close(&g);
    free(m);
}

static void test_plain(void **state)
{
    (void)state;
    check("plain");
}

static void test_ignored(void **state)
{
    (void)state;
    check("ignored");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
