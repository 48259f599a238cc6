/* Data sets: one class per file format. A data set is read whole, checked whole, and kept in
 * memory; rows are gathered into batches by number. Errors carry file and line (or row). */
#ifndef TT_DATA_DATASET_H
#define TT_DATA_DATASET_H

#include "engine/base/err.h"
#include "engine/base/opt.h"
#include "engine/base/str.h"
#include "engine/data/batch.h"

enum data_header { HEADER_AUTO, HEADER_YES, HEADER_NO };
enum data_fallback { FALLBACK_NO, FALLBACK_SYNTHETIC };
enum data_nonfinite { NONFINITE_ERROR, NONFINITE_KEEP };

/* [data] of the config, as the readers need it. Strings are owned by the run's config. */
struct data_opts {
    int format;          /* 0 auto: by the file's suffix; else 1 + index into data_formats */
    int header;          /* enum data_header */
    char *train, *eval;
    char *train_labels, *eval_labels; /* IDX */
    char *text, *text_pair, *label;   /* columns by name or number (from 0) */
    char *features;                   /* names by commas; unset: all but the label */
    char *label_names;                /* names by commas to show instead of the file's labels */
    int64_t max_length;   /* unset: what the model can hold */
    double eval_fraction;
    int64_t limit;        /* rows at most; unset: all */
    int fallback;         /* enum data_fallback */
    int nonfinite;        /* enum data_nonfinite */
    int64_t classes;      /* synthetic */
    int64_t rows;         /* synthetic: train rows; eval gets rows/6 */
    char *shape;          /* synthetic: a feature count, HxW or CxHxW */
    double noise;         /* synthetic: how hard */
    /* No options: */
    const struct strlist *head; /* classes of a head that is there already, or NULL */
    bool want_text;             /* the model reads text: rows are texts, whichever column holds them */
};
extern const struct opt_desc data_opts_table[];

struct dataset;

struct data_format {
    const char *name, *summary;
    const char *suffixes; /* ".jsonl .ndjson" for format = auto; NULL: made up, reads no file */
    /* Fill ds from the file(s) of one side. `base`: the training set when this is the evaluation
     * set (labels, columns and shape must match), else NULL. Rows to predict on are a training side
     * with a base: labels are not read, the shape must match. ds is empty at first and may be left
     * half filled after a failure. */
    int (*read)(struct dataset *ds, const struct data_opts *o, bool eval,
                const struct dataset *base, uint64_t seed, struct err *e);
    /* The same without features. NULL: read does it, and the features are dropped. */
    int (*peek)(struct dataset *ds, const struct data_opts *o, bool eval,
                const struct dataset *base, uint64_t seed, struct err *e);
};
extern const struct data_format *const data_formats[]; /* sorted by name, ended by NULL */
extern const char data_format_choices[];               /* "auto|csv|..." for the option table */

struct dataset {
    const struct data_format *fmt;
    struct data_spec spec;
    int64_t rows, labelled;
    char *path, *path_labels; /* files it came from; NULL for made-up data */
    /* Dense rows: floats, or bytes scaled on gather (IDX stays one byte per pixel). */
    float *x;
    uint8_t *x8;
    float x8_scale;           /* value = byte / scale */
    size_t row_len;           /* elements of a row */
    struct strlist features;  /* names of the columns; empty where the file has none */
    /* Text rows; then the same as packed tokens: row i is ids[at[i] .. at[i+1]). */
    int64_t text_bytes;       /* of the texts as read */
    struct strlist text, text_pair; /* "" where the file gives the ids of a row */
    int32_t *ids;             /* before dataset_tokenize: of the rows that give them, or NULL */
    uint8_t *types;           /* NULL: all 0 */
    int64_t *at;              /* [rows + 1] */
    int64_t max_length, cut;  /* dataset_tokenize cut so many rows to so many tokens; 0: not done yet */
    /* Answers. */
    int32_t *label;
    float *target;
    int64_t *line;            /* line of the file where row i starts; NULL: rows have no lines */
    struct strlist label_keys; /* classes as the file spells them */
    struct strlist labels;    /* names of classes: the same, or data.label_names */
    const char **label_ptr;   /* spec.label */
    bool head_kept;           /* the classes are those of the head that was there */
    char note[256];           /* said in the log: fall-back, split, unlabelled rows; may be empty */
};

/* Read train and eval of a config: format by name or suffix, fall-back, eval_fraction split, limit,
 * label mapping and all checks of design.md section 5 "Data" and "Labels". *eval may end empty
 * (rows 0) when the config names none. TT_EDATA or TT_ECONFIG on failure. */
int dataset_open(const struct data_opts *o, uint64_t seed, struct dataset *train,
                 struct dataset *eval, struct err *e);
/* Only the facts that shape the model and the answers, without features: for plan and the form. May
 * read the whole file where labels demand it; IDX reads header and labels. rows of both sides
 * filled. */
int dataset_peek(const struct data_opts *o, uint64_t seed, struct dataset *train,
                 struct dataset *eval, struct err *e);
/* Rows to predict on: labels optional and not checked; shape as `base` says. */
int dataset_open_predict(const struct data_opts *o, const char *path, const struct data_spec *base,
                         struct dataset *ds, struct err *e);
void dataset_release(struct dataset *ds);

struct tokenizer;
/* Fill ids, types, at from the texts (rows that gave input_ids are only checked and cut) and the TEXT facts
 * of spec; the texts are let go, cut rows are counted in ds->note. max_length as tokenizer_encode. Ids
 * are below `vocab`: TT_EDATA with the row. t may be NULL where no row has a text. */
int dataset_tokenize(struct dataset *ds, const struct tokenizer *t, int64_t vocab, int64_t max_length,
                     struct err *e);
/* Lengths of n rows as a batch's at[n + 1]: those of the longest rows, the longest one again where there
 * are fewer; not tokenised yet: spec.longest each. */
void dataset_longest(const struct dataset *ds, int64_t n, int32_t *at);

/* Add to ds->note, which begins with "data: ". */
void dataset_add_note(struct dataset *ds, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Floats of a row's target: 0 classes, 1 regression, num_labels multi-label. */
size_t dataset_target_width(const struct data_spec *spec);
bool dataset_row_labelled(const struct dataset *ds, int64_t row);

/* Copy the rows numbered rows[0..n) into `x` [n, row_len] and label or target [n...]; rows of a set
 * without answers are unlabelled. Each of x, label, target may be NULL. No heap call. */
void dataset_gather(const struct dataset *ds, const int64_t *rows, int n, float *x, int32_t *label,
                    float *target);

#endif
