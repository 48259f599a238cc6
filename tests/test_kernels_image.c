/* Convolution and pooling of the CPU backend against plain loops in double. */
#include "tests/kernel_support.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* n c h w, oc kh kw, stride pad; oh and ow follow. */
static const struct conv_dims convs[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1},        {2, 3, 7, 6, 4, 3, 3, 1, 0, 5, 4},
    {5, 1, 28, 28, 8, 3, 3, 1, 1, 28, 28},    {3, 4, 9, 5, 6, 3, 3, 1, 1, 9, 5},
    {2, 3, 8, 7, 5, 3, 3, 2, 0, 3, 3},        {4, 2, 9, 8, 3, 4, 4, 2, 1, 4, 4},
    {37, 2, 6, 6, 3, 5, 5, 1, 2, 6, 6},       {3, 8, 5, 5, 7, 1, 1, 1, 0, 5, 5},
    {6, 3, 4, 5, 9, 4, 5, 1, 0, 1, 1},        {2, 2, 5, 6, 3, 2, 3, 1, 1, 6, 6},
    {2, 2, 3, 3, 2, 3, 3, 3, 2, 2, 2},        {3, 2, 2, 2, 2, 5, 5, 1, 2, 2, 2},
    {18, 16, 14, 14, 32, 3, 3, 1, 1, 14, 14},
};

static size_t x_len(const struct conv_dims *d)
{
    return (size_t)d->n * d->c * d->h * d->w;
}

static size_t y_len(const struct conv_dims *d)
{
    return (size_t)d->n * d->oc * d->oh * d->ow;
}

static size_t w_len(const struct conv_dims *d)
{
    return (size_t)d->oc * d->c * d->kh * d->kw;
}

/* Calls f with the places of one multiplication in y, x and w, for all of them. */
static void each_product(const struct conv_dims *d, void (*f)(void *, size_t, size_t, size_t),
                         void *arg)
{
    for (size_t y = 0; y < y_len(d); y++) {
        int ox = (int)(y % d->ow), oy = (int)(y / d->ow % d->oh);
        size_t o = y / ((size_t)d->ow * d->oh) % d->oc, i = y / ((size_t)d->ow * d->oh * d->oc);
        for (size_t k_at = 0; k_at < (size_t)d->c * d->kh * d->kw; k_at++) {
            int kx = (int)(k_at % d->kw), ky = (int)(k_at / d->kw % d->kh);
            size_t c = k_at / ((size_t)d->kw * d->kh);
            int px = ox * d->stride + kx - d->pad, py = oy * d->stride + ky - d->pad;
            if (px >= 0 && px < d->w && py >= 0 && py < d->h)
                f(arg, y, ((i * d->c + c) * d->h + py) * d->w + px,
                  o * d->c * d->kh * d->kw + k_at);
        }
    }
}

struct conv {
    const float *x, *w, *bias, *dy;
    double *y, *dx, *dw, *db;
};

static void multiply(void *arg, size_t y, size_t x, size_t w)
{
    struct conv *c = arg;
    c->y[y] += (double)c->x[x] * c->w[w];
    c->dx[x] += (double)c->dy[y] * c->w[w];
    c->dw[w] += (double)c->dy[y] * c->x[x];
}

static void check_conv(const struct conv_dims *d, bool add)
{
    size_t plane = (size_t)d->oh * d->ow;
    struct conv c = {numbers(x_len(d), -1, 1), numbers(w_len(d), -1, 1),
                     numbers(d->oc, -1, 1),    numbers(y_len(d), -1, 1),
                     doubles(y_len(d)),        doubles(x_len(d)),
                     doubles(w_len(d)),        doubles(d->oc)};
    float *y = zeros(y_len(d)), *dx = target(c.dx, x_len(d), add),
          *dw = target(c.dw, w_len(d), add), *db = target(c.db, d->oc, add);
    float *scratch = zeros(k->conv2d_scratch(&be, d) / sizeof(float));
    each_product(d, multiply, &c);
    k->conv2d_fwd(&be, y, c.x, c.w, NULL, d, ACT_NONE, 0, scratch);
    assert_near(y, c.y, y_len(d));
    for (size_t i = 0; i < y_len(d); i++) {
        double v = c.y[i] + c.bias[i / plane % d->oc];
        c.y[i] = v > 0 ? v : 0.2 * v;
        c.db[i / plane % d->oc] += c.dy[i];
    }
    k->conv2d_fwd(&be, y, c.x, c.w, c.bias, d, ACT_LEAKY_RELU, 0.2f, scratch);
    assert_near(y, c.y, y_len(d));
    k->conv2d_bwd(&be, dx, dw, db, c.dy, c.x, c.w, d, add, add, add, scratch);
    assert_near(dx, c.dx, x_len(d));
    assert_near(dw, c.dw, w_len(d));
    assert_near(db, c.db, d->oc);
    if (add)
        return;
    float *alone[3] = {zeros(x_len(d)), zeros(w_len(d)), zeros(d->oc)}; /* each by itself */
    k->conv2d_bwd(&be, alone[0], NULL, NULL, c.dy, c.x, c.w, d, false, false, false, scratch);
    k->conv2d_bwd(&be, NULL, alone[1], NULL, c.dy, c.x, c.w, d, false, false, false, scratch);
    k->conv2d_bwd(&be, NULL, NULL, alone[2], c.dy, c.x, c.w, d, false, false, false, scratch);
    assert_same(alone[0], dx, x_len(d));
    assert_same(alone[1], dw, w_len(d));
    assert_same(alone[2], db, d->oc);
}

