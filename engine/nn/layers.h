/* Layers: declare the tensors NAME.weight and NAME.bias of a layer, later apply it on a tape. A
 * layer holds indices into the parameter set and is plain data. */
#ifndef TT_NN_LAYERS_H
#define TT_NN_LAYERS_H

#include "engine/nn/param.h"

/* First values of a layer's weight and bias. */
struct layer_init {
    struct init weight, bias;
};

/* torch's for linear layers and convolutions: both uniform within 1/sqrt(fan_in). */
struct layer_init layer_init_uniform(int64_t fan_in);
/* The language models': weights normal, biases zero. */
struct layer_init layer_init_normal(float std);

struct linear_layer {
    int weight, bias;
};
void linear_declare(struct linear_layer *l, struct param_set *ps, const char *name, int64_t in,
                    int64_t out, struct layer_init init);
struct tensor *linear_apply(const struct linear_layer *l, struct param_set *ps, struct tape *t,
                            struct tensor *x, enum act act, float slope);

/* Rows of a table by their number. `padding`: a row that starts at zero and never gets a gradient; -1:
 * none. */
struct embedding_layer {
    int weight;
    int32_t padding;
};
void embedding_declare(struct embedding_layer *l, struct param_set *ps, const char *name,
                       int64_t rows, int64_t size, struct init init, int32_t padding);
struct tensor *embedding_apply(const struct embedding_layer *l, struct param_set *ps,
                               struct tape *t, const int32_t *ids, int64_t n);

struct conv2d_layer {
    int weight, bias, stride, pad;
};
void conv2d_declare(struct conv2d_layer *l, struct param_set *ps, const char *name, int64_t in,
                    int64_t out, int64_t kernel, int stride, int pad, struct layer_init init);
struct tensor *conv2d_apply(const struct conv2d_layer *l, struct param_set *ps, struct tape *t,
                            struct tensor *x, enum act act, float slope);

struct layernorm_layer {
    int weight, bias;
    float eps;
};
void layernorm_declare(struct layernorm_layer *l, struct param_set *ps, const char *name,
                       int64_t size, float eps);
struct tensor *layernorm_apply(const struct layernorm_layer *l, struct param_set *ps,
                               struct tape *t, struct tensor *x);

#endif
