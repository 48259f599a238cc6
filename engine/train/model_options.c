/* A model's options and config.json: read from it, held against it, put into it. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/train/model_dir.h"

/* config.json of `dir`, or *c zeroed when there is none; *path is the caller's to free in any case. */
static int open_config(const char *dir, struct hf_config *c, char **path, struct err *e)
{
    *c = (struct hf_config){0};
    *path = file_join(dir, "config.json");
    return file_exists(*path) ? hf_config_read(c, *path, e) : 0;
}

int model_dir_class(const char *dir, const struct model_class **cls, struct err *e)
{
    struct hf_config c;
    char *path;
    int code = open_config(dir, &c, &path, e);
    const char *type = code ? NULL : hf_config_str(&c, "model_type");
    if (type) {
        const struct model_class *named = model_by_name(type, e);
        if (named)
            *cls = named;
        else
            code = err_set(e, TT_EDATA, "%s: model_type is \"%s\" (traintui list models)", path, type);
    }
    hf_config_release(&c);
    free(path);
    return code;
}

/* The other name of an option, or NULL. */
static const char *alias_of(const struct model_class *cls, const char *key)
{
    for (int i = 0; cls->hf && cls->hf->alias[i][0]; i++)
        if (!strcmp(cls->hf->alias[i][0], key))
            return cls->hf->alias[i][1];
    return NULL;
}

/* One option from the file, when the file has it. null: unset, or the default. */
static int take_option(const struct hf_config *c, const struct model_class *cls,
                       const struct opt_desc *d, void *opts, struct err *e)
{
    const char *key = d->key, *alias = alias_of(cls, d->key);
    struct err why = ERR_INIT;
    int code = 0;
    if (alias && !hf_config_has(c, key))
        key = alias;
    char *text = hf_config_text(c, key);
    if (text && (*text || d->flags & OPT_UNSET) && opt_parse(d, opts, text, &why))
        code = err_set(e, TT_EDATA, "%s: %s", key, why.msg);
    free(text);
    return code;
}

static int take_options(const struct hf_config *c, const struct model_class *cls, void *opts,
                        struct err *e)
{
    int code = 0;
    for (int i = 0; cls->hf && cls->hf->must_be_off[i]; i++)
        if (hf_config_int(c, cls->hf->must_be_off[i], 0))
            return err_set(e, TT_EDATA, "%s is true (only false is built in)",
                           cls->hf->must_be_off[i]);
    for (const struct opt_desc *d = cls->opts; !code && d && d->key; d++)
        code = take_option(c, cls, d, opts, e);
    return code;
}

int model_dir_options(const char *dir, const struct model_class *cls, void *opts, struct err *e)
{
    struct hf_config c;
    char *path;
    int code = open_config(dir, &c, &path, e);
    if (!code && c.json && (code = take_options(&c, cls, opts, e)))
        err_prefix(e, "%s: ", path);
    hf_config_release(&c);
    free(path);
    return code;
}

static bool may_differ(const struct hf_names *hf, const char *key)
{
    int i = 0;
    while (hf->may_differ[i] && strcmp(hf->may_differ[i], key))
        i++;
    return hf->may_differ[i] != NULL;
}

int model_dir_agree(const char *dir, const struct model_class *cls, const void *opts,
                    struct err *e)
{
    if (!cls->hf)
        return 0;
    void *theirs = xcalloc(1, cls->opts_size);
    opt_copy(cls->opts, theirs, opts);
    int code = model_dir_options(dir, cls, theirs, e);
    for (const struct opt_desc *d = cls->opts; !code && d->key; d++) {
        char *own = opt_text(d, opts), *other = opt_text(d, theirs);
        if (strcmp(own, other) && !may_differ(cls->hf, d->key))
            code = err_set(e, TT_ECONFIG, "model.%s is %s, config.json of %s says %s (leave it out)",
                           d->key, own, dir, other);
        free(own);
        free(other);
    }
    opt_release(cls->opts, theirs);
    free(theirs);
    return code;
}

static void put_option(struct hf_config *c, const struct opt_desc *d, const void *opts,
                       const struct data_spec *spec)
{
    const void *at = opt_at(d, opts);
    char *text = opt_text(d, opts);
    if (d->type == OPT_INT && !*text)
        hf_config_put_int(c, d->key, spec->vocab_size); /* the one size that is left to the data */
    else if (!*text && d->flags & OPT_UNSET)
        hf_config_put_str(c, d->key, NULL);
    else if (d->type == OPT_INT)
        hf_config_put_int(c, d->key, *(const int64_t *)at);
    else if (d->type == OPT_REAL)
        hf_config_put_real(c, d->key, *(const double *)at);
    else if (d->type == OPT_BOOL)
        hf_config_put_bool(c, d->key, *(const bool *)at);
    else
        hf_config_put_str(c, d->key, text);
    free(text);
}

void model_options_put(struct hf_config *c, const struct model_class *cls, const void *opts,
                       const struct data_spec *spec)
{
    for (const struct opt_desc *d = cls->opts; d && d->key; d++) {
        const char *alias = alias_of(cls, d->key);
        if (alias)
            hf_config_remove(c, alias);
        put_option(c, d, opts, spec);
    }
}
