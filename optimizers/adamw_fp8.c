/* AdamW with moments in 8-bit floating point (e4m3, no infinities): torchao's AdamWFp8 (optimizers.md
 * 4.2). */
#include <pthread.h>
#include <string.h>

#include "engine/base/str.h"
#include "optimizers/lowbit.h"

static const struct opt_desc adamw_fp8_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    BETA1_ROW(lowbit_opts, 0.9),
    BETA2_ROW(lowbit_opts, 0.999),
    EPS_ROW(lowbit_opts, 1e-8),
    LOWBIT_BLOCK_ROW(256),
    {0},
};

static int adamw_fp8_states(const void *opts, const struct segment *seg, int state_bits,
                            struct state_desc out[OPTIM_MAX_STATES])
{
    return lowbit_states(opts, seg, state_bits, 1, out);
}

/* ---- the format: sign, 4 bits of exponent with bias 7, 3 of mantissa ------------------------- */

#define FP8_MOST 448.0f
#define FP8_MOST_CODE 126

static float value_of[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_values(void)
{
    for (int c = 0; c < 256; c++) {
        int exponent = c >> 3 & 15, mantissa = c & 7;
        float v =
            exponent ? ldexpf((float)(8 + mantissa), exponent - 10) : ldexpf((float)mantissa, -9);
        value_of[c] = c & 128 ? -v : v;
    }
}

/* To nearest even. Below 2^-6 the format counts in steps of 2^-9: adding `shift` rounds to whole ones. */
INLINE int32_t encode(float x)
{
    const float shift = 12582912.0f; /* 1.5 * 2^23 */
    const int32_t shift_bits = 0x4b400000, least_normal = (127 - 6) << 23, rebias = (127 - 7) << 3;
    float size = fabsf(x), counted = size * 512.0f + shift;
    int32_t bits, size_bits, counted_bits;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&size_bits, &size, sizeof size_bits);
    memcpy(&counted_bits, &counted, sizeof counted_bits);
    int32_t normal = ((size_bits + 0x7ffff + (size_bits >> 20 & 1)) >> 20) - rebias;
    int32_t code = size_bits < least_normal ? counted_bits - shift_bits : normal;
    return (bits >> 31 & 128) | (code < FP8_MOST_CODE ? code : FP8_MOST_CODE);
}

static bool adamw_fp8_codes(const void *opts, const char *state, struct state_codes *out)
{
    static const float *const maps[2] = {value_of, value_of};
    pthread_once(&once, make_values);
    bool coded = lowbit_codes(opts, state, 8, maps, out);
    out->low = str_ends(state, "_sq_codes") ? 0 : 128 + FP8_MOST_CODE;
    out->high = FP8_MOST_CODE;
    return coded;
}

INLINE void decode_block(const uint8_t *code, float scale, size_t n, float *restrict s)
{
    int32_t wide[LOWBIT_MAX];
    widen(code, n, wide);
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        s[i] = value_of[wide[i]] * scale;
}

INLINE void encode_block(const float *s, float scale, size_t n, uint8_t *restrict code)
{
    int32_t wide[LOWBIT_MAX];
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        wide[i] = encode(s[i] / scale);
    narrow(wide, n, code);
}

INLINE void block(const void *arg, size_t b)
{
    const struct lowbit_pass a = *(const struct lowbit_pass *)arg;
    size_t n = a.block, at = b * n;
    float m[LOWBIT_MAX], v[LOWBIT_MAX], most[2];
    prefetch_behind(a.w + at, n);
    prefetch_behind(a.g + at, n);
    decode_block(a.code1 + at, a.scale1[b], n, m);
    decode_block(a.code2 + at, a.scale2[b], n, v);
    lowbit_update_block(&a, a.w + at, a.g + at, m, v, n, most);
    encode_block(m, a.scale1[b] = most[0] / FP8_MOST, n, a.code1 + at);
    encode_block(v, a.scale2[b] = most[1] / FP8_MOST, n, a.code2 + at);
}

LOOKUP_CLONES(block)

static void adamw_fp8_step(const struct optim_step *s)
{
    pthread_once(&once, make_values);
    lowbit_step(s, block_best());
}

const struct optim_class optim_adamw_fp8 = {
    .name = "adamw_fp8",
    .summary = "AdamW with moments in 8-bit floating point (torchao)",
    .opts = adamw_fp8_rows,
    .opts_size = sizeof(struct lowbit_opts),
    .states = adamw_fp8_states,
    .codes = adamw_fp8_codes,
    .step = adamw_fp8_step,
};
