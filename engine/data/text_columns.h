/* Which columns of a table, or keys of a JSON object, hold the texts of a row. */
#ifndef TT_DATA_TEXT_COLUMNS_H
#define TT_DATA_TEXT_COLUMNS_H

#include "engine/data/dataset.h"

/* Rows are texts: the config names a column of them, or the model reads nothing else. */
bool text_is_wanted(const struct data_opts *o);

/* The names that such files use, in the order they are looked for; ended by {NULL}. */
struct text_names {
    const char *text, *pair; /* pair may be missing in a file; NULL: there is none */
};
extern const struct text_names text_names[];

/* The evaluation set has pairs where the training set has them: TT_EDATA with `path`. */
int text_check_pairs(const struct dataset *base, bool pairs, const char *path, struct err *e);

#endif
