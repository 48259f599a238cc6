/* Lines of a metrics.jsonl as the histories of a run, and what its first line says. */
#ifndef TT_TUI_SERIES_READER_H
#define TT_TUI_SERIES_READER_H

#include "engine/io/metrics_file.h"
#include "engine/train/hub.h"
#include "tui/history.h"

/* What a run is, told by its first line. */
struct run_about {
    char model[32], optimizer[32];
    int64_t parameters, state_bytes, max_steps, steps_per_epoch, train_rows, seed;
};
/* False: the line is not such a one. */
bool run_about_parse(struct run_about *a, const char *text, size_t n);
bool run_about_read(struct run_about *a, const char *metrics_path);

struct series_reader {
    struct history *series; /* [SERIES_COUNT], the caller's */
    double rows_per_step;   /* for the time, which the file does not tell; 0: unknown */
    int64_t step;           /* of the newest line */
    double epoch, seconds;
    /* Of the newest training line, NaN: not told. */
    double loss, lr, grad_norm, samples_per_second, tokens_per_second;
    double mean_samples, mean_tokens; /* per second, of all training lines */
    int64_t train_step;
    double time, steps, tokens; /* sums for the means */
};

/* NULL: without rows_per_step. */
void series_reader_init(struct series_reader *r, struct history *series, const struct run_about *a);
void series_reader_line(struct series_reader *r, const struct metrics_value *v, int n);

#endif
