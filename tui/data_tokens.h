/* How long the texts of a run are: a histogram, and what a batch of them takes. */
#ifndef TT_TUI_DATA_TOKENS_H
#define TT_TUI_DATA_TOKENS_H

#include "tui/canvas.h"
#include "tui/uimodel.h"

/* Rows of the training set by their number of tokens, one whole number a column where that fits. */
void draw_tokens_pane(struct canvas *c, struct rect r, const struct token_counts *t);

/* "32 rows, 431 tokens; padded: 1,056": of the rows of one update, made of batches of `each`. What padding
 * every batch to its longest text would take is said beside what is computed, which is packed. */
char *batch_tokens(const struct token_counts *t, const int64_t *row, int64_t n, int64_t each, char *dst,
                   size_t size);

#endif
