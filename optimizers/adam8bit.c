/* Adam with 8-bit states: bitsandbytes' Adam8bit, which is AdamW in all but name. */
#include "engine/base/str.h"
#include "optimizers/adam8bit_rule.h"
#include "optimizers/block8.h"

static void adam8bit_doubt(const void *opts, char *dst, size_t size)
{
    const struct optim_common *common = opts;
    if (common->weight_decay > 0)
        str_copy(dst, size,
                 "optimizer.weight_decay with adam8bit decays the weights directly, as bitsandbytes "
                 "does; adamw8bit is the same under the right name");
}

const struct optim_class optim_adam8bit = {
    .name = "adam8bit",
    .summary = "Adam with moments of one byte (bitsandbytes)",
    .opts = adam8bit_rows,
    .opts_size = sizeof(struct block8_opts),
    .doubt = adam8bit_doubt,
    .states = adam8bit_states,
    .codes = block8_codes,
    .step = adam8bit_step,
};
