/* A schedule of a run: its options, its counter, its rate. */
#include "engine/train/sched.h"

#include <math.h>
#include <string.h>

#define X(name) extern const struct sched_class sched_##name;
#include "engine/train/sched/list.h"
#undef X

const struct sched_class *const sched_classes[] = {
#define X(name) &sched_##name,
#include "engine/train/sched/list.h"
#undef X
    NULL};

const struct opt_desc sched_opts_table[] = {
    {.key = "name", .help = "learning-rate schedule", .type = OPT_STR,
     .at = offsetof(struct sched_opts, name), .choices = "linear", .flags = OPT_COMMON},
    {.key = "warmup_steps", .help = "updates over which the rate rises from 0", .unit = "steps",
     .type = OPT_INT, .at = offsetof(struct sched_opts, warmup_steps), .def = OPT_INT_UNSET,
     .min = 0, .max = 1e12, .flags = OPT_UNSET},
    {.key = "warmup_ratio", .help = "the same as a share of all updates, rounded up",
     .type = OPT_REAL, .at = offsetof(struct sched_opts, warmup_ratio), .def = NAN, .min = 0,
     .max = 1, .flags = OPT_UNSET | OPT_COMMON},
    {.key = "scale", .help = "factor on the scheduled rate", .type = OPT_REAL,
     .at = offsetof(struct sched_opts, scale), .def = 1, .min = 0, .max = HUGE_VAL,
     .flags = OPT_LIVE},
    {0}};

const struct sched_class *sched_by_name(const char *name, struct err *e)
{
    const char *names[64];
    size_t n = 0;
    for (const struct sched_class *const *c = sched_classes; *c; c++) {
        if (!strcmp((*c)->name, name))
            return *c;
        names[n++] = (*c)->name;
    }
    opt_unknown("schedule", name, names, n, e);
    return NULL;
}

int sched_warmup(const struct sched_class *cls, const struct sched_opts *o, int64_t total,
                 int64_t *warmup, struct err *e)
{
    bool steps = o->warmup_steps != OPT_INT_UNSET, ratio = !isnan(o->warmup_ratio);
    *warmup = 0;
    if (!cls->uses_warmup)
        return 0;
    if (steps && ratio)
        return err_set(e, TT_ECONFIG,
                       "schedule.warmup_steps and schedule.warmup_ratio are both given (one of them)");
    if (steps)
        *warmup = o->warmup_steps;
    else if (ratio)
        *warmup = (int64_t)ceil((double)total * o->warmup_ratio);
    return 0;
}

int sched_init(struct sched *sc, const struct sched_class *cls, const struct sched_opts *o,
               const void *cls_opts, double base_lr, int64_t total, struct err *e)
{
    memset(sc, 0, sizeof *sc);
    sc->cls = cls;
    sc->scale = o->scale;
    sc->args = (struct sched_args){.total = total, .base_lr = base_lr, .opts = cls_opts};
    int code = sched_warmup(cls, o, total, &sc->args.warmup, e);
    if (!code && cls->check)
        code = cls->check(&sc->args, e);
    sc->state.lr = base_lr;
    return code;
}

bool sched_doubt(const struct sched *sc, char *dst, size_t size)
{
    *dst = '\0';
    if (sc->cls->doubt)
        sc->cls->doubt(&sc->args, dst, size);
    return *dst != '\0';
}

double sched_lr_at(const struct sched *sc, int64_t s)
{
    if (!sc->cls->factor)
        return sc->state.lr * sc->scale;
    return sc->args.base_lr * sc->cls->factor(s, &sc->args) * sc->scale;
}

double sched_lr(const struct sched *sc)
{
    return sched_lr_at(sc, sc->s);
}

void sched_advance(struct sched *sc)
{
    sc->s++;
}

void sched_observe(struct sched *sc, double metric, bool larger_is_better)
{
    if (sc->cls->observe)
        sc->cls->observe(&sc->state, metric, larger_is_better, &sc->args);
}
