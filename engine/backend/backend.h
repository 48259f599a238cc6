/* Where numbers are computed: one class per kind of device, each with the same table of typed
 * kernels. Kernels take plain pointers and sizes, never tensors, so they can be called and timed
 * alone. All matrices are row-major. A kernel that writes a gradient has `add`: false stores, true
 * adds to what is there. Kernels cannot fail; an asynchronous backend keeps its first failure in
 * `err`. Only download and sync wait. One compute thread per backend.
 *
 * Shared with CUDA code: plain C that is C++ too. */
#ifndef TT_BACKEND_BACKEND_H
#define TT_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/err.h"
#include "engine/base/rng.h"

struct backend;

/* Activations that linear and conv2d can apply to their output. */
enum act {
    ACT_NONE, ACT_RELU, ACT_LEAKY_RELU, ACT_GELU, ACT_GELU_TANH, ACT_TANH, ACT_SIGMOID,
    ACT_SILU,       /* x sigmoid(x) */
    ACT_QUICK_GELU, /* x sigmoid(1.702 x) */
    ACT_COUNT
};
/* Its derivative is written in the input, not in the output. */
static inline bool act_reads_input(enum act act)
{
    return act == ACT_GELU || act == ACT_GELU_TANH || act == ACT_SILU || act == ACT_QUICK_GELU;
}

/* x [n,c,h,w], weight [oc,c,kh,kw], y [n,oc,oh,ow]; oh = (h + 2 pad - kh) / stride + 1. */
struct conv_dims {
    int n, c, h, w, oc, kh, kw, stride, pad, oh, ow;
};

/* x [n,c,h,w], y [n,c,oh,ow]; windows that reach past the end are dropped, padding counts as
 * -inf. */
struct pool_dims {
    int n, c, h, w, k, stride, pad, oh, ow;
};

/* Attention within texts: text i is rows at[i] .. at[i+1] of `tokens`, head h owns columns h*size ... of
 * `dim` = heads * size. */
struct attention_dims {
    const int32_t *at; /* [texts + 1] */
    int texts, tokens, heads, size;
    float p; /* dropout of the probabilities */
    struct rng_key key;
};

/* Softmax cross-entropy over rows: what the rows mean. */
struct xent_rule {
    int rows, classes;
    int ignore;           /* a label that takes no part: -100 */
    float smoothing;      /* label smoothing, 0: none */
    float inv_denom;      /* loss = sum over counted rows * inv_denom */
    const float *weight;  /* [classes] or NULL */
};

