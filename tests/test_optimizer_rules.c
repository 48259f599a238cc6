/* Rules of single optimizers: hand-computed fixtures, refused combinations, byte counts, the 8-bit code,
 * and cases from public bug reports. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "optimizers/block8.h"
#include "tests/optim_rig.h"
#include "tests/support.h"

static void set(struct rig *r, const float *w)
{
    memcpy(r->ps.w, w, r->ps.n * sizeof *w);
}

static void update(struct rig *r, const float *g, double lr)
{
    memcpy(r->ps.g, g, r->ps.n * sizeof *g);
    optim_update(&r->optim, lr);
}

static const float *state_of(const struct rig *r, int tensor, const char *name)
{
    const struct optim_state *st = optim_find_state(&r->optim, tensor, name);
    assert_non_null(st);
    return st->data;
}

/* ---- AdamW --------------------------------------------------------------------------------- */

static void test_adamw_fixture(void **state)
{
    static const float g[3][2] = {{.1f, -.3f}, {.2f, .1f}, {0, 0}};
    static const double want[3][2] = {{0.8990000100, -1.8980000033},
                                      {0.8015828135, -1.8560801479},
                                      {0.7261723861, -1.8232870579}};
    struct rig r;
    (void)state;
    rig_open_vector(&r, "adamw", "weight_decay=0.01", 2);
    set(&r, (float[]){1, -2});
    for (int i = 0; i < 3; i++) {
        update(&r, g[i], 0.1);
        assert_close(r.ps.w[0], want[i][0], 0, 1e-7);
        assert_close(r.ps.w[1], want[i][1], 0, 1e-7);
    }
    assert_true(state_of(&r, 0, "step")[0] == 3);
    optim_rig_close(&r);
}

/* At rate 0 the moments move, the weights don't. */
static void test_adamw_zero_rate(void **state)
{
    struct rig r;
    (void)state;
    rig_open_vector(&r, "adamw", "weight_decay=0.01", 1);
    set(&r, (float[]){1});
    update(&r, (float[]){.1f}, 0);
    assert_true(r.ps.w[0] == 1);
    assert_close(state_of(&r, 0, "exp_avg")[0], .01, 1e-6, 0);
    assert_close(state_of(&r, 0, "exp_avg_sq")[0], 1e-5, 1e-6, 0);
    optim_rig_close(&r);
    rig_open_vector(&r, "adamw", "", 1);
    set(&r, (float[]){1});
    update(&r, (float[]){1e-9f}, 0.1);
    assert_close(r.ps.w[0], 0.9909090909, 0, 1e-7); /* eps outside the root */
    optim_rig_close(&r);
}

/* burn#888: the first update is finite for every beta. */
static void test_first_update(void **state)
{
    static const char *const name[] = {"adam",        "adamw",    "adamw8bit", "lamb",
                                       "stableadamw", "ademamix", "adamw_fp8"};
    static const char *const betas[] = {"beta1=0 beta2=0", "beta1=0 beta2=0.999",
                                        "beta1=0.9 beta2=0", "beta1=0.999999 beta2=0.999999"};
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        for (size_t k = 0; k < sizeof betas / sizeof *betas; k++) {
            struct rig r;
            rig_open_vector(&r, name[i], betas[k], 5000);
            rig_gradients(&r, 1);
            optim_update(&r.optim, 1e-3);
            for (size_t j = 0; j < r.ps.n; j++)
                assert_true(isfinite(r.ps.w[j]));
            optim_rig_close(&r);
        }
    }
}

/* transformers#35927: gradients of 0, rate .1, decay .01: decayed tensors shrink by .999, others stay. */
static void test_decay_groups(void **state)
{
    static const struct rig_tensor t[] = {
        {"fc.weight", 2, {3, 4}, 0}, {"fc.bias", 1, {4}, 0}, {"LayerNorm.weight", 1, {4}, 0}};
    struct rig r;
    (void)state;
    optim_rig_open(&r, rig_class("adamw"), "weight_decay=0.01", t, 3, 1);
    float *before = rig_weights(&r);
    optim_update(&r.optim, 0.1);
    for (size_t i = 0; i < 12; i++)
        assert_close(r.ps.w[i], before[i] * .999, 1e-7, 0);
    assert_memory_equal(r.ps.w + 12, before + 12, 8 * sizeof *before);
    free(before);
    optim_rig_close(&r);
}

