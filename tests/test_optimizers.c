/* What every registered optimizer must do: fall, keep its word about memory, give the same bits for any
 * number of threads, go on after a restart as if there had been none, honour groups, and leave alone what
 * has no gradient or one that is not finite. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/train/accelerator.h"
#include "optimizers/table.h"
#include "tests/optim_rig.h"
#include "tests/support.h"

/* Sizes around the 8-bit limits, and every kind of shape. */
static const struct rig_tensor shapes[] = {
    {"n1", 1, {1}, 0},
    {"n255", 1, {255}, 0},
    {"n256", 1, {256}, 0},
    {"n257", 1, {257}, 0},
    {"n4095", 1, {4095}, 0},
    {"n4096", 1, {4096}, 0},
    {"n4097.bias", 1, {4097}, 0},
    {"m64x96", 2, {64, 96}, 0},
    {"m1x37", 2, {1, 37}, 0},
    {"m41x1", 2, {41, 1}, 0},
    {"m1x4608", 2, {1, 4608}, 0},
    {"m4608x1", 2, {4608, 1}, 0},
    {"m130x33", 2, {130, 33}, 0},
    {"t3x17x90", 3, {3, 17, 90}, 0},
    {"c8x5x3x3", 4, {8, 5, 3, 3}, 0},
    {"e50x100", 2, {50, 100}, SEG_EMBEDDING},
    {"n100003", 1, {100003}, 0},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], SMALL = SHAPES - 1 }; /* SMALL: for long tests */

/* Every kind once, for very long ones. */
static const struct rig_tensor few[] = {
    {"n37", 1, {37}, 0},      {"n4096", 1, {4096}, 0},     {"m13x9", 2, {13, 9}, 0},
    {"m1x11", 2, {1, 11}, 0}, {"m11x1", 2, {11, 1}, 0},    {"t2x3x5", 3, {2, 3, 5}, 0},
    {"c2x3x3x3", 4, {2, 3, 3, 3}, 0},
};
enum { FEW = sizeof few / sizeof few[0] };

static const struct optim_class *class_of(void **state)
{
    return *state;
}

static double rate_of(const struct optim_class *cls)
{
    return strcmp(cls->name, "sgd") == 0 ? 0.1 : 1e-2;
}

/* All tensors after `steps` updates. */
static void open_after(struct rig *r, const struct optim_class *cls, int steps, int threads)
{
    optim_rig_open(r, cls, "weight_decay=0.01", shapes, SHAPES, threads);
    for (int step = 1; step <= steps; step++) {
        rig_gradients(r, step);
        optim_update(&r->optim, rate_of(cls));
    }
}

/* Weights and states, to the last bit. */
static void assert_same(const struct rig *a, const struct rig *b)
{
    for (int i = 0; i < a->ps.nseg; i++) {
        const struct segment *seg = &a->ps.seg[i];
        if (memcmp(a->ps.w + seg->at, b->ps.w + seg->at, seg->len * sizeof(float)) != 0)
            fail_msg("%s: %s differs", a->optim.cls->name, seg->name);
    }
    for (int i = 0; i < a->optim.nstate; i++) {
        const struct optim_state *st = &a->optim.state[i];
        const struct optim_state *other = optim_find_state(&b->optim, st->seg, st->desc.name);
        if (memcmp(st->data, other->data, st->bytes) != 0)
            fail_msg("%s: %s of %s differs", a->optim.cls->name, st->desc.name,
                     a->ps.seg[st->seg].name);
    }
}

static void test_description(void **state)
{
    const struct optim_class *cls = class_of(state);
    assert_true(strlen(cls->summary) > 10);
    assert_true(cls->opts_size >= sizeof(struct optim_common));
    assert_true(cls->n_shared <= OPTIM_MAX_SHARED);
    assert_string_equal(cls->opts[0].key, "lr");
    assert_string_equal(cls->opts[1].key, "weight_decay");
    for (const struct opt_desc *d = cls->opts; d->key; d++) {
        assert_true(d->help && strlen(d->help) > 5);
        assert_true(d->at < cls->opts_size);
        assert_ptr_equal(opt_find(cls->opts, d->key), d);
        if (d->type == OPT_REAL && !isnan(d->def))
            assert_true(d->min <= d->def && d->def <= d->max);
    }
    void *opts = rig_options(cls, "");
    assert_true(!cls->check || cls->check(opts, NULL, NULL) == 0);
    free(opts);
}

