/* Rows that several optimizers share: options described with one wording, states of common shapes. */
#ifndef TT_OPTIMIZERS_ROWS_H
#define TT_OPTIMIZERS_ROWS_H

#include <math.h>
#include <stddef.h>

#include "engine/nn/optim.h"

/* `owner` is the options struct; its field has the key's name. */
#define REAL_ROW(owner, name, value, low, high, flag, text)                                        \
    {                                                                                              \
        .key = #name, .help = text, .type = OPT_REAL, .at = offsetof(struct owner, name),          \
        .def = value, .min = low, .max = high, .flags = flag                                       \
    }
#define INT_ROW(owner, name, value, low, high, flag, text)                                         \
    {                                                                                              \
        .key = #name, .help = text, .type = OPT_INT, .at = offsetof(struct owner, name),           \
        .def = value, .min = low, .max = high, .flags = flag                                       \
    }
#define BOOL_ROW(owner, name, value, flag, text)                                                   \
    {                                                                                              \
        .key = #name, .help = text, .type = OPT_BOOL, .at = offsetof(struct owner, name),          \
        .def = value, .flags = flag                                                                \
    }
#define BETA1_ROW(owner, value)                                                                    \
    REAL_ROW(owner, beta1, value, 0, 1, OPT_MAX_OPEN, "share of the old mean of gradients kept")
#define BETA2_ROW(owner, value)                                                                    \
    REAL_ROW(owner, beta2, value, 0, 1, OPT_MAX_OPEN, "share of the old mean of squares kept")
/* Not below 1e-30: in float32 a smaller one is 0, and an element without gradient 0 / 0. */
#define EPS_ROW(owner, value) REAL_ROW(owner, eps, value, 1e-30, 1, 0, "added to the denominator")
#define MAXIMIZE_ROW(owner) BOOL_ROW(owner, maximize, 0, 0, "climb instead of descend")

/* A float32 state of the tensor's own shape, every element starting at `fill`. */
struct state_desc state_like(const struct segment *seg, const char *name, double fill);
/* Updates done, as torch keeps it: one float32 for each tensor. */
struct state_desc state_step(void);

/* Note the number of this update in the step states of the run; `step` is the first of them. */
void write_step(const struct optim_step *s, float *step);

#endif
