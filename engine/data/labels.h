/* The labels of one file. A reader collects them row by row as it finds them; what they mean
 * (classes, a number to predict, several labels a row) is settled when all are known. */
#ifndef TT_DATA_LABELS_H
#define TT_DATA_LABELS_H

#include "engine/data/dataset.h"
#include "engine/data/text_file.h"

enum label_kind { LABEL_NUMBER, LABEL_STRING, LABEL_BOOL, LABEL_LIST };

struct label_key { /* one distinct label */
    enum label_kind kind;
    double number;
    size_t text; /* offset of its spelling: numbers that are equal have one */
};

struct label_row {
    size_t first; /* item */
    bool list;    /* else exactly one item */
};

struct labels { /* starts as {0} */
    struct label_key *key;
    size_t nkey, key_cap;
    struct strbuf text;
    int32_t *slot; /* hash table of the keys: 1 + index, 0 free */
    size_t nslot;
    int32_t *item; /* keys of all rows, one after the other */
    size_t nitem, item_cap;
    struct label_row *row;
    size_t nrow, row_cap;
};

/* Begin the next row, then add its one label, or all of its list. */
void labels_row(struct labels *l, bool list);
void labels_number(struct labels *l, double v);
void labels_string(struct labels *l, const char *s);
void labels_bool(struct labels *l, bool v);
void labels_cell(struct labels *l, const char *s); /* a number where it reads as a finite one */
void labels_release(struct labels *l);

/* The key spelled so, or -1; and the spelling of a key. */
int32_t labels_find(const struct labels *l, enum label_kind kind, const char *text);
const char *labels_text(const struct labels *l, int32_t key);

/* Questions about what was collected. -1 and -100 say that there is no label. */
bool labels_key_is_none(const struct labels *l, int32_t key);
bool labels_row_is_none(const struct labels *l, int64_t row);
enum label_kind labels_row_kind(const struct labels *l, int64_t row);
const int32_t *labels_items(const struct labels *l, int64_t row, size_t *n);

/* As messages show them. */
const char *labels_kind_word(int kind); /* enum label_kind */
char *labels_show_key(const struct labels *l, int32_t key, char dst[TEXT_QUOTE]);
char *labels_show_row(const struct labels *l, int64_t row, char dst[TEXT_QUOTE]);

/* Fill problem, classes and answers of ds, whose rows, paths and lines are set. With `base` (the
 * training set) the labels must be among its own, else they define the problem. */
int labels_settle(struct dataset *ds, const struct labels *l, const struct data_opts *o,
                  const struct dataset *base, struct err *e);

/* The names of the classes whose keys are known, in the order of a head that has them all; or those
 * of the training set. */
int labels_name(struct dataset *ds, const struct data_opts *o, struct err *e);
void labels_take_over(struct dataset *ds, const struct dataset *base);

/* Keys 0 .. n-1, for labels that are places in a list. */
void labels_by_place(struct dataset *ds, int64_t n);
/* For made-up data: the classes 0 .. n-1, with data.label_names. */
int labels_numbered(struct dataset *ds, int64_t n, const struct data_opts *o, struct err *e);

#endif