static void test_quadratic(void **state)
{
    struct rig r;
    optim_rig_open(&r, class_of(state), "", shapes, SMALL, 2);
    double before = 0, after = 0;
    for (size_t i = 0; i < r.ps.n; i++)
        before += r.ps.w[i] * r.ps.w[i];
    for (int step = 0; step < 60; step++) {
        memcpy(r.ps.g, r.ps.w, r.ps.n * sizeof(float)); /* of sum w^2 / 2 */
        optim_update(&r.optim, rate_of(r.optim.cls));
    }
    for (size_t i = 0; i < r.ps.n; i++)
        after += r.ps.w[i] * r.ps.w[i];
    print_message("%s: %.0f -> %.0f\n", r.optim.cls->name, before, after);
    assert_true(after < 0.9 * before);
    optim_rig_close(&r);
}

static void test_memory(void **state)
{
    struct rig r;
    rig_params(&r, shapes, SHAPES, 1);
    struct optim_state *row;
    void *opts = rig_options(class_of(state), "");
    int n = optim_rows(class_of(state), opts, &r.ps, &row); /* before any memory is taken */
    free(opts);
    rig_optim(&r, class_of(state), "");
    size_t bytes = 0, slabs = 2 * r.ps.n * sizeof(float) + sizeof(double);
    assert_int_equal(n, r.optim.nstate);
    for (int i = 0; i < n; i++) {
        const struct optim_state *st = &r.optim.state[i];
        assert_string_equal(row[i].desc.name, st->desc.name);
        assert_int_equal(row[i].bytes, st->bytes);
        assert_int_equal((uintptr_t)st->data % dtype_size(st->desc.dtype), 0);
        assert_ptr_equal(optim_find_state(&r.optim, st->seg, st->desc.name), st);
        assert_true(st->desc.formula && *st->desc.formula);
        bytes += row[i].bytes;
    }
    assert_int_equal(bytes, r.optim.bytes);
    assert_int_equal(r.be.allocated, slabs + r.optim.bytes + r.optim.scratch_bytes);
    free(row);
    optim_rig_close(&r);
}

static void test_threads(void **state)
{
    struct rig one, more;
    open_after(&one, class_of(state), 4, 1);
    for (size_t i = 0; i < one.ps.n; i++)
        assert_true(isfinite(one.ps.w[i]));
    for (int threads = 2; threads <= 3; threads++) {
        open_after(&more, class_of(state), 4, threads);
        assert_same(&one, &more);
        optim_rig_close(&more);
    }
    optim_rig_close(&one);
}

/* Every third element never has a gradient. Muon mixes all elements of a matrix. */
static void test_no_gradient(void **state)
{
    struct rig r;
    optim_rig_open(&r, class_of(state), "", few, FEW, 1);
    bool mixes = strcmp(r.optim.cls->name, "muon") == 0;
    float *before = rig_weights(&r);
    for (int step = 1; step <= 10000; step++) {
        if (step % 10 == 1)
            rig_gradients(&r, step);
        for (size_t i = 0; i < r.ps.n; i += 3)
            r.ps.g[i] = 0;
        optim_update(&r.optim, rate_of(r.optim.cls));
    }
    size_t still = 0;
    for (int s = 0; s < r.ps.nseg; s++) {
        const struct segment *seg = &r.ps.seg[s];
        for (size_t i = seg->at; i < seg->at + seg->len; i++) {
            assert_true(isfinite(r.ps.w[i]));
            if (i % 3 || (mixes && seg->matrix))
                continue;
            assert_memory_equal(&before[i], &r.ps.w[i], sizeof(float));
            still++;
        }
    }
    assert_true(still > r.ps.n / 4);
    free(before);
    optim_rig_close(&r);
}

/* States by name, counters and weights: all that a checkpoint keeps. */
static void restore(struct rig *to, const struct rig *from)
{
    for (int i = 0; i < from->optim.nstate; i++) {
        const struct optim_state *src = &from->optim.state[i];
        const struct optim_state *dst = optim_find_state(&to->optim, src->seg, src->desc.name);
        assert_non_null(dst);
        assert_int_equal(dst->bytes, src->bytes);
        memcpy(dst->data, src->data, src->bytes);
    }
    to->optim.t = from->optim.t;
    memcpy(to->optim.shared, from->optim.shared,
           (size_t)from->optim.cls->n_shared * sizeof(double));
    memcpy(to->ps.w, from->ps.w, from->ps.n * sizeof(float));
}

static void test_restart(void **state)
{
    const struct optim_class *cls = class_of(state);
    struct rig unbroken, first, second;
    open_after(&unbroken, cls, 6, 2);
    open_after(&first, cls, 3, 2);
    open_after(&second, cls, 0, 2);
    restore(&second, &first);
    assert_same(&first, &second);
    for (int step = 4; step <= 6; step++) {
        rig_gradients(&second, step);
        optim_update(&second.optim, rate_of(cls));
    }
    assert_same(&unbroken, &second);
    optim_rig_close(&unbroken);
    optim_rig_close(&first);
    optim_rig_close(&second);
}

