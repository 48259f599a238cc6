/* What a model is fed: one batch of rows, and the facts about a data set that shape a model. */
#ifndef TT_DATA_BATCH_H
#define TT_DATA_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LABEL_IGNORE (-100)

enum batch_kind { BATCH_DENSE, BATCH_TEXT };
enum problem { PROBLEM_CLASSES, PROBLEM_REGRESSION, PROBLEM_MULTI_LABEL };

struct strlist;

/* Facts of a data set. Strings are borrowed from the data set. */
struct data_spec {
    enum batch_kind kind;
    enum problem problem;
    int ndim;        /* DENSE: dimensions of one row without the batch: 1 (features) or 3 (C,H,W) */
    int64_t dim[3];
    int64_t vocab_size; /* TEXT: ids are below it; 0: not known yet */
    int64_t longest;    /* TEXT: tokens of the longest row, [CLS] and [SEP] among them; 0: not known yet */
    bool pairs;         /* TEXT: rows have token types */
    int num_labels;  /* outputs of the head; regression 1 */
    const char *const *label; /* [num_labels] names of classes; NULL for regression */
    const struct strlist *features; /* of a model: names of its columns; NULL: known by place only */
};

/* Row i of text is ids[at[i] .. at[i+1]): packed, no padding. Memory belongs to the loader and is
 * valid until the next batch is asked for. */
struct batch {
    int n;
    const float *x;        /* DENSE: [n, dim...] */
    const int32_t *ids, *types, *at;
    int64_t tokens;        /* TEXT: at[n]; DENSE: 0 */
    const int32_t *label;  /* classes: [n], LABEL_IGNORE = unlabelled */
    const float *target;   /* regression [n], multi-label [n, num_labels]; NaN first = unlabelled */
    const int64_t *row;    /* [n] row numbers in the data set */
    int64_t labelled;      /* rows that count */
    /* Place in the run: */
    int64_t epoch, micro;  /* micro-batch number within the epoch, from 0 */
    int group_at, group_n; /* place in its accumulation group, micro-batches of that group */
    int64_t group_labelled; /* labelled rows of the whole group */
    double group_weight;    /* sum of class weights of the group's labels; = group_labelled without */
};

#endif
