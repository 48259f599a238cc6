/* An eager tape over coarse, hand-written op pairs. A model writes its forward once with the
 * functions of engine/ops/ops.h; every op computes at once and leaves a node. tape_backward walks
 * the nodes in reverse. All memory of a tape is dropped by tape_begin: nothing may outlive that.
 *
 * Failures are sticky: an op whose shapes do not fit sets `tape->err` and gives NULL, and an op
 * given NULL gives NULL, so that a model checks once, at its end. One thread.
 *
 * First writer stores, later ones add: tape_grad() is the one place that decides it. */
#ifndef TT_TAPE_TAPE_H
#define TT_TAPE_TAPE_H

#include "engine/backend/backend.h"
#include "engine/base/arena.h"
#include "engine/tape/pool.h"

#define TENSOR_DIMS 4
#define NODE_INPUTS 4

/* Contiguous, row-major, no strides. `data` and `grad` are device pointers; views made by tape_view
 * share both with their base through `base`. */
struct tensor {
    float *data, *grad; /* grad: NULL until something writes it, except for parameters */
    int ndim;
    int64_t dim[TENSOR_DIMS];
    size_t len;
    bool needs_grad;
    bool grad_set; /* grad holds something of this step: the next writer adds */
    struct tensor *base; /* a view: the tensor whose data and grad these are; else NULL */
    const char *name;    /* of a parameter, for messages; else NULL */
};

struct tape;
struct node;

/* What an op needs is asked for by its class and given before it runs, so forward and backward
 * cannot fail. */
struct op_class {
    const char *name;
    unsigned nondiff_in; /* bit i: input i never gets a gradient */
    /* Shape of the output into out_ndim, out_dim; or what does not fit. */
    int (*infer)(const struct node *, int *out_ndim, int64_t *out_dim, struct err *);
    size_t (*saves)(const struct node *); /* bytes of node.saved; NULL: none */
    size_t (*scratch)(struct tape *, const struct node *); /* bytes of tape.scratch; NULL: none */
    void (*forward)(struct tape *, struct node *);
    /* Writes the inputs' gradients (those that tape_wants) through tape_grad. The gradient of the
     * output is dropped afterwards, so it may be overwritten. */
    void (*backward)(struct tape *, struct node *);
    double (*flops)(const struct node *); /* of forward; NULL: not worth counting */
};

struct node {
    const struct op_class *op;
    struct tensor *out, *in[NODE_INPUTS];
    int n_in;
    int index;   /* within the tape: the same for the same model, part of a dropout key */
    void *arg;   /* the op's own struct, host memory */
    void *saved; /* what forward leaves for backward, device memory; gone after forward when the
                    output needs no gradient */
};

struct tape {
    struct backend *be;
    struct arena meta;   /* tensors and args */
    struct pool mem;     /* outputs, saved, gradients: mem.peak is their figure for the planner */
    void *scratch;       /* for the op that runs now; as large as the largest wish so far */
    size_t scratch_peak; /* its bytes */
    struct node *node;
    size_t n, cap;
    int next_index;      /* of the next node */
    bool in_place;  /* host values are used where they lie. Set by tape_init from the backend; a dry
                       run sets it to what the planned device does */
    bool recording; /* outputs get gradients; tape_begin sets it to `training` */
    bool training;  /* dropout is on */
    uint64_t seed, micro; /* dropout key: the run's seed, micro-batches since its start */
    double flops;         /* of forward ops since tape_begin */
    struct err err;
};

/* Reserve of a dry run: one block that never grows, so that mem.peak is the reserve with which a
 * real run of the same step never grows either. */
#define TAPE_DRY ((size_t)1 << 46)

/* `reserve`: bytes to take at once (0: grow as needed). */
int tape_init(struct tape *t, struct backend *be, size_t reserve, struct err *e);
void tape_release(struct tape *t);

/* Drop all nodes and start a new forward. For gradients without dropout set t->recording then. */
void tape_begin(struct tape *t, bool training, uint64_t seed, uint64_t micro);

/* A leaf with the host's values: uploaded, or used where they lie. The null backend reads none. */
struct tensor *tape_input(struct tape *t, int ndim, const int64_t *dim, const float *host,
                          bool needs_grad);
const int32_t *tape_upload_i32(struct tape *t, const int32_t *host, size_t n);
const float *tape_upload_f32(struct tape *t, const float *host, size_t n);

/* Apply an op: copies `arg` (arg_size bytes), infers, runs forward. Used by engine/ops only. */
struct tensor *tape_apply(struct tape *t, const struct op_class *op, const void *arg,
                          size_t arg_size, struct tensor *const *in, int n_in);

/* Same elements in another shape; no node, no copy. */
struct tensor *tape_view(struct tape *t, struct tensor *x, int ndim, const int64_t *dim);

/* Gradient checkpointing: y = run(t, arg, x) without keeping what lies between; tape_backward computes it
 * again, with the same dropout, so values and gradients are those of run() itself. `arg` is copied.
 * Without recording it is run() itself. */
struct tensor *tape_recompute(struct tape *t,
                              struct tensor *(*run)(struct tape *, const void *arg, struct tensor *x),
                              const void *arg, size_t arg_size, struct tensor *x);

/* Gradient of a one-element `loss` with respect to everything that needs one, times `scale`. The
 * gradients of leaves and parameters stay, those of op outputs are dropped on the way. */
int tape_backward(struct tape *t, struct tensor *loss, float scale, struct err *e);

/* For ops. */
static inline bool tape_wants(const struct node *n, int i)
{
    return i < n->n_in && n->in[i] && n->in[i]->needs_grad && !(n->op->nondiff_in >> i & 1u);
}
/* Where the gradient of `x` goes; *add tells whether the caller adds or stores. */
float *tape_grad(struct tape *t, struct tensor *x, bool *add);

static inline int64_t tensor_rows(const struct tensor *x)
{
    return (int64_t)x->len / x->dim[x->ndim - 1];
}
/* A tensor without data, in the tape's memory. */
struct tensor *tensor_new(struct tape *t, int ndim, const int64_t *dim);
char *tensor_shape(const struct tensor *x, char *dst, size_t size); /* "[64, 1, 28, 28]" */

#endif