/* Every kernel once: X(result, name, arguments after the backend). */
#define KERNELS(X)                                                                                 \
    X(void, fill, (struct backend *be, float *x, size_t n, float v))                               \
    X(void, scale, (struct backend *be, float *x, size_t n, float a))                              \
    X(void, add, (struct backend *be, float *y, const float *a, const float *b, size_t n))         \
    X(void, axpy, (struct backend *be, float *y, float a, const float *x, size_t n))               \
    /* *out (device double) = sum of squares, in double, in a fixed order */                       \
    X(void, sumsq, (struct backend *be, double *out, const float *x, size_t n))                    \
    /* c[m,n] = alpha op(a)[m,k] op(b)[k,n] + beta c; ta, tb: a, b are stored transposed */        \
    X(void, gemm,                                                                                  \
      (struct backend *be, bool ta, bool tb, int m, int n, int k, float alpha, const float *a,     \
       int lda, const float *b, int ldb, float beta, float *c, int ldc))                           \
    /* y[rows,cols] = act(y + bias) in place; z, when not NULL, keeps y + bias */                  \
    X(void, bias_act_fwd,                                                                          \
      (struct backend *be, float *y, float *z, const float *bias, int rows, int cols,              \
       enum act act, float slope))                                                                 \
    X(void, act_fwd,                                                                               \
      (struct backend *be, float *y, const float *x, size_t n, enum act act, float slope))         \
    /* dx, which may be dy; x (before) is for act_reads_input(), y (after) for the others */       \
    X(void, act_bwd,                                                                               \
      (struct backend *be, float *dx, const float *dy, const float *x, const float *y, size_t n,   \
       enum act act, float slope, bool add))                                                       \
    X(void, col_sum,                                                                               \
      (struct backend *be, float *out, const float *x, int rows, int cols, bool add))              \
    X(void, layernorm_fwd,                                                                         \
      (struct backend *be, float *y, float *mean, float *rstd, const float *x, const float *w,     \
       const float *b, int rows, int cols, float eps))                                             \
    /* dx, dw, db may each be NULL */                                                              \
    X(void, layernorm_bwd,                                                                         \
      (struct backend *be, float *dx, float *dw, float *db, const float *dy, const float *x,       \
       const float *mean, const float *rstd, const float *w, int rows, int cols, bool add_dx,      \
       bool add_dw, bool add_db))                                                                  \
    /* bytes of scratch that conv2d_fwd and conv2d_bwd may need */                                 \
    X(size_t, conv2d_scratch, (struct backend *be, const struct conv_dims *d))                     \
    X(void, conv2d_fwd,                                                                            \
      (struct backend *be, float *y, const float *x, const float *w, const float *bias,            \
       const struct conv_dims *d, enum act act, float slope, void *scratch))                       \
    /* dy is the gradient before the activation; dx, dw, db may each be NULL */                    \
    X(void, conv2d_bwd,                                                                            \
      (struct backend *be, float *dx, float *dw, float *db, const float *dy, const float *x,       \
       const float *w, const struct conv_dims *d, bool add_dx, bool add_dw, bool add_db,           \
       void *scratch))                                                                             \
    /* arg: position of the maximum within its image plane, first one in row order on ties */      \
    X(void, maxpool_fwd,                                                                           \
      (struct backend *be, float *y, int32_t *arg, const float *x, const struct pool_dims *d))     \
    X(void, maxpool_bwd,                                                                           \
      (struct backend *be, float *dx, const float *dy, const int32_t *arg,                         \
       const struct pool_dims *d, bool add))                                                       \
    /* element i lives when uniform(key, i) >= p, scaled by 1/(1-p); the mask is never stored */   \
    X(void, dropout_fwd,                                                                           \
      (struct backend *be, float *y, const float *x, size_t n, float p, struct rng_key key))       \
    X(void, dropout_bwd,                                                                           \
      (struct backend *be, float *dx, const float *dy, size_t n, float p, struct rng_key key,      \
       bool add))                                                                                  \
    /* y[i] = w[id[i]], rows of `cols` */                                                          \
    X(void, gather_fwd,                                                                            \
      (struct backend *be, float *y, const float *w, const int32_t *id, size_t n, int cols))       \
    /* dw[rows,cols] (+)= dy[i] at row id[i], in the order of i; row `skip` (-1: none) gets none */ \
    X(void, gather_bwd,                                                                            \
      (struct backend *be, float *dw, const float *dy, const int32_t *id, size_t n, int rows,      \
       int cols, int skip, bool add))                                                              \
    /* y = softmax(q k' / sqrt(size)) v; lse [heads,tokens] = log sum exp of a row's scores */     \
    X(void, attention_fwd,                                                                         \
      (struct backend *be, float *y, float *lse, const float *q, const float *k, const float *v,   \
       const struct attention_dims *d))                                                            \
    /* d[3], add[3]: of q, k, v; each of d may be NULL */                                          \
    X(void, attention_bwd,                                                                         \
      (struct backend *be, float *const *d, const bool *add, const float *dy, const float *y,      \
       const float *lse, const float *q, const float *k, const float *v,                           \
       const struct attention_dims *dims))                                                         \
    /* loss[0] = value; prob[rows,classes] kept for backward */                                    \
    X(void, xent_fwd,                                                                              \
      (struct backend *be, float *loss, float *prob, const float *logits, const int32_t *label,    \
       const struct xent_rule *r))                                                                 \
    X(void, xent_bwd,                                                                              \
      (struct backend *be, float *dlogits, const float *dloss, const float *prob,                  \
       const int32_t *label, const struct xent_rule *r, bool add))                                 \
    /* loss[0] = inv_denom * sum (x-t)^2; rows of `cols` whose first target is NaN do not count */ \
    X(void, mse_fwd,                                                                               \
      (struct backend *be, float *loss, const float *x, const float *t, int rows, int cols,        \
       float inv_denom))                                                                           \
    X(void, mse_bwd,                                                                               \
      (struct backend *be, float *dx, const float *dloss, const float *x, const float *t,          \
       int rows, int cols, float inv_denom, bool add))                                             \
    /* with logits; pos_weight [cols] or NULL; rows whose first target is NaN do not count */      \
    X(void, bce_fwd,                                                                               \
      (struct backend *be, float *loss, const float *x, const float *t, const float *pos_weight,   \
       int rows, int cols, float inv_denom))                                                       \
    X(void, bce_bwd,                                                                               \
      (struct backend *be, float *dx, const float *dloss, const float *x, const float *t,          \
       const float *pos_weight, int rows, int cols, float inv_denom, bool add))