static void test_conv(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(convs); s++) {
        check_conv(&convs[s], false);
        check_conv(&convs[s], true);
    }
}

static void test_conv_nan(void **state)
{
    (void)state;
    const struct conv_dims d = {1, 1, 5, 5, 1, 3, 3, 1, 1, 5, 5};
    float *x = zeros(25), *y = zeros(25), *w = numbers(9, 1, 2);
    x[12] = NAN;
    k->conv2d_fwd(&be, y, x, w, NULL, &d, ACT_RELU, 0,
                  zeros(k->conv2d_scratch(&be, &d) / sizeof(float)));
    for (int i = 0; i < 25; i++) {
        bool near = i / 5 >= 1 && i / 5 <= 3 && i % 5 >= 1 && i % 5 <= 3;
        assert_int_equal(isnan(y[i]) != 0, near);
    }
}

/* ---- pooling ---- */

/* n c h w, k stride pad; oh and ow follow. */
static const struct pool_dims pools[] = {
    {1, 1, 2, 2, 2, 2, 0, 1, 1},      {2, 3, 6, 6, 2, 2, 0, 3, 3},
    {2, 3, 7, 9, 2, 2, 0, 3, 4},      {3, 5, 14, 14, 2, 2, 0, 7, 7},
    {8, 32, 28, 28, 2, 2, 0, 14, 14}, {2, 2, 40, 33, 2, 2, 0, 20, 16},
    {2, 3, 7, 8, 3, 2, 1, 4, 4},      {1, 2, 5, 5, 3, 1, 1, 5, 5},
    {1, 2, 6, 5, 2, 1, 0, 5, 4},      {1, 1, 9, 9, 3, 3, 0, 3, 3},
    {1, 1, 4, 4, 2, 2, 1, 3, 3},      {1, 1, 1, 1, 1, 1, 0, 1, 1},
};

static size_t in_len(const struct pool_dims *d)
{
    return (size_t)d->n * d->c * d->h * d->w;
}

static size_t out_len(const struct pool_dims *d)
{
    return (size_t)d->n * d->c * d->oh * d->ow;
}

/* Place of output o's maximum within its plane. */
static int place(const struct pool_dims *d, const float *x, size_t o)
{
    const float *plane = x + o / ((size_t)d->oh * d->ow) * d->h * d->w;
    int y0 = (int)(o / d->ow % d->oh) * d->stride - d->pad,
        x0 = (int)(o % d->ow) * d->stride - d->pad;
    int best = -1;
    for (int i = y0; i < y0 + d->k; i++) {
        for (int j = x0; j < x0 + d->k; j++) {
            if (i < 0 || i >= d->h || j < 0 || j >= d->w)
                continue;
            if (best < 0 || plane[i * d->w + j] > plane[best])
                best = i * d->w + j;
        }
    }
    return best;
}

/* `levels`: so few different numbers that windows have ties. */
static void check_pool(const struct pool_dims *d, int levels, bool add)
{
    size_t in = in_len(d), out = out_len(d), plane_in = (size_t)d->h * d->w,
           plane_out = (size_t)d->oh * d->ow;
    float *x = numbers(in, -1, 1), *y = zeros(out), *dy = numbers(out, -1, 1);
    int32_t *arg = (int32_t *)zeros(out);
    double *want = doubles(in);
    float *dx = target(want, in, add);
    for (size_t i = 0; i < in; i++)
        x[i] = levels ? floorf(x[i] * levels) : x[i];
    k->maxpool_fwd(&be, y, arg, x, d);
    for (size_t o = 0; o < out; o++) {
        int at = place(d, x, o);
        size_t p = o / plane_out * plane_in;
        assert_int_equal(arg[o], at);
        assert_true(y[o] == x[p + at]);
        want[p + at] += dy[o];
    }
    k->maxpool_bwd(&be, dx, dy, arg, d, add);
    assert_near(dx, want, in);
}

static void test_pool(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(pools); s++) {
        check_pool(&pools[s], 0, false);
        check_pool(&pools[s], 2, true);
    }
}

/* A NaN anywhere in a window is its maximum; minus infinity alone is a number. */
static void test_pool_nonfinite(void **state)
{
    const struct pool_dims two = {1, 1, 2, 16, 2, 2, 0, 1, 8}, three = {1, 1, 3, 3, 3, 1, 0, 1, 1};
    float x[32], y[8];
    int32_t arg[8];
    (void)state;
    for (int i = 0; i < 32; i++)
        x[i] = i % 16 / 2 == 7 ? -INFINITY : 1;
    for (int i = 0; i < 4; i++) /* window i has it at its corner i */
        x[i / 2 * 16 + 2 * i + i % 2] = NAN;
    k->maxpool_fwd(&be, y, arg, x, &two);
    for (int i = 0; i < 4; i++) {
        assert_true(isnan(y[i]));
        assert_int_equal(arg[i], i / 2 * 16 + 2 * i + i % 2);
    }
    assert_true(y[4] == 1 && y[7] == -INFINITY);
    assert_int_equal(arg[7], 14);
    for (int i = 0; i < 9; i++) {
        float z[9] = {1, 2, 3, 4, INFINITY, 6, 7, 8, 9};
        z[i] = NAN;
        k->maxpool_fwd(&be, y, arg, z, &three);
        assert_true(isnan(y[0]) && arg[0] == i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_conv, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_conv_nan, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_pool, kernels_setup, kernels_teardown),
        cmocka_unit_test_setup_teardown(test_pool_nonfinite, kernels_setup, kernels_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
