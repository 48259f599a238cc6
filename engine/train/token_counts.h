/* How long the rows of a tokenised data set are: a copy that outlives the set, for screens. */
#ifndef TT_TRAIN_TOKEN_COUNTS_H
#define TT_TRAIN_TOKEN_COUNTS_H

#include "engine/train/run_config.h"

#define TOKENS_A_ROW_MOST (1 << 20)
#define TOKENS_ROWS_KEPT (1 << 20) /* whose lengths are kept one by one: 8 MiB */

struct token_counts { /* starts as {0}: nothing is known */
    int64_t rows, tokens;
    int64_t max_length, cut; /* so many rows were longer than max_length tokens and lost their end */
    int64_t longest;         /* at most TOKENS_A_ROW_MOST */
    int64_t *count;          /* [longest + 1] rows of each length */
    int64_t *at;             /* [rows + 1] as the data set's; NULL: not known row by row */
};

/* Of a set that is not tokenised nothing is known, of a very large one not row by row. */
void token_counts_make(struct token_counts *k, const struct dataset *ds);
void token_counts_release(struct token_counts *k);
/* Of a run from its files alone, training and evaluation: its data is read anew and tokenised with the
 * vocabulary of its newest checkpoint. Takes as long as at the start of the run; any thread. Both stay empty
 * for a run that is not over texts or that saved nothing. */
int token_counts_read(struct token_counts side[2], const struct run_config *rc, const char *run_path,
                      struct err *e);
int64_t token_counts_of_row(const struct token_counts *k, int64_t row); /* -1: not known */

#endif
