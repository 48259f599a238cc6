/* The memory plan: what a run will take, before it starts and without reading weights. It is a dry step
 * on the null backend over the same code, so predicted bytes are allocated bytes. No BLAS, no OpenMP. */
#ifndef TT_TRAIN_PLAN_H
#define TT_TRAIN_PLAN_H

#include "engine/train/run_config.h"

#define PLAN_STATES 8
#define PLAN_OPTIMS 32

/* One line of the ledger: a state over all tensors, or parameters, gradients ... */
struct plan_row {
    char name[32], type[8]; /* exp_avg, f32; of the largest tensor where they differ */
    int tensors;
    int64_t elements, bytes, largest; /* largest: elements of one tensor */
};

struct plan_optim {
    char name[32], states[96]; /* states: "exp_avg, exp_avg_sq, step" */
    bool common, refused;      /* refused: does not go with this model; why in `states` */
    int64_t elements, bytes;   /* of state */
    struct plan_row state[PLAN_STATES];
    int nstate;
};

struct plan_tensor {
    char name[160];
    int ndim;
    int64_t dim[4], len;
    int64_t state_bytes[PLAN_STATES]; /* by the rows of `state`; -1: it has none of that name */
};

struct memory_plan {
    int64_t parameters, trainable;
    int tensors;
    int64_t weight_bytes, gradient_bytes, activation_bytes, workspace_bytes, state_bytes;
    int64_t activation_eval_bytes; /* of an evaluation batch; the larger one counts */
    int64_t total_bytes;           /* all of them */
    int64_t data_bytes;            /* rows kept in memory, not in total_bytes */
    struct plan_row state[PLAN_STATES];
    int nstate;
    struct plan_optim optim[PLAN_OPTIMS];
    int noptim;                    /* sorted by bytes, then name */
    struct plan_tensor *tensor;    /* [tensors], in declared order */
    int64_t free_bytes, total_memory;
    bool fits;
    int64_t largest_batch;         /* that fits; 0: not even one */
    double flops_per_step;         /* forward and backward of one update */
    struct run_length length;
};

/* train, eval: facts from dataset_peek or dataset_open (their rows are not read). */
int plan_make(struct memory_plan *p, const struct run_config *rc, const struct dataset *train,
              const struct dataset *eval, struct err *e);
void plan_release(struct memory_plan *p);

#endif
