/* The weights of a Hugging Face directory: model.safetensors, or several files and their index. */
#ifndef TT_IO_HF_WEIGHTS_H
#define TT_IO_HF_WEIGHTS_H

#include "engine/io/safetensors.h"

struct hf_tensor {
    char *name;                 /* as today's library spells it */
    const struct st_file *file; /* where it is */
    const struct st_tensor *t;  /* under the name that the file gives it */
};

struct hf_weights {
    struct st_file *file;
    size_t nfile;
    struct hf_tensor *t; /* by name */
    size_t n;
    struct strlist unlisted; /* tensors of a file that the index does not know: not in `t` */
};

/* Old names become today's: "module." before a name goes, LayerNorm.gamma and .beta at its end are .weight
 * and .bias, and where no name begins with `prefix` (NULL: none is wanted) all get it. TT_EDATA: no
 * weights, only a pickle, a file that is something else, a tensor that is missing or there twice. */
int hf_weights_open(struct hf_weights *w, const char *dir, const char *prefix, struct err *e);
void hf_weights_close(struct hf_weights *w);
const struct hf_tensor *hf_weights_find(const struct hf_weights *w, const char *name); /* or NULL */

/* Does the directory have any that hf_weights_open reads? */
bool hf_weights_exist(const char *dir);

#endif
