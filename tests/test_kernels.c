/* Every kernel of the CPU backend that knows nothing of pictures, against a plain loop in
 * double. */
#include "tests/kernel_support.h"

#include "engine/backend/cpu/vmath.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const size_t lengths[] = {0, 1, 3, 17, 1000, 8191, 8193, 100003};

struct matrix {
    int rows, cols;
};
static const struct matrix matrices[] = {{1, 1},   {1, 7},   {5, 1},     {3, 129},
                                         {65, 10}, {7, 768}, {1000, 33}, {2050, 130}};

static double size_of(struct matrix m)
{
    return (double)m.rows * m.cols;
}

/* ---- vmath.h ---- */

/* Largest error relative to max(|right|, least) over [lo, hi]. */
static double worst_error(float (*f)(float), double (*right)(double), double lo, double hi,
                          double least)
{
    enum { N = 300000 };
    double worst = 0;
    for (int i = 0; i <= N; i++) {
        float x = (float)(lo + (hi - lo) * i / N);
        double want = right(x), error = fabs(f(x) - want) / fmax(fabs(want), least);
        worst = error <= worst ? worst : error;
    }
    return worst;
}

static float vexp_(float x)
{
    return vexp(x);
}

static float vtanh_(float x)
{
    return vtanh(x);
}

static float verf_(float x)
{
    return verf(x);
}

static float vsigmoid_(float x)
{
    return vsigmoid(x);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void test_vmath(void **state)
{
    (void)state;
    assert_true(worst_error(vexp_, exp, -87, 88.7, 0) < 2e-7);
    assert_true(worst_error(vexp_, exp, -1e-3, 1e-3, 0) < 1.2e-7);
    assert_true(worst_error(vtanh_, tanh, -10, 10, 0) < 3e-7);
    assert_true(worst_error(vtanh_, tanh, -1e-4, 1e-4, 1e-30) < 2e-7);
    assert_true(worst_error(verf_, erf, -6, 6, 1) < 2e-7);
    assert_true(worst_error(verf_, erf, -0.1, 0.1, 1e-30) < 3e-7);
    assert_true(worst_error(vsigmoid_, sigmoid, -80, 40, 0) < 3e-7);
}

static void test_vmath_limits(void **state)
{
    (void)state;
    assert_true(vexp(INFINITY) == INFINITY && vexp(89.5f) == INFINITY && vexp(1e30f) == INFINITY);
    assert_true(vexp(-INFINITY) == 0 && vexp(-120) == 0 && vexp(0) == 1);
    assert_close(vexp(-100), exp(-100), 0, 0x1p-149); /* below the normal range */
    assert_true(vtanh(INFINITY) == 1 && vtanh(-INFINITY) == -1 && vtanh(0) == 0);
    assert_true(verf(INFINITY) == 1 && verf(-INFINITY) == -1 && verf(0) == 0);
    assert_true(vsigmoid(INFINITY) == 1 && vsigmoid(-INFINITY) == 0 && vsigmoid(0) == 0.5f);
    assert_true(isnan(vexp(NAN)) && isnan(vtanh(NAN)) && isnan(verf(NAN)) && isnan(vsigmoid(NAN)));
}

/* ---- element-wise ---- */

static void test_elementwise(void **state)
{
    (void)state;
    for (size_t l = 0; l < COUNT(lengths); l++) {
        size_t n = lengths[l];
        float *a = numbers(n + 1, -1, 1), *b = numbers(n, -1, 1), *y = zeros(n + 1);
        double *want = doubles(n);
        y[n] = 7;
        k->fill(&be, y, n, 0.1f);
        for (size_t i = 0; i < n; i++)
            assert_true(y[i] == 0.1f);
        k->add(&be, y, a, b, n);
        for (size_t i = 0; i < n; i++)
            assert_true(y[i] == a[i] + b[i]);
        memcpy(y, b, n * sizeof *y);
        k->axpy(&be, y, 0.3f, a, n);
        for (size_t i = 0; i < n; i++)
            want[i] = b[i] + (double)0.3f * a[i];
        assert_near(y, want, n);
        memcpy(y, b, n * sizeof *y);
        k->scale(&be, y, n, 0.3f);
        for (size_t i = 0; i < n; i++)
            assert_true(y[i] == b[i] * 0.3f);
        assert_true(y[n] == 7);
    }
}

static void test_sumsq(void **state)
{
    (void)state;
    for (size_t l = 0; l < COUNT(lengths); l++) {
        size_t n = lengths[l];
        float *x = numbers(n, -3, 3);
        double sum = NAN, want = 0;
        for (size_t i = 0; i < n; i++)
            want += (double)x[i] * x[i];
        k->sumsq(&be, &sum, x, n);
        assert_close(sum, want, 1e-12, 0);
        if (n == 0)
            continue;
        x[n / 2] = NAN;
        k->sumsq(&be, &sum, x, n);
        assert_true(isnan(sum));
    }
}

static void test_col_sum(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2 * COUNT(matrices); s++) {
        struct matrix m = matrices[s / 2];
        const float *x = numbers(size_of(m), 0, 1);
        double *want = doubles(m.cols);
        float *out = target(want, m.cols, s % 2);
        for (int r = 0; r < m.rows; r++) {
            for (int c = 0; c < m.cols; c++)
                want[c] += x[r * m.cols + c];
        }
        k->col_sum(&be, out, x, m.rows, m.cols, s % 2);
        assert_near(out, want, m.cols);
    }
}

