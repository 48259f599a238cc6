/* Softmax cross-entropy against class labels. Keeps the probabilities. */
#include "engine/ops/ops.h"

#define IGNORE (-100)

struct xent_arg {
    const int32_t *label; /* device */
    struct xent_rule rule;
};

static int xent_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    if (n->in[0]->ndim != 2)
        return err_set(e, TT_ECONFIG, "logits must be [B, C]");
    *ndim = 1;
    dim[0] = 1;
    return 0;
}

static size_t xent_saves(const struct node *n)
{
    return n->in[0]->len * sizeof(float);
}

static void xent_forward(struct tape *t, struct node *n)
{
    const struct xent_arg *a = n->arg;
    t->be->k->xent_fwd(t->be, n->out->data, n->saved, n->in[0]->data, a->label, &a->rule);
}

static void xent_backward(struct tape *t, struct node *n)
{
    const struct xent_arg *a = n->arg;
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    t->be->k->xent_bwd(t->be, dx, n->out->grad, n->saved, a->label, &a->rule, add);
}

const struct op_class op_class_softmax_xent = {
    .name = "softmax_xent",
    .infer = xent_infer,
    .saves = xent_saves,
    .forward = xent_forward,
    .backward = xent_backward,
};

/* What the loss is divided by when the caller does not say. A dry run has no labels. */
static double count_labels(const int32_t *label, const float *weight, int rows)
{
    double sum = 0;
    for (int i = 0; label && i < rows; i++)
        if (label[i] != IGNORE)
            sum += weight ? (double)weight[label[i]] : 1;
    return sum;
}

struct tensor *op_softmax_xent(struct tape *t, struct tensor *logits, const int32_t *label,
                               const float *weight, float smoothing, double denom)
{
    if (!logits)
        return NULL;
    struct xent_arg arg = {.rule = {.rows = (int)tensor_rows(logits),
                                    .classes = (int)logits->dim[logits->ndim - 1],
                                    .ignore = IGNORE,
                                    .smoothing = smoothing}};
    if (denom <= 0)
        denom = count_labels(label, weight, arg.rule.rows);
    arg.rule.inv_denom = denom > 0 ? (float)(1 / denom) : 0;
    arg.label = tape_upload_i32(t, label, (size_t)arg.rule.rows);
    arg.rule.weight = weight ? tape_upload_f32(t, weight, (size_t)arg.rule.classes) : NULL;
    return tape_apply(t, &op_class_softmax_xent, &arg, sizeof(arg), &logits, 1);
}
