/* Adam with decoupled decay: torch.optim.AdamW. */
#include "optimizers/adam_rule.h"

static void adamw_step(const struct optim_step *s)
{
    adam_update(s, true);
}

const struct optim_class optim_adamw = {
    .name = "adamw",
    .summary = "Adam, weights decayed directly",
    .opts = adam_rows,
    .opts_size = sizeof(struct adam_opts),
    .common = true,
    .elementwise = true,
    .states = adam_states,
    .step = adamw_step,
};
