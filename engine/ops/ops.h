/* Every differentiable op: one file each in this folder, listed in op_list.h. All give a new tensor, or
 * NULL with tape->err set. Shapes: B rows, C features or channels, H height, W width. */
#ifndef TT_OPS_OPS_H
#define TT_OPS_OPS_H

#include "engine/tape/tape.h"

/* x [..., in], weight [out, in], bias [out] or NULL -> act(x weight' + bias) [..., out] */
struct tensor *op_linear(struct tape *t, struct tensor *x, struct tensor *weight,
                         struct tensor *bias, enum act act, float slope);

/* act(x), any shape. `slope` belongs to leaky relu, also at 0. */
struct tensor *op_activation(struct tape *t, struct tensor *x, enum act act, float slope);

/* x [..., C], weight, bias [C]: (x - mean) / sqrt(var + eps) * weight + bias over the last dimension */
struct tensor *op_layernorm(struct tape *t, struct tensor *x, struct tensor *weight,
                            struct tensor *bias, float eps);

/* x [B,C,H,W], weight [OC,C,KH,KW], bias [OC] or NULL -> act(conv + bias) [B,OC,OH,OW] */
struct tensor *op_conv2d(struct tape *t, struct tensor *x, struct tensor *weight,
                         struct tensor *bias, int stride, int pad, enum act act, float slope);

/* x [B,C,H,W]; the first maximum in row order takes the gradient */
struct tensor *op_maxpool2d(struct tape *t, struct tensor *x, int kernel, int stride, int pad);

/* [B, ...] -> [B, rest]: a view */
struct tensor *op_flatten(struct tape *t, struct tensor *x);

struct tensor *op_add(struct tape *t, struct tensor *a, struct tensor *b); /* equal shapes */

/* The identity unless the tape is training and p > 0. Mask = Philox(seed, node, micro-batch, element). */
struct tensor *op_dropout(struct tape *t, struct tensor *x, float p);

/* Rows of weight [V,D]: ids[n] (host, each in 0..V-1) -> [n,D]. Row `padding` (-1: none) gets no
 * gradient. */
struct tensor *op_embedding(struct tape *t, struct tensor *weight, const int32_t *ids, int64_t n,
                            int32_t padding);

/* softmax(q k' / sqrt(size)) v within each text and head. q, k, v [tokens, heads * size], packed: text i
 * is rows at[i] .. at[i+1] (host, [n+1]), head h columns h*size ... Dropout p on the probabilities,
 * keyed as op_dropout's. -> [tokens, heads * size] */
struct tensor *op_attention(struct tape *t, struct tensor *q, struct tensor *k, struct tensor *v,
                            const int32_t *at, int n, int heads, float p);

/* The first row of each text: x [tokens, D] -> [n, D]. */
struct tensor *op_first_tokens(struct tape *t, struct tensor *x, const int32_t *at, int n);

/* Softmax cross-entropy. logits [B,C]; label[B] on the host, -100 takes no part; weight[C] (host) or
 * NULL. loss = sum over counted rows (weighted) / denom; denom <= 0: the batch's own count (with
 * weights: sum of the weights of its labels). A batch without a counted row gives 0. [1] */
struct tensor *op_softmax_xent(struct tape *t, struct tensor *logits, const int32_t *label,
                               const float *weight, float smoothing, double denom);

/* sum (x - target)^2 / denom; denom <= 0: number of elements of counted rows. target (host) has the
 * shape of x; a row whose first target is NaN takes no part. [1] */
struct tensor *op_mse(struct tape *t, struct tensor *x, const float *target, double denom);

/* Binary cross-entropy on logits, pos_weight[cols] (host) or NULL; else as op_mse. [1] */
struct tensor *op_bce(struct tape *t, struct tensor *x, const float *target,
                      const float *pos_weight, double denom);

/* Every op_class, for the tests: ended by NULL. */
extern const struct op_class *const op_classes[];

#endif
