/* One optimizer over a few made-up tensors, for tests. */
#ifndef TT_TESTS_OPTIM_RIG_H
#define TT_TESTS_OPTIM_RIG_H

#include "engine/nn/optim.h"

struct rig {
    struct backend be;
    struct param_set ps; /* normal values of deviation 0.5 */
    struct optim optim;
    void *opts;
};

struct rig_tensor {
    const char *name; /* decides about decay */
    int ndim;
    int64_t dim[TENSOR_DIMS];
    unsigned kind; /* enum segment_kind; matrices get SEG_MATRIX by themselves */
};

/* Options by name: "momentum=0.9 nesterov=true". Caller releases and frees the result. */
void *rig_options(const struct optim_class *cls, const char *text);
const struct optim_class *rig_class(const char *name);

/* Parameters alone, so that groups can be added; then the optimizer. */
void rig_params(struct rig *r, const struct rig_tensor *tensors, int n, int threads);
void rig_optim(struct rig *r, const struct optim_class *cls, const char *options);
void optim_rig_open(struct rig *r, const struct optim_class *cls, const char *options,
              const struct rig_tensor *tensors, int n, int threads);
/* A vector of n elements. */
void rig_open_vector(struct rig *r, const char *cls, const char *options, int64_t n);
void optim_rig_close(struct rig *r);

/* Made-up gradients of update `step`, the same for each rig of these tensors. */
void rig_gradients(struct rig *r, int step);
/* Copy of all weights; caller frees. */
float *rig_weights(const struct rig *r);

#endif
