/* CSV and TSV as data sets: columns by name or number, one row a record. */
#ifndef TT_DATA_TABLE_H
#define TT_DATA_TABLE_H

#include "engine/data/dataset.h"
#include "engine/data/delimited.h"
#include "engine/data/labels.h"
#include "engine/data/text_file.h"

struct table {
    struct dataset *ds;
    const struct data_opts *o;
    const struct dataset *base;
    bool predict;          /* labels are not read */
    const char *path;
    struct delimited d;
    struct strlist header; /* names of the columns; empty: the file has none */
    size_t columns;
    int64_t first;         /* line of the first record */
    /* Columns by what they hold; -1: there is none. */
    int label, text, text_pair;
    int *feature;
    size_t nfeature;
    struct labels labels;
    size_t x_cap, line_cap;
};

/* The read slot of both formats. */
int table_read(const struct dialect *dialect, struct dataset *ds, const struct data_opts *o,
               bool eval, const struct dataset *base, struct err *e);

/* With the first record read: whether it is the header, and which column is what. A header is taken
 * over, so that the next record is the first row. */
int table_columns(struct table *t, struct err *e);

#endif
