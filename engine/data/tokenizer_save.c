/* The files of a tokenizer: as they were read, else made, with everything said that a reader might
 * otherwise guess. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/data/tokenizer_state.h"

static json_t *strip_json(const struct tokenizer *t)
{
    return t->letters.strip == STRIP_WITH_CASE ? json_null()
                                               : json_boolean(t->letters.strip == STRIP_YES);
}

static json_t *added_json(const struct tokenizer *t)
{
    json_t *list = json_array();
    for (int32_t id = 0; id < t->vocab.size; id++)
        for (size_t i = 0; i < t->nadded; i++)
            if (t->added[i].id == id)
                json_array_append_new(list, json_pack("{s:i,s:s,s:b,s:b,s:b,s:b,s:b}", "id",
                                                      (int)id, "content", t->added[i].text,
                                                      "single_word", 0, "lstrip", 0, "rstrip", 0,
                                                      "normalized", 0, "special", 1));
    return list;
}

static json_t *special_part(const char *token, int type)
{
    return json_pack("{s:{s:s,s:i}}", "SpecialToken", "id", token, "type_id", type);
}

static json_t *text_part(const char *name, int type)
{
    return json_pack("{s:{s:s,s:i}}", "Sequence", "id", name, "type_id", type);
}

static json_t *template_json(const struct tokenizer *t)
{
    const char *cls = t->role[ROLE_CLS], *sep = t->role[ROLE_SEP];
    json_t *tokens = json_object();
    for (int i = ROLE_CLS; i <= ROLE_SEP; i++)
        json_object_set_new(tokens, t->role[i],
                            json_pack("{s:s,s:[i],s:[s]}", "id", t->role[i], "ids",
                                      (int)t->role_id[i], "tokens", t->role[i]));
    return json_pack("{s:s,s:[o,o,o],s:[o,o,o,o,o],s:o}", "type", "TemplateProcessing", "single",
                     special_part(cls, 0), text_part("A", 0), special_part(sep, 0), "pair",
                     special_part(cls, 0), text_part("A", 0), special_part(sep, 0),
                     text_part("B", 1), special_part(sep, 1), "special_tokens", tokens);
}

static json_t *model_json(const struct tokenizer *t)
{
    json_t *vocab = json_object();
    for (int32_t id = 0; id < t->vocab.size; id++)
        if (t->vocab.entry[id])
            json_object_set_new(vocab, t->vocab.entry[id], json_integer(id));
    return json_pack("{s:s,s:s,s:s,s:I,s:o}", "type", "WordPiece", "unk_token",
                     t->role[ROLE_UNKNOWN], "continuing_subword_prefix", t->prefix,
                     "max_input_chars_per_word", (json_int_t)t->word_max, "vocab", vocab);
}

static json_t *tokenizer_json(const struct tokenizer *t)
{
    json_t *normalizer = json_pack("{s:s,s:b,s:b,s:o,s:b}", "type", "BertNormalizer", "clean_text",
                                   t->letters.clean, "handle_chinese_chars", t->letters.ideographs,
                                   "strip_accents", strip_json(t), "lowercase", t->letters.lower);
    return json_pack("{s:s,s:n,s:n,s:o,s:o,s:{s:s},s:o,s:{s:s,s:s,s:b},s:o}", "version", "1.0",
                     "truncation", "padding", "added_tokens", added_json(t), "normalizer",
                     normalizer, "pre_tokenizer", "type", "BertPreTokenizer", "post_processor",
                     template_json(t), "decoder", "type", "WordPiece", "prefix", t->prefix,
                     "cleanup", 1, "model", model_json(t));
}

static json_t *map_json(const struct tokenizer *t)
{
    json_t *root = json_object();
    for (int i = 0; i < ROLES; i++)
        if (t->role_id[i] >= 0)
            json_object_set_new(root, token_roles[i].key, json_string(t->role[i]));
    return root;
}

static json_t *config_json(const struct tokenizer *t)
{
    json_t *root = json_pack("{s:b,s:o,s:b,s:s}", "do_lower_case", t->letters.lower,
                             "strip_accents", strip_json(t), "tokenize_chinese_chars",
                             t->letters.ideographs, "tokenizer_class", "BertTokenizer"),
           *roles = map_json(t);
    json_object_update(root, roles);
    json_decref(roles);
    return root;
}

static int write_json(const char *path, json_t *root, struct err *e)
{
    char *text = json_dumps(root, JSON_INDENT(2));
    int code = text ? file_write_all(path, text, strlen(text), e)
                    : err_set(e, TT_EDATA, "%s: the vocabulary holds what JSON cannot", path);
    free(text);
    json_decref(root);
    return code;
}

/* An entry with a line end has no place in such a file: then tokenizer.json alone holds them. */
static int write_list(const struct tokenizer *t, const char *path, struct err *e)
{
    struct strbuf b = STRBUF_INIT;
    bool fits = true;
    for (int32_t id = 0; id < t->vocab.size; id++) {
        const char *text = tokenizer_entry(t, id);
        fits = fits && !strchr(text, '\n');
        strbuf_adds(&b, text);
        strbuf_add(&b, "\n", 1);
    }
    int code = fits ? file_write_all(path, b.s, b.len, e) : 0;
    strbuf_release(&b);
    return code;
}

int tokenizer_save(const struct tokenizer *t, const char *dir, struct err *e)
{
    static json_t *(*const make[TOKEN_FILES])(const struct tokenizer *t) = {
        [FILE_JSON] = tokenizer_json, [FILE_CONFIG] = config_json, [FILE_MAP] = map_json};
    int code = 0;
    for (int i = 0; i < TOKEN_FILES && !code; i++) {
        char *path = file_join(dir, token_files[i]);
        if (t->file[i].data)
            code = file_write_all(path, t->file[i].data, t->file[i].n, e);
        else if (i == FILE_VOCAB)
            code = write_list(t, path, e);
        else if (make[i])
            code = write_json(path, make[i](t), e);
        free(path);
    }
    return code;
}
