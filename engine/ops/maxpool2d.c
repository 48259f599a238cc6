/* Maximum over windows of an image. Keeps where each maximum was. */
#include "engine/ops/ops.h"

struct maxpool2d_arg {
    int kernel, stride, pad;
};

static struct pool_dims dims(const struct node *n)
{
    const struct maxpool2d_arg *a = n->arg;
    const int64_t *x = n->in[0]->dim;
    struct pool_dims d = {.n = (int)x[0],
                          .c = (int)x[1],
                          .h = (int)x[2],
                          .w = (int)x[3],
                          .k = a->kernel,
                          .stride = a->stride,
                          .pad = a->pad};
    d.oh = (d.h + 2 * d.pad - d.k) / d.stride + 1;
    d.ow = (d.w + 2 * d.pad - d.k) / d.stride + 1;
    return d;
}

static int maxpool2d_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    const struct maxpool2d_arg *a = n->arg;
    const struct tensor *x = n->in[0];
    if (x->ndim != 4)
        return err_set(e, TT_ECONFIG, "x must be [B, C, H, W]");
    if (a->kernel < 1 || a->stride < 1 || a->pad < 0 || a->pad > a->kernel / 2)
        return err_set(e, TT_ECONFIG,
                       "window %d, stride %d, padding %d (padding at most half a window)",
                       a->kernel, a->stride, a->pad);
    if (a->kernel > x->dim[2] + 2 * a->pad || a->kernel > x->dim[3] + 2 * a->pad)
        return err_set(e, TT_ECONFIG, "window %d is larger than the image", a->kernel);
    struct pool_dims d = dims(n);
    *ndim = 4;
    dim[0] = d.n;
    dim[1] = d.c;
    dim[2] = d.oh;
    dim[3] = d.ow;
    return 0;
}

static size_t maxpool2d_saves(const struct node *n)
{
    return n->out->len * sizeof(int32_t);
}

static void maxpool2d_forward(struct tape *t, struct node *n)
{
    struct pool_dims d = dims(n);
    t->be->k->maxpool_fwd(t->be, n->out->data, n->saved, n->in[0]->data, &d);
}

static void maxpool2d_backward(struct tape *t, struct node *n)
{
    struct pool_dims d = dims(n);
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    t->be->k->maxpool_bwd(t->be, dx, n->out->grad, n->saved, &d, add);
}

const struct op_class op_class_maxpool2d = {
    .name = "maxpool2d",
    .infer = maxpool2d_infer,
    .saves = maxpool2d_saves,
    .forward = maxpool2d_forward,
    .backward = maxpool2d_backward,
};

struct tensor *op_maxpool2d(struct tape *t, struct tensor *x, int kernel, int stride, int pad)
{
    struct maxpool2d_arg arg = {kernel, stride, pad};
    return tape_apply(t, &op_class_maxpool2d, &arg, sizeof(arg), &x, 1);
}
