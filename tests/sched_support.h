/* Schedules for tests, made of options written as in a config. */
#ifndef TT_TESTS_SCHED_SUPPORT_H
#define TT_TESTS_SCHED_SUPPORT_H

#include "engine/train/sched.h"

struct made {
    struct sched sc;
    struct sched_opts o;
    void *own; /* the class's options */
    struct err e;
    int rc;
};

/* sched_init with "name=cosine;warmup_steps=2;num_cycles=1.5"; the outcome is in rc and e. The test
 * fails when a key is unknown or a value is refused. */
void sched_make(struct made *m, const char *options, double lr, int64_t total);
/* The same; the test fails when the schedule is refused. */
void sched_good(struct made *m, const char *options, double lr, int64_t total);
void made_release(struct made *m);

/* Options that make one of the class's schedules: those it requires; "" for most. */
const char *sched_needs(const struct sched_class *cls);

/* Golden tables of tests/golden/schedules. */
struct sched_case {
    const char *file, *options;
    double lr;
    int64_t total, warmup; /* total -1: follows a metric */
    int rows;
};
int sched_cases(const struct sched_case **out);

struct sched_row {
    int64_t index; /* counter, or evaluation from 1 */
    double middle; /* update that uses it, or the metric */
    double lr;
};
int sched_table(const char *file, const struct sched_row **out);

/* |got - ref| <= 1e-12 |ref| + 1e-15 lr, the goldens' tolerance. */
void sched_close(double got, double ref, double lr, const char *file, int64_t row);

#endif