static void test_gemm(void **state)
{
    static const int sizes[][3] = {{1, 1, 1},      {1, 10, 64},    {7, 5, 3},      {64, 10, 128},
                                   {33, 65, 1},    {100, 90, 110}, {128, 100, 64}, {33, 36, 70},
                                   {6, 4, 300},    {7, 17, 40},    {70, 130, 300}, {40, 50, 1000}};
    (void)state;
    for (size_t s = 0; s < 8 * COUNT(sizes); s++) {
        const int *d = sizes[s / 8], m = d[0], n = d[1], depth = d[2];
        bool ta = s & 1, tb = s & 2;
        const float *a = numbers((size_t)m * depth, -1, 1), *b = numbers((size_t)n * depth, -1, 1);
        double *want = doubles((size_t)m * n);
        float *c = target(want, (size_t)m * n, s & 4);
        for (int i = 0; i < m * n; i++) {
            for (int l = 0; l < depth; l++)
                want[i] += 0.5 * (ta ? a[l * m + i / n] : a[i / n * depth + l]) *
                           (tb ? b[i % n * depth + l] : b[l * n + i % n]);
        }
        k->gemm(&be, ta, tb, m, n, depth, 0.5f, a, ta ? m : depth, b, tb ? depth : n, s & 4 ? 1 : 0,
                c, n);
        assert_near(c, want, (size_t)m * n);
    }
}

/* ---- activations ---- */

static double gelu_tanh(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double act_value(enum act act, double x)
{
    switch (act) {
    case ACT_NONE: return x;
    case ACT_RELU: return x > 0 ? x : 0;
    case ACT_LEAKY_RELU: return x > 0 ? x : x * (double)0.2f;
    case ACT_GELU: return 0.5 * x * (1 + erf(x / sqrt(2)));
    case ACT_GELU_TANH: return gelu_tanh(x);
    case ACT_TANH: return tanh(x);
    case ACT_SIGMOID: return sigmoid(x);
    case ACT_SILU: return x * sigmoid(x);
    case ACT_QUICK_GELU: return x * sigmoid(1.702 * x);
    case ACT_COUNT: break;
    }
    return NAN;
}

static double act_slope(enum act act, double x)
{
    if (x == 0 && !act_reads_input(act))
        return act == ACT_RELU         ? 0
               : act == ACT_LEAKY_RELU ? (double)0.2f
               : act == ACT_SIGMOID    ? 0.25
                                       : 1;
    const double h = fabs(x) < 1e-4 ? fabs(x) / 2 + 1e-7 : 1e-5; /* not over the kink */
    return (act_value(act, x + h) - act_value(act, x - h)) / (2 * h);
}

static void test_act(void **state)
{
    (void)state;
    for (enum act act = ACT_NONE; act < ACT_COUNT; act++) {
        for (size_t l = 0; l < 2 * COUNT(lengths); l++) {
            size_t n = lengths[l / 2];
            bool add = l % 2;
            float *x = numbers(n, -6, 6), *dy = numbers(n, -1, 1), *y = zeros(n);
            double *want = doubles(n), *want_dx = doubles(n);
            if (n > 0)
                x[0] = 1.5f; /* a size to compare with */
            if (n > 1)
                x[1] = 0;
            float *dx = target(want_dx, n, add);
            for (size_t i = 0; i < n; i++) {
                want[i] = act_value(act, x[i]);
                want_dx[i] += dy[i] * act_slope(act, x[i]);
            }
            k->act_fwd(&be, y, x, n, act, 0.2f);
            assert_near(y, want, n);
            bool gelu = act_reads_input(act);
            k->act_bwd(&be, dx, dy, gelu ? x : NULL, gelu ? NULL : y, n, act, 0.2f, add);
            assert_near(dx, want_dx, n);
            k->act_bwd(&be, dy, dy, gelu ? x : NULL, gelu ? NULL : y, n, act, 0.2f, false);
            if (!add)
                assert_same(dy, dx, n); /* in place */
            k->act_fwd(&be, x, x, n, act, 0.2f);
            assert_same(x, y, n);
        }
    }
}

static void test_act_nonfinite(void **state)
{
    (void)state;
    for (enum act act = ACT_NONE; act < ACT_COUNT; act++) {
        float x[40], y[40], dx[40];
        for (int i = 0; i < 40; i++)
            x[i] = i == 5 || i == 39 ? NAN : i == 6 ? INFINITY : 1;
        k->act_fwd(&be, y, x, 40, act, 0.2f);
        assert_true(isnan(y[5]) && isnan(y[39]) && !isnan(y[4]) && !isnan(y[38]));
        assert_true(y[6] == (act == ACT_TANH || act == ACT_SIGMOID ? 1 : INFINITY));
        k->act_bwd(&be, dx, x, y, y, 40, act, 0.2f, false); /* dy has the NaN too */
        assert_true(isnan(dx[5]) && isnan(dx[39]) && !isnan(dx[4]) && !isnan(dx[38]));
    }
}

static void test_bias_act(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2 * COUNT(matrices); s++) {
        struct matrix m = matrices[s / 2];
        size_t n = size_of(m);
        enum act act = s % 2 ? ACT_GELU : ACT_RELU;
        float *y = numbers(n, -2, 2), *bias = numbers(m.cols, -1, 1), *z = s % 2 ? zeros(n) : NULL;
        double *want = doubles(n), *want_z = doubles(n);
        for (size_t i = 0; i < n; i++) {
            want_z[i] = y[i] + bias[i % m.cols];
            want[i] = act_value(act, want_z[i]);
        }
        k->bias_act_fwd(&be, y, z, bias, m.rows, m.cols, act, 0);
        assert_near(y, want, n);
        if (z)
            assert_near(z, want_z, n);
    }
}

