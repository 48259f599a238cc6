/* What the two schedules that follow a metric share: their common options, which way is better,
 * what counts as better, how the rate goes down. */
#ifndef TT_TRAIN_SCHED_FOLLOW_H
#define TT_TRAIN_SCHED_FOLLOW_H

#include <math.h>

#include "engine/train/sched.h"

enum follow_mode { FOLLOW_MIN, FOLLOW_MAX }; /* unset: -1 */
enum follow_threshold { THRESHOLD_REL, THRESHOLD_ABS };

struct follow_opts { /* the options of both begin with it */
    int mode, threshold_mode;
    double factor, threshold, min_lr, eps;
    int64_t patience, cooldown;
};

#define FOLLOW_AT(field) .at = offsetof(struct follow_opts, field)
#define FOLLOW_ROWS(factor_default, threshold_default, threshold_mode_default, min_lr_default)     \
    {.key = "mode", .help = "which way the metric is better; unset: as the metric's kind says",    \
     .type = OPT_CHOICE, FOLLOW_AT(mode), .choices = "min|max", .flags = OPT_UNSET},               \
    {.key = "factor", .help = "the rate is multiplied by this to lower it", .type = OPT_REAL,      \
     FOLLOW_AT(factor), .def = factor_default, .min = 0, .max = 1,                                 \
     .flags = OPT_MIN_OPEN | OPT_MAX_OPEN | OPT_COMMON},                                           \
    {.key = "patience", .help = "evaluations in a row that are waited through before a change",    \
     .unit = "evaluations", .type = OPT_INT, FOLLOW_AT(patience), .def = 10, .min = 0,             \
     .max = 1e9, .flags = OPT_COMMON},                                                             \
    {.key = "threshold", .help = "a smaller change of the metric is none", .type = OPT_REAL,       \
     FOLLOW_AT(threshold), .def = threshold_default, .min = 0, .max = HUGE_VAL},                   \
    {.key = "threshold_mode", .help = "threshold as a share of the best value, or as it is",       \
     .type = OPT_CHOICE, FOLLOW_AT(threshold_mode), .def = threshold_mode_default,                 \
     .choices = "rel|abs"},                                                                        \
    {.key = "cooldown", .help = "evaluations after a lowering that do not count",                  \
     .unit = "evaluations", .type = OPT_INT, FOLLOW_AT(cooldown), .def = 0, .min = 0,              \
     .max = 1e9},                                                                                  \
    {.key = "min_lr", .help = "lowest rate", .type = OPT_REAL, FOLLOW_AT(min_lr),                  \
     .def = min_lr_default, .min = 0, .max = 1e6, .flags = OPT_COMMON | OPT_RATE},                 \
    {.key = "eps", .help = "a change of the rate up to this is left out", .type = OPT_REAL,        \
     FOLLOW_AT(eps), .def = 1e-8, .min = 0, .max = 1e6}

int follow_check(const struct sched_args *a, struct err *e);
void follow_doubt(const struct sched_args *a, char *dst, size_t size);

/* Decision D7: a mode that is not given is the metric's own. */
bool follow_max(const struct follow_opts *o, bool larger_is_better);
/* The best value before the first. */
double follow_worst(bool max);
/* NaN never is. */
bool follow_better(const struct follow_opts *o, double value, double best, bool max);
void follow_lower(struct sched_state *st, const struct follow_opts *o);

#endif
