/* Ten-step trajectories of every optimizer against its reference implementation, within the
 * tolerances of tests/golden/optimizers/README.md. One test for each row of cases.tsv. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tests/replay.h"
#include "tests/support.h"

struct golden_case {
    char *name, *optimizer, *input;
};

/* What was seen of one case: shares of the tolerance used, and counts of the low-bit rules. */
struct seen {
    const char *name;
    double param_load, state_load, scale_rel;
    size_t codes, codes_off, codes_far;
    size_t params, params_off, params_far;
};

/* A reference file beside the run that is compared with it. */
struct compare {
    struct replay run;
    struct st_file want;
    struct seen seen;
    bool low_bit, wide;
    double param_abs, param_rel; /* tolerance of parameters */
};

static void check_ok(int rc, const struct err *e)
{
    if (rc < 0)
        fail_msg("%s", e->msg);
}

static void *read_tensor(const struct st_file *f, const struct st_tensor *t)
{
    struct err e = ERR_INIT;
    void *p = xmalloc(t->bytes + 1);
    check_ok(st_read(f, t, p, &e), &e);
    return p;
}

static void larger(double *worst, double v)
{
    if (!(v <= *worst)) /* NaN counts as the worst */
        *worst = v;
}

/* ---- float32 ------------------------------------------------------------------------------- */

static void compare_params(struct compare *c, const float *got, const float *want, size_t n,
                           int step)
{
    double far = 0.05 * c->run.lr[step - 1] * step;
    for (size_t i = 0; i < n; i++) {
        double off = fabs((double)got[i] - want[i]);
        double load = off / (c->param_abs + c->param_rel * fabs((double)want[i]));
        c->seen.params++;
        c->seen.params_off += !(load <= 1);
        c->seen.params_far += !(load <= 1 || off <= far);
        larger(&c->seen.param_load, load);
    }
}

/* In the wide cases the scale of each element of exp_avg is its own largest gradient. */
static void scale_of_gradients(struct compare *c, const char *tensor, float *scale, size_t n)
{
    memset(scale, 0, n * sizeof *scale);
    for (int step = 1; step <= c->run.steps; step++) {
        char name[256];
        snprintf(name, sizeof name, "grad/%d/%s", step, tensor);
        float *g = read_tensor(&c->run.in, st_find(&c->run.in, name));
        for (size_t i = 0; i < n; i++)
            scale[i] = fmaxf(scale[i], fabsf(g[i]));
        free(g);
    }
}

static void compare_state(struct compare *c, const struct optim_state *st, const float *want)
{
    size_t n = state_len(&st->desc);
    const float *got = st->data;
    float *scale = xcalloc(n, sizeof *scale), most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(want[i]));
    if (!c->wide) {
        for (size_t i = 0; i < n; i++)
            scale[i] = most;
    } else if (strcmp(st->desc.name, "exp_avg") == 0) {
        scale_of_gradients(c, c->run.ps.seg[st->seg].name, scale, n);
    }
    for (size_t i = 0; i < n; i++) {
        double allowed = 2e-6 * fabs((double)want[i]) + 1e-6 * scale[i];
        double off = fabs((double)got[i] - want[i]);
        if (off > 0 || isnan(got[i]))
            larger(&c->seen.state_load, off / allowed);
    }
    free(scale);
}

/* ---- low bit ------------------------------------------------------------------------------- */

static void compare_codes(struct seen *seen, int got, int want)
{
    seen->codes++;
    seen->codes_off += got != want;
    seen->codes_far += abs(got - want) > 1;
}

/* The float32 scales that belong to codes: absmax1 of state1, exp_avg_scale of exp_avg_codes. */
static const struct st_tensor *scales_of(const struct st_file *f, const char *codes)
{
    char name[256];
    const char *last = strrchr(codes, '/') + 1;
    int at = (int)(last - codes);
    if (strncmp(last, "state", 5) == 0)
        snprintf(name, sizeof name, "%.*sabsmax%s", at, codes, last + 5);
    else
        snprintf(name, sizeof name, "%.*sscale", (int)(strlen(codes) - strlen("codes")), codes);
    return st_find(f, name);
}

static void compare_code_state(struct compare *c, const struct optim_state *st,
                               const struct st_tensor *ref)
{
    const struct st_tensor *scales = scales_of(&c->want, ref->name);
    assert_non_null(scales);
    unsigned char *want = read_tensor(&c->want, ref);
    float *scale = read_tensor(&c->want, scales);
    const unsigned char *got = st->data;
    bool nibbles = strcmp(c->run.optim.cls->name, "adamw4bit") == 0;
    size_t block = nibbles ? 64 : 256; /* bytes that share a scale */
    for (size_t i = 0; i < ref->bytes; i++) {
        if (scale[i / block] == 0)
            continue;
        if (nibbles)
            compare_codes(&c->seen, got[i] >> 4, want[i] >> 4);
        compare_codes(&c->seen, nibbles ? got[i] & 15 : got[i], nibbles ? want[i] & 15 : want[i]);
    }
    free(want);
    free(scale);
}

