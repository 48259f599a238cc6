/* Element types of tensors in memory and in files. */
#ifndef TT_BASE_DTYPE_H
#define TT_BASE_DTYPE_H

#include <stddef.h>

enum dtype {
    DT_F32, DT_F16, DT_BF16, DT_F64, DT_U8, DT_I8, DT_I16, DT_U16, DT_I32, DT_U32, DT_I64, DT_U64,
    DT_BOOL, DT_F8_E4M3, DT_F8_E5M2, DT_COUNT
};

size_t dtype_size(enum dtype t);      /* bytes */
const char *dtype_name(enum dtype t); /* as safetensors spells it: "F32", "BF16", "U8" */
const char *dtype_short(enum dtype t); /* as on screen: "f32", "u8" */
int dtype_parse(const char *name);    /* safetensors spelling; -1 when unknown */

float f32_from_bf16(unsigned short v);
float f32_from_f16(unsigned short v);
unsigned short bf16_from_f32(float v); /* round to nearest even, NaN kept */

#endif
