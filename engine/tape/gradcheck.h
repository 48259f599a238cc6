/* Finite differences against the tape: the proof of every op and of every model. */
#ifndef TT_TAPE_GRADCHECK_H
#define TT_TAPE_GRADCHECK_H

#include "engine/tape/tape.h"

#define GRADCHECK_LEAVES 8

/* Builds the function under test on `t` from leaves `x` and returns any tensor; its elements,
 * weighted by fixed random numbers, are summed to the checked value. */
typedef struct tensor *gradcheck_fn(struct tape *t, struct tensor *const *x, void *user);

/* A one-element tensor whose gradient with respect to `y` is dy (host, as long as y). */
struct tensor *gradcheck_seed(struct tape *t, struct tensor *y, const float *dy);

struct gradcheck_leaf {
    int ndim;
    int64_t dim[TENSOR_DIMS];
    float *data; /* host, changed while checking and put back */
    bool check;  /* false: no gradient wanted */
};

struct gradcheck_result {
    double worst; /* |analytic - numeric| / max(1, |analytic|, |numeric|) at the worst place */
    int leaf;
    size_t at;
    double analytic, numeric;
};

/* CPU backend. `step`: of the difference, relative to values above 1 (1e-2 suits float32 through a
 * double sum); the function must be smooth within two steps. Dropout is on, its mask fixed; the
 * tape is poisoned. A leaf to check that gets no gradient, or a misfit of shapes, is an error. */
int gradcheck(struct backend *be, gradcheck_fn *fn, void *user, struct gradcheck_leaf *leaf,
              int n_leaf, double step, struct gradcheck_result *out, struct err *e);

#endif
