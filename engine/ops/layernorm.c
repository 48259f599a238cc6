/* Layer normalisation over the last dimension. Keeps mean and 1/deviation of every row. */
#include "engine/ops/ops.h"

#include <string.h>

struct layernorm_arg {
    float eps;
};

static int layernorm_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    const struct tensor *x = n->in[0];
    for (int i = 1; i < 3; i++)
        if (n->in[i]->ndim != 1 || n->in[i]->dim[0] != x->dim[x->ndim - 1])
            return err_set(e, TT_ECONFIG, "weight and bias must be [last dimension of x]");
    *ndim = x->ndim;
    memcpy(dim, x->dim, sizeof(x->dim));
    return 0;
}

static size_t layernorm_saves(const struct node *n)
{
    return 2 * (size_t)tensor_rows(n->in[0]) * sizeof(float);
}

static void layernorm_forward(struct tape *t, struct node *n)
{
    const struct layernorm_arg *a = n->arg;
    const struct tensor *x = n->in[0];
    int rows = (int)tensor_rows(x), cols = (int)x->dim[x->ndim - 1];
    float *mean = n->saved, *rstd = mean + rows;
    t->be->k->layernorm_fwd(t->be, n->out->data, mean, rstd, x->data, n->in[1]->data,
                            n->in[2]->data, rows, cols, a->eps);
}

static void layernorm_backward(struct tape *t, struct node *n)
{
    const struct tensor *x = n->in[0];
    int rows = (int)tensor_rows(x), cols = (int)x->dim[x->ndim - 1];
    const float *mean = n->saved, *rstd = mean + rows;
    float *d[3] = {NULL};
    bool add[3] = {false};
    for (int i = 0; i < 3; i++)
        if (tape_wants(n, i))
            d[i] = tape_grad(t, n->in[i], &add[i]);
    t->be->k->layernorm_bwd(t->be, d[0], d[1], d[2], n->out->grad, x->data, mean, rstd,
                            n->in[1]->data, rows, cols, add[0], add[1], add[2]);
}

const struct op_class op_class_layernorm = {
    .name = "layernorm",
    .infer = layernorm_infer,
    .saves = layernorm_saves,
    .forward = layernorm_forward,
    .backward = layernorm_backward,
};

struct tensor *op_layernorm(struct tape *t, struct tensor *x, struct tensor *weight,
                            struct tensor *bias, float eps)
{
    struct layernorm_arg arg = {eps};
    return tape_apply(t, &op_class_layernorm, &arg, sizeof(arg),
                      (struct tensor *[]){x, weight, bias}, 3);
}
