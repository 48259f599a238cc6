/* Loss kernels and dropout of the CPU backend against plain loops in double. */
#include "tests/kernel_support.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct matrix {
    int rows, cols;
};
static const struct matrix matrices[] = {{1, 1}, {1, 3}, {64, 10}, {7, 129}, {1000, 2}, {300, 120}};

/* ---- softmax cross-entropy ---- */

struct xent {
    struct xent_rule rule;
    float *x, *dx;
    int32_t *label;
    double loss, *prob, *grad; /* what is right */
};

static double class_weight(const struct xent_rule *r, int c)
{
    return r->weight ? r->weight[c] : 1;
}

/* As torch's cross_entropy defines it, term by term. */
static void xent_row(struct xent *t, int i, double scale)
{
    int n = t->rule.classes;
    double sum = 0, s = t->rule.smoothing, *p = t->prob + i * n;
    for (int c = 0; c < n; c++)
        sum += exp((double)t->x[i * n + c]);
    for (int c = 0; c < n; c++)
        p[c] = exp((double)t->x[i * n + c]) / sum;
    if (t->label[i] == t->rule.ignore)
        return;
    for (int c = 0; c < n; c++) {
        double w = class_weight(&t->rule, c);
        double factor = (c == t->label[i] ? (1 - s) * w : 0) + s / n * w; /* of -log p[c] */
        t->loss -= factor * log(p[c]) * t->rule.inv_denom;
        for (int j = 0; j < n; j++)
            t->grad[i * n + j] += scale * factor * (p[j] - (j == c));
    }
}

static void check_xent(struct matrix m, bool ignore, float smoothing, bool weighted, bool add)
{
    size_t n = (size_t)m.rows * m.cols;
    struct xent t = {.rule = {m.rows, m.cols, -100, smoothing, 1.0f / m.rows,
                              weighted ? numbers(m.cols, 0.2f, 3) : NULL},
                     .x = numbers(n, -4, 4),
                     .label = (int32_t *)zeros(m.rows),
                     .prob = doubles(n),
                     .grad = doubles(n)};
    float loss, dloss = 0.7f, *prob = zeros(n);
    t.dx = target(t.grad, n, add);
    for (int i = 0; i < m.rows; i++)
        t.label[i] = ignore && i % 5 == 2 ? -100 : i * 7 % m.cols;
    for (int i = 0; i < m.rows; i++)
        xent_row(&t, i, (double)dloss * t.rule.inv_denom);
    k->xent_fwd(&be, &loss, prob, t.x, t.label, &t.rule);
    k->xent_bwd(&be, t.dx, &dloss, prob, t.label, &t.rule, add);
    assert_close(loss, t.loss, 1e-6, 1e-7);
    assert_near(prob, t.prob, n);
    assert_within(t.dx, t.grad, n, m.cols > 1 ? 3e-6 : 1); /* one class: the gradient is 0 */
}

static void test_xent(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(matrices); s++) {
        for (int bits = 0; bits < 16; bits++)
            check_xent(matrices[s], bits & 1, bits & 2 ? 0.2f : 0, bits & 4, bits & 8);
    }
}

static void test_xent_extremes(void **state)
{
    (void)state;
    struct xent_rule rule = {2, 3, -100, 0, 0.5f, NULL};
    const float big[] = {1000, -1000, 0, -3e38f, -3e38f, 3e38f}, one = 1;
    float loss, prob[6], dx[6];
    k->xent_fwd(&be, &loss, prob, big, (int32_t[]){0, 2}, &rule);
    assert_true(loss == 0 && prob[0] == 1 && prob[1] == 0 && prob[5] == 1);
    k->xent_fwd(&be, &loss, prob, big, (int32_t[]){1, 2}, &rule);
    assert_close(loss, 1000, 1e-7, 0);

    const float bad[] = {1, NAN, 2, 1, 2, 3};
    k->xent_fwd(&be, &loss, prob, bad, (int32_t[]){0, 2}, &rule);
    assert_true(isnan(loss) && isnan(prob[0]) && isnan(prob[2]) && !isnan(prob[3]));
    k->xent_bwd(&be, dx, &one, prob, (int32_t[]){0, 2}, &rule, false);
    assert_true(isnan(dx[0]) && !isnan(dx[3]));
    k->xent_fwd(&be, &loss, prob, bad, (int32_t[]){-100, 2}, &rule); /* takes no part */
    k->xent_bwd(&be, dx, &one, prob, (int32_t[]){-100, 2}, &rule, false);
    assert_true(isfinite(loss) && dx[0] == 0 && dx[1] == 0 && dx[2] == 0);
    k->xent_fwd(&be, &loss, prob, bad, (int32_t[]){-100, -100}, &rule);
    assert_true(loss == 0);
}

/* ---- losses against targets ---- */

static double mse(double x, double t, double w)
{
    (void)w;
    return (x - t) * (x - t);
}

static double mse_slope(double x, double t, double w)
{
    (void)w;
    return 2 * (x - t);
}