static void compare_scales(struct seen *seen, const float *got, const float *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (got[i] != want[i])
            larger(&seen->scale_rel, fabs((double)got[i] - want[i]) / fabs((double)want[i]));
    }
}

/* ---- one step ------------------------------------------------------------------------------ */

static bool is_scale(const char *name)
{
    return strncmp(name, "absmax", 6) == 0 || strstr(name, "_scale");
}

static void compare_states(struct compare *c, int step)
{
    for (int i = 0; i < c->run.optim.nstate; i++) {
        const struct optim_state *st = &c->run.optim.state[i];
        char name[256];
        snprintf(name, sizeof name, "state/%d/%s/%s", step, c->run.ps.seg[st->seg].name,
                 st->desc.name);
        const struct st_tensor *ref = st_find(&c->want, name);
        if (!ref) {
            assert_string_equal(st->desc.name, "step"); /* the only one that is not stored */
            assert_true(*(float *)st->data == (float)step);
            continue;
        }
        assert_int_equal(ref->dtype, st->desc.dtype);
        assert_int_equal(ref->ndim, st->desc.ndim);
        assert_memory_equal(ref->dim, st->desc.dim, (size_t)ref->ndim * sizeof *ref->dim);
        if (ref->dtype == DT_U8) {
            compare_code_state(c, st, ref);
            continue;
        }
        float *want = read_tensor(&c->want, ref);
        if (is_scale(st->desc.name))
            compare_scales(&c->seen, st->data, want, state_len(&st->desc));
        else
            compare_state(c, st, want);
        free(want);
    }
}

static void compare_weights(struct compare *c, const char *what, int step)
{
    for (int i = 0; i < c->run.ps.nseg; i++) {
        const struct segment *seg = &c->run.ps.seg[i];
        char name[256];
        snprintf(name, sizeof name, "%s/%d/%s", what, step, seg->name);
        const struct st_tensor *ref = st_find(&c->want, name);
        assert_non_null(ref);
        float *want = read_tensor(&c->want, ref);
        compare_params(c, c->run.ps.w + seg->at, want, seg->len, step);
        free(want);
    }
}

static void compare_step(struct compare *c, int step)
{
    if (step == 1 || step == 2 || step == 5 || step == 10)
        compare_weights(c, "param", step);
    if (step == 1 || step == 10)
        compare_states(c, step);
    if (step == 10 && c->run.optim.cls->eval_weights) {
        size_t bytes = c->run.ps.n * sizeof(float);
        float *before = xmalloc(bytes);
        memcpy(before, c->run.ps.w, bytes);
        optim_set_eval(&c->run.optim, true);
        compare_weights(c, "eval", step);
        optim_set_eval(&c->run.optim, false);
        assert_memory_equal(before, c->run.ps.w, bytes);
        free(before);
    }
}

/* ---- a case -------------------------------------------------------------------------------- */

static void judge(const struct compare *c)
{
    const struct seen *s = &c->seen;
    print_message("%s: param %.2f state %.2f of tolerance; codes %zu of %zu off, scales %.1e, "
                  "params %zu of %zu off\n",
                  s->name, s->param_load, s->state_load, s->codes_off, s->codes, s->scale_rel,
                  s->params_off, s->params);
    assert_true(s->params > 0);
    assert_true(s->state_load <= 1);
    if (!c->low_bit) {
        assert_true(s->param_load <= 1);
        assert_int_equal(s->codes, 0);
        return;
    }
    assert_true(s->codes > 0);
    assert_true((double)s->codes_off <= 0.001 * (double)s->codes);
    assert_int_equal(s->codes_far, 0);
    assert_true(s->scale_rel <= 5e-6);
    assert_true((double)s->params_off <= 0.001 * (double)s->params);
    assert_int_equal(s->params_far, 0);
}

static const char *golden(const char *name, const char *suffix)
{
    char file[128];
    snprintf(file, sizeof file, "tests/golden/optimizers/%s%s", name, suffix);
    return test_path(file);
}

static void run_case(const struct golden_case *gc, const char *reference, double param_abs,
                     double param_rel)
{
    struct err e = ERR_INIT;
    struct compare c = {.seen.name = gc->name, .param_abs = param_abs, .param_rel = param_rel};
    c.low_bit = strstr(gc->optimizer, "bit") || strstr(gc->optimizer, "fp8");
    c.wide = strstr(gc->name, "_wide");

    check_ok(replay_open(&c.run, golden(gc->name, ".ini"), golden(gc->input, ""), &e), &e);
    check_ok(st_open(&c.want, golden(gc->name, reference), &e), &e);
    assert_string_equal(c.run.optim.cls->name, gc->optimizer);
    assert_int_equal(c.run.steps, 10);
    for (int step = 1; step <= c.run.steps; step++) {
        check_ok(replay_step(&c.run, step, &e), &e);
        compare_step(&c, step);
    }
    st_close(&c.want);
    replay_close(&c.run);
    judge(&c);
}

