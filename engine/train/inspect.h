/* A look at one tensor: of an optimizer's state, the weights or the gradients. The numbers are of
 * one step: the trainer makes the report at a step border when it is asked for one, in a single
 * pass over the tensor; of a run on disk it is made from a checkpoint. Plain data of a fixed size.
 * */
#ifndef TT_TRAIN_INSPECT_H
#define TT_TRAIN_INSPECT_H

#include <stdint.h>

#include "engine/nn/optim.h"

#define INSPECT_BINS 1024
#define INSPECT_LEADING 32

/* Words that stand in the place of a state's name. */
#define INSPECT_WEIGHTS "weights"
#define INSPECT_GRADIENTS "gradients"

struct inspect_request {
    char tensor[160], state[48];
    int64_t first; /* element where the leading values begin */
    int64_t asker; /* who gets the answer: the screen of the run's process 0, its viewers from 1 */
};

/* How many values lie in each of INSPECT_BINS equal parts of lo .. hi; both ends are counted in. */
struct inspect_bins {
    double lo, hi;
    int64_t count[INSPECT_BINS];
};

struct inspect_report {
    struct inspect_request of;
    char error[200];  /* why there is nothing to see; "": there is */
    int64_t step;     /* that the copy was made after */
    enum dtype dtype; /* dtype and shape as stored */
    int ndim;
    int64_t dim[TENSOR_DIMS];
    int64_t n; /* values; of half a byte two an element stored */
    double min, max, mean, rms, p1,
        p99; /* of those that are finite; NaN: there are none. p1 and p99 are
                                          * within 0.2 % */
    int64_t zeros, nonfinite;
    struct inspect_bins values; /* finite ones; symmetric about 0 where both signs occur */
    int nlead;                  /* leading values, from element of.first */
    float lead[INSPECT_LEADING];
    /* States of codes only: */
    int bits;                /* of a code; 0: plain numbers, and nothing below counts */
    char scale[48];          /* state with the scales */
    int64_t blocks, block;   /* scales; elements that share one */
    int code_low, code_high; /* of the smallest and the largest value */
    int64_t at_ends;         /* elements with one of these */
    struct inspect_bins scales;
    double lead_scale; /* of the block of the first leading value */
    unsigned char lead_code[INSPECT_LEADING];
};

/* On the thread that computes, between updates. */
struct network;
void inspect_network(const struct network *net, const struct inspect_request *q, int64_t step,
                     struct inspect_report *out);
/* From the newest whole checkpoint of a run directory, on any thread. codes: how to read the state
 * where it is one of bytes; NULL: the optimizer has no codes for it. */
void inspect_run(const char *run_path, const struct inspect_request *q,
                 const struct state_codes *codes, struct inspect_report *out);

/* What inspect.c is made of: one tensor as it is stored, read in parts. `codes` NULL: plain
 * numbers, and no scales. Fills all but `of` and `step`. */
struct inspect_tensor {
    enum dtype dtype;
    int ndim;
    int64_t dim[TENSOR_DIMS];
    size_t bytes;
    int (*read)(const struct inspect_tensor *t, size_t at, size_t n, void *dst, struct err *e);
    const void *owner, *data; /* for read */
};
int inspect_values(const struct inspect_tensor *values, const struct inspect_tensor *scales,
                   const struct state_codes *codes, struct inspect_report *r, struct err *e);

#endif
