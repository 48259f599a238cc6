/* The first row of every packed text: [CLS]. */
#include "engine/ops/ops.h"

struct first_arg {
    const int32_t *at; /* device */
    int n;
};

static int first_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    const struct first_arg *a = n->arg;
    if (n->in[0]->ndim != 2 || n->in[0]->dim[0] < a->n)
        return err_set(e, TT_ECONFIG, "x must be [tokens, D], with a token for each text");
    *ndim = 2;
    dim[0] = a->n;
    dim[1] = n->in[0]->dim[1];
    return 0;
}

static void first_forward(struct tape *t, struct node *n)
{
    const struct first_arg *a = n->arg;
    t->be->k->gather_fwd(t->be, n->out->data, n->in[0]->data, a->at, (size_t)a->n,
                         (int)n->out->dim[1]);
}

static void first_backward(struct tape *t, struct node *n)
{
    const struct first_arg *a = n->arg;
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    t->be->k->gather_bwd(t->be, dx, n->out->grad, a->at, (size_t)a->n, (int)n->in[0]->dim[0],
                         (int)n->out->dim[1], -1, add);
}

const struct op_class op_class_first_tokens = {
    .name = "first_tokens",
    .infer = first_infer,
    .forward = first_forward,
    .backward = first_backward,
};

struct tensor *op_first_tokens(struct tape *t, struct tensor *x, const int32_t *at, int n)
{
    if (!x)
        return NULL;
    struct first_arg arg = {tape_upload_i32(t, at, (size_t)n), n};
    return tape_apply(t, &op_class_first_tokens, &arg, sizeof(arg), &x, 1);
}
