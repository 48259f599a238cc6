/* What both adafactors share: second moments kept as row and column means of a matrix (in full for
 * vectors), and an update cut to a root mean square. A tensor of more than two dimensions is a stack of
 * matrices of its last two.
 *
 *   V = R C / mean(R)      U = g / sqrt(V)      w = decay w - rate U / max(1, RMS(U) / limit)  */
#ifndef TT_OPTIMIZERS_FACTORED_H
#define TT_OPTIMIZERS_FACTORED_H

#include "engine/nn/optim.h"

struct factored_rule {
    double fresh;      /* share of this update's squares in the means */
    double eps;        /* added to every square */
    double least_mean; /* mean(R) counts at least as this */
    double most;       /* 1 / sqrt(V) counts at most as this */
    double limit, rate, decay;
    double beta1;    /* with momentum: share kept of the mean of updates */
    float *momentum; /* NULL: none */
};

/* `row` and `col` for two dimensions and more, `full` for one. */
void factored_update(const struct optim_step *s, const struct factored_rule *r, float *row,
                     float *col, float *full);
size_t factored_scratch(const void *opts, const struct segment *seg);

/* Root mean square of the weights. */
double factored_rms(const struct optim_step *s);

/* Means of the rows or columns; `keep_dim` leaves a 1 where the dimension was, as torch does. */
struct state_desc factored_row(const struct segment *seg, const char *name, bool keep_dim);
struct state_desc factored_col(const struct segment *seg, const char *name, bool keep_dim);

#endif
