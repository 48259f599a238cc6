/* The optimizer contract. A class declares, per tensor, the states it keeps; the trainer owns them: the
 * same rows feed the allocator, the planner, the live table, the inspector and the checkpoint, so
 * predicted bytes are allocated bytes are displayed bytes.
 *
 * To add an optimizer: one file in optimizers/ that ends with its class object, one line in
 * optimizers/list.h, one in Makefile.am. */
#ifndef TT_NN_OPTIM_H
#define TT_NN_OPTIM_H

#include "engine/base/dtype.h"
#include "engine/base/opt.h"
#include "engine/nn/param.h"

#define OPTIM_MAX_STATES 6
#define OPTIM_MAX_SHARED 8

struct state_desc {
    const char *name; /* the reference's: exp_avg, state1, absmax1, step */
    enum dtype dtype;
    int ndim;
    int64_t dim[TENSOR_DIMS];
    const char *formula; /* in words: "4 B x elements" */
    double fill;         /* value every element starts with; 0 unless the reference says otherwise */
};

size_t state_len(const struct state_desc *d);   /* elements */
size_t state_bytes(const struct state_desc *d);

/* How a state of codes is read: element i is value[its code] * scale[i / block]. Codes of 4 bits lie two in
 * a byte, the even element in the high half. */
struct state_codes {
    const char *scale;  /* the state that holds the scales */
    int bits;           /* 8 or 4 */
    size_t block;       /* elements that share a scale */
    const float *value; /* [1 << bits] */
    int low, high;      /* codes of the smallest and of the largest value */
};

/* One call of step: one tensor, or for element-wise classes a run of neighbouring tensors of one
 * group. All pointers are the backend's memory. */
struct optim_step {
    struct backend *be;
    const struct segment *seg; /* seg[0 .. nseg): the run, in slab order */
    int nseg;
    float *w;
    const float *g;
    size_t n;                        /* elements of the run */
    void *state[OPTIM_MAX_STATES];   /* in the order of states(); a run's states lie without gaps */
    double lr;           /* this step's rate times the group's scale */
    double weight_decay; /* of the group: 0 where nothing is decayed */
    int64_t t;           /* number of this update, from 1 */
    int state_bits;      /* of the group */
    const void *opts;
    double *shared;      /* class-wide scalars, written by begin */
    void *scratch;       /* as many bytes as the class's scratch asked for */
};

/* Once before the tensors of an update; for classes whose scalars depend on the whole set. */
struct optim_begin {
    struct param_set *ps;
    double lr;
    int64_t t;
    const void *opts;
    double *shared;
};

/* Every options struct begins with these two, described by the first rows of the class's table. */
struct optim_common {
    double lr;           /* 5e-5; NaN: unset (adafactor) */
    double weight_decay; /* 0 */
};

struct optim_class {
    const char *name, *summary;
    const struct opt_desc *opts;
    size_t opts_size;
    bool common;      /* in the form's short list */
    bool elementwise; /* step may be given runs of several tensors */
    int n_shared;     /* scalars kept over steps and in checkpoints; at most OPTIM_MAX_SHARED */
    /* Combinations that make no sense: TT_ECONFIG naming both keys. ps may be NULL (no model yet).
     * NULL: all are fine. */
    int (*check)(const void *opts, const struct param_set *ps, struct err *e);
    /* Options that are allowed and hardly meant: the words of a warning, else dst is left "". NULL:
     * never. */
    void (*doubt)(const void *opts, char *dst, size_t size);
    /* Fill `out` for one tensor with its group's state_bits; returns how many. Every tensor of a class
     * has the same states in the same order, or a subset of different names. */
    int (*states)(const void *opts, const struct segment *seg, int state_bits,
                  struct state_desc out[OPTIM_MAX_STATES]);
    /* How to read a state whose elements are bytes, for the inspector; false: it has no codes. NULL: no
     * state has. */
    bool (*codes)(const void *opts, const char *state, struct state_codes *out);
    /* Bytes of working memory that step needs for one tensor: one block, the largest of them, is
     * taken by optim_init. NULL: none. */
    size_t (*scratch)(const void *opts, const struct segment *seg);
    /* True: the class makes its own rate (adafactor's relative_step), so the scheduled one is not
     * read, step's lr is the group's scale alone and shared[0] keeps the rate used. NULL: never. */
    bool (*own_rate)(const void *opts);
    void (*begin)(const struct optim_begin *); /* NULL: nothing to do */
    void (*step)(const struct optim_step *);   /* cannot fail */
    /* Schedule-free: turn the training weights in w into those to evaluate; optim_set_eval puts the
     * former back. NULL: the weights themselves. */
    void (*eval_weights)(const struct optim_step *);
};

/* One state of one tensor. */
struct optim_state {
    int seg;
    struct state_desc desc;
    void *data; /* backend memory */
    size_t bytes;
};

struct optim {
    const struct optim_class *cls;
    const void *opts; /* borrowed */
    struct param_set *ps;
    struct optim_state *state; /* by tensor, then in the class's order */
    int nstate;
    int *first;      /* [nseg + 1]: states of tensor i are first[i] .. first[i+1] */
    char *slab;      /* all states, grouped by state name so that runs lie without gaps */
    size_t bytes;    /* of all states, exactly the sum of the rows */
    void *scratch;
    size_t scratch_bytes;
    int64_t t;       /* updates done */
    double shared[OPTIM_MAX_SHARED];
    bool evaluating; /* eval_weights are in */
};

/* Rows without memory: what the planner shows. Caller frees *rows. Returns their number. */
int optim_rows(const struct optim_class *cls, const void *opts, const struct param_set *ps,
               struct optim_state **rows);

size_t optim_scratch_bytes(const struct optim_class *cls, const void *opts,
                           const struct param_set *ps);

/* Takes states and scratch from ps->be. After a failure there is nothing to release. */
int optim_init(struct optim *o, const struct optim_class *cls, const void *opts,
               struct param_set *ps, struct err *e);
void optim_release(struct optim *o);

/* One update over all unfrozen tensors with the gradients in the slab. `lr`: the scheduled rate. */
void optim_update(struct optim *o, double lr);
/* The rate to show for the last update: `lr`, or the class's own. */
double optim_rate(const struct optim *o, double lr);
/* Between updates. While on, ps->w holds the weights to evaluate and ps->g the training weights, so
 * that these come back bit for bit. Does nothing for classes without eval_weights. */
void optim_set_eval(struct optim *o, bool on);

const struct optim_state *optim_find_state(const struct optim *o, int seg, const char *name);

/* The table of classes, made in optimizers/ and handed to the engine: ended by NULL. */
const struct optim_class *optim_by_name(const struct optim_class *const *table, const char *name,
                                        struct err *e);

/* Rows that begin every class's table: lr and weight_decay at the start of its options struct. */
#define OPTIM_LR_ROW                                                                               \
    {.key = "lr", .help = "peak learning rate, reached after warm-up", .type = OPT_REAL,           \
     .at = offsetof(struct optim_common, lr), .def = 5e-5, .min = 0, .max = 1e6,                   \
     .flags = OPT_COMMON | OPT_RESUME | OPT_RATE}
#define OPTIM_DECAY_ROW                                                                            \
    {.key = "weight_decay", .help = "decay of weights, not of biases and normalisation",           \
     .type = OPT_REAL, .at = offsetof(struct optim_common, weight_decay), .def = 0, .min = 0,      \
     .max = 1e3, .flags = OPT_COMMON}

#endif