struct kernels {
#define KERNEL_SLOT(result, name, args) result(*name) args;
    KERNELS(KERNEL_SLOT)
#undef KERNEL_SLOT
};

enum kernel_id {
#define KERNEL_ID(result, name, args) KERNEL_##name,
    KERNELS(KERNEL_ID)
#undef KERNEL_ID
    KERNEL_COUNT
};

struct backend_class {
    const char *name, *summary;
    int (*open)(struct backend *be, struct err *);
    void (*close)(struct backend *);
    void *(*alloc)(struct backend *be, size_t bytes); /* 64-byte aligned; NULL: no memory */
    void (*free)(struct backend *be, void *p, size_t bytes);
    void (*upload)(struct backend *be, void *dev, const void *host, size_t bytes);
    void (*download)(struct backend *be, void *host, const void *dev, size_t bytes); /* waits */
    void (*copy)(struct backend *be, void *dst, const void *src, size_t bytes);
    void (*zero)(struct backend *be, void *dst, size_t bytes);
    void (*sync)(struct backend *);
    void (*mem_info)(struct backend *be, int64_t *free_bytes, int64_t *total_bytes);
    bool host_memory; /* device pointers may be read and written by the host */
    struct kernels k; /* NULL: not offered */
};

struct backend {
    const struct backend_class *cls;
    const struct kernels *k;
    int threads;
    int index;                        /* which device of its class: 1 of "cuda:1" */
    size_t allocated, peak;           /* bytes handed out by backend_alloc now, at most */
    bool used[KERNEL_COUNT];          /* null backend only: kernels a dry run called */
    struct err err;                   /* first failure of an asynchronous backend */
    void *priv;
};

/* All of them, in order of preference of `run.device = auto`; ended by NULL. */
extern const struct backend_class *const backend_classes[];
extern const struct backend_class backend_cpu, backend_null;

/* Is there such a device in this build? TT_ECONFIG: no build has it; TT_ERESOURCE: others have. */
int backend_check_name(const char *name, struct err *e);

/* name: "auto", "cpu", "cuda", "cuda:1", "null". threads: for the CPU, above 0. Sets the OpenMP
 * team of the calling thread, which must be the one that computes, and that numbers below the
 * normal range are 0 there. TT_ERESOURCE when the device is not there, TT_ERESOURCE with advice when
 * the BLAS fails its check against a plain loop. */
int backend_open(struct backend *be, const char *name, int threads, struct err *e);
void backend_close(struct backend *be);

void *backend_alloc(struct backend *be, size_t bytes, struct err *e); /* NULL: TT_ERESOURCE set */
void backend_free(struct backend *be, void *p, size_t bytes);

const char *kernel_name(enum kernel_id id);
/* After a dry run on `dry` (null): TT_ERESOURCE naming the first kernel that `be` lacks, else 0. */
int backend_check_kernels(const struct backend *be, const struct backend *dry, const char *model,
                          struct err *e);

/* Idle OpenMP threads wait awake for milliseconds, which costs a second run on the same cores most
 * of its speed; how long is read when the library is loaded. Sets GOMP_SPINCOUNT, unless the user
 * chose; true: it was set, so a program starts itself anew (execv) before it does anything else. */
bool openmp_spin_briefly(void);

/* OpenBLAS takes the kernels of a 2004 processor on one it doesn't know (a fifth of the speed):
 * make it take those that the processor has features for, unless OPENBLAS_CORETYPE says otherwise.
 * Sets that variable, so programs call it before they start a thread; backend_open does it too. */
void blas_choose_core(void);

/* CPU backend: name of the BLAS, its threading and core as one line ("OpenBLAS 0.3.21, openmp,
 * ..."), and its check: a few small products against plain loops. Both call BLAS. */
void blas_describe(char *dst, size_t size);
int blas_check(struct err *e);

#endif
