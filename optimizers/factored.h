/* What both adafactors share: second moments kept as row and column means of a matrix (in full for
 * vectors), and an update cut to a root mean square. A tensor of more than two dimensions is a stack of
 * matrices of its last two.
 *
 *   V = R C / mean(R)      U = g / sqrt(V)      w = keep w - rate U / max(1, RMS(U) / limit)  */
#ifndef TT_OPTIMIZERS_FACTORED_H
#define TT_OPTIMIZERS_FACTORED_H

#include "engine/nn/optim.h"

struct factored_rule {
    double fresh;      /* share of this update's squares in the means */
    double eps;        /* added to every square */
    double least_mean; /* mean(R) counts at least as this */
    double most;       /* 1 / sqrt(V) counts at most as this */
    double limit;
    double rate;       /* times RMS(w) where that scales */
    double least_rms;  /* RMS(w) counts at least as this; NaN: it does not scale the rate */
    double decay, decay_by_rate; /* keep = 1 - decay - decay_by_rate x rate */
    double beta1;    /* with momentum: share kept of the mean of updates */
    float *momentum; /* NULL: none */
};

/* `row` and `col` for two dimensions and more, `full` for one. Returns the scaled rate. */
double factored_update(const struct optim_step *s, const struct factored_rule *r, float *row,
                     float *col, float *full);
size_t factored_scratch(const void *opts, const struct segment *seg);

/* Means of the rows or columns; `keep_dim` leaves a 1 where the dimension was, as torch does. */
struct state_desc factored_row(const struct segment *seg, const char *name, bool keep_dim);
struct state_desc factored_col(const struct segment *seg, const char *name, bool keep_dim);

#endif