/* A frozen tensor has no state and stays; evaluation and back changes nothing. */
static void test_frozen(void **state)
{
    struct rig r;
    rig_params(&r, shapes, SHAPES, 2);
    assert_int_equal(param_group_add(&r.ps, "still", "n256,m64x96", 1, NAN, 0, true), 2);
    rig_optim(&r, class_of(state), "weight_decay=0.1");
    float *before = rig_weights(&r);
    rig_gradients(&r, 1);
    optim_set_eval(&r.optim, true); /* before the first update there is nothing to put in */
    optim_set_eval(&r.optim, false);
    for (int i = 0; i < r.ps.nseg; i++) {
        const struct segment *seg = &r.ps.seg[i];
        if (seg->frozen)
            memset(r.ps.g + seg->at, 0, seg->len * sizeof(float));
    }
    optim_update(&r.optim, 1e-2);
    float *trained = rig_weights(&r);
    optim_set_eval(&r.optim, true);
    optim_set_eval(&r.optim, false);
    assert_memory_equal(trained, r.ps.w, r.ps.n * sizeof(float));
    for (int i = 0; i < r.ps.nseg; i++) {
        const struct segment *seg = &r.ps.seg[i];
        bool same = memcmp(before + seg->at, r.ps.w + seg->at, seg->len * sizeof(float)) == 0;
        assert_int_equal(same, seg->frozen);
        assert_true(!seg->frozen || r.optim.first[i] == r.optim.first[i + 1]);
    }
    free(before);
    free(trained);
    optim_rig_close(&r);
}

/* A group at rate 0 without decay stays, whatever the others do. */
static void test_groups(void **state)
{
    struct rig r;
    rig_params(&r, shapes, SHAPES, 2);
    assert_int_equal(param_group_add(&r.ps, "slow", "n4096,m130x33,e*", 0, NAN, 32, false), 3);
    rig_optim(&r, class_of(state), "weight_decay=0.1");
    float *before = rig_weights(&r);
    for (int step = 1; step <= 3; step++) {
        rig_gradients(&r, step);
        optim_update(&r.optim, 1e-2);
    }
    for (int i = 0; i < r.ps.nseg; i++) {
        const struct segment *seg = &r.ps.seg[i];
        bool slow = r.ps.group[seg->group].lr_scale == 0;
        bool same = memcmp(before + seg->at, r.ps.w + seg->at, seg->len * sizeof(float)) == 0;
        if (same != slow)
            fail_msg("%s: %s %s", r.optim.cls->name, seg->name, same ? "stayed" : "moved");
        for (int s = r.optim.first[i]; slow && s < r.optim.first[i + 1]; s++)
            assert_int_equal(r.optim.state[s].desc.dtype, DT_F32); /* state_bits = 32 */
    }
    free(before);
    optim_rig_close(&r);
}

/* A group's factor and decay do what the rate and the decay of the whole set would. */
static void test_group_values(void **state)
{
    const struct optim_class *cls = class_of(state);
    struct rig group, whole;
    double rate = rate_of(cls);
    rig_params(&group, shapes, SHAPES, 2);
    assert_int_equal(param_group_add(&group.ps, "own", "n4096,m*,c*", 0.5, 0.2, 0, false), 8);
    rig_optim(&group, cls, "lr=1 weight_decay=0.01");
    optim_rig_open(&whole, cls, "lr=1 weight_decay=0.2", shapes, SHAPES, 2);
    for (int step = 1; step <= 3; step++) {
        rig_gradients(&group, step);
        rig_gradients(&whole, step);
        optim_update(&group.optim, rate);
        optim_update(&whole.optim, rate * 0.5);
    }
    for (int i = 0; i < group.ps.nseg; i++) {
        const struct segment *seg = &group.ps.seg[i];
        bool own = group.ps.group[seg->group].lr_scale == 0.5;
        bool same = memcmp(group.ps.w + seg->at, whole.ps.w + seg->at, seg->len * sizeof(float)) == 0;
        if (own != same)
            fail_msg("%s: %s %s", cls->name, seg->name, own ? "differs" : "is not its own group's");
    }
    optim_rig_close(&group);
    optim_rig_close(&whole);
}

static void *states_of(const struct rig *r)
{
    void *copy = xmalloc(r->optim.bytes + 1);
    if (r->optim.bytes)
        memcpy(copy, r->optim.slab, r->optim.bytes);
    return copy;
}

