/* The vocabulary of a run: found, read or learnt; texts become ids. */
#include "engine/train/text_setup.h"

#include <stdlib.h>

#include "engine/base/file.h"
#include "engine/base/log.h"

/* An option that all text models have, or OPT_INT_UNSET. */
static int64_t model_number(const struct run_config *rc, const char *key)
{
    const struct opt_desc *d = opt_find(rc->model_cls->opts, key);
    return d ? *(const int64_t *)opt_at(d, rc->model_own) : OPT_INT_UNSET;
}

int text_max_length(const struct run_config *rc, bool pairs, int64_t *out, struct err *e)
{
    int64_t positions = model_number(rc, "max_position_embeddings"), least = pairs ? 4 : 3;
    *out = rc->data.max_length == OPT_INT_UNSET ? positions : rc->data.max_length;
    if (positions != OPT_INT_UNSET && *out > positions)
        return err_set(e, TT_ECONFIG, "data.max_length: %lld (%lld at most, "
                       "model.max_position_embeddings)", (long long)*out, (long long)positions);
    if (*out < least)
        return err_set(e, TT_ECONFIG, "data.max_length: %lld tokens leave no room for a text (%lld)",
                       (long long)*out, (long long)least);
    return 0;
}

static bool has_vocabulary(const char *dir)
{
    char *vocab = file_join(dir, "vocab.txt"), *json = file_join(dir, "tokenizer.json");
    bool found = file_exists(vocab) || file_exists(json);
    free(vocab);
    free(json);
    return found;
}

/* The vocabulary that is there already; *out stays NULL: there is none. */
static int open_vocabulary(const struct run_config *rc, const char *saved, bool needed,
                           struct tokenizer **out, struct err *e)
{
    const struct tokenizer_opts *o = &rc->tokenizer;
    enum tokenizer_case letters = (enum tokenizer_case)o->lowercase;
    const char *from = rc->model.pretrained;
    *out = NULL;
    if (saved && has_vocabulary(saved))
        return tokenizer_open_dir(out, saved, CASE_AUTO, e);
    if (o->vocab)
        return file_is_dir(o->vocab) ? tokenizer_open_dir(out, o->vocab, letters, e)
                                     : tokenizer_open_vocab(out, o->vocab, letters, e);
    if (from && (needed || has_vocabulary(from)))
        return tokenizer_open_dir(out, from, letters, e);
    return 0;
}

/* Ids are below this; 0: nothing tells. The model's table may have rows that no entry uses. */
static int ids_below(const struct run_config *rc, const struct tokenizer *t, int64_t *out,
                     struct err *e)
{
    int64_t table = model_number(rc, "vocab_size"), entries = t ? tokenizer_size(t) : 0;
    *out = table == OPT_INT_UNSET ? entries : table;
    if (*out >= entries)
        return 0;
    return err_set(e, TT_ECONFIG, "model.vocab_size: %lld, the vocabulary has %lld entries",
                   (long long)table, (long long)entries);
}

int text_facts(const struct run_config *rc, struct data_spec *spec, struct err *e)
{
    struct tokenizer *t = NULL;
    int code = text_max_length(rc, spec->pairs, &spec->longest, e);
    if (!code)
        code = open_vocabulary(rc, NULL, false, &t, e);
    if (!code)
        code = ids_below(rc, t, &spec->vocab_size, e);
    if (!code && !spec->vocab_size)
        spec->vocab_size = rc->tokenizer.vocab_size;
    tokenizer_free(t);
    return code;
}

/* -- tokenising ------------------------------------------------------------------------------ */

static bool has_texts(const struct dataset *ds)
{
    for (int64_t i = 0; i < ds->rows; i++)
        if (!ds->at || ds->at[i + 1] == ds->at[i])
            return true;
    return false;
}

static int find_tokenizer(const struct run_config *rc, const char *saved, const struct dataset *train,
                          bool needed, struct tokenizer **out, struct err *e)
{
    int code = open_vocabulary(rc, saved, needed, out, e);
    if (code || *out || !needed)
        return code;
    code = tokenizer_learn(out, &train->text, &train->text_pair, rc->tokenizer.vocab_size,
                           (enum tokenizer_case)rc->tokenizer.lowercase, e);
    if (!code)
        log_line(LOG_INFO, "vocabulary: %lld entries learnt from the training text",
                 (long long)tokenizer_size(*out));
    return code;
}

int text_prepare(const struct run_config *rc, const char *saved, struct dataset *train,
                 struct dataset *eval, struct tokenizer **out, struct err *e)
{
    int64_t most, vocab;
    *out = NULL;
    if (train->spec.kind != BATCH_TEXT || rc->model_cls->kind != BATCH_TEXT)
        return 0;
    bool needed = has_texts(train) || has_texts(eval);
    int code = text_max_length(rc, train->spec.pairs, &most, e);
    if (!code)
        code = find_tokenizer(rc, saved, train, needed, out, e);
    if (!code)
        code = ids_below(rc, *out, &vocab, e);
    if (!code && !vocab)
        code = err_set(e, TT_ECONFIG, "model.vocab_size is missing (the rows are token ids, and no "
                       "vocabulary is named)");
    if (!code)
        code = dataset_tokenize(train, *out, vocab, most, e);
    if (!code)
        code = dataset_tokenize(eval, *out, vocab, most, e);
    return code;
}

int text_prepare_saved(const struct run_config *rc, const char *dir, int64_t vocab, struct dataset *ds,
                       struct err *e)
{
    struct tokenizer *t = NULL;
    int64_t most;
    if (ds->spec.kind != BATCH_TEXT)
        return 0;
    int code = text_max_length(rc, ds->spec.pairs, &most, e);
    if (!code && has_texts(ds))
        code = tokenizer_open_dir(&t, dir, CASE_AUTO, e);
    if (!code)
        code = dataset_tokenize(ds, t, vocab, most, e);
    tokenizer_free(t);
    return code;
}
