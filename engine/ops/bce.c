/* Binary cross-entropy on logits. */
#include "engine/ops/target.h"

static void bce_forward(struct tape *t, struct node *n)
{
    const struct target_arg *a = n->arg;
    t->be->k->bce_fwd(t->be, n->out->data, n->in[0]->data, a->target, a->pos_weight, a->rows,
                      a->cols, a->inv_denom);
}

static void bce_backward(struct tape *t, struct node *n)
{
    const struct target_arg *a = n->arg;
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    t->be->k->bce_bwd(t->be, dx, n->out->grad, n->in[0]->data, a->target, a->pos_weight, a->rows,
                      a->cols, a->inv_denom, add);
}

const struct op_class op_class_bce = {
    .name = "bce",
    .infer = target_infer,
    .forward = bce_forward,
    .backward = bce_backward,
};

struct tensor *op_bce(struct tape *t, struct tensor *x, const float *target,
                      const float *pos_weight, double denom)
{
    if (!x)
        return NULL;
    struct target_arg arg = target_arg(t, x, target, denom);
    arg.pos_weight = pos_weight ? tape_upload_f32(t, pos_weight, (size_t)arg.cols) : NULL;
    return tape_apply(t, &op_class_bce, &arg, sizeof(arg), &x, 1);
}
