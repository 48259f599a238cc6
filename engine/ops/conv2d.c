/* Convolution over images with bias and activation. */
#include "engine/ops/ops.h"

struct conv2d_arg {
    int stride, pad;
    enum act act;
    float slope;
};

static struct conv_dims dims(const struct node *n)
{
    const struct conv2d_arg *a = n->arg;
    const int64_t *x = n->in[0]->dim, *w = n->in[1]->dim;
    struct conv_dims d = {.n = (int)x[0],
                          .c = (int)x[1],
                          .h = (int)x[2],
                          .w = (int)x[3],
                          .oc = (int)w[0],
                          .kh = (int)w[2],
                          .kw = (int)w[3],
                          .stride = a->stride,
                          .pad = a->pad};
    d.oh = (d.h + 2 * d.pad - d.kh) / d.stride + 1;
    d.ow = (d.w + 2 * d.pad - d.kw) / d.stride + 1;
    return d;
}

/* The gelus need the value before them in backward; the kernel gives only the one after. */
static bool keeps_input(const struct conv2d_arg *a)
{
    return act_reads_input(a->act);
}

static int conv2d_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    const struct conv2d_arg *a = n->arg;
    const struct tensor *x = n->in[0], *w = n->in[1];
    if (x->ndim != 4 || w->ndim != 4 || w->dim[1] != x->dim[1])
        return err_set(e, TT_ECONFIG, "x must be [B, C, H, W], the weight [OC, C, KH, KW]");
    if (n->n_in > 2 && (n->in[2]->ndim != 1 || n->in[2]->dim[0] != w->dim[0]))
        return err_set(e, TT_ECONFIG, "the bias must be [OC]");
    if (a->stride < 1 || a->pad < 0 || w->dim[2] > x->dim[2] + 2 * a->pad ||
        w->dim[3] > x->dim[3] + 2 * a->pad)
        return err_set(e, TT_ECONFIG, "the kernel is larger than the image with padding %d",
                       a->pad);
    struct conv_dims d = dims(n);
    *ndim = 4;
    dim[0] = d.n;
    dim[1] = d.oc;
    dim[2] = d.oh;
    dim[3] = d.ow;
    return 0;
}

static size_t conv2d_saves(const struct node *n)
{
    return keeps_input(n->arg) ? n->out->len * sizeof(float) : 0;
}

static size_t conv2d_scratch(struct tape *t, const struct node *n)
{
    struct conv_dims d = dims(n);
    return t->be->k->conv2d_scratch(t->be, &d);
}

static void conv2d_forward(struct tape *t, struct node *n)
{
    const struct conv2d_arg *a = n->arg;
    struct conv_dims d = dims(n);
    const struct kernels *k = t->be->k;
    const float *x = n->in[0]->data, *w = n->in[1]->data;
    const float *bias = n->n_in > 2 ? n->in[2]->data : NULL;
    float *y = n->out->data;
    if (keeps_input(a)) {
        k->conv2d_fwd(t->be, n->saved, x, w, bias, &d, ACT_NONE, 0, t->scratch);
        k->act_fwd(t->be, y, n->saved, n->out->len, a->act, a->slope);
    } else {
        k->conv2d_fwd(t->be, y, x, w, bias, &d, a->act, a->slope, t->scratch);
    }
}

static void conv2d_backward(struct tape *t, struct node *n)
{
    const struct conv2d_arg *a = n->arg;
    struct conv_dims d = dims(n);
    const struct kernels *k = t->be->k;
    float *dy = n->out->grad, *grad[3] = {NULL};
    bool add[3] = {false};
    if (a->act != ACT_NONE)
        k->act_bwd(t->be, dy, dy, n->saved, n->out->data, n->out->len, a->act, a->slope, false);
    for (int i = 0; i < n->n_in; i++)
        if (tape_wants(n, i))
            grad[i] = tape_grad(t, n->in[i], &add[i]);
    k->conv2d_bwd(t->be, grad[0], grad[1], grad[2], dy, n->in[0]->data, n->in[1]->data, &d, add[0],
                  add[1], add[2], t->scratch);
}

static double conv2d_flops(const struct node *n)
{
    struct conv_dims d = dims(n);
    return 2.0 * (double)n->out->len * d.c * d.kh * d.kw;
}

const struct op_class op_class_conv2d = {
    .name = "conv2d",
    .infer = conv2d_infer,
    .saves = conv2d_saves,
    .scratch = conv2d_scratch,
    .forward = conv2d_forward,
    .backward = conv2d_backward,
    .flops = conv2d_flops,
};

struct tensor *op_conv2d(struct tape *t, struct tensor *x, struct tensor *weight,
                         struct tensor *bias, int stride, int pad, enum act act, float slope)
{
    struct conv2d_arg arg = {stride, pad, act, slope};
    return tape_apply(t, &op_class_conv2d, &arg, sizeof(arg), (struct tensor *[]){x, weight, bias},
                      bias ? 3 : 2);
}