/* A group's own decay and rate scale reach its tensors only. */
static void test_group_values(void **state)
{
    static const struct rig_tensor t[] = {{"a", 1, {2}, 0}, {"b", 1, {2}, 0}};
    struct rig r;
    (void)state;
    rig_params(&r, t, 2, 1);
    param_group_add(&r.ps, "own", "b", 0.5, 0.3, 0, false);
    rig_optim(&r, rig_class("adamw"), "weight_decay=0.1");
    set(&r, (float[]){1, 1, 1, 1});
    update(&r, (float[]){0, 0, 0, 0}, 0.2);
    assert_close(r.ps.w[0], 1 - .2 * .1, 1e-7, 0);
    assert_close(r.ps.w[2], 1 - .2 * .5 * .3, 1e-7, 0);
    optim_rig_close(&r);
}

/* ---- Adafactor ----------------------------------------------------------------------------- */

static void test_adafactor_matrix(void **state)
{
    static const struct rig_tensor t = {"w", 2, {2, 2}, 0};
    struct rig r;
    (void)state;
    optim_rig_open(&r, rig_class("adafactor"), "lr=1e-3 scale_parameter=false", &t, 1, 1);
    set(&r, (float[]){1, 2, 3, 4});
    update(&r, (float[]){.1f, .2f, .3f, .4f}, 1e-3);
    assert_close_f32(r.ps.w, ((float[]){0.999225403f, 1.998904555f, 2.998960770f, 3.999020204f}), 4,
                     1e-7, 0);
    assert_close_f32(state_of(&r, 0, "exp_avg_sq_row"), ((float[]){.025f, .125f}), 2, 2e-7, 0);
    assert_close_f32(state_of(&r, 0, "exp_avg_sq_col"), ((float[]){.05f, .10f}), 2, 2e-7, 0);
    update(&r, (float[]){.4f, .1f, .1f, .2f}, 1e-3);
    assert_close_f32(r.ps.w, ((float[]){0.997664020f, 1.998471375f, 2.998594581f, 3.998207461f}), 4,
                     1e-7, 0);
    optim_rig_close(&r);
}

static void test_adafactor_vector(void **state)
{
    struct rig r;
    (void)state;
    rig_open_vector(&r, "adafactor", "lr=1e-3 scale_parameter=false", 2);
    set(&r, (float[]){1, 2});
    update(&r, (float[]){.1f, .2f}, 1e-3);
    assert_close_f32(r.ps.w, ((float[]){.999f, 1.999f}), 2, 1e-7, 0);
    update(&r, (float[]){.2f, -.1f}, 1e-3);
    assert_close_f32(r.ps.w, ((float[]){0.997788001f, 1.999662709f}), 2, 1e-7, 0);
    optim_rig_close(&r);
}

/* The rate it makes itself, whatever the schedule says; the first tensor's is shown. */
static void test_adafactor_rate(void **state)
{
    struct rig r;
    (void)state;
    rig_open_vector(&r, "adafactor", "", 2);
    set(&r, (float[]){1, 2});
    update(&r, (float[]){.1f, .2f}, NAN);
    assert_close(optim_rate(&r.optim, 123), 0.0158113883, 1e-9, 0);
    assert_close(r.ps.w[0], 1 - 0.0158113883, 1e-7, 0);
    optim_rig_close(&r);

    rig_open_vector(&r, "adafactor", "warmup_init=true", 2);
    set(&r, (float[]){1, 2});
    update(&r, (float[]){.1f, .2f}, NAN);
    assert_close(optim_rate(&r.optim, 123), 1.5811388e-6, 1e-7, 0);
    optim_rig_close(&r);

    rig_open_vector(&r, "adafactor", "lr=1e-3", 2);
    set(&r, (float[]){0, 0});
    update(&r, (float[]){.1f, .2f}, 1e-3);
    assert_close(r.ps.w[1], -1e-6, 1e-6, 0);
    assert_true(optim_rate(&r.optim, 5e-4) == 5e-4);
    optim_rig_close(&r);
}

/* transformers#9751: each tensor's rate follows its own size only, in any order. */
static void test_adafactor_sizes(void **state)
{
    static const struct rig_tensor t[] = {{"a", 1, {2}, 0}, {"b", 1, {2}, 0}};
    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        float a = swap ? 5 : 2, b = swap ? 2 : 5;
        struct rig r;
        optim_rig_open(&r, rig_class("adafactor"), "lr=1e-3", t, 2, 1);
        set(&r, (float[]){a, a, b, b});
        update(&r, (float[]){.1f, .1f, .1f, .1f}, 1e-3);
        assert_close(r.ps.w[0], a - 1e-3 * a, 1e-7, 0);
        assert_close(r.ps.w[2], b - 1e-3 * b, 1e-7, 0);
        assert_true(((const struct optim_common *)r.opts)->lr == 1e-3);
        optim_rig_close(&r);
    }
}

