/* Replay of an optimizer over recorded gradients: the code path of tests/replay_optimizer and of the
 * golden test. Input: param/NAME, grad/STEP/NAME from step 1, perhaps lr[steps] (float64). */
#ifndef TT_TESTS_REPLAY_H
#define TT_TESTS_REPLAY_H

#include "engine/base/ini.h"
#include "engine/io/safetensors.h"
#include "engine/nn/optim.h"

struct replay {
    struct backend be;
    struct param_set ps; /* every tensor in the decayed group, names borrowed from `in` */
    struct optim optim;
    void *opts;
    struct st_file in;
    double *lr; /* [steps] */
    int steps;
};

/* The [optimizer] section of an INI file, by the class's table. Caller releases and frees *opts. */
int replay_options(const char *path, const struct optim_class **cls, void **opts, struct err *e);

int replay_open(struct replay *r, const char *ini, const char *input, struct err *e);
/* Gradients of `step` (from 1) and one update. */
int replay_step(struct replay *r, int step, struct err *e);
void replay_close(struct replay *r);

#endif
