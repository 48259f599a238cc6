/* What an option's type can do: one constant table row per enum opt_type. For opt.c alone. */
#ifndef TT_BASE_OPT_TYPE_H
#define TT_BASE_OPT_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/opt.h"

struct opt_type_class {
    size_t size;
    bool owned; /* a char * that is freed and copied */
    void (*set_default)(const struct opt_desc *d, void *value);
    bool (*parse)(const struct opt_desc *d, void *value, const char *text); /* text not empty */
    bool (*unset)(const struct opt_desc *d, void *value);                   /* NULL: never */
    void (*format)(const struct opt_desc *d, const void *value, char *dst, size_t size);
    void (*show)(const struct opt_desc *d, const void *value, char *dst, size_t size);
    void (*allowed)(const struct opt_desc *d, char *dst, size_t size);
};

extern const struct opt_type_class opt_types[];

#endif
