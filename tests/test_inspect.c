/* Reports on tensors: decoded states against what the optimizer does with them, counts that add up,
 * a request to a run that goes on, and a run read from its checkpoint. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/rng.h"
#include "engine/base/str.h"
#include "engine/io/safetensors.h"
#include "engine/train/accelerator.h"
#include "engine/train/inspect.h"
#include "optimizers/table.h"
#include "tests/optim_rig.h"
#include "tests/train_support.h"
#include "tui/run_thread.h"

static struct inspect_report report;

static const struct inspect_report *look(const struct rig *r, const char *tensor, const char *state,
                                         int64_t first)
{
    struct network net = {.ps = r->ps, .optim = r->optim};
    struct inspect_request q = {.first = first};
    str_copy(q.tensor, sizeof q.tensor, tensor);
    str_copy(q.state, sizeof q.state, state);
    inspect_network(&net, &q, 12, &report);
    return &report;
}

static int64_t all_counts(const struct inspect_bins *b)
{
    int64_t sum = 0;
    for (int i = 0; i < INSPECT_BINS; i++)
        sum += b->count[i];
    return sum;
}

/* ---- plain numbers -------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static double sorted_at(const float *x, size_t n, double share)
{
    return x[(size_t)(share * (double)(n - 1))];
}

static void check_plain(float *x, size_t n, const struct inspect_report *r)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        squares += (double)x[i] * x[i];
    }
    assert_string_equal(r->error, "");
    assert_int_equal(r->n, n);
    assert_int_equal(r->bits, 0);
    assert_close(r->mean, sum / (double)n, 1e-9, 1e-12);
    assert_close(r->rms, sqrt(squares / (double)n), 1e-9, 0);
    assert_memory_equal(r->lead, x, (size_t)r->nlead * sizeof *x);
    qsort(x, n, sizeof *x, by_value);
    assert_true(r->min == x[0] && r->max == x[n - 1]);
    assert_close(r->p1, sorted_at(x, n, 0.01), 2e-3, 1e-4);
    assert_close(r->p99, sorted_at(x, n, 0.99), 2e-3, 1e-4);
    assert_int_equal(all_counts(&r->values), n);
}

static void test_weights(void **state)
{
    (void)state;
    const size_t n = 70001;
    struct rig r;
    rig_open_vector(&r, "adamw", "", (int64_t)n);
    float *w = rig_weights(&r);
    const struct inspect_report *p = look(&r, "w", INSPECT_WEIGHTS, 0);
    check_plain(w, n, p);
    assert_int_equal(p->step, 12);
    assert_true(p->values.lo == -p->values.hi);
    assert_true(p->values.hi == fmax(-p->min, p->max));
    assert_int_equal(p->nlead, INSPECT_LEADING);
    look(&r, "w", INSPECT_WEIGHTS, (int64_t)n - 3);
    assert_int_equal(report.nlead, 3);
    assert_memory_equal(report.lead, r.ps.w + n - 3, 3 * sizeof(float));
    look(&r, "w", INSPECT_WEIGHTS, INT64_MAX);
    assert_int_equal(report.nlead, 1);
    free(w);
    optim_rig_close(&r);
}

/* One bin more to the right for each value: the counts of a part are those of the sorted values. */
static void test_bins(void **state)
{
    (void)state;
    const size_t n = 20000;
    struct rig r;
    rig_open_vector(&r, "sgd", "", (int64_t)n);
    for (size_t i = 0; i < n; i++)
        r.ps.w[i] = (float)(i + 1) / (float)n;
    const struct inspect_bins *b = &look(&r, "w", INSPECT_WEIGHTS, 0)->values;
    assert_true(b->lo == 0 && b->hi == 1);
    int64_t below = 0;
    for (int i = 0; i < INSPECT_BINS; i++) {
        below += b->count[i];
        assert_close((double)below / (double)n, (i + 1) / (double)INSPECT_BINS, 0, 2e-3);
    }
    for (size_t i = 0; i < n; i++)
        r.ps.w[i] = 1 + (float)(i % 7) / 100;
    assert_true(look(&r, "w", INSPECT_WEIGHTS, 0)->values.lo == 1);
    for (size_t i = 0; i < n; i++)
        r.ps.w[i] = -2.5f;
    look(&r, "w", INSPECT_WEIGHTS, 0);
    assert_true(b->lo < -2.5 && b->hi > -2.5);
    assert_int_equal(all_counts(b), n);
    optim_rig_close(&r);
}

