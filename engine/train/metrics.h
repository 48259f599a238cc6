/* Scores of predictions: scikit-learn's meaning (trainer-semantics 2), over all classes of the head
 * (decision D3); undefined scores count 0 and are flagged. Computed once over all rows, never averaged
 * over batches. Sums in double or integers, so the split into batches does not matter. */
#ifndef TT_TRAIN_METRICS_H
#define TT_TRAIN_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/err.h"
#include "engine/data/batch.h"

enum average { AVERAGE_MACRO, AVERAGE_BINARY, AVERAGE_MICRO, AVERAGE_WEIGHTED };

/* Every score a run can report. */
enum metric {
    METRIC_LOSS, METRIC_ACCURACY, METRIC_F1, METRIC_PRECISION, METRIC_RECALL, METRIC_F1_BINARY,
    METRIC_MCC, METRIC_MSE, METRIC_MAE, METRIC_PEARSON, METRIC_SPEARMAN, METRIC_LOSS_SMOOTHED,
    METRIC_COUNT
};

struct metric_desc {
    const char *name;   /* "accuracy" */
    const char *series; /* as files and series spell it: "eval_accuracy" */
    const char *help;
    bool larger;        /* larger is better (decision D6) */
    unsigned problems;  /* bit (1 << enum problem): reported for it */
    bool logged;        /* written to metrics.jsonl */
};
extern const struct metric_desc metric_descs[METRIC_COUNT];

/* With or without "eval_"; -1 unknown (then err lists the known ones). */
int metric_by_name(const char *name, struct err *e);

struct class_score {
    double precision, recall, f1;
    int64_t support, predicted, hit;
    unsigned undefined; /* bit 0 precision, 1 recall, 2 f1 */
};

struct score_mean {
    double precision, recall, f1;
};

/* The outcome of one evaluation. Made once per run and copied into, never resized. */
struct eval_report {
    int64_t step, rows;    /* rows that counted */
    double epoch, seconds;
    enum problem problem;
    enum average average;
    int n;                 /* classes or labels */
    double value[METRIC_COUNT]; /* NaN: undefined or not of this problem */
    unsigned undefined;    /* bit METRIC_x: its value had an undefined part */
    struct score_mean macro, micro, weighted, macro_seen;
    struct class_score *cls; /* [n] */
    int64_t *confusion;      /* [n, n] row = truth; classes only */
    int64_t kept;            /* rows of the set; 0: it is not known where each of them went */
    int32_t *cell;           /* [kept] of the confusion: truth x n + answer; -1: a row without a label */
};

#define EVAL_ROWS_KEPT (1 << 18) /* a larger set is only counted */
#define EVAL_CLASSES_KEPT 4096

/* `rows` of the set, whose cells are kept; 0: they are not. */
struct eval_report *eval_report_new(enum problem problem, int n, int64_t rows);
struct eval_report *eval_report_like(const struct eval_report *r);
void eval_report_free(struct eval_report *r);
void eval_report_copy(struct eval_report *dst, const struct eval_report *src); /* of the same shape */

/* Collects predictions. Adding makes no heap call while rows stay within those of metrics_init. */
struct metrics {
    enum problem problem;
    int n;
    int64_t rows, cap;
    double loss_sum, loss_weight, smoothed_sum; /* smoothed_sum: NaN until added */
    int64_t *confusion;
    int64_t *tp, *fp, *fn; /* multi-label */
    int64_t right;         /* multi-label: rows all right */
    int64_t kept;          /* as in the report */
    int32_t *cell;
    double *truth, *guess; /* regression */
};

void metrics_init(struct metrics *m, enum problem problem, int n, int64_t rows);
void metrics_release(struct metrics *m);
void metrics_clear(struct metrics *m);
/* logits [batch n, m->n] on the host; unlabelled rows are passed over. Ties: the lowest index. */
void metrics_add_batch(struct metrics *m, const float *logits, const struct batch *b);
void metrics_add_class(struct metrics *m, int truth, int guess);
void metrics_add_value(struct metrics *m, double truth, double guess);
/* loss_sum over rows (or weights), as the trainer's loss op without the division. */
void metrics_add_loss(struct metrics *m, double loss_sum, double weight);
/* The loss with label smoothing of the same rows, a key of its own (decision D11); never called: NaN. */
void metrics_add_smoothed(struct metrics *m, double loss_sum);
/* step, epoch, seconds are the caller's. AVERAGE_BINARY with more than two classes: TT_ECONFIG. */
int metrics_finish(const struct metrics *m, enum average a, struct eval_report *out, struct err *e);

int argmax(const float *x, int n); /* lowest index on ties; NaN never wins unless all are */

#endif