/* ---- combinations -------------------------------------------------------------------------- */

static void refused(const char *name, const char *options, const char *key, const char *other)
{
    struct err e = ERR_INIT;
    const struct optim_class *cls = rig_class(name);
    void *opts = rig_options(cls, options);
    assert_int_equal(cls->check(opts, NULL, &e), TT_ECONFIG);
    assert_non_null(strstr(e.msg, key));
    assert_non_null(strstr(e.msg, other));
    free(opts);
}

static void test_refused(void **state)
{
    (void)state;
    refused("sgd", "nesterov=true", "optimizer.nesterov", "optimizer.momentum");
    refused("sgd", "nesterov=true momentum=0.9 dampening=0.1", "optimizer.nesterov",
            "optimizer.dampening");
    refused("adafactor", "lr=1e-3 relative_step=true", "optimizer.lr", "optimizer.relative_step");
    refused("adafactor", "relative_step=false", "optimizer.lr", "optimizer.relative_step");
    refused("adafactor", "lr=1e-3 warmup_init=true", "optimizer.warmup_init",
            "optimizer.relative_step");
    refused("adamw4bit", "block_size=129", "optimizer.block_size", "adamw4bit");
}

/* ---- bytes --------------------------------------------------------------------------------- */

static size_t bytes_of(const char *name, const char *options, const struct rig_tensor *t, int n)
{
    struct rig r;
    rig_params(&r, t, n, 1);
    const struct optim_class *cls = rig_class(name);
    void *opts = rig_options(cls, options);
    struct optim_state *row;
    size_t bytes = 0;
    for (int i = optim_rows(cls, opts, &r.ps, &row); i-- > 0;)
        bytes += row[i].bytes;
    free(row);
    free(opts);
    param_release(&r.ps);
    backend_close(&r.be);
    return bytes;
}

static size_t vector_bytes(const char *name, const char *options, int64_t n)
{
    struct rig_tensor t = {"w", 1, {n}, 0};
    return bytes_of(name, options, &t, 1);
}

static void test_bytes(void **state)
{
    (void)state;
    assert_int_equal(vector_bytes("adamw8bit", "", 4095), 32760);
    assert_int_equal(vector_bytes("adamw8bit", "", 4096), 8320);
    assert_int_equal(vector_bytes("adamw8bit", "", 5000), 10160);
    assert_int_equal(vector_bytes("lion8bit", "", 4096), 4096 + 64);
    assert_int_equal(vector_bytes("adamw4bit", "", 4096), 4096 + 2 * 128 + 4);
    assert_int_equal(vector_bytes("adamw4bit", "", 4097), 8 * 4097 + 4);
    assert_int_equal(vector_bytes("adamw_fp8", "", 4096), 8192 + 128 + 4);
    assert_int_equal(vector_bytes("adamw", "", 1000), 8004);
    assert_int_equal(vector_bytes("adamw", "amsgrad=true", 1000), 12004);
    assert_int_equal(vector_bytes("sgd", "", 1000), 0);
    assert_int_equal(vector_bytes("sgd", "momentum=0.9", 1000), 4000);
    assert_int_equal(vector_bytes("ademamix", "", 1000), 12000);
}

/* A DistilBERT with two labels: bitsandbytes#22, embeddings keep 32 bits. */
static int distilbert(struct rig_tensor *t, char (*name)[64])
{
    int n = 0;
#define TENSOR(what, rank, rows, cols, is)                                                         \
    t[n] = (struct rig_tensor){strcpy(name[n], what), rank, {rows, cols}, is}, n++
    TENSOR("word_embeddings.weight", 2, 30522, 768, SEG_EMBEDDING);
    TENSOR("position_embeddings.weight", 2, 512, 768, SEG_EMBEDDING);
    TENSOR("LayerNorm.weight", 1, 768, 0, 0);
    TENSOR("LayerNorm.bias", 1, 768, 0, 0);
    for (int layer = 0; layer < 6; layer++) {
        static const struct {
            const char *name;
            int rows, cols;
        } part[] = {{"q_lin", 768, 768},       {"k_lin", 768, 768},          {"v_lin", 768, 768},
                    {"out_lin", 768, 768},     {"lin1", 3072, 768},          {"lin2", 768, 3072},
                    {"sa_layer_norm", 768, 0}, {"output_layer_norm", 768, 0}};
        for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
            char text[64];
            snprintf(text, sizeof text, "layer.%d.%s.weight", layer, part[i].name);
            TENSOR(text, part[i].cols ? 2 : 1, part[i].rows, part[i].cols, 0);
            snprintf(text, sizeof text, "layer.%d.%s.bias", layer, part[i].name);
            TENSOR(text, 1, part[i].rows, 0, 0);
        }
    }
    TENSOR("pre_classifier.weight", 2, 768, 768, 0);
    TENSOR("pre_classifier.bias", 1, 768, 0, 0);
    TENSOR("classifier.weight", 2, 2, 768, 0);
    TENSOR("classifier.bias", 1, 2, 0, 0);
