/* WordPiece: texts become ids as the fast BERT tokenizer does it (Hugging Face formats, reference
 * hf-formats 3), cased or uncased, from a model directory, a vocab.txt, or learnt from texts. A
 * tokenizer is read-only once made: any number of threads may encode with it, each with its own
 * token_list. */
#ifndef TT_DATA_TOKENIZER_H
#define TT_DATA_TOKENIZER_H

#include "engine/base/err.h"
#include "engine/base/opt.h"
#include "engine/base/str.h"

/* [tokenizer] of the config. Strings are owned by the run's config. */
struct tokenizer_opts {
    char *vocab;        /* a vocab.txt; unset: that of model.pretrained, else learnt */
    int lowercase;      /* enum tokenizer_case */
    int64_t vocab_size; /* entries to learn */
};
enum tokenizer_case { CASE_AUTO, CASE_LOWER, CASE_KEEP }; /* auto|yes|no */
extern const struct opt_desc tokenizer_opts_table[];

struct tokenizer;

/* tokenizer.json and/or vocab.txt with tokenizer_config.json of a model directory. TT_EDATA with file
 * and line or key: no vocabulary, [UNK] [CLS] [SEP] missing, duplicate entries, another algorithm. */
int tokenizer_open_dir(struct tokenizer **out, const char *dir, enum tokenizer_case letters, struct err *e);
/* A vocab.txt alone: one entry a line, ids are line numbers from 0. CASE_AUTO: lower case when no entry
 * has a capital letter. */
int tokenizer_open_vocab(struct tokenizer **out, const char *path, enum tokenizer_case letters,
                         struct err *e);
/* Learn `size` entries at most from texts (pairs may be empty): the five special tokens, the
 * characters, then merges by count. The same texts give the same entries. CASE_AUTO: lower case. */
int tokenizer_learn(struct tokenizer **out, const struct strlist *texts, const struct strlist *pairs,
                    int64_t size, enum tokenizer_case letters, struct err *e);
void tokenizer_free(struct tokenizer *t);

int64_t tokenizer_size(const struct tokenizer *t); /* largest id + 1 */
bool tokenizer_lowers(const struct tokenizer *t);
const char *tokenizer_entry(const struct tokenizer *t, int32_t id); /* "" where there is none */
int32_t tokenizer_id(const struct tokenizer *t, const char *entry);  /* -1: none */
int32_t tokenizer_pad(const struct tokenizer *t);
int32_t tokenizer_unknown(const struct tokenizer *t);

/* Grows as needed and is kept between texts. types: 0 for the first text and its specials, 1 for the pair. */
struct token_list {
    int32_t *ids;
    uint8_t *types;
    size_t n, cap;
    int64_t truncated;    /* texts that were cut, counted up */
    int64_t invalid;      /* texts with bytes that are no UTF-8, counted up */
    void *work;           /* the tokenizer's */
};
void token_list_release(struct token_list *l);

/* [CLS] text [SEP] or [CLS] text [SEP] pair [SEP], appended to `out`; returns how many. Bytes, may hold
 * NUL. pair NULL: none. max_length counts the specials (3 or 4 at least, checked by the caller); 0: no limit; longest first,
 * one token at a time from the end. */
size_t tokenizer_encode(const struct tokenizer *t, struct token_list *out, const char *text, size_t len,
                        const char *pair, size_t pair_len, int64_t max_length);

/* vocab.txt, tokenizer.json, tokenizer_config.json, special_tokens_map.json into a directory; files that
 * were read from one are written back as they were. */
int tokenizer_save(const struct tokenizer *t, const char *dir, struct err *e);

#endif
