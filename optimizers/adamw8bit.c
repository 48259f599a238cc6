/* AdamW with 8-bit states: bitsandbytes' AdamW8bit. */
#include "optimizers/adam8bit_rule.h"
#include "optimizers/block8.h"

const struct optim_class optim_adamw8bit = {
    .name = "adamw8bit",
    .summary = "AdamW with moments of one byte (bitsandbytes)",
    .opts = adam8bit_rows,
    .opts_size = sizeof(struct block8_opts),
    .common = true,
    .states = adam8bit_states,
    .codes = block8_codes,
    .step = adam8bit_step,
};
