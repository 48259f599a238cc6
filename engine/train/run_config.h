/* What a run is: the INI text resolved against the option tables of everything it names. All values are
 * checked here, before a run directory exists. */
#ifndef TT_TRAIN_RUN_CONFIG_H
#define TT_TRAIN_RUN_CONFIG_H

#include "engine/base/ini.h"
#include "engine/base/opt.h"
#include "engine/data/dataset.h"
#include "engine/data/tokenizer.h"
#include "engine/models/model.h"
#include "engine/nn/optim.h"
#include "engine/train/metrics.h"
#include "engine/train/sched.h"

struct run_opts {
    char *name, *dir, *device;
    int64_t seed, threads;
    int precision;
};

struct model_opts {
    char *type, *pretrained;
    int64_t num_labels; /* unset: from the data */
};

struct train_opts {
    double epochs;
    int64_t max_steps; /* unset: by epochs */
    int64_t batch_size, gradient_accumulation_steps;
    double max_grad_norm, label_smoothing_factor;
    char *class_weights; /* numbers by commas, or unset */
    bool shuffle, group_by_length, drop_last, gradient_checkpointing;
    int64_t max_nonfinite;
};

struct eval_opts {
    struct every every;
    int64_t batch_size;
    char *best;
    int64_t early_stopping_patience; /* unset: off */
    double early_stopping_threshold;
    int average;
};

struct checkpoint_opts {
    struct every every;
    int64_t keep; /* 0: all */
};

struct log_opts {
    struct every every;
    bool tensorboard;
};

struct ui_opts {
    int theme, glyphs;
    double fps;
    bool mouse, bell;
};

struct group_opts { /* [group.NAME] */
    char *match;
    double lr_scale, weight_decay;
    int64_t state_bits;
    bool freeze;
};

/* One table with its values: a section is one or more of them. */
struct config_part {
    char section[64];
    const struct opt_desc *opts;
    void *values;
    const char *owner; /* "optimizer adamw": of a choice's own keys; NULL: of every run */
};

#define CONFIG_PARTS 40
#define CONFIG_GROUPS 16

struct run_config {
    const struct optim_class *const *optims; /* the table handed in */
    struct ini ini;     /* as read, with --set and form changes in it */
    char *stem;         /* of the config file: default run name */
    struct run_opts run;
    struct model_opts model;
    const struct model_class *model_cls;
    void *model_own;
    struct data_opts data;
    struct tokenizer_opts tokenizer; /* of models that read text */
    const struct optim_class *optim_cls;
    char *optim_name;
    void *optim_own;
    struct sched_opts sched;
    const struct sched_class *sched_cls;
    void *sched_own;
    struct train_opts train;
    struct eval_opts eval;
    struct checkpoint_opts checkpoint;
    struct log_opts log;
    struct ui_opts ui;
    struct group_opts group[CONFIG_GROUPS];
    int ngroup;
    struct config_part part[CONFIG_PARTS]; /* in the order of the effective config */
    int nparts;
    struct strlist warnings; /* keys of another choice, doubtful options: said once at the start */
};

/* Resolve `ini` (taken over, also on failure). The first mistake is reported as "FILE:LINE: ..." or
 * "--set s.k: ...": unknown section or key with the nearest known one, bad value with what is allowed,
 * unknown model, optimizer, schedule with the list. TT_ECONFIG. rc is empty after a failure. */
int run_config_resolve(struct run_config *rc, struct ini *ini,
                       const struct optim_class *const *optims, struct err *e);
/* Read FILE, apply `set` assignments, resolve. */
int run_config_load(struct run_config *rc, const char *path, const char *const *set, size_t nset,
                    const struct optim_class *const *optims, struct err *e);
/* Where a mistake of several options is: puts FILE:LINE of the last entry that the message names, or
 * FILE, before it. */
int run_config_blame(const struct run_config *rc, struct err *e);
/* A config of its own, equal to `src`. */
int run_config_copy(struct run_config *dst, const struct run_config *src, struct err *e);
/* Another stem than that of the file. */
void run_config_rename(struct run_config *rc, const char *stem);
void run_config_release(struct run_config *rc);

/* Row and values of "section.key"; NULL when there is none in this config. */
const struct opt_desc *run_config_find(const struct run_config *rc, const char *section,
                                       const char *key, void **values);

/* The effective config: every option in force, paths absolute, keys of other choices left out. Loads to
 * the same run. Also [keys], [sweep] as given. */
void run_config_format(const struct run_config *rc, struct strbuf *out);
int run_config_write(const struct run_config *rc, const char *path, struct err *e);

/* What differs between a checkpoint's config and this one (decision D8): "train.max_steps 10 -> 20" lines
 * into `changed` (may change, now holds); the first that may not: TT_ECONFIG naming the key, old, new. */
int run_config_compare(const struct run_config *old, const struct run_config *now,
                       struct strlist *changed, struct err *e);

/* Class weights parsed and checked against n labels; NULL when unset. Caller frees *w. */
int run_config_class_weights(const struct run_config *rc, int n, float **w, struct err *e);

/* Every option of every choice, for `list options`: calls row() for each; owner as in config_part. */
void run_config_each_option(const struct optim_class *const *optims,
                            void (*row)(void *user, const char *section, const char *owner,
                                        const struct opt_desc *d),
                            void *user);

/* Lengths of a run (trainer-semantics 1.1). */
struct run_length {
    int64_t rows, batches, updates_per_epoch, max_steps, warmup;
    double epochs; /* that max_steps amounts to */
};
int run_length_of(const struct run_config *rc, int64_t rows, struct run_length *out, struct err *e);

#endif
