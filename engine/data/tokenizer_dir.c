/* A tokenizer from the files of a model directory. The vocabulary is tokenizer.json's, else
 * vocab.txt's; about letters tokenizer_config.json decides before tokenizer.json. What
 * tokenizer.json says of cutting and padding is left aside. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/data/text_file.h"
#include "engine/data/tokenizer_state.h"

#define JSON_LIMIT ((size_t)1 << 28)

/* The whole file NAME of the directory, kept in t->file and parsed; *root NULL: there is none. */
static int read_json(struct tokenizer *t, enum token_file which, const char *dir, json_t **root,
                     struct err *e)
{
    char *path = file_join(dir, token_files[which]), **data = &t->file[which].data;
    size_t *n = &t->file[which].n;
    json_error_t why;
    int code = 0;
    *root = NULL;
    if (file_exists(path) && !(code = file_read(path, JSON_LIMIT, data, n, e))) {
        size_t mark = *n >= 3 && !memcmp(*data, "\xef\xbb\xbf", 3) ? 3 : 0;
        /* As reals: model_max_length may have 31 digits. */
        *root = json_loadb(*data + mark, *n - mark,
                           JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &why);
        if (!json_is_object(*root)) {
            char shown[sizeof why.text + 64];
            code = err_set(e, TT_EDATA, "%s:%d: %s (a JSON object)", path, *root ? 1 : why.line,
                           *root ? "something else" : str_visible(shown, sizeof shown, why.text));
        }
    }
    free(path);
    return code;
}

static int bad(const char *where, const char *key, const char *found, const char *allowed,
               struct err *e)
{
    char shown[TEXT_QUOTE];
    return err_set(e, TT_EDATA, "%s: %s is %s (%s)", where, key,
                   found ? text_quote(shown, found) : "missing", allowed);
}

static const char *type_of(const json_t *v)
{
    return json_string_value(json_object_get(v, "type"));
}

static int add_entry(struct tokenizer *t, const char *where, const char *text, const json_t *id,
                     struct err *e)
{
    char shown[TEXT_QUOTE];
    double number = json_number_value(id);
    if (!json_is_number(id) || number != floor(number) || number < 0 || number >= VOCAB_IDS_MAX)
        return err_set(e, TT_EDATA, "%s: the id of entry %s is no whole number (0 to %d)", where,
                       text_quote(shown, text), VOCAB_IDS_MAX - 1);
    if (vocab_add(&t->vocab, text, strlen(text), (int64_t)number, e))
        return err_prefix(e, "%s: ", where);
    return 0;
}

/* A token that is found in raw text; the vocabulary may have it already. */
static int add_token(struct tokenizer *t, const char *where, const char *text, const json_t *id,
                     struct err *e)
{
    char shown[TEXT_QUOTE];
    int32_t known = vocab_find(&t->vocab, text, strlen(text));
    int code = 0;
    if (known < 0)
        code = add_entry(t, where, text, id, e);
    else if (json_number_value(id) != known)
        code = err_set(e, TT_EDATA, "%s: added token %s has id %.0f (%ld, as in the vocabulary)",
                       where, text_quote(shown, text), json_number_value(id), (long)known);
    if (!code)
        tokenizer_add_token(t, vocab_find(&t->vocab, text, strlen(text)));
    return code;
}

/* One of tokenizer.json's or tokenizer_config.json's. lstrip and rstrip only eat blanks, which part
 * words anyway. */
static int add_described(struct tokenizer *t, const char *where, const json_t *token,
                         const json_t *id, struct err *e)
{
    const char *text = json_string_value(json_object_get(token, "content"));
    if (!text)
        return bad(where, "content of an added token", NULL, "a text", e);
    if (json_is_true(json_object_get(token, "single_word")))
        return bad(where, "single_word of an added token", text, "false", e);
    if (json_is_true(json_object_get(token, "normalized")))
        return bad(where, "normalized of an added token", text, "false", e);
    return add_token(t, where, text, id, e);
}

/* -- tokenizer.json ------------------------------------------------------------------------- */

