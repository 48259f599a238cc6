/* Whole training runs for tests: a config as text, a temporary folder, the outcome. */
#ifndef TT_TESTS_TRAIN_SUPPORT_H
#define TT_TESTS_TRAIN_SUPPORT_H

#include "engine/train/trainer.h"
#include "tests/support.h"

struct outcome {
    int code;
    char msg[1024];
    struct run_status st;
};

/* Text of a config for a small mlp on made-up data below `dir`, with `more` lines appended. */
const char *train_config(const char *dir, const char *name, const char *more);
/* Build and run it; resume: with --resume. `before` may change the trainer's world (hub commands). */
void train_run(const char *config, bool resume, struct outcome *out);
void train_run_with(const char *config, bool resume, void (*before)(struct hub *), struct outcome *out);

/* A `before` that stops the run after train_cut_at steps: paused from the start, stepped, then told to save
 * and stop. */
extern int64_t train_cut_at;
void train_cut(struct hub *h);

/* metrics.jsonl of dir/runs/NAME without its times, lines in order. Caller frees. */
char *train_metrics(const char *dir, const char *name);
/* Value of `key` in the n-th line (from 0) that has it; NaN when there is none. */
double train_value(const char *metrics, const char *key, int n);
/* Lines that have `key`. */
int train_count(const char *metrics, const char *key);

#endif