/* Decision D5: nothing changes, the counters stay, the caller is told. */
static void test_not_finite(void **state)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    static struct accelerator acc;
    struct err e = ERR_INIT;
    struct sched_opts opts;
    struct step_info info;
    struct rig r;
    optim_rig_open(&r, class_of(state), "weight_decay=0.01", few, FEW, 2);
    struct network net = {.ps = r.ps, .optim = r.optim};
    net.optim.ps = &net.ps;
    opt_defaults(sched_opts_table, &opts);
    assert_int_equal(sched_init(&net.sched, sched_by_name("linear", &e), &opts, NULL, 1e-2, 9, &e), 0);
    for (int i = 0; i < net.ps.nseg; i++)
        param_tensor(&net.ps, i)->grad_set = true;
    for (int step = 0; step < 4; step++) {
        float *w = rig_weights(&r);
        void *states = states_of(&r);
        rig_gradients(&r, step);
        if (step > 0)
            r.ps.g[(size_t)step * r.ps.n / 4] = bad[step - 1];
        net.has_grads = true;
        accelerator_step(&acc, &net, 1, &info);
        assert_int_equal(info.skipped, step > 0);
        assert_int_equal(info.nonfinite, step > 0);
        assert_int_equal(net.optim.t, 1);
        assert_int_equal(net.sched.s, 1);
        assert_int_equal(memcmp(w, r.ps.w, r.ps.n * sizeof *w) == 0, step > 0);
        assert_true(step == 0 || !r.optim.bytes || !memcmp(states, r.optim.slab, r.optim.bytes));
        free(w);
        free(states);
    }
    opt_release(sched_opts_table, &opts);
    optim_rig_close(&r);
}

/* A dry run takes as many bytes. */
static void test_null_backend(void **state)
{
    struct err e = ERR_INIT;
    struct rig r = {0};
    (void)state;
    for (int i = 0; optim_classes[i]; i++) {
        assert_int_equal(backend_open(&r.be, "null", 1, &e), 0);
        param_init(&r.ps, &r.be);
        for (int k = 0; k < SHAPES; k++)
            param_declare(&r.ps, shapes[k].name, shapes[k].ndim, shapes[k].dim,
                          (struct init){INIT_ZERO, 0},
                          shapes[k].kind | (shapes[k].ndim >= 2 ? SEG_MATRIX : 0));
        rig_optim(&r, optim_classes[i], "");
        assert_int_equal(r.be.allocated, 2 * r.ps.n * sizeof(float) + sizeof(double) +
                                             r.optim.bytes + r.optim.scratch_bytes);
        optim_rig_close(&r);
    }
}

static void test_table(void **state)
{
    struct err e = ERR_INIT;
    (void)state;
    for (int i = 0; optim_classes[i]; i++) {
        assert_ptr_equal(rig_class(optim_classes[i]->name), optim_classes[i]);
        assert_true(!i || strcmp(optim_classes[i - 1]->name, optim_classes[i]->name) < 0);
    }
    assert_null(optim_by_name(optim_classes, "adamx", &e));
    assert_int_equal(e.code, TT_ECONFIG);
    assert_non_null(strstr(e.msg, "adamw"));
}

int main(void)
{
    static const struct {
        const char *what;
        CMUnitTestFunction fn;
    } check[] = {
        {"is described", test_description},         {"falls on a quadratic", test_quadratic},
        {"takes what it says", test_memory},        {"same bits for any threads", test_threads},
        {"no gradient, no move", test_no_gradient}, {"goes on after a restart", test_restart},
        {"leaves frozen tensors", test_frozen},     {"honours groups", test_groups},
        {"group values", test_group_values},        {"skips what is not finite", test_not_finite},
    };
    enum { CHECKS = sizeof check / sizeof check[0] };
    size_t n = 0, classes = 0;
    while (optim_classes[classes])
        classes++;
    struct CMUnitTest *tests = xcalloc(classes * CHECKS + 2, sizeof *tests);
    char(*name)[64] = xcalloc(classes * CHECKS, sizeof *name);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_table);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_null_backend);
    for (size_t i = 0; i < classes; i++) {
        for (size_t k = 0; k < CHECKS; k++, n++) {
            char *text = name[i * CHECKS + k];
            snprintf(text, sizeof *name, "%s: %s", optim_classes[i]->name, check[k].what);
            tests[n] = (struct CMUnitTest){
                .name = text, .test_func = check[k].fn, .initial_state = (void *)optim_classes[i]};
        }
    }
    int failed = _cmocka_run_group_tests("optimizers", tests, n, NULL, NULL);
    free(tests);
    free(name);
    return failed;
}
