/* What adam8bit and adamw8bit share: bitsandbytes' blockwise Adam with float32 scalars (optimizers.md
 * 3.4). Both decay the weights directly. */
#ifndef TT_OPTIMIZERS_ADAM8BIT_RULE_H
#define TT_OPTIMIZERS_ADAM8BIT_RULE_H

#include "engine/nn/optim.h"

extern const struct opt_desc adam8bit_rows[];

int adam8bit_states(const void *opts, const struct segment *seg, int state_bits,
                    struct state_desc out[OPTIM_MAX_STATES]);
void adam8bit_step(const struct optim_step *s);

#endif