static void test_case(void **state)
{
    const struct golden_case *gc = *state;
    run_case(gc, ".out.safetensors", 2e-7, 1e-6);
    /* torch's own muon iterates in bfloat16: the README's distance of a float32 implementation */
    if (strcmp(gc->name, "muon_plain") == 0)
        run_case(gc, ".bf16.out.safetensors", 5e-3, 0);
    if (strcmp(gc->name, "muon_match_rms") == 0)
        run_case(gc, ".bf16.out.safetensors", 3e-4, 0);
}

/* ---- what the replay refuses ----------------------------------------------------------------- */

static void test_replay_refuses(void **state)
{
    (void)state;
    static const float x[6] = {1, 2, 3, 4, 5, 6};
    static const double nan_rate = NAN;
    struct st_tensor good[] = {
        {.name = "grad/1/w", .dtype = DT_F32, .ndim = 2, .dim = {2, 3}, .data = x, .bytes = 24},
        {.name = "param/w", .dtype = DT_F32, .ndim = 2, .dim = {2, 3}, .data = x, .bytes = 24}};
    const struct {
        int of; /* which of the two is replaced; 2: one more */
        struct st_tensor by;
        const char *message;
    } rows[] = {
        {0, {.name = "grad/1/w", .ndim = 2, .dim = {3, 2}}, "grad/1/w has not the shape"},
        {0, {.name = "grad/2/w", .ndim = 2, .dim = {2, 3}}, "grad/1/w is missing"},
        {0, {.name = "grad/1/v", .ndim = 2, .dim = {2, 3}}, "grad/1/v (grad/STEP/NAME of a param/NAME"},
        {0, {.name = "other", .ndim = 2, .dim = {2, 3}}, "no tensor grad/1/NAME"},
        {0, {.name = "grad/1/w", .dtype = DT_F16, .ndim = 2, .dim = {2, 6}}, "grad/1/w is F16 (F32)"},
        {1, {.name = "other", .ndim = 2, .dim = {2, 3}}, "no tensor param/NAME"},
        {2, {.name = "lr", .dtype = DT_F64, .ndim = 1, .dim = {2}, .data = x, .bytes = 16},
         "lr is no float64[1]"},
        {2, {.name = "lr", .dtype = DT_F64, .ndim = 1, .dim = {1}, .data = &nan_rate, .bytes = 8},
         "lr of step 1 is nan"},
    };
    const char *dir = test_temp_dir(), *input = test_path_in(dir, "in.safetensors");
    const char *ini = test_write_file(dir, "c.ini", "[optimizer]\nname = adamw\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct st_tensor t[3] = {good[0], good[1], rows[i].by};
        struct err e = ERR_INIT;
        struct replay r;
        if (rows[i].of < 2) {
            t[rows[i].of] = rows[i].by;
            t[rows[i].of].data = x;
            t[rows[i].of].bytes = 24;
        }
        check_ok(st_write(input, t, rows[i].of < 2 ? 2 : 3, NULL, &e), &e);
        int rc = replay_open(&r, ini, input, &e);
        if (rc == 0)
            rc = replay_step(&r, 1, &e);
        assert_int_equal(rc, TT_EDATA);
        if (!strstr(e.msg, rows[i].message))
            fail_msg("\"%s\" is not in \"%s\"", rows[i].message, e.msg);
        replay_close(&r);
    }
}

static size_t read_cases(struct golden_case **cases, char **text)
{
    size_t n = 0, cap = 0;
    *cases = NULL;
    *text = xstrdup(test_golden("optimizers/cases.tsv", NULL));
    char *line_end = NULL, *line = strtok_r(*text, "\n", &line_end);
    while ((line = strtok_r(NULL, "\n", &line_end))) {
        char *field_end = NULL;
        struct golden_case gc = {.name = strtok_r(line, "\t", &field_end)};
        gc.optimizer = strtok_r(NULL, "\t", &field_end);
        gc.input = strtok_r(NULL, "\t", &field_end);
        *cases = xgrow(*cases, &cap, n + 1, sizeof **cases);
        (*cases)[n++] = gc;
    }
    return n;
}

int main(void)
{
    struct golden_case *cases;
    char *text;
    size_t n = read_cases(&cases, &text);
    struct CMUnitTest *tests = xcalloc(n + 1, sizeof *tests);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){
            .name = cases[i].name, .test_func = test_case, .initial_state = &cases[i]};
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_replay_refuses);
    int failed = _cmocka_run_group_tests("optimizer golden", tests, n, NULL, NULL);
    free(tests);
    free(cases);
    free(text);
    return failed;
}