static double bce(double x, double t, double w)
{
    double p = 1 / (1 + exp(-x));
    return -w * t * log(p) - (1 - t) * log1p(-p);
}

static double bce_slope(double x, double t, double w)
{
    double p = 1 / (1 + exp(-x));
    return -w * t * (1 - p) + (1 - t) * p;
}

static void check_target_loss(struct matrix m, bool gaps, bool weighted, bool add, bool binary)
{
    size_t n = (size_t)m.rows * m.cols;
    float *x = numbers(n, -5, 5), *t = numbers(n, 0, 1);
    float *w = weighted ? numbers(m.cols, 0.3f, 4) : NULL;
    double *grad = doubles(n), want = 0;
    float loss, dloss = 1.3f, inv = 0.01f, *dx = target(grad, n, add);
    for (int i = 0; i < m.rows; i++) {
        if (gaps && i % 3 == 1) {
            t[i * m.cols] = NAN;
            continue;
        }
        for (int j = i * m.cols; j < (i + 1) * m.cols; j++) {
            double pw = w ? w[j % m.cols] : 1;
            want += (binary ? bce : mse)(x[j], t[j], pw) * inv;
            grad[j] += (binary ? bce_slope : mse_slope)(x[j], t[j], pw) * dloss * inv;
        }
    }
    if (binary) {
        k->bce_fwd(&be, &loss, x, t, w, m.rows, m.cols, inv);
        k->bce_bwd(&be, dx, &dloss, x, t, w, m.rows, m.cols, inv, add);
    } else {
        k->mse_fwd(&be, &loss, x, t, m.rows, m.cols, inv);
        k->mse_bwd(&be, dx, &dloss, x, t, m.rows, m.cols, inv, add);
    }
    assert_close(loss, want, 1e-6, 0);
    assert_near(dx, grad, n);
}

static void test_mse(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(matrices); s++) {
        for (int bits = 0; bits < 4; bits++)
            check_target_loss(matrices[s], bits & 1, false, bits & 2, false);
    }
}

static void test_bce(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(matrices); s++) {
        for (int bits = 0; bits < 8; bits++)
            check_target_loss(matrices[s], bits & 1, bits & 4, bits & 2, true);
    }
}

static void test_target_extremes(void **state)
{
    (void)state;
    const float x[] = {200, -200, NAN}, t[] = {0, 1, 1}, one = 1;
    float loss, dx[3];
    k->bce_fwd(&be, &loss, x, t, NULL, 2, 1, 1);
    assert_close(loss, 400, 1e-7, 0);
    k->bce_bwd(&be, dx, &one, x, t, NULL, 3, 1, 1, false);
    assert_true(dx[0] == 1 && dx[1] == -1 && isnan(dx[2]));
    k->bce_fwd(&be, &loss, x, t, NULL, 3, 1, 1);
    assert_true(isnan(loss));
    k->mse_fwd(&be, &loss, x, t, 3, 1, 1);
    assert_true(isnan(loss));
}

/* ---- dropout ---- */

static bool lives(struct rng_key key, size_t i, float p)
{
    uint32_t word[4];
    rng_block(key, i / 4, word);
    return rng_to_unit(word[i % 4]) >= p;
}

static void test_dropout(void **state)
{
    static const size_t lengths[] = {0, 1, 5, 63, 64, 65, 8191, 8193, 70001};
    static const float chances[] = {0, 0.1f, 0.5f, 1};
    const struct rng_key key = {42, RNG_DROPOUT | 5 << 8, 17};
    (void)state;
    for (size_t s = 0; s < COUNT(lengths) * COUNT(chances); s++) {
        size_t n = lengths[s / COUNT(chances)], alive = 0;
        float p = chances[s % COUNT(chances)], *x = numbers(n, 1, 2), *y = zeros(n);
        double *want = doubles(n), *want_dx = doubles(n);
        float *dx = target(want_dx, n, true);
        for (size_t i = 0; i < n; i++) {
            want[i] = lives(key, i, p) ? x[i] / (1 - (double)p) : 0;
            want_dx[i] += want[i];
            alive += lives(key, i, p);
        }
        k->dropout_fwd(&be, y, x, n, p, key);
        assert_near(y, want, n);
        k->dropout_bwd(&be, dx, x, n, p, key, true);
        assert_near(dx, want_dx, n);
        k->dropout_bwd(&be, dx, x, n, p, key, false);
        assert_same(dx, y, n);
        if (n > 8000)
            assert_close((double)alive / n, 1 - p, 0, 0.02);
    }
    float x[8], y[8];
    for (int i = 0; i < 8; i++)
        x[i] = NAN;
    k->dropout_fwd(&be, y, x, 8, 0.5f, key);
    for (int i = 0; i < 8; i++)
        assert_true(isnan(y[i])); /* the dead ones too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_xent, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_xent_extremes, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_mse, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_bce, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_target_extremes, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_dropout, kernels_setup, kernels_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
