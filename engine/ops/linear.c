/* Matrix product with bias and activation. */
#include "engine/ops/ops.h"

struct linear_arg {
    enum act act;
    float slope;
};

/* N rows of I features in, O out. */
struct linear_dims {
    int n, i, o;
};

static struct linear_dims dims(const struct node *n)
{
    const struct tensor *w = n->in[1];
    return (struct linear_dims){(int)tensor_rows(n->in[0]), (int)w->dim[1], (int)w->dim[0]};
}

/* The gelus need the value before them in backward. */
static bool keeps_input(const struct linear_arg *a)
{
    return act_reads_input(a->act);
}

static int linear_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    const struct tensor *x = n->in[0], *w = n->in[1];
    if (w->ndim != 2 || w->dim[1] != x->dim[x->ndim - 1])
        return err_set(e, TT_ECONFIG, "the weight must be [out, last dimension of x]");
    if (n->n_in > 2 && (n->in[2]->ndim != 1 || n->in[2]->dim[0] != w->dim[0]))
        return err_set(e, TT_ECONFIG, "the bias must be [out]");
    *ndim = x->ndim;
    for (int i = 0; i + 1 < x->ndim; i++)
        dim[i] = x->dim[i];
    dim[x->ndim - 1] = w->dim[0];
    return 0;
}

static size_t linear_saves(const struct node *n)
{
    return keeps_input(n->arg) ? n->out->len * sizeof(float) : 0;
}

static void linear_forward(struct tape *t, struct node *n)
{
    const struct linear_arg *a = n->arg;
    struct linear_dims d = dims(n);
    const struct kernels *k = t->be->k;
    float *y = n->out->data;
    k->gemm(t->be, false, true, d.n, d.o, d.i, 1, n->in[0]->data, d.i, n->in[1]->data, d.i, 0, y,
            d.o);
    if (n->n_in > 2) {
        k->bias_act_fwd(t->be, y, n->saved, n->in[2]->data, d.n, d.o, a->act, a->slope);
    } else if (a->act != ACT_NONE) {
        if (n->saved)
            t->be->cls->copy(t->be, n->saved, y, n->out->len * sizeof(float));
        k->act_fwd(t->be, y, y, n->out->len, a->act, a->slope);
    }
}

static void linear_backward(struct tape *t, struct node *n)
{
    const struct linear_arg *a = n->arg;
    struct linear_dims d = dims(n);
    const struct kernels *k = t->be->k;
    float *dy = n->out->grad;
    bool add;
    if (a->act != ACT_NONE)
        k->act_bwd(t->be, dy, dy, n->saved, n->out->data, n->out->len, a->act, a->slope, false);
    if (tape_wants(n, 0)) {
        float *dx = tape_grad(t, n->in[0], &add);
        k->gemm(t->be, false, false, d.n, d.i, d.o, 1, dy, d.o, n->in[1]->data, d.i, add, dx, d.i);
    }
    if (tape_wants(n, 1)) {
        float *dw = tape_grad(t, n->in[1], &add);
        k->gemm(t->be, true, false, d.o, d.i, d.n, 1, dy, d.o, n->in[0]->data, d.i, add, dw, d.i);
    }
    if (tape_wants(n, 2)) {
        float *db = tape_grad(t, n->in[2], &add);
        k->col_sum(t->be, db, dy, d.n, d.o, add);
    }
}

static double linear_flops(const struct node *n)
{
    struct linear_dims d = dims(n);
    return 2.0 * d.n * d.i * d.o;
}

const struct op_class op_class_linear = {
    .name = "linear",
    .infer = linear_infer,
    .saves = linear_saves,
    .forward = linear_forward,
    .backward = linear_backward,
    .flops = linear_flops,
};

struct tensor *op_linear(struct tape *t, struct tensor *x, struct tensor *weight,
                         struct tensor *bias, enum act act, float slope)
{
    struct linear_arg arg = {act, slope};
    return tape_apply(t, &op_class_linear, &arg, sizeof(arg), (struct tensor *[]){x, weight, bias},
                      bias ? 3 : 2);
}
