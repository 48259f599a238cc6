/* Making a tokenizer out of its parts, and from a vocab.txt. */
#include "engine/data/tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/base/mem.h"
#include "engine/data/tokenizer_state.h"

#define AT(field) offsetof(struct tokenizer_opts, field)

const struct opt_desc tokenizer_opts_table[] = {
    {.key = "vocab",
     .type = OPT_PATH,
     .at = AT(vocab),
     .help = "a vocab.txt; unset: that of model.pretrained, else learnt from the training text"},
    {.key = "lowercase",
     .type = OPT_CHOICE,
     .at = AT(lowercase),
     .def = CASE_AUTO,
     .choices = "auto|yes|no",
     .help = "whether letters become small; auto: as the model's files or its vocabulary say"},
    {.key = "vocab_size",
     .type = OPT_INT,
     .at = AT(vocab_size),
     .unit = "entries",
     .def = 8000,
     .min = 16,
     .max = 1e6,
     .flags = OPT_MEMORY,
     .help = "entries to learn where no vocabulary is given"},
    {0},
};

const struct token_role_name token_roles[ROLES] = {
    [ROLE_PAD] = {"pad_token", "[PAD]"},    [ROLE_UNKNOWN] = {"unk_token", "[UNK]"},
    [ROLE_CLS] = {"cls_token", "[CLS]"},    [ROLE_SEP] = {"sep_token", "[SEP]"},
    [ROLE_MASK] = {"mask_token", "[MASK]"},
};

const char *const token_files[TOKEN_FILES] = {
    [FILE_VOCAB] = "vocab.txt",
    [FILE_JSON] = "tokenizer.json",
    [FILE_CONFIG] = "tokenizer_config.json",
    [FILE_MAP] = "special_tokens_map.json",
    [FILE_ADDED] = "added_tokens.json",
};

struct tokenizer *tokenizer_new(void)
{
    struct tokenizer *t = xcalloc(1, sizeof *t);
    vocab_init(&t->vocab);
    t->letters = (struct letter_rules){-1, -1, -1, -1};
    t->word_max = 100;
    return t;
}

void tokenizer_free(struct tokenizer *t)
{
    if (!t)
        return;
    vocab_release(&t->vocab);
    unicode_map_release(&t->map);
    for (int i = 0; i < ROLES; i++)
        free(t->role[i]);
    for (int i = 0; i < TOKEN_FILES; i++)
        free(t->file[i].data);
    free(t->added);
    free(t->prefix);
    free(t);
}

void tokenizer_add_token(struct tokenizer *t, int32_t id)
{
    const char *text = t->vocab.entry[id];
    size_t i = 0, len = strlen(text);
    for (size_t k = 0; k < t->nadded; k++)
        if (t->added[k].id == id)
            return;
    if (!len)
        return;
    t->added = xgrow(t->added, &t->added_cap, t->nadded + 1, sizeof *t->added);
    while (i < t->nadded && t->added[i].len >= len)
        i++;
    memmove(t->added + i + 1, t->added + i, (t->nadded++ - i) * sizeof *t->added);
    t->added[i] = (struct added_token){text, len, id};
    t->added_starts[(unsigned char)text[0]] = true;
}

/* A capital letter in an entry that is no [SPECIAL]. */
static bool has_capitals(const struct vocab *v)
{
    for (int32_t id = 0; id < v->size; id++) {
        const char *s = v->entry[id];
        if (!s || s[0] == '[')
            continue;
        for (; *s; s++)
            if (*s >= 'A' && *s <= 'Z')
                return true;
    }
    return false;
}

static void settle_letters(struct tokenizer *t, const char *where, enum tokenizer_case letters)
{
    struct letter_rules *l = &t->letters;
    int found = l->lower;
    if (letters != CASE_AUTO)
        l->lower = letters == CASE_LOWER;
    else if (found < 0) {
        l->lower = !has_capitals(&t->vocab);
        log_line(LOG_INFO, "%s: %s (%s entry has a capital; tokenizer.lowercase decides)", where,
                 l->lower ? "letters become small" : "letters stay as they are",
                 l->lower ? "no" : "an");
    }
    if (found >= 0 && found != l->lower) /* files that say something else are made anew */
        for (int i = FILE_JSON; i <= FILE_CONFIG; i++) {
            free(t->file[i].data);
            t->file[i].data = NULL;
        }
    if (l->clean < 0)
        l->clean = 1;
    if (l->ideographs < 0)
        l->ideographs = 1;
    if (l->strip < 0)
        l->strip = STRIP_WITH_CASE;
}

static int settle_roles(struct tokenizer *t, const char *where, struct err *e)
{
    for (int i = 0; i < ROLES; i++) {
        if (!t->role[i])
            t->role[i] = xstrdup(token_roles[i].usual);
        t->role_id[i] = tokenizer_id(t, t->role[i]);
        if (t->role_id[i] < 0 && i != ROLE_PAD && i != ROLE_MASK)
            return err_set(e, TT_EDATA, "%s: the vocabulary has no %s (the %s)", where, t->role[i],
                           token_roles[i].key);
        if (t->role_id[i] >= 0)
            tokenizer_add_token(t, t->role_id[i]);
    }
    return 0;
}

int tokenizer_settle(struct tokenizer *t, const char *where, enum tokenizer_case letters,
                     struct err *e)
{
    int code = settle_roles(t, where, e);
    if (code)
        return code;
    settle_letters(t, where, letters);
    if (!t->prefix)
        t->prefix = xstrdup("##");
    t->inner = vocab_walk(&t->vocab, VOCAB_ROOT, t->prefix, strlen(t->prefix));
    const struct letter_rules *l = &t->letters;
    struct unicode_rules rules = {
        .clean = l->clean,
        .ideographs = l->ideographs,
        .lower = l->lower,
        .strip = l->strip == STRIP_YES || (l->strip == STRIP_WITH_CASE && l->lower),
    };
    unicode_map_init(&t->map, &rules);
    return 0;
}

int tokenizer_open_vocab(struct tokenizer **out, const char *path, enum tokenizer_case letters,
                         struct err *e)
{
    struct tokenizer *t = tokenizer_new();
    size_t limit = 2 * (size_t)VOCAB_BYTES_MAX;
    int code = file_read(path, limit, &t->file[FILE_VOCAB].data, &t->file[FILE_VOCAB].n, e);
    if (!code)
        code = vocab_read(&t->vocab, path, t->file[FILE_VOCAB].data, t->file[FILE_VOCAB].n, e);
    if (!code)
        code = tokenizer_settle(t, path, letters, e);
    if (code) {
        tokenizer_free(t);
        t = NULL;
    }
    *out = t;
    return code;
}

int64_t tokenizer_size(const struct tokenizer *t)
{
    return t->vocab.size;
}

bool tokenizer_lowers(const struct tokenizer *t)
{
    return t->letters.lower;
}

const char *tokenizer_entry(const struct tokenizer *t, int32_t id)
{
    bool known = id >= 0 && id < t->vocab.size && t->vocab.entry[id];
    return known ? t->vocab.entry[id] : "";
}

int32_t tokenizer_id(const struct tokenizer *t, const char *entry)
{
    return vocab_find(&t->vocab, entry, strlen(entry));
}

int32_t tokenizer_pad(const struct tokenizer *t)
{
    return t->role_id[ROLE_PAD];
}

int32_t tokenizer_unknown(const struct tokenizer *t)
{
    return t->role_id[ROLE_UNKNOWN];
}
