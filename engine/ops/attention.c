/* Attention within packed texts. Keeps the log sum exp of every row of scores, not the scores. */
#include "engine/ops/ops.h"

struct attention_arg {
    struct attention_dims dims; /* without the key */
    double pairs;               /* of a query and a key, in all texts */
};

static int attention_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    const struct attention_arg *a = n->arg;
    const struct tensor *q = n->in[0];
    for (int i = 0; i < 3; i++)
        if (n->in[i]->ndim != 2 || n->in[i]->dim[0] != q->dim[0] || n->in[i]->dim[1] != q->dim[1])
            return err_set(e, TT_ECONFIG, "q, k and v must be [tokens, heads * size] alike");
    if (a->dims.heads < 1 || q->dim[1] % a->dims.heads)
        return err_set(e, TT_ECONFIG, "%d heads do not divide %d columns", a->dims.heads,
                       (int)q->dim[1]);
    if (!(a->dims.p < 1))
        return err_set(e, TT_ECONFIG, "dropout %g (a number from 0 to below 1)", (double)a->dims.p);
    *ndim = 2;
    dim[0] = q->dim[0];
    dim[1] = q->dim[1];
    return 0;
}

static size_t attention_saves(const struct node *n)
{
    const struct attention_arg *a = n->arg;
    return (size_t)a->dims.heads * (size_t)n->in[0]->dim[0] * sizeof(float);
}

static struct attention_dims dims_of(const struct tape *t, const struct node *n)
{
    struct attention_dims d = ((const struct attention_arg *)n->arg)->dims;
    d.key = (struct rng_key){t->seed, RNG_DROPOUT | (uint32_t)n->index << 8, t->micro};
    return d;
}

static void attention_forward(struct tape *t, struct node *n)
{
    struct attention_dims d = dims_of(t, n);
    t->be->k->attention_fwd(t->be, n->out->data, n->saved, n->in[0]->data, n->in[1]->data,
                            n->in[2]->data, &d);
}

static void attention_backward(struct tape *t, struct node *n)
{
    struct attention_dims dims = dims_of(t, n);
    float *d[3] = {NULL};
    bool add[3] = {false};
    for (int i = 0; i < 3; i++)
        if (tape_wants(n, i))
            d[i] = tape_grad(t, n->in[i], &add[i]);
    t->be->k->attention_bwd(t->be, d, add, n->out->grad, n->out->data, n->saved, n->in[0]->data,
                            n->in[1]->data, n->in[2]->data, &dims);
}

/* Two products of tokens, tokens and columns in every text. */
static double attention_flops(const struct node *n)
{
    const struct attention_arg *a = n->arg;
    return 4 * a->pairs * (double)n->in[0]->dim[1];
}

const struct op_class op_class_attention = {
    .name = "attention",
    .infer = attention_infer,
    .saves = attention_saves,
    .forward = attention_forward,
    .backward = attention_backward,
    .flops = attention_flops,
};

struct tensor *op_attention(struct tape *t, struct tensor *q, struct tensor *k, struct tensor *v,
                            const int32_t *at, int n, int heads, float p)
{
    if (!q || !k || !v)
        return NULL;
    struct attention_arg a = {.dims = {.texts = n, .tokens = (int)q->dim[0], .heads = heads,
                                       .size = (int)q->dim[q->ndim - 1] / (heads > 0 ? heads : 1),
                                       .p = t->training ? p : 0}};
    for (int i = 0; i < n; i++)
        a.pairs += (double)(at[i + 1] - at[i]) * (at[i + 1] - at[i]);
    a.dims.at = tape_upload_i32(t, at, (size_t)n + 1);
    return tape_apply(t, &op_class_attention, &a, sizeof(a), (struct tensor *[]){q, k, v}, 3);
}
