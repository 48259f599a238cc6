/* Ids of a text as words to compare: "101 7592 102". */
#ifndef TT_TESTS_TOKEN_SUPPORT_H
#define TT_TESTS_TOKEN_SUPPORT_H

#include "engine/data/tokenizer.h"

/* Valid until the next call. pair NULL: none. */
const char *token_ids(const struct tokenizer *t, const char *text, size_t len, const char *pair,
                      size_t pair_len, int64_t max_length);
/* The same of a C string, with [CLS] and [SEP] left out. */
const char *token_inner(const struct tokenizer *t, const char *text);

/* A model directory, or a vocab.txt, that must open: "tests/golden/REL". */
struct tokenizer *token_open(const char *rel, enum tokenizer_case letters);

#endif
