/* Parameters: one slab of weights, one of gradients, and a table of segments. Segments lie without gaps
 * in the order they were declared, so bytes are exactly 4 x elements. */
#ifndef TT_NN_PARAM_H
#define TT_NN_PARAM_H

#include "engine/base/arena.h"
#include "engine/tape/tape.h"

enum init_kind {
    INIT_ZERO,
    INIT_ONE,
    INIT_NORMAL,
    INIT_UNIFORM,
    INIT_SINUSOID /* of a [rows, columns] table: sin and cos of row / 10000^(2 (column / 2) / columns) */
};
struct init {
    enum init_kind kind;
    float a; /* NORMAL: standard deviation; UNIFORM: values in [-a, a) */
};

enum segment_kind { SEG_MATRIX = 1, SEG_EMBEDDING = 2 };

struct segment {
    const char *name; /* as the Hugging Face file spells it */
    size_t at, len;   /* elements, in both slabs */
    int ndim;
    int64_t dim[TENSOR_DIMS];
    int group; /* index into param_set.group */
    struct init init;
    int64_t zero_row; /* first values: row zero_row - 1 is zero; 0: none is */
    bool matrix;    /* a weight of a linear layer or convolution: muon's kind */
    bool embedding; /* 8-bit optimizers keep 32 bits for it */
    bool frozen;    /* gets no gradient, no state, no update */
};

/* What an optimizer does to the tensors of one group. */
struct param_group {
    const char *name;
    bool decay;          /* false: biases and normalisation, weight decay 0 */
    double lr_scale;     /* 1 */
    double weight_decay; /* NaN: the optimizer's */
    int state_bits;      /* 0: the optimizer's choice; 32: full precision */
};

struct param_set {
    struct backend *be;
    float *w, *g; /* device; NULL before param_alloc */
    double *sum;  /* device: result of the norm */
    size_t n;     /* elements */
    struct segment *seg;
    struct tensor *tensor; /* one per segment, pointing into the slabs */
    int nseg, cap;
    struct param_group *group; /* 0: decay, 1: no decay, then those of [group.NAME] */
    int ngroup;
    struct arena names;
};

void param_init(struct param_set *ps, struct backend *be);
void param_release(struct param_set *ps);

/* Declare one tensor; returns its index. The name is copied. Its group follows its name (below). */
int param_declare(struct param_set *ps, const char *name, int ndim, const int64_t *dim,
                  struct init init, unsigned kind);

/* Take both slabs and write initial values: segment i from Philox(seed, RNG_INIT, i). */
int param_build(struct param_set *ps, uint64_t seed, struct err *e);
/* Its two halves, for weights that come from a file: the slabs, and one tensor's initial values. */
int param_alloc(struct param_set *ps, struct err *e);
void param_fill(struct param_set *ps, int i, uint64_t seed);

int param_find(const struct param_set *ps, const char *name); /* or -1 */
struct tensor *param_tensor(struct param_set *ps, int i);

/* True when a tensor of this name is decayed: not a bias, not inside a normalisation
 * (trainer-semantics 1.6, design D9: batch norm scales neither). */
bool param_name_decays(const char *name);

/* How many tensors have a name that the glob fits. */
int param_matches(const struct param_set *ps, const char *glob);
/* Group for tensors whose name matches one of the globs (by commas) and which no earlier call took;
 * returns how many tensors it took. decay stays as their names say unless weight_decay is given. */
int param_group_add(struct param_set *ps, const char *name, const char *globs, double lr_scale,
                    double weight_decay, int state_bits, bool freeze);

/* Gradients of a new update: nothing is cleared, the next writer of each tensor stores. */
void param_clear_grads(struct param_set *ps);
/* Zero the tensors that no backward wrote; after this the whole gradient slab is of this update. */
void param_finish_grads(struct param_set *ps);
double param_grad_norm(struct param_set *ps); /* global 2-norm over unfrozen tensors; waits */
void param_scale_grads(struct param_set *ps, double factor);

int64_t param_trainable(const struct param_set *ps); /* elements not frozen */

#endif
