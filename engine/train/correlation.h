/* Correlations of two columns; NaN for fewer than two rows or a constant side. */
#ifndef TT_TRAIN_CORRELATION_H
#define TT_TRAIN_CORRELATION_H

#include <stdint.h>

double pearson(const double *x, const double *y, int64_t n);
double spearman(const double *x, const double *y, int64_t n); /* ties take their mean rank */

#endif
