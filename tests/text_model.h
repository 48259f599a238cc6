/* Text models for tests: opened from a golden directory as a run would, fed with packed batches. */
#ifndef TT_TESTS_TEXT_MODEL_H
#define TT_TESTS_TEXT_MODEL_H

#include "engine/train/accelerator.h"
#include "engine/train/loss.h"
#include "engine/train/model_dir.h"
#include "tests/st_golden.h"

struct text_model {
    struct accelerator acc; /* one thread, its tape poisoned */
    struct network net;     /* with AdamW: rate 1e-3, decay 0.01 */
    struct data_spec spec;
    struct spec_names names;
    struct weights_report report;
    const struct model_class *cls;
    void *opts, *optim_opts;
};

/* "tests/golden/models/NAME": its class, options, labels and weights. num_labels 0: the directory's. */
void text_model_open(struct text_model *m, const char *name, int num_labels);
/* Any directory; without weights the first values stay. */
void text_model_open_dir(struct text_model *m, const char *dir, int num_labels);
void text_model_close(struct text_model *m);

/* A golden directory's config.json and weights in a fresh folder; one file of "tests/golden/models" as
 * DIR/NAME. */
const char *golden_dir(const char *name);
void golden_file(const char *from, const char *dir, const char *name);

/* The test fails unless the error has this code and these words. */
void expect_error(const struct err *e, int code, const char *says);

/* A packed batch out of padded [B,T] tensors of a golden file: row `k` of a stack of such, in the file's
 * memory. Labels are those of GROUP/labels, whole numbers or not. */
struct batch golden_batch(struct golden *g, const char *group, int k);

/* Forward and backward; gradients are in m->net.ps afterwards. Returns the loss. */
double text_model_step(struct text_model *m, const struct batch *b, const struct loss_rule *r,
                       struct tensor **logits);

#endif
