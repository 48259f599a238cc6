/* Tensors of a tape: made, viewed in another shape, named in messages. */
#include "engine/tape/tape.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "engine/base/die.h"

struct tensor *tensor_new(struct tape *t, int ndim, const int64_t *dim)
{
    BUG_ON(ndim < 1 || ndim > TENSOR_DIMS);
    struct tensor *x = arena_alloc(&t->meta, sizeof(*x));
    x->ndim = ndim;
    x->len = 1;
    for (int i = 0; i < ndim; i++) {
        BUG_ON(dim[i] < 1 || dim[i] > INT_MAX);
        BUG_ON(__builtin_mul_overflow(x->len, (size_t)dim[i], &x->len));
        x->dim[i] = dim[i];
    }
    return x;
}

struct tensor *tape_view(struct tape *t, struct tensor *x, int ndim, const int64_t *dim)
{
    if (!x || t->err.code)
        return NULL;
    struct tensor *view = tensor_new(t, ndim, dim);
    if (view->len != x->len) {
        char from[96], to[96];
        err_set(&t->err, TT_EFAIL, "view: %s has not the elements of %s",
                tensor_shape(x, from, sizeof(from)), tensor_shape(view, to, sizeof(to)));
        return NULL;
    }
    view->data = x->data;
    view->needs_grad = x->needs_grad;
    view->base = x->base ? x->base : x;
    return view;
}

char *tensor_shape(const struct tensor *x, char *dst, size_t size)
{
    size_t at = 0;
    for (int i = 0; i < x->ndim && at < size; i++)
        at += (size_t)snprintf(dst + at, size - at, "%s%" PRId64, i ? ", " : "[", x->dim[i]);
    if (at < size)
        snprintf(dst + at, size - at, "]");
    return dst;
}
