/* A picture as a matrix whose product with the weights is the convolution: row (channel, ky, kx)
 * holds, for every output place, the input number that this weight meets. */
#ifndef TT_BACKEND_CPU_IM2COL_H
#define TT_BACKEND_CPU_IM2COL_H

#include "engine/backend/backend.h"

/* x [c,h,w] -> col [c*kh*kw, oh*ow]. */
void im2col(float *col, const float *x, const struct conv_dims *d);

/* The transpose: x [c,h,w] += the numbers of col, each at its place. Destroys col. */
void col2im(float *x, float *col, const struct conv_dims *d);

#endif
