/* A table of truths and predictions: tab-separated text under the header `truth<TAB>prediction`. */
#ifndef TT_TUI_CMD_SCORE_TABLE_H
#define TT_TUI_CMD_SCORE_TABLE_H

#include "engine/data/labels.h"

#define SCORE_MAX_CLASSES 4096

struct score_row {
    int64_t line;
    double value[2]; /* NaN: a name */
};

struct score_table {
    const char *path;
    bool values;          /* regression: all cells are numbers and one is no integer */
    bool numbers;         /* all cells are numbers */
    int64_t rows;
    struct score_row *row;
    struct labels labels; /* two items a row */
    int *class_of;        /* class of each label key */
    struct strlist names; /* of the classes, unseen ones too */
};

/* head: size of the head, 0: the labels that occur. Whole numbers are classes by themselves
 * where a head is given, else sorted like names. TT_EDATA with FILE:LINE for what does not fit. */
int score_table_read(struct score_table *t, const char *path, int64_t head, struct err *e);
void score_table_release(struct score_table *t);

/* Item 0 is the truth, 1 the prediction. */
int score_class(const struct score_table *t, int64_t row, int item);
double score_value(const struct score_table *t, int64_t row, int item);

#endif
