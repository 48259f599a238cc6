/* Adam with L2 decay in the gradient: torch.optim.Adam. */
#include "optimizers/adam_rule.h"

static void adam_step(const struct optim_step *s)
{
    adam_update(s, false);
}

const struct optim_class optim_adam = {
    .name = "adam",
    .summary = "Adam, decay added to the gradient (L2)",
    .opts = adam_rows,
    .opts_size = sizeof(struct adam_opts),
    .common = true,
    .elementwise = true,
    .states = adam_states,
    .step = adam_step,
};
