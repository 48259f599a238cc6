/* Element-wise activation. */
#include "engine/ops/ops.h"

struct activation_arg {
    enum act act;
    float slope;
};

static int activation_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    (void)e;
    *ndim = n->in[0]->ndim;
    for (int i = 0; i < *ndim; i++)
        dim[i] = n->in[0]->dim[i];
    return 0;
}

static void activation_forward(struct tape *t, struct node *n)
{
    const struct activation_arg *a = n->arg;
    t->be->k->act_fwd(t->be, n->out->data, n->in[0]->data, n->out->len, a->act, a->slope);
}

static void activation_backward(struct tape *t, struct node *n)
{
    const struct activation_arg *a = n->arg;
    const struct tensor *x = n->in[0], *y = n->out;
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    t->be->k->act_bwd(t->be, dx, y->grad, x->data, y->data, y->len, a->act, a->slope, add);
}

const struct op_class op_class_activation = {
    .name = "activation",
    .infer = activation_infer,
    .forward = activation_forward,
    .backward = activation_backward,
};

struct tensor *op_activation(struct tape *t, struct tensor *x, enum act act, float slope)
{
    struct activation_arg arg = {act, slope};
    return tape_apply(t, &op_class_activation, &arg, sizeof(arg), &x, 1);
}
