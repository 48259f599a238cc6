/* Layers made of one op and its two tensors. */
#include "engine/nn/layers.h"

#include <math.h>
#include <stdio.h>

#include "engine/base/die.h"
#include "engine/ops/ops.h"

struct layer_init layer_init_uniform(int64_t fan_in)
{
    struct init u = {INIT_UNIFORM, (float)(1 / sqrt((double)fan_in))};
    return (struct layer_init){u, u};
}

struct layer_init layer_init_normal(float std)
{
    return (struct layer_init){{INIT_NORMAL, std}, {INIT_ZERO, 0}};
}

/* Declare NAME.PART. */
static int declare(struct param_set *ps, const char *name, const char *part, int ndim,
                   const int64_t *dim, struct init init, unsigned kind)
{
    char full[256];
    int n = snprintf(full, sizeof(full), "%s.%s", name, part);
    BUG_ON(n < 0 || n >= (int)sizeof(full));
    return param_declare(ps, full, ndim, dim, init, kind);
}

void linear_declare(struct linear_layer *l, struct param_set *ps, const char *name, int64_t in,
                    int64_t out, struct layer_init init)
{
    const int64_t dim[] = {out, in};
    l->weight = declare(ps, name, "weight", 2, dim, init.weight, SEG_MATRIX);
    l->bias = declare(ps, name, "bias", 1, dim, init.bias, 0);
}

struct tensor *linear_apply(const struct linear_layer *l, struct param_set *ps, struct tape *t,
                            struct tensor *x, enum act act, float slope)
{
    return op_linear(t, x, param_tensor(ps, l->weight), param_tensor(ps, l->bias), act, slope);
}

void embedding_declare(struct embedding_layer *l, struct param_set *ps, const char *name,
                       int64_t rows, int64_t size, struct init init, int32_t padding)
{
    const int64_t dim[] = {rows, size};
    l->weight = declare(ps, name, "weight", 2, dim, init, SEG_EMBEDDING);
    l->padding = padding;
    ps->seg[l->weight].zero_row = padding + 1;
}

struct tensor *embedding_apply(const struct embedding_layer *l, struct param_set *ps,
                               struct tape *t, const int32_t *ids, int64_t n)
{
    return op_embedding(t, param_tensor(ps, l->weight), ids, n, l->padding);
}

void conv2d_declare(struct conv2d_layer *l, struct param_set *ps, const char *name, int64_t in,
                    int64_t out, int64_t kernel, int stride, int pad, struct layer_init init)
{
    const int64_t dim[] = {out, in, kernel, kernel};
    l->weight = declare(ps, name, "weight", 4, dim, init.weight, SEG_MATRIX);
    l->bias = declare(ps, name, "bias", 1, dim, init.bias, 0);
    l->stride = stride;
    l->pad = pad;
}

struct tensor *conv2d_apply(const struct conv2d_layer *l, struct param_set *ps, struct tape *t,
                            struct tensor *x, enum act act, float slope)
{
    return op_conv2d(t, x, param_tensor(ps, l->weight), param_tensor(ps, l->bias), l->stride,
                     l->pad, act, slope);
}

void layernorm_declare(struct layernorm_layer *l, struct param_set *ps, const char *name,
                       int64_t size, float eps)
{
    l->weight = declare(ps, name, "weight", 1, &size, (struct init){INIT_ONE, 0}, 0);
    l->bias = declare(ps, name, "bias", 1, &size, (struct init){INIT_ZERO, 0}, 0);
    l->eps = eps;
}

struct tensor *layernorm_apply(const struct layernorm_layer *l, struct param_set *ps,
                               struct tape *t, struct tensor *x)
{
    return op_layernorm(t, x, param_tensor(ps, l->weight), param_tensor(ps, l->bias), l->eps);
}
