/* A model directory to start from: what its head answers, and its weights. */
#ifndef TT_TRAIN_PRETRAINED_H
#define TT_TRAIN_PRETRAINED_H

#include "engine/train/model_dir.h"

struct pretrained {
    char *dir;             /* NULL: there is none */
    struct strlist labels, features; /* none where its config.json names none */
    int problem;           /* enum problem, -1: it does not say */
    struct hf_config config; /* its config.json; empty: there is none */
    struct weights_report report; /* of pretrained_load */
    bool bare;             /* weights without a config.json: nothing is known about its head */
};

/* Reads config.json of `dir` (NULL: of model.pretrained, if there is one), and lets rc->data know the
 * classes of the head, unless model.num_labels wants another size. Weights need not be there.
 * TT_EDATA with the path. `p` is released by the caller, after rc's data. */
int pretrained_open(struct pretrained *p, struct run_config *rc, const char *dir, struct err *e);
void pretrained_release(struct pretrained *p);

/* It must have been made for such labels, and columns in this order: TT_EDATA with both. */
int pretrained_check(const struct pretrained *p, const struct dataset *train, struct err *e);
/* Does the head stay, for it knows all labels of the training file, or nobody knows better? */
bool pretrained_keeps_head(const struct pretrained *p, const struct dataset *train);
/* What pretrained_load will find: every tensor there, in the model's shape. Reads headers only. */
int pretrained_fits(const struct pretrained *p, const struct run_config *rc,
                    const struct dataset *train, struct err *e);
/* The weights; a head that does not stay gets the initial values of `seed`, and so does what files may
 * lack: p->report. */
int pretrained_load(struct pretrained *p, struct network *net, bool keep_head, uint64_t seed,
                    struct err *e);
/* What became of them, as lines of the log. */
void pretrained_say(const struct pretrained *p, const struct data_spec *spec);

#endif
