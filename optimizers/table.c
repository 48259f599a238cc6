/* The table of optimizer classes, made of list.h. */
#include "optimizers/table.h"

#define X(name) extern const struct optim_class optim_##name;
#include "optimizers/list.h"
#undef X

const struct optim_class *const optim_classes[] = {
#define X(name) &optim_##name,
#include "optimizers/list.h"
#undef X
    NULL,
};
