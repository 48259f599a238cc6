/* exp, tanh, sigmoid and erf without branches or calls, so that loops over them vectorise. Minimax
 * polynomials fitted for this file; NaN stays NaN and the infinities give the limits. Errors
 * against libm in double, as tests/test_kernels.c asserts: vexp 2e-7 relative, vtanh and vsigmoid
 * 3e-7 relative, verf 2e-7 of 1. */
#ifndef TT_BACKEND_CPU_VMATH_H
#define TT_BACKEND_CPU_VMATH_H

#include <stdint.h>
#include <string.h>

#define VMATH static inline __attribute__((always_inline))

/* 2^n for -126 <= n <= 127, anything for other n. */
VMATH float vpow2(int32_t n)
{
    uint32_t bits = ((uint32_t)n + 127) << 23;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* exp(x) = 2^n exp(r), |r| <= ln(2)/2. The scale is applied in two halves, because n reaches from
 * -150 (results below the normal range) to 128 (results that overflow to infinity). */
VMATH float vexp(float x)
{
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding it rounds to a whole number */
    x = x > 89.0f ? 89.0f : x;
    x = x < -104.0f ? -104.0f : x;
    float f = x * 1.44269504f + shift;
    int32_t bits, magic = 0x4B400000; /* shift's bits */
    memcpy(&bits, &f, sizeof bits);
    f -= shift;
    int32_t n = bits - magic, half = n >> 1;
    float r = (x - f * 0.693145752f) - f * 1.42860677e-6f; /* ln 2 in two parts, the first short */
    float q = 1.395170409e-3f;
    q = q * r + 8.369591422e-3f;
    q = q * r + 4.166618757e-2f;
    q = q * r + 1.666651297e-1f;
    q = q * r + 5.000000101e-1f;
    return (q * r * r + r + 1.0f) * vpow2(half) * vpow2(n - half);
}

VMATH float vsigmoid(float x)
{
    return 1.0f / (1.0f + vexp(-x));
}

/* Near 0 x + x^3 P(x^2), else (1 - e) / (1 + e) with e = exp(-2|x|). */
VMATH float vtanh(float x)
{
    float a = x < 0.0f ? -x : x, s = x * x;
    float p = -5.721638211e-3f;
    p = p * s + 2.065522653e-2f;
    p = p * s - 5.374514735e-2f;
    p = p * s + 1.333151521e-1f;
    p = p * s - 3.333328508e-1f;
    float near = x + x * s * p;
    float e = vexp(-2.0f * a), far = (1.0f - e) / (1.0f + e);
    far = x < 0.0f ? -far : far;
    return a < 0.625f ? near : far;
}

/* Near 0 x P(x^2), else 1 - exp(Q(|x|)), which is 1 in float32 from 4 on. */
VMATH float verf(float x)
{
    float a = x < 0.0f ? -x : x, s = x * x;
    float p = 7.889123304e-5f;
    p = p * s - 8.020842413e-4f;
    p = p * s + 5.189535467e-3f;
    p = p * s - 2.685444466e-2f;
    p = p * s + 1.128360018e-1f;
    p = p * s - 3.761262714e-1f;
    p = p * s + 1.128379166f;
    float c = a > 4.0f ? 4.0f : a;
    float q = 1.855739714e-4f;
    q = q * c - 2.939606934e-3f;
    q = q * c + 2.180531688e-2f;
    q = q * c - 1.030373658e-1f;
    q = q * c - 6.382256806e-1f;
    q = q * c - 1.127040034f;
    q = q * c - 3.537199543e-4f;
    float far = 1.0f - vexp(q);
    far = x < 0.0f ? -far : far;
    return a < 1.0f ? x * p : far;
}

#endif