static int read_model(struct tokenizer *t, const char *where, const json_t *model, struct err *e)
{
    const char *type = type_of(model), *prefix, *key;
    json_t *vocab = json_object_get(model, "vocab"), *id, *most;
    if (type && strcmp(type, "WordPiece"))
        return bad(where, "model.type", type, "WordPiece", e);
    if (!json_is_object(vocab))
        return bad(where, "model.vocab", json_is_array(vocab) ? "a list" : NULL,
                   "an object of WordPiece entries", e);
    int code = 0;
    json_object_foreach(vocab, key, id) if ((code = add_entry(t, where, key, id, e))) return code;
    if ((prefix = json_string_value(json_object_get(model, "continuing_subword_prefix"))))
        t->prefix = xstrdup(prefix);
    if (json_object_get(model, "unk_token"))
        t->role[ROLE_UNKNOWN] = xstrdup(json_string_value(json_object_get(model, "unk_token")));
    if ((most = json_object_get(model, "max_input_chars_per_word"))) {
        double n = json_number_value(most);
        if (!(n >= 1 && n <= 65536))
            return bad(where, "model.max_input_chars_per_word", "out of range", "1 to 65536", e);
        t->word_max = (int64_t)n;
    }
    return 0;
}

/* true, false, or null as `null`. */
static int flag(const json_t *object, const char *key, int null)
{
    const json_t *v = json_object_get(object, key);
    return json_is_boolean(v) ? json_is_true(v) : null;
}

static void read_strip(const json_t *object, int *strip)
{
    int value = flag(object, "strip_accents", -1);
    if (json_object_get(object, "strip_accents"))
        *strip = value < 0 ? STRIP_WITH_CASE : value ? STRIP_YES : STRIP_NO;
}

static int read_pipeline(struct tokenizer *t, const char *where, const json_t *root, struct err *e)
{
    const json_t *normalizer = json_object_get(root, "normalizer");
    const json_t *words = json_object_get(root, "pre_tokenizer");
    const char *type = type_of(normalizer);
    if (!type || strcmp(type, "BertNormalizer"))
        return bad(where, "normalizer", type, "BertNormalizer", e);
    t->letters = (struct letter_rules){
        .lower = flag(normalizer, "lowercase", 1),
        .clean = flag(normalizer, "clean_text", 1),
        .ideographs = flag(normalizer, "handle_chinese_chars", 1),
        .strip = STRIP_WITH_CASE,
    };
    read_strip(normalizer, &t->letters.strip);
    type = type_of(words);
    if (!type || strcmp(type, "BertPreTokenizer"))
        return bad(where, "pre_tokenizer", type, "BertPreTokenizer", e);
    return 0;
}

/* Is it this special token, or sequence, of this type? `id` NULL: any, told in *found. */
static bool is_part(const json_t *list, size_t i, const char *kind, const char *id, int type,
                    const char **found)
{
    const json_t *part = json_object_get(json_array_get(list, i), kind);
    const char *name = json_string_value(json_object_get(part, "id"));
    if (found)
        *found = name;
    return name && (!id || !strcmp(name, id)) &&
           json_number_value(json_object_get(part, "type_id")) == type;
}

/* [CLS] A [SEP] and [CLS] A [SEP] B:1 [SEP]:1, as a template or by the name of the old kind. */
static int read_template(struct tokenizer *t, const char *where, const json_t *post, struct err *e)
{
    const json_t *one = json_object_get(post, "single"), *two = json_object_get(post, "pair");
    const char *type = type_of(post), *cls = NULL, *sep = NULL;
    if (!type && (!post || json_is_null(post)))
        return 0;
    if (type && !strcmp(type, "BertProcessing")) {
        cls = json_string_value(json_array_get(json_object_get(post, "cls"), 0));
        sep = json_string_value(json_array_get(json_object_get(post, "sep"), 0));
        if (!cls || !sep)
            return bad(where, "post_processor", "without cls and sep", "[TOKEN, ID] each", e);
    } else {
        bool fits = type && !strcmp(type, "TemplateProcessing") && json_array_size(one) == 3 &&
                    json_array_size(two) == 5 && is_part(one, 0, "SpecialToken", NULL, 0, &cls) &&
                    is_part(one, 1, "Sequence", "A", 0, NULL) &&
                    is_part(one, 2, "SpecialToken", NULL, 0, &sep) &&
                    is_part(two, 0, "SpecialToken", cls, 0, NULL) &&
                    is_part(two, 1, "Sequence", "A", 0, NULL) &&
                    is_part(two, 2, "SpecialToken", sep, 0, NULL) &&
                    is_part(two, 3, "Sequence", "B", 1, NULL) &&
                    is_part(two, 4, "SpecialToken", sep, 1, NULL);
        if (!fits)
            return bad(where, "post_processor", type, "BERT's: [CLS] A [SEP] B [SEP]", e);
    }
    t->role[ROLE_CLS] = xstrdup(cls);
    t->role[ROLE_SEP] = xstrdup(sep);
    return 0;
}

