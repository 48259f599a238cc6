/* Adam with 8-bit states: bitsandbytes' Adam8bit, which is AdamW in all but name. */
#include "engine/base/log.h"
#include "optimizers/adam8bit_rule.h"
#include "optimizers/block8.h"

static int adam8bit_check(const void *opts, const struct param_set *ps, struct err *e)
{
    const struct optim_common *common = opts;
    (void)ps;
    (void)e;
    if (common->weight_decay > 0)
        log_line(LOG_WARN, "optimizer.weight_decay with adam8bit decays the weights directly, as "
                           "bitsandbytes does; adamw8bit is the same under the right name");
    return 0;
}

const struct optim_class optim_adam8bit = {
    .name = "adam8bit",
    .summary = "Adam with moments of one byte (bitsandbytes)",
    .opts = adam8bit_rows,
    .opts_size = sizeof(struct block8_opts),
    .check = adam8bit_check,
    .states = adam8bit_states,
    .codes = block8_codes,
    .step = adam8bit_step,
};
