/* The walk forward and backward, and who gets which memory. */
#include "engine/tape/tape.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"

#define META_BLOCK ((size_t)64 << 10)

int tape_init(struct tape *t, struct backend *be, size_t reserve, struct err *e)
{
    *t = (struct tape){.be = be, .in_place = be->cls->host_memory, .err = ERR_INIT};
    arena_init(&t->meta, META_BLOCK);
    return pool_init(&t->mem, be, reserve, e);
}

void tape_release(struct tape *t)
{
    if (t->scratch)
        backend_free(t->be, t->scratch, t->scratch_peak);
    pool_release(&t->mem);
    arena_release(&t->meta);
    free(t->node);
    *t = (struct tape){.be = t->be};
}

void tape_begin(struct tape *t, bool training, uint64_t seed, uint64_t micro)
{
    pool_clear(&t->mem);
    arena_reset(&t->meta);
    t->n = 0;
    t->next_index = 0;
    t->training = t->recording = training;
    t->seed = seed;
    t->micro = micro;
    t->flops = 0;
    t->err = (struct err)ERR_INIT;
}

/* The host's bytes on the device; NULL with t->err set when there is no room. */
static const void *upload(struct tape *t, const void *host, size_t bytes)
{
    if (t->in_place || t->err.code)
        return host;
    void *dev = pool_alloc(&t->mem, bytes, &t->err);
    if (dev)
        t->be->cls->upload(t->be, dev, host, bytes);
    return dev;
}

const int32_t *tape_upload_i32(struct tape *t, const int32_t *host, size_t n)
{
    return upload(t, host, n * sizeof(*host));
}

const float *tape_upload_f32(struct tape *t, const float *host, size_t n)
{
    return upload(t, host, n * sizeof(*host));
}

struct tensor *tape_input(struct tape *t, int ndim, const int64_t *dim, const float *host,
                          bool needs_grad)
{
    struct tensor *x = tensor_new(t, ndim, dim);
    x->data = (float *)tape_upload_f32(t, host, x->len); /* no op writes into its input */
    x->needs_grad = needs_grad && t->recording;
    return t->err.code ? NULL : x;
}

static struct node *add_node(struct tape *t, const struct op_class *op, const void *arg,
                             size_t arg_size, struct tensor *const *in, int n_in)
{
    t->node = xgrow(t->node, &t->cap, t->n + 1, sizeof(*t->node));
    struct node *n = &t->node[t->n];
    *n = (struct node){.op = op, .n_in = n_in, .index = t->next_index++};
    t->n++;
    for (int i = 0; i < n_in; i++)
        n->in[i] = in[i];
    if (arg_size)
        n->arg = memcpy(arena_alloc(&t->meta, arg_size), arg, arg_size);
    return n;
}

/* "linear of [6, 10], [7, 11]: " before what infer found. */
static int name_shapes(const struct node *n, struct err *e)
{
    char text[NODE_INPUTS * 64] = "", shape[64];
    for (int i = 0; i < n->n_in; i++) {
        size_t at = strlen(text);
        snprintf(text + at, sizeof(text) - at, "%s%s", i ? ", " : "",
                 tensor_shape(n->in[i], shape, sizeof(shape)));
    }
    return err_prefix(e, "%s of %s: ", n->op->name, text);
}

static int make_output(struct tape *t, struct node *n)
{
    int ndim = 0;
    int64_t dim[TENSOR_DIMS];
    if (n->op->infer(n, &ndim, dim, &t->err) < 0)
        return name_shapes(n, &t->err);
    n->out = tensor_new(t, ndim, dim);
    if (tensor_rows(n->out) > INT_MAX) /* kernels count rows in int */
        return err_set(&t->err, TT_ERESOURCE, "%s: more than %d rows", n->op->name, INT_MAX);
    for (int i = 0; i < n->n_in; i++)
        n->out->needs_grad |= t->recording && tape_wants(n, i);
    n->out->data = pool_alloc(&t->mem, n->out->len * sizeof(float), &t->err);
    return t->err.code;
}

/* What the op asks for while it runs. */
static int make_scratch(struct tape *t, const struct node *n, struct err *e)
{
    size_t bytes = n->op->scratch ? n->op->scratch(t, n) : 0;
    if (bytes > t->scratch_peak) {
        if (t->scratch)
            backend_free(t->be, t->scratch, t->scratch_peak);
        t->scratch = backend_alloc(t->be, bytes, e);
        t->scratch_peak = t->scratch ? bytes : 0;
        if (!t->scratch)
            return TT_ERESOURCE;
    }
    if (t->mem.poison && bytes)
        t->be->k->fill(t->be, t->scratch, bytes / sizeof(float), NAN);
    return 0;
}

static int run_forward(struct tape *t, struct node *n)
{
    size_t saves = n->op->saves ? n->op->saves(n) : 0;
    if (make_scratch(t, n, &t->err) < 0)
        return t->err.code;
    if (saves && !(n->saved = pool_alloc(&t->mem, saves, &t->err)))
        return t->err.code;
    n->op->forward(t, n);
    if (saves && !n->out->needs_grad) {
        pool_free(&t->mem, n->saved, saves);
        n->saved = NULL;
    }
    if (n->op->flops)
        t->flops += n->op->flops(n);
    return 0;
}

