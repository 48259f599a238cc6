/* Counting tokens. */
#include "engine/train/token_counts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"

void token_counts_release(struct token_counts *k)
{
    free(k->count);
    free(k->at);
    *k = (struct token_counts){0};
}

void token_counts_make(struct token_counts *k, const struct dataset *ds)
{
    size_t ends = (size_t)ds->rows + 1;
    token_counts_release(k);
    if (!ds->at || !ds->max_length || ds->spec.longest > TOKENS_A_ROW_MOST)
        return;
    *k = (struct token_counts){.rows = ds->rows, .tokens = ds->at[ds->rows], .cut = ds->cut,
                               .max_length = ds->max_length, .longest = ds->spec.longest};
    k->count = xcalloc((size_t)k->longest + 1, sizeof *k->count);
    k->at = xreallocarray(NULL, ends, sizeof *k->at);
    memcpy(k->at, ds->at, ends * sizeof *k->at);
    for (int64_t i = 0; i < k->rows; i++)
        k->count[k->at[i + 1] - k->at[i]]++;
}

int64_t token_counts_of_row(const struct token_counts *k, int64_t row)
{
    return k->at && row < k->rows ? k->at[row + 1] - k->at[row] : -1;
}