#undef TENSOR
    return n;
}

static void test_distilbert_bytes(void **state)
{
    static struct rig_tensor t[128];
    static char name[128][64];
    (void)state;
    int n = distilbert(t, name);
    assert_int_equal(n, 104);
    assert_int_equal(bytes_of("adamw", "", t, n), 535640080 + 4 * 104); /* and a step each */
    assert_int_equal(bytes_of("adamw8bit", "", t, n), 278642704);
    assert_int_equal(bytes_of("adafactor", "", t, n), 720120);
    for (int i = 0; i < n; i++)
        t[i].kind = 0;
    assert_int_equal(bytes_of("adamw8bit", "", t, n), 136382848);
}

/* ---- the 8-bit code ------------------------------------------------------------------------ */

static int slow_code(const struct block8_map *map, float x)
{
    int code = 0;
    for (; code < 255; code++) {
        volatile float mid = (map->value[code] + map->value[code + 1]) * 0.5f;
        if (!(mid < x))
            break;
    }
    return code;
}

static uint8_t fast_code(const struct block8_map *map, float x)
{
    return (uint8_t)block8_code(map, x);
}

static void test_maps(void **state)
{
    const struct block8_map *s = block8_signed(), *u = block8_unsigned();
    const char *line = test_golden("optimizers/qmaps.txt", NULL);
    int rows = 0;
    (void)state;
    for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        int code;
        unsigned signed_bits, unsigned_bits, other;
        if (sscanf(line, "%d %x %x %x %x %x", &code, &signed_bits, &other, &other, &other,
                   &unsigned_bits) != 6)
            continue;
        assert_memory_equal(&s->value[code], &signed_bits, sizeof(float));
        assert_memory_equal(&u->value[code], &unsigned_bits, sizeof(float));
        rows++;
    }
    assert_int_equal(rows, 256);
    assert_int_equal(s->zero, 127);
    assert_int_equal(u->zero, 0);
}

static void test_code_vectors(void **state)
{
    static const float x[] = {1,     .998f,   .9965f, .996f,   .99f,  .75f,  .5f,
                              .25f,  .1f,     .05f,   .01f,    1e-3f, 1e-4f, 1e-5f,
                              1e-6f, 5.5e-7f, 3e-7f,  2.7e-7f, 1e-7f, 0};
    static const int plus[] = {255, 255, 255, 254, 254, 237, 219, 201, 190, 173,
                               158, 142, 134, 130, 128, 128, 128, 127, 127, 127};
    static const int minus[] = {0,  0,   0,   0,   0,   17,  35,  53,  64,  81,
                                96, 112, 120, 124, 126, 126, 126, 127, 127, 127};
    static const int square[] = {255, 254, 254, 254, 253, 219, 183, 148, 126, 91,
                                 62,  30,  14,  6,   2,   1,   1,   1,   0,   0};
    (void)state;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        assert_int_equal(fast_code(block8_signed(), x[i]), plus[i]);
        assert_int_equal(fast_code(block8_signed(), -x[i]), minus[i]);
        assert_int_equal(fast_code(block8_unsigned(), x[i]), square[i]);
    }
}

/* Exact: every level, every midpoint and its neighbours, and many fractions of all sizes. */
static void test_code_exact(void **state)
{
    const struct block8_map *maps[] = {block8_signed(), block8_unsigned()};
    float unit[4096];
    (void)state;
    rng_uniform((struct rng_key){3, RNG_NOISE, 0}, unit, 4096, -24, 0);
    for (int k = 0; k < 2; k++) {
        for (int c = 0; c < 256; c++) {
            float v = maps[k]->value[c];
            assert_int_equal(fast_code(maps[k], v), c);
            volatile float mid = c < 255 ? (v + maps[k]->value[c + 1]) * 0.5f : v;
            assert_int_equal(fast_code(maps[k], mid), c); /* the lower one of two as near */
            assert_int_equal(fast_code(maps[k], nextafterf(mid, 2)), c < 255 ? c + 1 : 255);
            assert_int_equal(fast_code(maps[k], nextafterf(mid, -2)), c);
        }
        for (int i = 0; i < 4096; i++) {
            float x = exp2f(unit[i]);
            assert_int_equal(fast_code(maps[k], x), slow_code(maps[k], x));
            if (k == 0)
                assert_int_equal(fast_code(maps[k], -x), slow_code(maps[k], -x));
        }
    }
}

