/* Adafactor of torch.optim (optimizers.md 1.5). */
#include "optimizers/factored.h"
#include "optimizers/rows.h"

struct adafactor_opts {
    struct optim_common common;
    double beta2_decay, eps1, eps2, d;
    bool maximize;
};

static const struct opt_desc adafactor_rows[] = {
    OPTIM_LR_ROW,
    OPTIM_DECAY_ROW,
    REAL_ROW(adafactor_opts, beta2_decay, -0.8, -10, 0, 0,
             "update t has a share of t to this power in the means"),
    REAL_ROW(adafactor_opts, eps1, 0x1p-23, 1e-18, 1, 0,
             "root mean square counts at least as this"),
    REAL_ROW(adafactor_opts, eps2, 1e-3, 0, 1e3, 0, "size of a tensor counts at least as this"),
    REAL_ROW(adafactor_opts, d, 1, 1, HUGE_VAL, 0, "root mean square that an update may have"),
    MAXIMIZE_ROW(adafactor_opts),
    {0},
};

static int adafactor_states(const void *opts, const struct segment *seg, int state_bits,
                            struct state_desc out[OPTIM_MAX_STATES])
{
    (void)opts;
    (void)state_bits;
    int n = 0;
    out[n++] = state_step();
    if (seg->ndim >= 2) {
        out[n++] = factored_row(seg, "row_var", true);
        out[n++] = factored_col(seg, "col_var", true);
    } else {
        out[n++] = state_like(seg, "variance", 0);
    }
    return n;
}

static void adafactor_step(const struct optim_step *s)
{
    const struct adafactor_opts *o = s->opts;
    double t = (double)s->t;
    double rate = fmin(s->lr, 1 / sqrt(t));
    struct factored_rule r = {
        .fresh = pow(t, o->beta2_decay),
        .least_mean = o->eps1,
        .most = 1 / o->eps1,
        .limit = o->d,
        .rate = o->maximize ? -rate : rate,
        .least_rms = o->eps2,
        .decay = s->lr * s->weight_decay,
    };
    write_step(s, s->state[0]);
    if (s->seg->ndim >= 2)
        factored_update(s, &r, s->state[1], s->state[2], NULL);
    else
        factored_update(s, &r, NULL, NULL, s->state[1]);
}

const struct optim_class optim_adafactor_torch = {
    .name = "adafactor_torch",
    .summary = "second moments by rows and columns only (torch)",
    .opts = adafactor_rows,
    .opts_size = sizeof(struct adafactor_opts),
    .states = adafactor_states,
    .scratch = factored_scratch,
    .step = adafactor_step,
};
