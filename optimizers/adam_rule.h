/* What adam and adamw share: the rule of torch.optim.Adam (optimizers.md 1.2). They differ in where the
 * decay goes: into the gradient (adam, L2) or straight into the weights (adamw). */
#ifndef TT_OPTIMIZERS_ADAM_RULE_H
#define TT_OPTIMIZERS_ADAM_RULE_H

#include "engine/nn/optim.h"

struct adam_opts {
    struct optim_common common;
    double beta1, beta2, eps;
    bool amsgrad, maximize;
};

extern const struct opt_desc adam_rows[];

int adam_states(const void *opts, const struct segment *seg, int state_bits,
                struct state_desc out[OPTIM_MAX_STATES]);
void adam_update(const struct optim_step *s, bool decoupled);

#endif
