/* Inside of the tokenizer*.c files: what a tokenizer is made of. */
#ifndef TT_DATA_TOKENIZER_STATE_H
#define TT_DATA_TOKENIZER_STATE_H

#include "engine/data/tokenizer.h"
#include "engine/data/unicode_map.h"
#include "engine/data/vocab.h"

enum token_role { ROLE_PAD, ROLE_UNKNOWN, ROLE_CLS, ROLE_SEP, ROLE_MASK, ROLES };

struct token_role_name {
    const char *key, *usual; /* in tokenizer_config.json; the token when nothing says otherwise */
};
extern const struct token_role_name token_roles[ROLES];

enum token_file { FILE_VOCAB, FILE_JSON, FILE_CONFIG, FILE_MAP, FILE_ADDED, TOKEN_FILES };
extern const char *const token_files[TOKEN_FILES];

/* A token found in the raw text, before anything else. */
struct added_token {
    const char *text; /* the vocabulary's */
    size_t len;
    int32_t id;
};

enum strip_rule { STRIP_WITH_CASE, STRIP_NO, STRIP_YES }; /* null, false, true */

/* What files say about the letters; -1: nothing. */
struct letter_rules {
    int lower, clean, ideographs, strip; /* strip: enum strip_rule */
};

struct tokenizer {
    struct vocab vocab;
    struct letter_rules letters; /* settled: nothing is -1 */
    struct unicode_map map;
    char *role[ROLES];
    int32_t role_id[ROLES]; /* -1: not in the vocabulary */
    struct added_token *added; /* longer ones first */
    size_t nadded, added_cap;
    bool added_starts[256]; /* bytes that one begins with */
    char *prefix;           /* of pieces that go on with a word: "##" */
    uint32_t inner;         /* where the trie begins for them */
    int64_t word_max;       /* code points; longer words are unknown */
    struct {
        char *data;
        size_t n;
    } file[TOKEN_FILES]; /* as read; NULL: to be made */
};

struct tokenizer *tokenizer_new(void);
/* The vocabulary is complete, roles and rules are as found: settle what is open, build the tables.
 * `where` begins messages. */
int tokenizer_settle(struct tokenizer *t, const char *where, enum tokenizer_case letters,
                     struct err *e);
void tokenizer_add_token(struct tokenizer *t, int32_t id);

#endif
