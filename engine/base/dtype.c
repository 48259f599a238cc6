/* Element types: sizes, names, conversions of the half-width floats. */
#include "engine/base/dtype.h"

#include <stdint.h>
#include <string.h>

#include "engine/base/die.h"

static const struct {
    const char *name, *brief;
    size_t size;
} types[DT_COUNT] = {
    [DT_F32] = {"F32", "f32", 4},
    [DT_F16] = {"F16", "f16", 2},
    [DT_BF16] = {"BF16", "bf16", 2},
    [DT_F64] = {"F64", "f64", 8},
    [DT_U8] = {"U8", "u8", 1},
    [DT_I8] = {"I8", "i8", 1},
    [DT_I16] = {"I16", "i16", 2},
    [DT_U16] = {"U16", "u16", 2},
    [DT_I32] = {"I32", "i32", 4},
    [DT_U32] = {"U32", "u32", 4},
    [DT_I64] = {"I64", "i64", 8},
    [DT_U64] = {"U64", "u64", 8},
    [DT_BOOL] = {"BOOL", "bool", 1},
    [DT_F8_E4M3] = {"F8_E4M3", "f8e4m3", 1},
    [DT_F8_E5M2] = {"F8_E5M2", "f8e5m2", 1},
};

size_t dtype_size(enum dtype t)
{
    BUG_ON((unsigned)t >= DT_COUNT);
    return types[t].size;
}

const char *dtype_name(enum dtype t)
{
    BUG_ON((unsigned)t >= DT_COUNT);
    return types[t].name;
}

const char *dtype_short(enum dtype t)
{
    BUG_ON((unsigned)t >= DT_COUNT);
    return types[t].brief;
}

int dtype_parse(const char *name)
{
    for (int i = 0; i < DT_COUNT; i++)
        if (!strcmp(types[i].name, name))
            return i;
    return -1;
}

static float f32_from_bits(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

float f32_from_bf16(unsigned short v)
{
    return f32_from_bits((uint32_t)v << 16);
}

float f32_from_f16(unsigned short v)
{
    uint32_t sign = (uint32_t)(v & 0x8000) << 16, exponent = v >> 10 & 31, fraction = v & 1023;
    if (exponent == 31) /* infinity, NaN */
        return f32_from_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0) { /* zero, subnormal: a multiple of 2^-24 */
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return f32_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

unsigned short bf16_from_f32(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (v != v)
        return (unsigned short)(bits >> 16 | 0x40); /* quiet; a cut fraction would be infinity */
    bits += 0x7fff + (bits >> 16 & 1);
    return (unsigned short)(bits >> 16);
}