static void test_zeros_and_non_finite(void **state)
{
    (void)state;
    struct rig r;
    rig_open_vector(&r, "sgd", "", 40000);
    memset(r.ps.w, 0, 40000 * sizeof(float));
    r.ps.w[1] = NAN;
    r.ps.w[20000] = INFINITY;
    r.ps.w[30000] = -INFINITY;
    r.ps.w[30001] = 3;
    r.ps.w[30002] = -0.0f;
    look(&r, "w", INSPECT_WEIGHTS, 0);
    assert_int_equal(report.nonfinite, 3);
    assert_int_equal(report.zeros, 39996);
    assert_true(report.min == 0 && report.max == 3);
    assert_close(report.mean, 3 / 39997.0, 1e-12, 0);
    assert_int_equal(all_counts(&report.values), 39997);
    for (int i = 0; i < 40000; i++)
        r.ps.w[i] = NAN;
    look(&r, "w", INSPECT_WEIGHTS, 0);
    assert_int_equal(report.nonfinite, 40000);
    assert_true(isnan(report.min) && isnan(report.mean) && isnan(report.p99));
    assert_int_equal(all_counts(&report.values), 0);
    optim_rig_close(&r);
}

static void test_what_is_not_there(void **state)
{
    (void)state;
    struct rig r;
    rig_open_vector(&r, "adamw", "", 100);
    look(&r, "v", INSPECT_WEIGHTS, 0);
    assert_string_equal(report.error, "the model has no tensor v");
    look(&r, "w", "state1", 0);
    assert_string_equal(report.error, "adamw keeps no state1 of w");
    rig_gradients(&r, 1);
    look(&r, "w", INSPECT_GRADIENTS, 0);
    assert_string_equal(report.error, "");
    assert_memory_equal(report.lead, r.ps.g, sizeof report.lead);
    optim_rig_close(&r);
}

/* ---- codes ---------------------------------------------------------------------------------- */

#define CODED 12288 /* values; a multiple of every block */

static void train_some(struct rig *r)
{
    for (int step = 1; step <= 4; step++) {
        rig_gradients(r, step);
        for (size_t i = 0; i < r->ps.n; i++) /* blocks of their own sizes */
            r->ps.g[i] *= 1 + (float)(i / 512);
        optim_update(&r->optim, 1e-3);
    }
}

/* Every value of a state, decoded. */
static void decode(const struct rig *r, const char *state, float x[CODED])
{
    for (int64_t at = 0, n; at < CODED; at += n) {
        look(r, "w", state, at);
        assert_string_equal(report.error, "");
        if (report.of.first == at && report.nlead == report.block) {
            n = report.nlead;
        } else { /* a block is longer than what is shown of it: its other values count as unknown */
            n = report.block;
            for (int64_t i = report.nlead; i < n; i++)
                x[at + i] = NAN;
        }
        memcpy(x + at, report.lead, (size_t)report.nlead * sizeof *x);
    }
}

static void check_facts(const struct rig *r, const char *state, const char *scale, int bits,
                        int block)
{
    look(r, "w", state, 3 * block + 5);
    assert_int_equal(report.dtype, DT_U8);
    assert_int_equal(report.bits, bits);
    assert_int_equal(report.block, block);
    assert_int_equal(report.n, CODED);
    assert_int_equal(report.blocks, CODED / block);
    assert_string_equal(report.scale, scale);
    assert_int_equal(report.of.first, 3 * block);
    assert_int_equal(all_counts(&report.values), CODED);
    assert_int_equal(all_counts(&report.scales), CODED / block);
    assert_true(report.at_ends > 0 && report.at_ends < CODED);
    const struct optim_state *s = optim_find_state(&r->optim, 0, scale);
    assert_true(report.lead_scale == ((const float *)s->data)[3]);
}

/* With a gradient of 0 an update moves a weight by what its two moments say and nothing else. (The
 * references round beta2 or its power to float32: 1.3e-5 of 1 - beta2^t.) */
static void check_adam(const char *name, const char *m_state, const char *m_scale,
                       const char *v_state, const char *v_scale, int bits, int block)
{
    static float m[CODED], v[CODED];
    struct rig r;
    int known = 0;
    rig_open_vector(&r, name, "", CODED);
    train_some(&r);
    check_facts(&r, m_state, m_scale, bits, block);
    check_facts(&r, v_state, v_scale, bits, block);
    decode(&r, m_state, m);
    decode(&r, v_state, v);
    float *before = rig_weights(&r);
    memset(r.ps.g, 0, CODED * sizeof(float));
    optim_update(&r.optim, 1);
    double t = (double)r.optim.t, c1 = 1 - pow(0.9, t), c2 = sqrt(1 - pow(0.999, t));
    for (int i = 0; i < CODED; i++) {
        if (isnan(m[i]))
            continue;
        double move = -c2 / c1 * 0.9 * m[i] / (sqrt(0.999 * v[i]) + 1e-8 * c2);
        assert_close((double)r.ps.w[i] - before[i], move, 2e-5, 2e-7 * fmax(1, fabs(r.ps.w[i])));
        known++;
    }
    assert_true(known >= CODED / 16);
    free(before);
    optim_rig_close(&r);
}

