/* The table of op classes, made of op_list.h. */
#include "engine/ops/ops.h"

#define X(name) extern const struct op_class op_class_##name;
#include "engine/ops/op_list.h"
#undef X

const struct op_class *const op_classes[] = {
#define X(name) &op_class_##name,
#include "engine/ops/op_list.h"
#undef X
    NULL,
};
