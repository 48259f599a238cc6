/* What the tests of kernels share: a CPU backend, and arrays that live for one test. */
#ifndef TT_TESTS_KERNEL_SUPPORT_H
#define TT_TESTS_KERNEL_SUPPORT_H

#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "engine/backend/backend.h"
#include "engine/base/arena.h"

extern struct backend be;
extern const struct kernels *k;

/* Setup and teardown of a test: the backend with two threads, and memory for arrays. */
int kernels_setup(void **state);
int kernels_teardown(void **state);

float *zeros(size_t n);
float *numbers(size_t n, float lo, float hi); /* other ones at every call */
float *copy_of(const float *x, size_t n);

double *doubles(size_t n);

/* What a kernel leaves in `x` is within `tolerance` of the largest of what is right; assert_near:
 * 3e-6, what single ops must keep. */
void assert_within(const float *x, const double *want, size_t n, double tolerance);
void assert_near(const float *x, const double *want, size_t n);

/* Where a gradient goes: NaN when it is stored, numbers when it is added; what is right grows by
 * those numbers. */
float *target(double *want, size_t n, bool add);

/* Equal bit for bit, so that -0 is not 0. */
void assert_same(const float *a, const float *b, size_t n);

#endif
