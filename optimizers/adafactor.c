/* Adafactor of transformers (optimizers.md 2). Without a learning rate it makes its own from the number
 * of the update (relative_step). */
#include <float.h>

#include "optimizers/factored.h"
#include "optimizers/rows.h"

enum { RELATIVE_AUTO, RELATIVE_TRUE, RELATIVE_FALSE };

struct adafactor_opts {
    struct optim_common common;
    double eps1, eps2, clip_threshold, decay_rate, beta1;
    int relative_step;
    bool scale_parameter, warmup_init;
};

static const struct opt_desc adafactor_rows[] = {
    {.key = "lr",
     .help = "peak learning rate; unset: relative_step makes one",
     .type = OPT_REAL,
     .at = offsetof(struct adafactor_opts, common.lr),
     .def = NAN,
     .min = 0,
     .max = 1e6,
     .flags = OPT_COMMON | OPT_UNSET | OPT_RESUME | OPT_RATE},
    OPTIM_DECAY_ROW,
    REAL_ROW(adafactor_opts, eps1, 1e-30, 1e-36, 1, 0, "added to squared gradients"),
    REAL_ROW(adafactor_opts, eps2, 1e-3, 0, 1e3, 0, "least size of a tensor for scale_parameter"),
    REAL_ROW(adafactor_opts, clip_threshold, 1, 0, HUGE_VAL, OPT_MIN_OPEN,
             "root mean square that an update may have"),
    REAL_ROW(adafactor_opts, decay_rate, -0.8, -10, 0, 0,
             "update t has a share of t to this power in the means"),
    REAL_ROW(adafactor_opts, beta1, NAN, 0, 1, OPT_MAX_OPEN | OPT_UNSET | OPT_MEMORY,
             "share of the old mean of updates kept; unset: no mean"),
    BOOL_ROW(adafactor_opts, scale_parameter, 1, 0, "rate in proportion to the size of the tensor"),
    {.key = "relative_step",
     .help = "own rate, 1 / sqrt(t); auto: when lr is unset",
     .type = OPT_CHOICE,
     .at = offsetof(struct adafactor_opts, relative_step),
     .choices = "auto|true|false"},
    BOOL_ROW(adafactor_opts, warmup_init, 0, 0, "relative_step begins with 1e-6 t"),
    {0},
};

static bool is_relative(const void *opts)
{
    const struct adafactor_opts *o = opts;
    return o->relative_step == RELATIVE_TRUE ||
           (o->relative_step == RELATIVE_AUTO && isnan(o->common.lr));
}

static int adafactor_check(const void *opts, const struct param_set *ps, struct err *e)
{
    const struct adafactor_opts *o = opts;
    (void)ps;
    bool has_lr = !isnan(o->common.lr);
    if (has_lr && o->relative_step == RELATIVE_TRUE)
        return err_set(e, TT_ECONFIG,
                       "optimizer.lr together with optimizer.relative_step = true (one of them)");
    if (!has_lr && o->relative_step == RELATIVE_FALSE)
        return err_set(e, TT_ECONFIG,
                       "optimizer.relative_step = false without optimizer.lr (a learning rate)");
    if (o->warmup_init && !is_relative(o))
        return err_set(
            e, TT_ECONFIG,
            "optimizer.warmup_init without optimizer.relative_step (relative_step = true "
            "and no lr)");
    return 0;
}

static int adafactor_states(const void *opts, const struct segment *seg, int state_bits,
                            struct state_desc out[OPTIM_MAX_STATES])
{
    const struct adafactor_opts *o = opts;
    (void)state_bits;
    int n = 0;
    if (seg->ndim >= 2) {
        out[n++] = factored_row(seg, "exp_avg_sq_row", false);
        out[n++] = factored_col(seg, "exp_avg_sq_col", false);
    } else {
        out[n++] = state_like(seg, "exp_avg_sq", 0);
    }
    if (!isnan(o->beta1))
        out[n++] = state_like(seg, "exp_avg", 0);
    return n;
}

/* shared[0]: the rate of the first tensor, to be shown. */
static void adafactor_begin(const struct optim_begin *b)
{
    b->shared[0] = NAN;
}

static double rate_of(const struct optim_step *s)
{
    const struct adafactor_opts *o = s->opts;
    double t = (double)s->t, rate = s->lr;
    if (is_relative(o))
        rate *= fmin(o->warmup_init ? 1e-6 * t : 1e-2, 1 / sqrt(t));
    return rate;
}

static void adafactor_step(const struct optim_step *s)
{
    const struct adafactor_opts *o = s->opts;
    bool matrix = s->seg->ndim >= 2, momentum = !isnan(o->beta1);
    struct factored_rule r = {
        .fresh = pow((double)s->t, o->decay_rate),
        .eps = o->eps1,
        .most = FLT_MAX,
        .limit = o->clip_threshold,
        .rate = rate_of(s),
        .least_rms = o->scale_parameter ? o->eps2 : NAN,
        .decay_by_rate = s->weight_decay,
        .beta1 = momentum ? o->beta1 : 0,
        .momentum = momentum ? s->state[matrix ? 2 : 1] : NULL,
    };
    double rate = matrix ? factored_update(s, &r, s->state[0], s->state[1], NULL)
                         : factored_update(s, &r, NULL, NULL, s->state[0]);
    if (isnan(s->shared[0]))
        s->shared[0] = rate;
}

const struct optim_class optim_adafactor = {
    .name = "adafactor",
    .summary = "second moments by rows and columns only (transformers)",
    .opts = adafactor_rows,
    .opts_size = sizeof(struct adafactor_opts),
    .common = true,
    .n_shared = 1,
    .check = adafactor_check,
    .states = adafactor_states,
    .scratch = factored_scratch,
    .own_rate = is_relative,
    .begin = adafactor_begin,
    .step = adafactor_step,
};
