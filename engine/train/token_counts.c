/* Counting tokens. */
#include "engine/train/token_counts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/io/rundir.h"
#include "engine/train/text_setup.h"

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
    for (int64_t i = 0; i < k->rows; i++)
        k->count[ds->at[i + 1] - ds->at[i]]++;
    if (k->rows > TOKENS_ROWS_KEPT)
        return;
    k->at = xreallocarray(NULL, ends, sizeof *k->at);
    memcpy(k->at, ds->at, ends * sizeof *k->at);
}

static int read_sides(struct token_counts side[2], const struct run_config *rc, const char *checkpoint,
                      struct err *e)
{
    struct dataset train, eval;
    struct tokenizer *t = NULL;
    int code = dataset_open(&rc->data, (uint64_t)rc->run.seed, &train, &eval, e);
    if (code)
        return code;
    code = text_prepare(rc, checkpoint, &train, &eval, &t, e);
    if (!code) {
        token_counts_make(&side[0], &train);
        token_counts_make(&side[1], &eval);
    }
    tokenizer_free(t);
    dataset_release(&train);
    dataset_release(&eval);
    return code;
}

int token_counts_read(struct token_counts side[2], const struct run_config *rc, const char *run_path,
                      struct err *e)
{
    int64_t *steps = NULL;
    int n = rc->model_cls->kind == BATCH_TEXT ? ckpt_list(run_path, &steps, NULL) : 0;
    char *checkpoint = n ? ckpt_dir(run_path, steps[n - 1]) : NULL;
    int code = checkpoint ? read_sides(side, rc, checkpoint, e) : 0;
    free(checkpoint);
    free(steps);
    return code;
}

int64_t token_counts_of_row(const struct token_counts *k, int64_t row)
{
    return k->at && row < k->rows ? k->at[row + 1] - k->at[row] : -1;
}
