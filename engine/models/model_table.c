/* The table of model classes, made of model_list.h. */
#include "engine/models/model.h"

#define X(name) extern const struct model_class model_##name;
#include "engine/models/model_list.h"
#undef X

const struct model_class *const model_classes[] = {
#define X(name) &model_##name,
#include "engine/models/model_list.h"
#undef X
    NULL,
};