static void test_codes_of_adam(void **state)
{
    (void)state;
    check_adam("adam8bit", "state1", "absmax1", "state2", "absmax2", 8, 256);
    check_adam("adamw8bit", "state1", "absmax1", "state2", "absmax2", 8, 256);
    check_adam("adamw4bit", "exp_avg_codes", "exp_avg_scale", "exp_avg_sq_codes",
               "exp_avg_sq_scale", 4, 128);
    check_adam("adamw_fp8", "exp_avg_codes", "exp_avg_scale", "exp_avg_sq_codes",
               "exp_avg_sq_scale", 8, 256);
}

/* Lion with a gradient of 0 multiplies its momentum by beta2: so the scales of the blocks. */
static void test_codes_of_lion(void **state)
{
    (void)state;
    static float m[CODED];
    struct rig r;
    rig_open_vector(&r, "lion8bit", "block_size=32", CODED);
    train_some(&r);
    check_facts(&r, "state1", "absmax1", 8, 32);
    decode(&r, "state1", m);
    memset(r.ps.g, 0, CODED * sizeof(float));
    optim_update(&r.optim, 1e-3);
    const float *absmax = optim_find_state(&r.optim, 0, "absmax1")->data;
    for (int b = 0; b < CODED / 32; b++) {
        float most = 0;
        for (int i = 0; i < 32; i++)
            most = fmaxf(most, fabsf(m[32 * b + i]));
        assert_close(absmax[b], 0.99 * most, 1e-6, 0);
    }
    optim_rig_close(&r);
}

/* Codes and values of a report belong together, and the last block may be short. */
static void test_short_block(void **state)
{
    (void)state;
    struct rig r;
    rig_open_vector(&r, "adamw8bit", "", 5000);
    train_some(&r);
    look(&r, "w", "state1", 4999);
    assert_int_equal(report.blocks, 20);
    assert_int_equal(report.of.first, 4864);
    assert_int_equal(report.nlead, 32);
    const unsigned char *codes = optim_find_state(&r.optim, 0, "state1")->data;
    assert_memory_equal(report.lead_code, codes + 4864, 32);
    assert_int_equal(all_counts(&report.values), 5000);
    optim_rig_close(&r);
}

/* Each class with a slot knows every state of bytes that it declares, and only those. */
static void test_every_class_reads_its_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; optim_classes[i]; i++) {
        const struct optim_class *cls = optim_classes[i];
        struct rig_tensor t = {"w", 2, {64, 192}, 0};
        struct rig r;
        optim_rig_open(&r, cls, "", &t, 1, 2);
        for (int k = 0; k < r.optim.nstate; k++) {
            const struct state_desc *d = &r.optim.state[k].desc;
            struct state_codes codes = {0};
            bool coded = cls->codes && cls->codes(r.opts, d->name, &codes);
            if (d->dtype == DT_U8)
                assert_true(coded);
            if (d->dtype != DT_U8)
                continue;
            const struct optim_state *scale = optim_find_state(&r.optim, 0, codes.scale);
            assert_non_null(scale);
            assert_int_equal(state_len(d) * 8 / (size_t)codes.bits, 64 * 192);
            assert_int_equal(state_len(&scale->desc) * codes.block, 64 * 192);
            for (int c = 0; c < 1 << codes.bits; c++) {
                if (c == 127 || (c == 255 && codes.high != 255)) /* no numbers in fp8 */
                    continue;
                assert_true(codes.value[c] <= codes.value[codes.high]);
                if (codes.value[c] < codes.value[codes.low]) /* no square has this one */
                    assert_true(codes.value[c] < 0 && strstr(d->name, "_sq"));
            }
        }
        optim_rig_close(&r);
    }
}

/* ---- a run ---------------------------------------------------------------------------------- */

static const char options[] =
    "[model]\n[optimizer]\nname = adamw8bit\nlr = 1e-2\nmin_8bit_size = 64\n"
    "[train]\nmax_steps = %d\n[checkpoint]\nevery = 40\n";

static const char *run_config(const char *dir, const char *name, int steps)
{
    char more[512];
    snprintf(more, sizeof more, options, steps);
    return train_config(dir, name, more);
}

