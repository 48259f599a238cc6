/* Learning-rate schedules: a multiplier of the base rate as a pure function of the counter, so it can be
 * drawn before the run; two kinds follow a metric instead and have a state. Formulas:
 * trainer-semantics 1.5. Everything in double.
 *
 * The counter s is 0 for the first update; the rate of update n is base * factor(n - 1) * scale. */
#ifndef TT_TRAIN_SCHED_H
#define TT_TRAIN_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/err.h"
#include "engine/base/opt.h"

/* What a factor may depend on, besides s. */
struct sched_args {
    int64_t total, warmup; /* updates */
    double base_lr;
    const void *opts; /* the class's options */
};

/* Plain data, checkpointed as it is; for classes that follow a metric. */
struct sched_state {
    double lr, best;       /* lr: the rate in force, before schedule.scale */
    int64_t good, bad, cooldown, warmup, reset_left, evaluations;
    int nwindow;
    double window[512];
};

struct sched_class {
    const char *name, *summary;
    const struct opt_desc *opts; /* NULL: none but those of sched_opts */
    size_t opts_size;
    bool uses_warmup; /* warmup_steps, warmup_ratio mean something */
    /* Options that make no sense together: TT_ECONFIG naming the keys. total and warmup may be 0,
     * not known yet. NULL: all fine. */
    int (*check)(const struct sched_args *, struct err *);
    /* Options that are allowed and hardly meant: the words of a warning, else dst is left "". NULL:
     * never. */
    void (*doubt)(const struct sched_args *, char *dst, size_t size);
    double (*factor)(int64_t s, const struct sched_args *); /* NULL: follows a metric */
    /* After an evaluation; the first one begins the state, which until then holds the rate alone.
     * larger_is_better: decision D7, unless the options give a mode. */
    void (*observe)(struct sched_state *, double metric, bool larger_is_better,
                    const struct sched_args *);
    /* The schedule in words with resolved numbers, for the screen: "then down to 0". NULL: summary. */
    void (*describe)(const struct sched_args *, char *dst, size_t size);
};

extern const struct sched_class *const sched_classes[]; /* ended by NULL */
const struct sched_class *sched_by_name(const char *name, struct err *e);

/* Rows of [schedule] that every schedule has. */
struct sched_opts {
    char *name;
    int64_t warmup_steps; /* unset: by the ratio */
    double warmup_ratio;  /* unset: no warm-up; ceil(total * ratio) in double */
    double scale;
};
extern const struct opt_desc sched_opts_table[];

/* A schedule of a run. */
struct sched {
    const struct sched_class *cls;
    struct sched_args args;
    double scale;
    int64_t s; /* counter: updates done */
    struct sched_state state;
};

/* warm-up count of the options for a run of `total` updates; both given: TT_ECONFIG naming both. */
int sched_warmup(const struct sched_class *cls, const struct sched_opts *o, int64_t total,
                 int64_t *warmup, struct err *e);
int sched_init(struct sched *sc, const struct sched_class *cls, const struct sched_opts *o,
               const void *cls_opts, double base_lr, int64_t total, struct err *e);
double sched_lr(const struct sched *sc);               /* rate of the next update */
double sched_lr_at(const struct sched *sc, int64_t s); /* any counter; for metric followers: now */
/* Warning about the schedule's options; false: there is none. */
bool sched_doubt(const struct sched *sc, char *dst, size_t size);
void sched_advance(struct sched *sc);
void sched_observe(struct sched *sc, double metric, bool larger_is_better);

#endif
