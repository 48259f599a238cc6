/* Texts of a data set become token ids, packed; and how long its rows are. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/data/dataset.h"
#include "engine/data/tokenizer.h"

struct packing {
    struct dataset *ds;
    int64_t vocab, max_length;
    struct token_list list;
    int64_t *at;
    struct err *e;
};

static int bad_id(const struct packing *p, int64_t row, int32_t id)
{
    const struct dataset *ds = p->ds;
    return err_set(p->e, TT_EDATA, "%s:%lld: token id %d (0 to %lld)", ds->path,
                   (long long)(ds->line ? ds->line[row] : row), id, (long long)p->vocab - 1);
}

/* Ids that the file gives; of longer rows the first ones and the last, which ends the row. */
static int take_ids(struct packing *p, int64_t row)
{
    const struct dataset *ds = p->ds;
    struct token_list *l = &p->list;
    size_t from = (size_t)ds->at[row], n = (size_t)(ds->at[row + 1] - ds->at[row]);
    for (size_t i = 0; i < n; i++)
        if (ds->ids[from + i] >= p->vocab)
            return bad_id(p, row, ds->ids[from + i]);
    if (p->max_length && n > (size_t)p->max_length) {
        n = (size_t)p->max_length;
        l->truncated++;
    }
    size_t cap = l->cap;
    l->types = xgrow(l->types, &cap, l->n + n, sizeof *l->types);
    l->ids = xgrow(l->ids, &l->cap, l->n + n, sizeof *l->ids);
    memcpy(l->ids + l->n, ds->ids + from, n * sizeof *l->ids);
    memcpy(l->types + l->n, ds->types + from, n);
    l->n += n;
    l->ids[l->n - 1] = ds->ids[ds->at[row + 1] - 1];
    l->types[l->n - 1] = ds->types[ds->at[row + 1] - 1];
    return 0;
}

static int pack_row(struct packing *p, const struct tokenizer *t, int64_t row)
{
    const struct dataset *ds = p->ds;
    if (ds->at && ds->at[row + 1] > ds->at[row])
        return take_ids(p, row);
    if (!t)
        return err_set(p->e, TT_ECONFIG, "%s: has texts, and there is no vocabulary "
                       "(tokenizer.vocab)", ds->path);
    const char *text = ds->text.s[row];
    const char *pair = (size_t)row < ds->text_pair.n ? ds->text_pair.s[row] : NULL;
    size_t from = p->list.n;
    tokenizer_encode(t, &p->list, text, strlen(text), pair, pair ? strlen(pair) : 0, p->max_length);
    for (size_t i = from; i < p->list.n && tokenizer_size(t) > p->vocab; i++)
        if (p->list.ids[i] >= p->vocab)
            return bad_id(p, row, p->list.ids[i]);
    return 0;
}

static void take_over(struct packing *p)
{
    struct dataset *ds = p->ds;
    bool keep_types = ds->spec.pairs;
    free(ds->ids);
    free(ds->types);
    free(ds->at);
    strlist_release(&ds->text);
    strlist_release(&ds->text_pair);
    ds->ids = p->list.ids;
    ds->types = keep_types ? p->list.types : NULL;
    ds->at = p->at;
    p->list.ids = NULL;
    if (keep_types)
        p->list.types = NULL;
    p->at = NULL;
    ds->spec.vocab_size = p->vocab;
    ds->max_length = p->max_length;
    ds->cut = p->list.truncated;
    for (int64_t i = 0; i < ds->rows; i++)
        if (ds->at[i + 1] - ds->at[i] > ds->spec.longest)
            ds->spec.longest = ds->at[i + 1] - ds->at[i];
}

static void note(const struct packing *p)
{
    char cut[32], all[32];
    if (p->list.truncated)
        dataset_add_note(p->ds, "%s of %s texts are longer than %lld tokens and are cut",
                         str_commas(cut, sizeof cut, p->list.truncated),
                         str_commas(all, sizeof all, p->ds->rows), (long long)p->max_length);
    if (p->list.invalid)
        dataset_add_note(p->ds, "%s texts hold bytes that are no UTF-8",
                         str_commas(cut, sizeof cut, p->list.invalid));
}

int dataset_tokenize(struct dataset *ds, const struct tokenizer *t, int64_t vocab, int64_t max_length,
                     struct err *e)
{
    struct packing p = {.ds = ds, .vocab = vocab, .max_length = max_length, .e = e};
    int code = 0;
    BUG_ON(ds->spec.kind != BATCH_TEXT);
    p.at = xcalloc((size_t)ds->rows + 1, sizeof *p.at);
    for (int64_t i = 0; i < ds->rows && !code; i++) {
        code = pack_row(&p, t, i);
        p.at[i + 1] = (int64_t)p.list.n;
    }
    if (!code) {
        note(&p);
        take_over(&p);
    }
    free(p.at);
    token_list_release(&p.list);
    return code;
}

static int longer_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

void dataset_longest(const struct dataset *ds, int64_t n, int32_t *at)
{
    int64_t rows = ds->at ? ds->rows : 0, longest = ds->spec.longest;
    int64_t *length = xmalloc(((size_t)rows + 1) * sizeof *length);
    for (int64_t i = 0; i < rows; i++)
        length[i] = ds->at[i + 1] - ds->at[i];
    qsort(length, (size_t)rows, sizeof *length, longer_first);
    at[0] = 0;
    for (int64_t i = 0; i < n; i++)
        at[i + 1] = at[i] + (int32_t)(i < rows ? length[i] : longest);
    free(length);
}