static void wait_for_report(struct run_thread *run, int64_t *seen, struct inspect_report *out)
{
    for (int i = 0; i < 2000 && !hub_inspect_get(run->hub, seen, out); i++)
        usleep(1000);
}

static void test_request_while_training(void **state)
{
    (void)state;
    static struct inspect_report got;
    struct run_config rc;
    struct run_thread run;
    struct uimodel model;
    struct err e = ERR_INIT;
    int64_t before = -1, seen = 0;
    const char *config = run_config(test_temp_dir(), "ask", 1000000);
    assert_int_equal(run_config_load(&rc, config, NULL, 0, optim_classes, &e), 0);
    assert_int_equal(run_thread_build(&run, &rc, NULL, &e), 0);
    assert_int_equal(run_thread_go(&run, &e), 0);
    for (int i = 0; i < 20; i++) {
        struct command c = {.kind = COMMAND_INSPECT, .key = "linear.0.weight", .value = "state1"};
        assert_int_equal(hub_send(run.hub, &c), 0);
        wait_for_report(&run, &seen, &got);
        assert_string_equal(got.error, "");
        assert_string_equal(got.of.tensor, "linear.0.weight");
        assert_true(got.step >= before);
        before = got.step;
        assert_int_equal(got.n, 12 * 16);
        assert_int_equal(all_counts(&got.values), 12 * 16);
        usleep(2000);
    }
    assert_true(before > 0);
    atomic_store(&hub_stop_request, 1);
    uimodel_init(&model);
    run_thread_join(&run, &model, &e);
    uimodel_release(&model);
    atomic_store(&hub_stop_request, 0);
    run_thread_release(&run);
    run_config_release(&rc);
}

static const struct inspect_report *from_disk(const char *dir, const struct run_config *rc,
                                              const char *state)
{
    struct inspect_request q = {.tensor = "linear.0.weight"};
    str_copy(q.state, sizeof q.state, state);
    struct state_codes codes = {0};
    bool coded = rc->optim_cls->codes(rc->optim_own, state, &codes);
    inspect_run(test_path_in(dir, "runs/disk"), &q, coded ? &codes : NULL, &report);
    return &report;
}

static void test_finished_run(void **state)
{
    (void)state;
    const char *dir = test_temp_dir(), *config = run_config(dir, "disk", 100);
    struct run_config rc;
    struct outcome o;
    struct err e = ERR_INIT;
    struct st_file f;
    float weight[12 * 16], scale[1];
    unsigned char code[12 * 16];
    train_run(config, false, &o);
    assert_int_equal(o.code, 0);
    assert_int_equal(run_config_load(&rc, config, NULL, 0, optim_classes, &e), 0);
    assert_int_equal(
        st_open(&f, test_path_in(dir, "runs/disk/checkpoints/step-100/model.safetensors"), &e), 0);
    assert_int_equal(st_read_f32(&f, st_find(&f, "linear.0.weight"), weight, &e), 0);
    st_close(&f);
    from_disk(dir, &rc, INSPECT_WEIGHTS);
    assert_int_equal(report.step, 100);
    check_plain(weight, 12 * 16, &report);
    assert_int_equal(
        st_open(&f, test_path_in(dir, "runs/disk/checkpoints/step-100/optimizer.safetensors"), &e),
        0);
    assert_int_equal(st_read(&f, st_find(&f, "state1/linear.0.weight"), code, &e), 0);
    assert_int_equal(st_read(&f, st_find(&f, "absmax1/linear.0.weight"), scale, &e), 0);
    st_close(&f);
    from_disk(dir, &rc, "state1");
    assert_string_equal(report.error, "");
    assert_int_equal(report.n, 12 * 16);
    assert_memory_equal(report.lead_code, code, INSPECT_LEADING);
    assert_true(report.lead_scale == scale[0]);
    assert_string_equal(from_disk(dir, &rc, INSPECT_GRADIENTS)->error, "gradients are not saved");
    assert_non_null(
        strstr(from_disk(dir, &rc, "exp_avg")->error, "no tensor exp_avg/linear.0.weight"));
    run_config_release(&rc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_bins),
        cmocka_unit_test(test_zeros_and_non_finite),
        cmocka_unit_test(test_what_is_not_there),
        cmocka_unit_test(test_codes_of_adam),
        cmocka_unit_test(test_codes_of_lion),
        cmocka_unit_test(test_short_block),
        cmocka_unit_test(test_every_class_reads_its_bytes),
        cmocka_unit_test(test_request_while_training),
        cmocka_unit_test(test_finished_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