struct tensor *tape_apply(struct tape *t, const struct op_class *op, const void *arg,
                          size_t arg_size, struct tensor *const *in, int n_in)
{
    BUG_ON(n_in < 1 || n_in > NODE_INPUTS);
    if (t->err.code)
        return NULL;
    for (int i = 0; i < n_in; i++)
        BUG_ON(!in[i]);
    struct node *n = add_node(t, op, arg, arg_size, in, n_in);
    if (make_output(t, n) < 0 || run_forward(t, n) < 0)
        return NULL;
    return n->out;
}

/* The tensor that owns x's memory. */
static struct tensor *owner(struct tensor *x)
{
    return x->base ? x->base : x;
}

static int make_grad(struct tape *t, struct tensor *x, struct err *e)
{
    x = owner(x);
    if (!x->grad)
        x->grad = pool_alloc(&t->mem, x->len * sizeof(float), e);
    return x->grad ? 0 : TT_ERESOURCE;
}

float *tape_grad(struct tape *t, struct tensor *x, bool *add)
{
    (void)t;
    x = owner(x);
    *add = x->grad_set;
    x->grad_set = true;
    return x->grad;
}

static int run_backward(struct tape *t, struct node *n, struct err *e)
{
    if (make_scratch(t, n, e) < 0)
        return TT_ERESOURCE;
    for (int i = 0; i < n->n_in; i++)
        if (tape_wants(n, i) && make_grad(t, n->in[i], e) < 0)
            return TT_ERESOURCE;
    n->op->backward(t, n);
    pool_free(&t->mem, n->out->grad, n->out->len * sizeof(float));
    n->out->grad = NULL;
    n->out->grad_set = false;
    return 0;
}

/* The part of a forward that tape_recompute made, which backward makes again. */
struct part {
    struct tensor *(*run)(struct tape *, const void *arg, struct tensor *x);
    const void *arg;
    int first_index; /* of its first node */
};

/* A node of its own, which no one but the walk back looks at. */
static const struct op_class op_class_part = {.name = "part"};

/* The tensor is made by one of the nodes from `first` on. */
static bool made_since(const struct tape *t, size_t first, const struct tensor *x)
{
    for (size_t i = first; i < t->n; i++)
        if (t->node[i].out == x)
            return true;
    return false;
}

/* Give back what nodes from `first` on keep, but for the memory of `kept`; then drop them. */
static void drop_nodes(struct tape *t, size_t first, const struct tensor *kept)
{
    for (size_t i = first; i < t->n; i++) {
        struct node *n = &t->node[i];
        if (n->saved)
            pool_free(&t->mem, n->saved, n->op->saves(n));
        if (n->out != kept)
            pool_free(&t->mem, n->out->data, n->out->len * sizeof(float));
    }
    t->n = first;
}

struct tensor *tape_recompute(struct tape *t,
                              struct tensor *(*run)(struct tape *, const void *arg, struct tensor *x),
                              const void *arg, size_t arg_size, struct tensor *x)
{
    size_t first = t->n;
    struct part part = {.run = run, .first_index = t->next_index};
    struct tensor *y = x ? run(t, arg, x) : NULL;
    if (!y || !t->recording || !owner(y)->needs_grad || !made_since(t, first, owner(y)))
        return y;
    int next_index = t->next_index;
    drop_nodes(t, first, owner(y));
    part.arg = memcpy(arena_alloc(&t->meta, arg_size), arg, arg_size);
    add_node(t, &op_class_part, &part, sizeof part, &x, 1)->out = owner(y);
    t->next_index = next_index; /* as if the nodes were there */
    return y;
}

static int backward_from(struct tape *t, size_t first, struct err *e);

/* Node i is a part: run it again behind itself, walk back through that, and drop it. */
static int backward_part(struct tape *t, size_t i, struct err *e)
{
    const struct node *n = &t->node[i];
    const struct part *p = n->arg;
    struct tensor *out = n->out;
    double flops = t->flops;
    t->n = i + 1;
    t->next_index = p->first_index;
    struct tensor *again = p->run(t, p->arg, n->in[0]);
    if (!again)
        return err_set(e, t->err.code, "%s", t->err.msg);
    t->flops = flops;
    owner(again)->grad = out->grad;
    owner(again)->grad_set = true;
    out->grad = NULL;
    out->grad_set = false;
    int code = backward_from(t, i + 1, e);
    drop_nodes(t, i + 1, NULL);
    return code;
}

/* Nodes first .. n-1 in reverse. */
static int backward_from(struct tape *t, size_t first, struct err *e)
{
    for (size_t i = t->n; i-- > first;) {
        struct node *n = &t->node[i];
        if (!n->out->grad_set)
            continue;
        int code = n->op == &op_class_part ? backward_part(t, i, e) : run_backward(t, n, e);
        if (code)
            return code;
    }
    return 0;
}

int tape_backward(struct tape *t, struct tensor *loss, float scale, struct err *e)
{
    if (t->err.code)
        return err_set(e, t->err.code, "%s", t->err.msg);
    BUG_ON(!loss || loss->len != 1 || !t->recording);
    if (!loss->needs_grad)
        return 0;
    if (make_grad(t, loss, e) < 0)
        return TT_ERESOURCE;
    bool add;
    t->be->k->fill(t->be, tape_grad(t, loss, &add), 1, scale);
    return backward_from(t, 0, e);
}
