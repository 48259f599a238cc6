/* What a run over texts needs besides its model: a vocabulary, and the length at which texts are cut. */
#ifndef TT_TRAIN_TEXT_SETUP_H
#define TT_TRAIN_TEXT_SETUP_H

#include "engine/train/run_config.h"

/* Where texts are cut: data.max_length, else the model's last position. TT_ECONFIG when the model has
 * fewer, or when special tokens would not fit. */
int text_max_length(const struct run_config *rc, bool pairs, int64_t *out, struct err *e);

/* TEXT facts of `spec` before the texts were tokenised, as upper bounds: the vocabulary is opened, or taken
 * as large as tokenizer.vocab_size allows. */
int text_facts(const struct run_config *rc, struct data_spec *spec, struct err *e);

/* The tokenizer, and both sides tokenised with it. `saved`: a checkpoint or model directory to take it from,
 * or NULL: tokenizer.vocab, else model.pretrained, else it is learnt from the training texts. *out stays
 * NULL where no row has a text and no vocabulary is named. Data of another kind is left alone. */
int text_prepare(const struct run_config *rc, const char *saved, struct dataset *train,
                 struct dataset *eval, struct tokenizer **out, struct err *e);
/* The same for the rows that a saved model is to judge. */
int text_prepare_saved(const struct run_config *rc, const char *dir, int64_t vocab, struct dataset *ds,
                       struct err *e);

#endif
