/* Philox against its published vectors, and what is made of it. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/rng.h"

static const struct rng_key key = {.seed = 42, .stream = RNG_INIT, .step = 7};

/* "philox4x32 10" of kat_vectors in Random123, by the authors of the paper. */
static void test_known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } vectors[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint32_t out[4];
        philox4x32(vectors[i].counter, vectors[i].key, out);
        assert_memory_equal(out, vectors[i].out, sizeof out);
    }
}

static void moments(const float *x, size_t n, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += ((double)x[i] - *mean) * ((double)x[i] - *mean);
    *variance = squares / (double)n;
}

/* Standard errors: mean 0.29 / sqrt(n), variance 0.075 / sqrt(n); limits are four of them. */
static void test_uniform(void **state)
{
    (void)state;
    enum { n = 100000 };
    float *x = xmalloc(n * sizeof *x);
    rng_uniform(key, x, n, -1.0f, 3.0f);
    for (size_t i = 0; i < n; i++)
        assert_true(x[i] >= -1.0f && x[i] < 3.0f);
    double mean, variance;
    moments(x, n, &mean, &variance);
    assert_close(mean, 1.0, 0, 4 * 4 * 0.29 / sqrt(n));
    assert_close(variance, 16.0 / 12, 0, 4 * 16 * 0.075 / sqrt(n));
    free(x);
}

/* A range so narrow that rounding would reach its end. */
static void test_uniform_is_half_open(void **state)
{
    (void)state;
    float x[4096], high = nextafterf(1.0f, 2.0f);
    rng_uniform(key, x, 4096, 1.0f, high);
    for (size_t i = 0; i < 4096; i++)
        assert_true(x[i] == 1.0f);
}

static void test_normal(void **state)
{
    (void)state;
    enum { n = 100000 };
    float *x = xmalloc(n * sizeof *x);
    rng_normal(key, x, n, 0.5f, 2.0f);
    double mean, variance;
    moments(x, n, &mean, &variance);
    assert_close(mean, 0.5, 0, 4 * 2 / sqrt(n));
    assert_close(variance, 4.0, 0, 4 * 4 * sqrt(2.0 / n));
    size_t within = 0;
    for (size_t i = 0; i < n; i++)
        within += fabsf(x[i] - 0.5f) < 2.0f;
    assert_close((double)within / n, 0.6826894921, 0, 4 * 0.4654 / sqrt(n));
    free(x);
}

/* Element i is the same in a short and a long (threaded) fill, whatever their lengths. */
static void test_elements_stand_alone(void **state)
{
    (void)state;
    enum { n = 70001 };
    float *x = xmalloc(n * sizeof *x), few[7];
    rng_normal(key, x, n, 0, 1);
    rng_normal(key, few, 7, 0, 1);
    assert_memory_equal(x, few, sizeof few);
    float *again = xmalloc((n - 1) * sizeof *again);
    rng_normal(key, again, n - 1, 0, 1);
    assert_memory_equal(x, again, (n - 1) * sizeof *again);
    free(x);
    free(again);
}

static void test_keys_differ(void **state)
{
    (void)state;
    struct rng_key seed = key, stream = key, step = key;
    seed.seed++;
    stream.stream = RNG_ORDER;
    step.step++;
    uint64_t v = rng_u64(key, 0);
    assert_true(v != rng_u64(seed, 0) && v != rng_u64(stream, 0) && v != rng_u64(step, 0));
    assert_true(v != rng_u64(key, 1) && rng_u64(key, 1) != rng_u64(key, 2));
    assert_true(v == rng_u64(key, 0));
}

static void test_permutation_is_one(void **state)
{
    (void)state;
    enum { n = 1000 };
    int64_t order[n];
    char seen[n] = {0};
    rng_permutation(key, order, n);
    size_t at_home = 0;
    for (int i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_false(seen[order[i]]);
        seen[order[i]] = 1;
        at_home += order[i] == i;
    }
    assert_true(at_home < 10);
    int64_t one = 7;
    rng_permutation(key, &one, 1);
    assert_int_equal(one, 0);
    rng_permutation(key, NULL, 0);
}

/* All 24 orders of four come equally often: chi-square with 23 degrees of freedom, 99.99 % below
 * 58.6. */
static void test_permutation_is_fair(void **state)
{
    (void)state;
    enum { draws = 24000 };
    int count[256] = {0};
    for (int i = 0; i < draws; i++) {
        struct rng_key k = {.seed = (uint64_t)i, .stream = RNG_ORDER};
        int64_t p[4];
        rng_permutation(k, p, 4);
        count[p[0] | p[1] << 2 | p[2] << 4 | p[3] << 6]++;
    }
    double chi = 0, expected = draws / 24.0;
    int orders = 0;
    for (int i = 0; i < 256; i++)
        if (count[i]) {
            orders++;
            chi += (count[i] - expected) * (count[i] - expected) / expected;
        }
    assert_int_equal(orders, 24);
    assert_true(chi < 58.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_uniform_is_half_open), cmocka_unit_test(test_normal),
        cmocka_unit_test(test_elements_stand_alone), cmocka_unit_test(test_keys_differ),
        cmocka_unit_test(test_permutation_is_one),   cmocka_unit_test(test_permutation_is_fair),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
