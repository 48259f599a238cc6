/* Models: one class per architecture. A model declares its parameters once and writes its forward
 * on a tape; the loss is the trainer's. To add one: see README.md. */
#ifndef TT_MODELS_MODEL_H
#define TT_MODELS_MODEL_H

#include "engine/base/arena.h"
#include "engine/base/opt.h"
#include "engine/data/batch.h"
#include "engine/nn/param.h"

struct model;

/* The class's counterpart in Hugging Face's library. Lists end with NULL; GLOBS are matched against names
 * of tensors. */
#define HF_LIST 8
struct hf_names {
    const char *architecture;          /* its class there */
    const char *prefix;                /* of every tensor but the head's; a base model's file has none */
    const char *alias[HF_LIST][2];     /* option, its other name in config.json */
    const char *may_differ[HF_LIST];   /* options in which a config may contradict config.json */
    const char *may_miss[HF_LIST];     /* GLOBS: new when a file lacks them; any other must be there */
    const char *ignored[HF_LIST];      /* GLOBS: passed over without a word; others are warned of */
    const char *must_be_off[HF_LIST];  /* keys of config.json that ask for another model when true */
};

struct model_class {
    const char *name, *summary;
    const struct opt_desc *opts; /* its keys of [model] */
    size_t opts_size;
    enum batch_kind kind; /* the data it reads; other data is refused by model_check */
    const struct hf_names *hf; /* NULL: it has no counterpart */
    /* Options against each other and the data: TT_ECONFIG naming the key. NULL: all fit. */
    int (*check)(const void *opts, const struct data_spec *spec, struct err *e);
    /* Declare the parameters in m->ps, named as the saved file spells them; keep what logits needs
     * in m->priv, allocated in m->arena. The options are checked before. */
    int (*declare)(struct model *m, struct err *e);
    /* [batch, spec.num_labels], or NULL with t->err set. Values of the batch are touched through
     * the tape only: on the null backend (a dry run) its pointers may be NULL; at[] is read. */
    struct tensor *(*logits)(struct model *m, struct tape *t, const struct batch *b);
};

/* All of them, sorted by name, ended by NULL. */
extern const struct model_class *const model_classes[];

struct model {
    const struct model_class *cls;
    const void *opts;      /* borrowed */
    struct data_spec spec; /* copy; its strings are borrowed */
    struct param_set *ps;  /* borrowed */
    struct arena arena;
    void *priv;            /* the class's, in the arena */
    bool recompute;        /* run layers again in backward and keep less; set by the caller */
    bool input_grad;       /* dense input is a leaf that gets a gradient; set by the caller */
    struct tensor *input;  /* dense input of the last forward, until the next tape_begin */
};

/* NULL with TT_ECONFIG: the known names and the nearest. */
const struct model_class *model_by_name(const char *name, struct err *e);

/* What model_init checks first: the kind of data, then the class's own check. */
int model_check(const struct model_class *cls, const void *opts, const struct data_spec *spec,
                struct err *e);

/* Check, then declare into `ps`. param_build is the caller's, and may be left out for counting. */
int model_init(struct model *m, const struct model_class *cls, const void *opts,
               const struct data_spec *spec, struct param_set *ps, struct err *e);
void model_release(struct model *m);

struct tensor *model_logits(struct model *m, struct tape *t, const struct batch *b);

/* For classes: the dense batch as a leaf [n, spec.dim...], kept in m->input. */
struct tensor *model_input(struct model *m, struct tape *t, const struct batch *b);

/* For classes: the activation of hidden layers as an option. */
#define MODEL_ACTIVATIONS "relu|leaky_relu|gelu|gelu_tanh|tanh|sigmoid|silu|quick_gelu"
#define MODEL_SLOPE 0.01f /* of leaky_relu, torch's */
static inline enum act model_act(int choice)
{
    return (enum act)(ACT_RELU + choice);
}

/* For classes: whole numbers by commas, each from `min` to `max`, into out[MODEL_LIST_MAX]. NULL,
 * "" and "none" are the empty list. Returns their number, or TT_ECONFIG naming `key`. */
#define MODEL_LIST_MAX 16
#define MODEL_WIDTH_MAX 65536 /* of a layer */
int model_parse_list(const char *key, const char *text, int64_t min, int64_t max, int *out,
                     struct err *e);

#endif
