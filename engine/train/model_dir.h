/* Model directories: what final/ and every checkpoint hold of a network. */
#ifndef TT_TRAIN_MODEL_DIR_H
#define TT_TRAIN_MODEL_DIR_H

#include "engine/train/network_config.h"

/* model.safetensors and config.json (type, options, input shape, id2label) into an existing folder. */
int model_dir_save(const char *dir, struct network *net, const struct run_config *rc,
                   struct err *e);
/* Facts of the data that the saved model wants. Strings live in `names`. TT_EDATA with the path. */
int model_dir_spec(const char *dir, struct data_spec *spec, struct spec_names *names,
                   struct err *e);

int model_weights_save(const char *path, struct network *net, struct err *e);
/* By name; every tensor of the network must be there with its shape. */
int model_weights_load(const char *path, struct network *net, struct err *e);
/* The same, without `head` for all but the head, which stays as it is. */
int model_weights_start(const char *path, struct network *net, bool head, struct err *e);

/* problem_type of config.json: enum problem, or -1; and back. */
int model_dir_problem(const char *problem_type);
const char *model_dir_problem_name(int problem);

#endif
