/* What the losses against numbers share: rows of targets, unlabelled where the first is NaN. */
#ifndef TT_OPS_TARGET_H
#define TT_OPS_TARGET_H

#include <math.h>

#include "engine/ops/ops.h"

struct target_arg {
    const float *target, *pos_weight; /* device; pos_weight for bce, or NULL */
    int rows, cols;
    float inv_denom;
};

/* A vector is a column: each element is a row of its own. A dry run has no targets to count. */
static inline struct target_arg target_arg(struct tape *t, const struct tensor *x,
                                           const float *target, double denom)
{
    int cols = x->ndim > 1 ? (int)x->dim[x->ndim - 1] : 1;
    struct target_arg a = {.rows = (int)(x->len / (size_t)cols), .cols = cols};
    if (denom <= 0) {
        denom = 0;
        for (int i = 0; target && i < a.rows; i++)
            if (!isnan(target[(size_t)i * (size_t)cols]))
                denom += cols;
    }
    a.inv_denom = denom > 0 ? (float)(1 / denom) : 0;
    a.target = tape_upload_f32(t, target, x->len);
    return a;
}

static inline int target_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    (void)n;
    (void)e;
    *ndim = 1;
    dim[0] = 1;
    return 0;
}

#endif