/* unsloth-zoo#962: one element of 4096 has a gradient; the other blocks do not drift. */
static void test_no_drift(void **state)
{
    static const char *const name[] = {"adam8bit", "adamw8bit", "lion8bit", "adamw4bit",
                                       "adamw_fp8"};
    (void)state;
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        struct rig r;
        rig_open_vector(&r, name[k], "", 4096);
        float *before = rig_weights(&r);
        for (int step = 0; step < 500; step++) {
            r.ps.g[0] = 1;
            optim_update(&r.optim, 1e-3);
        }
        assert_memory_equal(before + 1, r.ps.w + 1, 4095 * sizeof *before);
        assert_true(fabsf(before[0] - r.ps.w[0]) > 0.1f);
        free(before);
        optim_rig_close(&r);
    }
}

/* Embeddings keep float32 unless their group asks for bytes; other tensors the other way about. */
static void test_state_bits(void **state)
{
    static const struct rig_tensor t[] = {{"a", 2, {64, 128}, 0},
                                          {"b", 2, {64, 128}, 0},
                                          {"c", 2, {64, 128}, SEG_EMBEDDING},
                                          {"d", 2, {64, 128}, SEG_EMBEDDING}};
    static const enum dtype want[] = {DT_U8, DT_F32, DT_F32, DT_U8};
    struct rig r;
    (void)state;
    rig_params(&r, t, 4, 1);
    param_group_add(&r.ps, "wide", "b", 1, NAN, 32, false);
    param_group_add(&r.ps, "narrow", "d", 1, NAN, 8, false);
    rig_optim(&r, rig_class("adamw8bit"), "");
    for (int i = 0; i < 4; i++)
        assert_int_equal(optim_find_state(&r.optim, i, "state1")->desc.dtype, want[i]);
    optim_rig_close(&r);
}

/* Muon's momentum for matrices, AdamW's moments for the rest. */
static void test_muon_sides(void **state)
{
    static const struct rig_tensor t[] = {{"fc.weight", 2, {8, 6}, 0},
                                          {"fc.bias", 1, {6}, 0},
                                          {"conv.weight", 4, {4, 2, 3, 3}, 0},
                                          {"emb.weight", 2, {9, 4}, SEG_EMBEDDING}};
    struct rig r;
    (void)state;
    optim_rig_open(&r, rig_class("muon"), "adamw_lr_ratio=0.5", t, 4, 1);
    for (int i = 0; i < 4; i++) {
        bool matrix = i == 0 || i == 2;
        assert_int_equal(!!optim_find_state(&r.optim, i, "momentum_buffer"), matrix);
        assert_int_equal(!!optim_find_state(&r.optim, i, "exp_avg_sq"), !matrix);
    }
    float *before = rig_weights(&r);
    rig_gradients(&r, 1);
    optim_update(&r.optim, 1e-2);
    const struct segment *bias = &r.ps.seg[1];
    for (size_t i = bias->at; i < bias->at + bias->len; i++) /* AdamW's first step: the rate */
        assert_close(fabsf(before[i] - r.ps.w[i]), 5e-3, 1e-4, 0);
    free(before);
    optim_rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adamw_fixture),
        cmocka_unit_test(test_adamw_zero_rate),
        cmocka_unit_test(test_first_update),
        cmocka_unit_test(test_decay_groups),
        cmocka_unit_test(test_group_values),
        cmocka_unit_test(test_adafactor_matrix),
        cmocka_unit_test(test_adafactor_vector),
        cmocka_unit_test(test_adafactor_rate),
        cmocka_unit_test(test_adafactor_sizes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_distilbert_bytes),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_code_vectors),
        cmocka_unit_test(test_code_exact),
        cmocka_unit_test(test_no_drift),
        cmocka_unit_test(test_state_bits),
        cmocka_unit_test(test_muon_sides),
    };
    return cmocka_run_group_tests_name("optimizer rules", tests, NULL, NULL);
}
