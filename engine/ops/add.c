/* Sum of two tensors of one shape. */
#include "engine/ops/ops.h"

#include <string.h>

static int add_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    const struct tensor *a = n->in[0], *b = n->in[1];
    if (a->ndim != b->ndim || memcmp(a->dim, b->dim, sizeof(a->dim)) != 0)
        return err_set(e, TT_ECONFIG, "the shapes must be equal");
    *ndim = a->ndim;
    memcpy(dim, a->dim, sizeof(a->dim));
    return 0;
}

static void add_forward(struct tape *t, struct node *n)
{
    t->be->k->add(t->be, n->out->data, n->in[0]->data, n->in[1]->data, n->out->len);
}

static void add_backward(struct tape *t, struct node *n)
{
    const struct tensor *y = n->out;
    for (int i = 0; i < 2; i++) {
        bool add;
        if (!tape_wants(n, i))
            continue;
        float *dx = tape_grad(t, n->in[i], &add);
        if (add)
            t->be->k->axpy(t->be, dx, 1, y->grad, y->len);
        else
            t->be->cls->copy(t->be, dx, y->grad, y->len * sizeof(float));
    }
}

const struct op_class op_class_add = {
    .name = "add",
    .infer = add_infer,
    .forward = add_forward,
    .backward = add_backward,
};

struct tensor *op_add(struct tape *t, struct tensor *a, struct tensor *b)
{
    return tape_apply(t, &op_class_add, NULL, 0, (struct tensor *[]){a, b}, 2);
}
