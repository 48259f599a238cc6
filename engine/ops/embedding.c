/* Rows of a table by their numbers. */
#include "engine/ops/ops.h"

struct embedding_arg {
    const int32_t *ids; /* device */
    int64_t n;
    int32_t padding;
};

static int embedding_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    const struct embedding_arg *a = n->arg;
    if (n->in[0]->ndim != 2)
        return err_set(e, TT_ECONFIG, "weight must be [V, D]");
    *ndim = 2;
    dim[0] = a->n;
    dim[1] = n->in[0]->dim[1];
    return 0;
}

static void embedding_forward(struct tape *t, struct node *n)
{
    const struct embedding_arg *a = n->arg;
    t->be->k->gather_fwd(t->be, n->out->data, n->in[0]->data, a->ids, (size_t)a->n,
                         (int)n->out->dim[1]);
}

static void embedding_backward(struct tape *t, struct node *n)
{
    const struct embedding_arg *a = n->arg;
    bool add;
    float *dw = tape_grad(t, n->in[0], &add);
    t->be->k->gather_bwd(t->be, dw, n->out->grad, a->ids, (size_t)a->n, (int)n->in[0]->dim[0],
                         (int)n->out->dim[1], a->padding, add);
}

const struct op_class op_class_embedding = {
    .name = "embedding",
    .infer = embedding_infer,
    .forward = embedding_forward,
    .backward = embedding_backward,
};

struct tensor *op_embedding(struct tape *t, struct tensor *weight, const int32_t *ids, int64_t n,
                            int32_t padding)
{
    if (!weight)
        return NULL;
    struct embedding_arg arg = {tape_upload_i32(t, ids, (size_t)n), n, padding};
    return tape_apply(t, &op_class_embedding, &arg, sizeof(arg), &weight, 1);
}
