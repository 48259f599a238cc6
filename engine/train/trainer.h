/* The training loop: one run from its config to its final model. Lives on one thread, which is the only
 * one to touch tape, parameters and optimizer; talks through the hub and the run directory. */
#ifndef TT_TRAIN_TRAINER_H
#define TT_TRAIN_TRAINER_H

#include "engine/train/hub.h"
#include "engine/train/plan.h"

struct trainer;

/* Check everything and build the run: data, model, run directory with its lock, memory, and with
 * `resume` the newest whole checkpoint of `run_path`. rc is borrowed. Nothing is left behind by a failure.
 * Reads data; calls no BLAS and no OpenMP. */
int trainer_new(struct trainer **t, const struct run_config *rc, struct hub *hub,
                const char *resume_path, struct err *e);
/* Train to the end, a stop, or divergence. Call on the thread that is to compute. Returns 0 or the code
 * that is the exit status (TT_ESTOPPED, TT_EDIVERGED ...); e says why. */
int trainer_run(struct trainer *t, struct err *e);
void trainer_free(struct trainer *t);
/* Remove the run directory of a run that never began; only one made by this start. Before trainer_free. */
void trainer_discard(struct trainer *t);

const char *trainer_run_path(const struct trainer *t);
/* Of a run that is built, before it goes on. */
const struct memory_plan *trainer_plan(const struct trainer *t);
const struct dataset *trainer_data(const struct trainer *t); /* of training */
const struct dataset *trainer_eval_data(const struct trainer *t);

/* --resume: the run directory to go on with. `rc` as loaded from the user's config; run.name given: that
 * one; else the newest unfinished run of the stem. TT_ECONFIG when there is none. Caller frees *path. */
int trainer_find_resume(const struct run_config *rc, char **path, struct err *e);
/* The weights of a config: its newest run, else model.pretrained. Caller frees *path. */
int trainer_find_weights(const struct run_config *rc, char **path, struct err *e);

/* Evaluate or predict with the weights of a run directory (final/, else the newest whole checkpoint) or
 * of a model directory. */
int trainer_evaluate(const struct run_config *rc, const char *run_path, struct eval_report **out,
                     struct err *e);
/* Calls row() for every row of `file` in order, with its logits [n]. */
int trainer_predict(const struct run_config *rc, const char *run_path, const char *file,
                    int (*row)(void *user, int64_t row, const float *logits, const struct data_spec *),
                    void *user, struct err *e);

#endif
