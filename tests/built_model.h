/* A registered model, built on one thread of the CPU for a test. */
#ifndef TT_TESTS_BUILT_MODEL_H
#define TT_TESTS_BUILT_MODEL_H

#include "engine/models/model.h"

struct built_model {
    struct backend be;
    struct param_set ps;
    struct tape tape; /* poisoned */
    struct model model;
    void *opts;
};

/* Options of `cls`: its defaults, then key, value ... up to NULL. Free with model_opts_free. */
void *model_opts(const struct model_class *cls, const char *const *pairs);
void model_opts_free(const struct model_class *cls, void *opts);

/* The test fails when the model is refused. */
void build_model(struct built_model *b, const char *name, const char *const *pairs,
                 const struct data_spec *spec);
void release_model(struct built_model *b);

#endif
