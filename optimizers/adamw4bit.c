/* AdamW with moments of half a byte: torchao's AdamW4bit (optimizers.md 4.2). The even element of a pair
 * has the high half. */
#include "optimizers/lowbit.h"

static const struct opt_desc adamw4bit_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    BETA1_ROW(lowbit_opts, 0.9),
    BETA2_ROW(lowbit_opts, 0.999),
    EPS_ROW(lowbit_opts, 1e-8),
    LOWBIT_BLOCK_ROW(128),
    {0},
};

static int adamw4bit_check(const void *opts, const struct param_set *ps, struct err *e)
{
    const struct lowbit_opts *o = opts;
    (void)ps;
    if (o->block_size % 2)
        return err_set(
            e, TT_ECONFIG,
            "optimizer.block_size = %lld with optimizer.name = adamw4bit (an even number)",
            (long long)o->block_size);
    return 0;
}

static int adamw4bit_states(const void *opts, const struct segment *seg, int state_bits,
                            struct state_desc out[OPTIM_MAX_STATES])
{
    return lowbit_states(opts, seg, state_bits, 2, out);
}

/* The maps, rising. The one of squares has no 0: an element without gradient is divided by a root that
 * is too large, which does no harm. */
static const float signed_map[16] = {-0.8875f, -0.6625f, -0.4375f, -0.2125f, -0.0775f, -0.0325f,
                                     -0.0055f, 0,        0.0055f,  0.0325f,  0.0775f,  0.2125f,
                                     0.4375f,  0.6625f,  0.8875f,  1};
static const float unsigned_map[16] = {
    1 / 16.0f, 2 / 16.0f,  3 / 16.0f,  4 / 16.0f,  5 / 16.0f,  6 / 16.0f,  7 / 16.0f,  8 / 16.0f,
    9 / 16.0f, 10 / 16.0f, 11 / 16.0f, 12 / 16.0f, 13 / 16.0f, 14 / 16.0f, 15 / 16.0f, 1};

static bool adamw4bit_codes(const void *opts, const char *state, struct state_codes *out)
{
    static const float *const maps[2] = {signed_map, unsigned_map};
    bool coded = lowbit_codes(opts, state, 4, maps, out);
    out->high = 15;
    return coded;
}

INLINE void decode(const float *map, const uint8_t *code, float scale, size_t n, float *restrict s)
{
    int32_t wide[LOWBIT_MAX];
#pragma omp simd
    for (size_t i = 0; i < n / 2; i++) {
        wide[2 * i] = code[i] >> 4;
        wide[2 * i + 1] = code[i] & 15;
    }
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        s[i] = map[wide[i]] * scale;
}

/* Nearest codes; halfway goes up. */
INLINE void encode(const float *map, const float *s, float scale, size_t n, uint8_t *restrict code)
{
    int32_t wide[LOWBIT_MAX];
    float mid[15];
    for (int k = 0; k < 15; k++)
        mid[k] = (map[k] + map[k + 1]) * 0.5f;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        float x = s[i] / scale;
        int32_t c = 0;
        for (int k = 0; k < 15; k++)
            c += x >= mid[k];
        wide[i] = c;
    }
#pragma omp simd
    for (size_t i = 0; i < n / 2; i++)
        code[i] = (uint8_t)(wide[2 * i] << 4 | wide[2 * i + 1]);
}

INLINE void block(const void *arg, size_t b)
{
    const struct lowbit_pass a = *(const struct lowbit_pass *)arg;
    size_t n = a.block, at = b * n;
    uint8_t *code1 = a.code1 + at / 2, *code2 = a.code2 + at / 2;
    float m[LOWBIT_MAX], v[LOWBIT_MAX], most[2];
    prefetch_behind(a.w + at, n);
    prefetch_behind(a.g + at, n);
    decode(signed_map, code1, a.scale1[b], n, m);
    decode(unsigned_map, code2, a.scale2[b], n, v);
    lowbit_update_block(&a, a.w + at, a.g + at, m, v, n, most);
    encode(signed_map, m, a.scale1[b] = most[0], n, code1);
    encode(unsigned_map, v, a.scale2[b] = most[1], n, code2);
}

LOOKUP_CLONES(block)

static void adamw4bit_step(const struct optim_step *s)
{
    lowbit_step(s, block_best());
}

const struct optim_class optim_adamw4bit = {
    .name = "adamw4bit",
    .summary = "AdamW with moments of half a byte (torchao)",
    .opts = adamw4bit_rows,
    .opts_size = sizeof(struct lowbit_opts),
    .check = adamw4bit_check,
    .states = adamw4bit_states,
    .codes = adamw4bit_codes,
    .step = adamw4bit_step,
};
