/* Model directories: what final/ and every checkpoint hold of a network, and what Hugging Face's library
 * reads and writes. */
#ifndef TT_TRAIN_MODEL_DIR_H
#define TT_TRAIN_MODEL_DIR_H

#include "engine/io/hf_config.h"
#include "engine/train/network_config.h"

/* model.safetensors and config.json (type, options, input shape, id2label) into an existing folder. Keys
 * of `from` (an empty one: none) that this model does not know are kept. */
int model_dir_save(const char *dir, struct network *net, const struct run_config *rc,
                   const struct hf_config *from, struct err *e);
/* Facts of the data that the saved model wants. Strings live in `names`. TT_EDATA with the path. */
int model_dir_spec(const char *dir, struct data_spec *spec, struct spec_names *names,
                   struct err *e);

/* -- options of a directory's config.json (model_options.c); without one nothing happens ------- */

/* The class that its model_type names, into *cls; left alone when it names none. TT_EDATA: unknown. */
int model_dir_class(const char *dir, const struct model_class **cls, struct err *e);
/* Its values into the class's options. TT_EDATA naming the key. */
int model_dir_options(const char *dir, const struct model_class *cls, void *opts, struct err *e);
/* The first option of `opts` that has another value there and may not have: TT_ECONFIG with both. */
int model_dir_agree(const char *dir, const struct model_class *cls, const void *opts,
                    struct err *e);
/* The options as keys of config.json. */
void model_options_put(struct hf_config *c, const struct model_class *cls, const void *opts,
                       const struct data_spec *spec);

/* -- weights (model_weights.c) --------------------------------------------------------------- */

/* Which tensors a load left aside. */
struct weights_report {
    struct strlist fresh;  /* of the model: they have initial values */
    struct strlist unused; /* of the files, and not of those that the class ignores */
};
void weights_report_release(struct weights_report *r);

int model_weights_save(const char *path, struct network *net, struct err *e);
/* From one file or shards, old names among them; every tensor must be there with its shape. */
int model_weights_load(const char *dir, struct network *net, struct err *e);
/* The same to start from: without `head` the last layer gets the initial values of `seed`, and so do
 * tensors that files of the class may lack. `report` is released by the caller, also after a failure. */
int model_weights_start(const char *dir, struct network *net, bool head, uint64_t seed,
                        struct weights_report *report, struct err *e);

/* problem_type of config.json into *problem (enum problem; -1: it says none): TT_EDATA for another word.
 * And back. */
int model_dir_problem(const struct hf_config *c, int *problem, struct err *e);
const char *model_dir_problem_name(int problem);

#endif
