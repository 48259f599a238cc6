/* Analytic against numeric gradients: a four-point difference of a weighted sum taken in double. */
#include "engine/tape/gradcheck.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"

#define SEED 1234u
#define WEIGHT_SEED 99u

struct check {
    struct tape tape;
    gradcheck_fn *fn;
    void *user;
    struct gradcheck_leaf *leaf;
    int n_leaf;
    float *weight, *value; /* [len] of the checked tensor, on the host */
    size_t len;
};

static size_t leaf_len(const struct gradcheck_leaf *l)
{
    size_t n = 1;
    for (int i = 0; i < l->ndim; i++)
        n *= (size_t)l->dim[i];
    return n;
}

static int seed_infer(const struct node *n, int *ndim, int64_t *dim, struct err *e)
{
    (void)n;
    (void)e;
    *ndim = 1;
    dim[0] = 1;
    return 0;
}

/* The sum is taken in double outside; here it has a gradient only. */
static void seed_forward(struct tape *t, struct node *n)
{
    t->be->k->fill(t->be, n->out->data, 1, 0);
}

static void seed_backward(struct tape *t, struct node *n)
{
    const float *const *dy = n->arg;
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    if (!add)
        t->be->cls->zero(t->be, dx, n->in[0]->len * sizeof(float));
    t->be->k->axpy(t->be, dx, 1, *dy, n->in[0]->len);
}

static const struct op_class op_class_seed = {
    .name = "seed",
    .infer = seed_infer,
    .forward = seed_forward,
    .backward = seed_backward,
};

struct tensor *gradcheck_seed(struct tape *t, struct tensor *y, const float *dy)
{
    if (!y)
        return NULL;
    const float *dev = tape_upload_f32(t, dy, y->len);
    return tape_apply(t, &op_class_seed, &dev, sizeof(dev), &y, 1);
}

/* Forward from the leaves as they are; the leaves' tensors go to `x`. */
static struct tensor *forward(struct check *c, struct tensor **x)
{
    tape_begin(&c->tape, true, SEED, 0);
    for (int i = 0; i < c->n_leaf; i++) {
        const struct gradcheck_leaf *l = &c->leaf[i];
        x[i] = tape_input(&c->tape, l->ndim, l->dim, l->data, l->check);
    }
    return c->fn(&c->tape, x, c->user);
}

static int value_of(struct check *c, double *sum, struct err *e)
{
    struct tensor *x[GRADCHECK_LEAVES];
    const struct tensor *y = forward(c, x);
    if (!y)
        return err_set(e, c->tape.err.code, "%s", c->tape.err.msg);
    BUG_ON(y->len != c->len);
    c->tape.be->cls->download(c->tape.be, c->value, y->data, c->len * sizeof(float));
    *sum = 0;
    for (size_t i = 0; i < c->len; i++)
        *sum += (double)c->weight[i] * (double)c->value[i];
    return 0;
}

/* Gradients of all leaves to check into grad[leaf]; also fixes the weights of the sum. */
static int analytic(struct check *c, float *const *grad, struct err *e)
{
    struct tensor *x[GRADCHECK_LEAVES];
    struct tensor *y = forward(c, x);
    struct tape *t = &c->tape;
    if (y) {
        c->len = y->len;
        c->weight = xreallocarray(NULL, c->len, sizeof(float));
        c->value = xreallocarray(NULL, c->len, sizeof(float));
        rng_uniform((struct rng_key){WEIGHT_SEED, 0, 0}, c->weight, c->len, 0.5f, 1.5f);
        for (size_t i = 1; i < c->len; i += 2)
            c->weight[i] = -c->weight[i];
        y = gradcheck_seed(t, y, c->weight);
    }
    if (!y)
        return err_set(e, t->err.code, "%s", t->err.msg);
    if (tape_backward(t, y, 1, e) < 0)
        return e->code;
    for (int i = 0; i < c->n_leaf; i++) {
        if (c->leaf[i].check && !x[i]->grad_set)
            return err_set(e, TT_EFAIL, "leaf %d got no gradient", i);
        if (c->leaf[i].check)
            t->be->cls->download(t->be, grad[i], x[i]->grad, x[i]->len * sizeof(float));
    }
    return 0;
}

/* (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h, with the steps as float32 has them. */
static int numeric(struct check *c, float *at, double step, double *out, struct err *e)
{
    static const int steps[] = {1, -1, 2, -2};
    float saved = *at, h = (float)(step * fmax(1, fabs((double)saved)));
    double f[4];
    int r = 0;
    h = (saved + 2 * h - saved) / 2;
    for (int i = 0; i < 4 && r == 0; i++) {
        *at = saved + (float)steps[i] * h;
        r = value_of(c, &f[i], e);
    }
    *at = saved;
    *out = (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * (double)h);
    return r;
}

static int compare(struct check *c, float *const *grad, double step, struct gradcheck_result *out,
                   struct err *e)
{
    out->worst = -1;
    for (int l = 0; l < c->n_leaf; l++) {
        for (size_t i = 0; grad[l] && i < leaf_len(&c->leaf[l]); i++) {
            double a = (double)grad[l][i], n;
            if (numeric(c, &c->leaf[l].data[i], step, &n, e) < 0)
                return e->code;
            double off = fabs(a - n) / fmax(1, fmax(fabs(a), fabs(n)));
            if (!(off <= out->worst)) /* NaN is the worst */
                *out = (struct gradcheck_result){isnan(off) ? HUGE_VAL : off, l, i, a, n};
        }
    }
    return 0;
}

int gradcheck(struct backend *be, gradcheck_fn *fn, void *user, struct gradcheck_leaf *leaf,
              int n_leaf, double step, struct gradcheck_result *out, struct err *e)
{
    BUG_ON(n_leaf < 1 || n_leaf > GRADCHECK_LEAVES);
    struct check c = {.fn = fn, .user = user, .leaf = leaf, .n_leaf = n_leaf};
    float *grad[GRADCHECK_LEAVES] = {NULL};
    int r = tape_init(&c.tape, be, 0, e);
    if (r < 0)
        return r;
    c.tape.mem.poison = true;
    for (int i = 0; i < n_leaf; i++)
        grad[i] = leaf[i].check ? xreallocarray(NULL, leaf_len(&leaf[i]), sizeof(float)) : NULL;
    r = analytic(&c, grad, e);
    if (r == 0)
        r = compare(&c, grad, step, out, e);
    for (int i = 0; i < n_leaf; i++)
        free(grad[i]);
    free(c.weight);
    free(c.value);
    tape_release(&c.tape);
    return r;
}
