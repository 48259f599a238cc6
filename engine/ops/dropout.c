/* Dropout with a mask that is computed again in backward, never stored. */
#include "engine/ops/ops.h"

#include <string.h>

struct dropout_arg {
    float p;
};

static struct rng_key key(const struct tape *t, const struct node *n)
{
    return (struct rng_key){t->seed, RNG_DROPOUT | (uint32_t)n->index << 8, t->micro};
}

static int dropout_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    const struct dropout_arg *a = n->arg;
    if (!(a->p < 1))
        return err_set(e, TT_ECONFIG, "dropout %g (a number from 0 to below 1)", (double)a->p);
    *ndim = n->in[0]->ndim;
    memcpy(dim, n->in[0]->dim, sizeof(n->in[0]->dim));
    return 0;
}

static void dropout_forward(struct tape *t, struct node *n)
{
    const struct dropout_arg *a = n->arg;
    t->be->k->dropout_fwd(t->be, n->out->data, n->in[0]->data, n->out->len, a->p, key(t, n));
}

static void dropout_backward(struct tape *t, struct node *n)
{
    const struct dropout_arg *a = n->arg;
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    t->be->k->dropout_bwd(t->be, dx, n->out->grad, n->out->len, a->p, key(t, n), add);
}

const struct op_class op_class_dropout = {
    .name = "dropout",
    .infer = dropout_infer,
    .forward = dropout_forward,
    .backward = dropout_backward,
};

struct tensor *op_dropout(struct tape *t, struct tensor *x, float p)
{
    if (!t->training || p == 0)
        return x;
    struct dropout_arg arg = {p};
    return tape_apply(t, &op_class_dropout, &arg, sizeof(arg), &x, 1);
}