/* ---- layer normalisation ---- */

struct norm {
    struct matrix m;
    float *x, *w, *b, *dy;
    double *y, *dx, *dw, *db; /* what is right; the gradients are added */
};

static void norm_row(const struct norm *c, int r, double eps)
{
    int n = c->m.cols;
    const float *x = c->x + r * n, *dy = c->dy + r * n;
    double mean = 0, var = 0, g = 0, gh = 0;
    for (int j = 0; j < n; j++)
        mean += x[j] / (double)n;
    for (int j = 0; j < n; j++)
        var += (x[j] - mean) * (x[j] - mean) / n;
    double rstd = 1 / sqrt(var + eps);
    for (int j = 0; j < n; j++) {
        double h = (x[j] - mean) * rstd;
        c->y[r * n + j] = h * c->w[j] + c->b[j];
        c->dw[j] += dy[j] * h;
        c->db[j] += dy[j];
        g += (double)dy[j] * c->w[j] / n;
        gh += (double)dy[j] * c->w[j] * h / n;
    }
    for (int j = 0; j < n; j++) {
        double h = (x[j] - mean) * rstd;
        c->dx[r * n + j] += rstd * ((double)dy[j] * c->w[j] - g - h * gh);
    }
}

static void check_layernorm(struct matrix m, float lo, float hi, bool add, double tolerance)
{
    size_t n = size_of(m);
    struct norm c = {m,
                     numbers(n, lo, hi),
                     numbers(m.cols, 0.5f, 1.5f),
                     numbers(m.cols, -1, 1),
                     numbers(n, -1, 1),
                     doubles(n),
                     doubles(n),
                     doubles(m.cols),
                     doubles(m.cols)};
    float *y = zeros(n), *mean = zeros(m.rows), *rstd = zeros(m.rows);
    float *dx = target(c.dx, n, add), *dw = target(c.dw, m.cols, add),
          *db = target(c.db, m.cols, add);
    for (int r = 0; r < m.rows; r++)
        norm_row(&c, r, (double)1e-5f);
    k->layernorm_fwd(&be, y, mean, rstd, c.x, c.w, c.b, m.rows, m.cols, 1e-5f);
    k->layernorm_bwd(&be, dx, dw, db, c.dy, c.x, mean, rstd, c.w, m.rows, m.cols, add, add, add);
    assert_within(y, c.y, n, tolerance);
    assert_within(dx, c.dx, n, tolerance);
    assert_within(dw, c.dw, m.cols, tolerance);
    assert_within(db, c.db, m.cols, tolerance);
    float *alone = copy_of(c.dy, n); /* dx only, in place of dy */
    k->layernorm_bwd(&be, alone, NULL, NULL, alone, c.x, mean, rstd, c.w, m.rows, m.cols, false,
                     false, false);
    if (!add)
        assert_same(alone, dx, n);
}

static void test_layernorm(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(matrices); s++) {
        if (matrices[s].cols == 1)
            continue; /* no deviation */
        check_layernorm(matrices[s], -2, 2, false, 3e-6);
        check_layernorm(matrices[s], -2, 2, true, 3e-6);
        check_layernorm(matrices[s], 58, 62, false, 3e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vmath),
        cmocka_unit_test(test_vmath_limits),
        cmocka_unit_test_setup_teardown(test_elementwise, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_sumsq, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_col_sum, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_gemm, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_act, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_act_nonfinite, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_bias_act, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_layernorm, kernels_setup, kernels_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
