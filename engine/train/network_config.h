/* From a run's config to a declared network: the same steps for the planner's dry run and the real one. */
#ifndef TT_TRAIN_NETWORK_CONFIG_H
#define TT_TRAIN_NETWORK_CONFIG_H

#include "engine/train/accelerator.h"
#include "engine/train/run_config.h"

/* Facts for the model: the data's, with model.num_labels in force. Strings are borrowed from `train` and,
 * where the head is larger than the data, from `names` (released by the caller after the model).
 * TT_ECONFIG when the head is too small for the labels. */
struct spec_names {
    struct strlist own, features;
    const char **label;
};
int spec_of_run(const struct run_config *rc, const struct dataset *train, struct data_spec *spec,
                struct spec_names *names, struct err *e);
void spec_names_release(struct spec_names *names);

/* network_init, the groups of [group.NAME] (one that matches nothing is an error), the optimizer's check
 * against the tensors. No memory of the backend is taken yet. */
int network_from_config(struct network *net, struct backend *be, const struct run_config *rc,
                        const struct data_spec *spec, struct err *e);

#endif
