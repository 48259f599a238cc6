/* The backend and the arrays of a kernel test, and its comparisons. */
#include "tests/kernel_support.h"

struct backend be;
const struct kernels *k;

static struct arena mem;
static uint64_t calls;

int kernels_setup(void **state)
{
    struct err e = ERR_INIT;
    (void)state;
    arena_init(&mem, 1 << 20);
    calls = 0;
    if (backend_open(&be, "cpu", 2, &e) != 0) {
        print_error("%s\n", e.msg);
        return -1;
    }
    k = be.k;
    return 0;
}

int kernels_teardown(void **state)
{
    (void)state;
    backend_close(&be);
    arena_release(&mem);
    return 0;
}

float *zeros(size_t n)
{
    return arena_alloc(&mem, n * sizeof(float));
}

float *numbers(size_t n, float lo, float hi)
{
    float *x = zeros(n);
    rng_uniform((struct rng_key){7, RNG_SYNTHETIC, calls++}, x, n, lo, hi);
    return x;
}

float *copy_of(const float *x, size_t n)
{
    float *y = zeros(n);
    memcpy(y, x, n * sizeof *x);
    return y;
}

double *doubles(size_t n)
{
    return arena_alloc(&mem, n * sizeof(double));
}

void assert_within(const float *x, const double *want, size_t n, double tolerance)
{
    double largest = 0, worst = 0;
    size_t place = 0;
    for (size_t i = 0; i < n; i++) {
        double diff = fabs(x[i] - want[i]);
        largest = fmax(largest, fabs(want[i]));
        if (!(diff <= worst)) {
            worst = diff;
            place = i;
        }
    }
    if (!(worst <= tolerance * largest))
        fail_msg("element %zu of %zu: %.9g, not %.9g", place, n, x[place], want[place]);
}

void assert_near(const float *x, const double *want, size_t n)
{
    assert_within(x, want, n, 3e-6);
}

float *target(double *want, size_t n, bool add)
{
    float *x = numbers(n, -1, 1);
    for (size_t i = 0; i < n; i++) {
        if (add)
            want[i] += x[i];
        else
            x[i] = NAN;
    }
    return x;
}

void assert_same(const float *a, const float *b, size_t n)
{
    assert_memory_equal(a, b, n * sizeof *a);
}