static int read_tokenizer(struct tokenizer *t, const char *where, const json_t *root, struct err *e)
{
    int code = read_model(t, where, json_object_get(root, "model"), e);
    if (!code)
        code = read_pipeline(t, where, root, e);
    if (!code)
        code = read_template(t, where, json_object_get(root, "post_processor"), e);
    const json_t *added = json_object_get(root, "added_tokens");
    for (size_t i = 0; i < json_array_size(added) && !code; i++) {
        const json_t *token = json_array_get(added, i);
        code = add_described(t, where, token, json_object_get(token, "id"), e);
    }
    return code;
}

/* -- the small files ------------------------------------------------------------------------ */

/* Roles are texts, or objects with a text. */
static void read_roles(struct tokenizer *t, const json_t *root)
{
    for (int i = 0; i < ROLES; i++) {
        const json_t *v = json_object_get(root, token_roles[i].key);
        const char *text = json_string_value(json_is_object(v) ? json_object_get(v, "content") : v);
        if (text) {
            free(t->role[i]);
            t->role[i] = xstrdup(text);
        }
    }
}

static int read_config(struct tokenizer *t, const char *where, json_t *root, struct err *e)
{
    int code = 0;
    double id;
    const char *key;
    json_t *token;
    read_roles(t, root);
    t->letters.lower = flag(root, "do_lower_case", t->letters.lower);
    t->letters.ideographs = flag(root, "tokenize_chinese_chars", t->letters.ideographs);
    read_strip(root, &t->letters.strip);
    json_object_foreach(json_object_get(root, "added_tokens_decoder"), key, token)
    {
        json_t *number = str_to_f64(key, &id) ? json_real(id) : NULL;
        code = add_described(t, where, token, number, e);
        json_decref(number);
        if (code)
            return code;
    }
    return 0;
}

static int read_map(struct tokenizer *t, const char *where, json_t *root, struct err *e)
{
    (void)where;
    (void)e;
    read_roles(t, root);
    return 0;
}

static int read_added(struct tokenizer *t, const char *where, json_t *root, struct err *e)
{
    int code = 0;
    const char *key;
    json_t *id;
    json_object_foreach(root, key, id) if ((code = add_token(t, where, key, id, e))) return code;
    return 0;
}

/* -- the directory -------------------------------------------------------------------------- */

static int read_vocabulary(struct tokenizer *t, const char *dir, struct err *e)
{
    json_t *root;
    char *list = file_join(dir, token_files[FILE_VOCAB]),
         *json = file_join(dir, token_files[FILE_JSON]);
    int code = read_json(t, FILE_JSON, dir, &root, e);
    if (!code && file_exists(list))
        code = file_read(list, JSON_LIMIT, &t->file[FILE_VOCAB].data, &t->file[FILE_VOCAB].n, e);
    if (!code && root)
        code = read_tokenizer(t, json, root, e);
    else if (!code && t->file[FILE_VOCAB].data)
        code = vocab_read(&t->vocab, list, t->file[FILE_VOCAB].data, t->file[FILE_VOCAB].n, e);
    else if (!code)
        code = err_set(e, TT_EDATA, "%s: no vocabulary (tokenizer.json or vocab.txt)", dir);
    json_decref(root);
    free(list);
    free(json);
    return code;
}

static int read_small_files(struct tokenizer *t, const char *dir, struct err *e)
{
    static const struct {
        enum token_file file;
        int (*read)(struct tokenizer *t, const char *where, json_t *root, struct err *e);
    } steps[] = {{FILE_ADDED, read_added}, {FILE_MAP, read_map}, {FILE_CONFIG, read_config}};
    int code = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !code; i++) {
        json_t *root;
        char *path = file_join(dir, token_files[steps[i].file]);
        code = read_json(t, steps[i].file, dir, &root, e);
        if (!code && root)
            code = steps[i].read(t, path, root, e);
        json_decref(root);
        free(path);
    }
    return code;
}

int tokenizer_open_dir(struct tokenizer **out, const char *dir, enum tokenizer_case letters,
                       struct err *e)
{
    struct tokenizer *t = tokenizer_new();
    int code = read_vocabulary(t, dir, e);
    if (!code)
        code = read_small_files(t, dir, e);
    if (!code)
        code = tokenizer_settle(t, dir, letters, e);
    if (code) {
        tokenizer_free(t);
        t = NULL;
    }
    *out = t;
    return code;
}
