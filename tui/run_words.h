/* What launcher and form say of a config in words: its data, its model, the memory it needs. */
#ifndef TT_TUI_RUN_WORDS_H
#define TT_TUI_RUN_WORDS_H

#include "engine/train/plan.h"

/* "fashion-mnist": the folder of the training file, else the file; "synthetic". */
char *words_data(const struct run_config *rc, char *dst, size_t size);
/* What is missing to start: "needs a file", "needs a model"; "" when nothing is. */
char *words_lack(const struct run_config *rc, char *dst, size_t size);
/* "distilbert 6 x 768", "mlp 256,128". */
char *words_model(const struct run_config *rc, char *dst, size_t size);
/* Three digits of a number of GiB: "1.18", "22.1", "197". */
char *words_gib(double bytes, char *dst, size_t size);
/* The total of the memory view: "1.18 of 22.1 GiB", one unit for both where that tells enough. */
char *words_need(const struct memory_plan *p, char *dst, size_t size);
/* "fits", "does not fit", and when that is for the rows kept in memory, which are not in the need. */
char *words_verdict(const struct memory_plan *p, char *dst, size_t size);

#endif
