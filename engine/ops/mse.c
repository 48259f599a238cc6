/* Mean squared error. */
#include "engine/ops/target.h"

static void mse_forward(struct tape *t, struct node *n)
{
    const struct target_arg *a = n->arg;
    t->be->k->mse_fwd(t->be, n->out->data, n->in[0]->data, a->target, a->rows, a->cols,
                      a->inv_denom);
}

static void mse_backward(struct tape *t, struct node *n)
{
    const struct target_arg *a = n->arg;
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    t->be->k->mse_bwd(t->be, dx, n->out->grad, n->in[0]->data, a->target, a->rows, a->cols,
                      a->inv_denom, add);
}

const struct op_class op_class_mse = {
    .name = "mse",
    .infer = target_infer,
    .forward = mse_forward,
    .backward = mse_backward,
};

struct tensor *op_mse(struct tape *t, struct tensor *x, const float *target, double denom)
{
    if (!x)
        return NULL;
    struct target_arg arg = target_arg(t, x, target, denom);
    return tape_apply(t, &op_class_mse, &arg, sizeof(arg), &x, 1);
}
