/* Run directories of made-up runs, for what compares them. */
#ifndef TT_TESTS_COMPARE_SUPPORT_H
#define TT_TESTS_COMPARE_SUPPORT_H

#include <stdio.h>

#include "tests/support.h"

struct made {
    const char *name, *optimizer;
    double mib, tokens, at_500, at_3500, best_accuracy, best_f1, floor;
    int steps, seed;
};
/* The neighbours of the picture's run; 0.0034 of accuracy apart. */
extern const struct made made_adafactor, made_adamw8bit;

/* runs/NAME of the current folder. */
const char *make_dir(const char *name);
void put_first_line(FILE *f, const char *name, const char *optimizer, double mib, int steps,
                    int seed);
/* A training line. */
void put_line(FILE *f, const struct made *m, int step);
void make_summary(const char *dir, const struct made *m, const char *state);
/* A finished run: lines every 10 steps, evaluations every 500, the best one at 4,500. */
void make_run(const struct made *m);

#endif
