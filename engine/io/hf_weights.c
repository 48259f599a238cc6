/* Weights in one file or in shards, under the names of today. */
#include "engine/io/hf_weights.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/hf_config.h"

#define SINGLE "model.safetensors"
#define INDEX "model.safetensors.index.json"

/* -- names --------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct hf_tensor *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Only these two ends: other names with gamma or beta in them are nobody's old spelling. */
static char *new_spelling(const char *name)
{
    static const char module[] = "module.";
    static const char *const ends[][2] = {{"LayerNorm.gamma", "weight"}, {"LayerNorm.beta", "bias"}};
    if (str_starts(name, module))
        name += strlen(module);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_ends(name, ends[i][0])) {
            size_t stem = strlen(name) - strlen(strrchr(ends[i][0], '.')) + 1;
            return xasprintf("%.*s%s", (int)stem, name, ends[i][1]);
        }
    return xstrdup(name);
}

/* Room for all tensors of a file. */
static void reserve(struct hf_weights *w, const struct st_file *f)
{
    w->t = xreallocarray(w->t, w->n + f->n + 1, sizeof *w->t);
}

static void add_tensor(struct hf_weights *w, const struct st_file *f, const struct st_tensor *t)
{
    w->t[w->n++] = (struct hf_tensor){new_spelling(t->name), f, t};
}

/* The file of a base model has no prefix anywhere. */
static void add_prefix(struct hf_weights *w, const char *prefix)
{
    for (size_t i = 0; i < w->n; i++)
        if (str_starts(w->t[i].name, prefix))
            return;
    for (size_t i = 0; i < w->n; i++) {
        char *full = xasprintf("%s%s", prefix, w->t[i].name);
        free(w->t[i].name);
        w->t[i].name = full;
    }
}

static int sort_names(struct hf_weights *w, struct err *e)
{
    char shown[160];
    if (w->n)
        qsort(w->t, w->n, sizeof *w->t, by_name);
    for (size_t i = 1; i < w->n; i++)
        if (!strcmp(w->t[i - 1].name, w->t[i].name))
            return err_set(e, TT_EDATA, "%s: two tensors for \"%s\"%s%s", w->t[i - 1].file->path,
                           str_visible(shown, sizeof shown, w->t[i].name),
                           w->t[i].file == w->t[i - 1].file ? "" : ", the other in ",
                           w->t[i].file == w->t[i - 1].file ? "" : w->t[i].file->path);
    return 0;
}

/* -- files --------------------------------------------------------------------------------- */

/* Why a directory has no weights. */
static int refuse(const char *dir, struct err *e)
{
    static const char *const others[] = {"pytorch_model.bin", "pytorch_model.bin.index.json",
                                         "tf_model.h5", "flax_model.msgpack", "rust_model.ot"};
    if (!file_is_dir(dir))
        return err_set(e, TT_EDATA, "%s: no such directory (a model's, with config.json and " SINGLE
                       ")", dir);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *path = file_join(dir, others[i]);
        bool there = file_exists(path);
        free(path);
        if (there)
            return err_set(e, TT_EDATA, "%s: no " SINGLE ", only %s (only safetensors files are read: "
                           "load it in Python and save_pretrained() it)", dir, others[i]);
    }
    return err_set(e, TT_EDATA, "%s: no " SINGLE, dir);
}

static int open_single(struct hf_weights *w, const char *path, struct err *e)
{
    w->file = xcalloc(1, sizeof *w->file);
    int code = st_open(&w->file[0], path, e);
    if (code)
        return code;
    w->nfile = 1;
    reserve(w, &w->file[0]);
    for (size_t i = 0; i < w->file[0].n; i++)
        add_tensor(w, &w->file[0], &w->file[0].t[i]);
    return 0;
}

/* A name in the index must not lead anywhere else. */
static bool is_plain(const char *name)
{
    return *name && !strpbrk(name, "/\\") && strcmp(name, ".") && strcmp(name, "..");
}

/* The files that the map names, sorted, each once. */
static int list_shards(json_t *map, const char *index, struct strlist *out, struct err *e)
{
    const char *tensor;
    json_t *v;
    char shown[160];
    json_object_foreach(map, tensor, v) {
        const char *file = json_string_value(v);
        if (!file || !is_plain(file))
            return err_set(e, TT_EDATA, "%s: weight_map has no plain file name for \"%s\"", index,
                           str_visible(shown, sizeof shown, tensor));
        if (strlist_find(out, file) < 0)
            strlist_add(out, file);
    }
    strlist_sort(out);
    return 0;
}

/* The tensors of one shard that the map knows. */
static int take_shard(struct hf_weights *w, const struct st_file *f, const char *name, json_t *map,
                      struct err *e)
{
    char shown[160];
    reserve(w, f);
    for (size_t i = 0; i < f->n; i++) {
        const char *home = json_string_value(json_object_get(map, f->t[i].name));
        if (!home)
            strlist_add(&w->unlisted, f->t[i].name);
        else if (strcmp(home, name))
            return err_set(e, TT_EDATA, "%s: tensor \"%s\", which the index puts into %s", f->path,
                           str_visible(shown, sizeof shown, f->t[i].name), home);
        else
            add_tensor(w, f, &f->t[i]);
    }
    return 0;
}

/* Every tensor of the map is in its file. */
static int check_map(const struct hf_weights *w, const struct strlist *names, json_t *map,
                     struct err *e)
{
    const char *tensor;
    json_t *v;
    char shown[160];
    json_object_foreach(map, tensor, v) {
        const struct st_file *f = &w->file[strlist_find(names, json_string_value(v))];
        if (!st_find(f, tensor))
            return err_set(e, TT_EDATA, "%s: no tensor \"%s\", which the index puts there", f->path,
                           str_visible(shown, sizeof shown, tensor));
    }
    return 0;
}

static int open_shards(struct hf_weights *w, const char *dir, const char *index, struct err *e)
{
    struct strlist names = STRLIST_INIT;
    struct hf_config c;
    int code = hf_config_read(&c, index, e);
    if (code)
        return code;
    json_t *map = json_object_get(c.json, "weight_map");
    if (!json_is_object(map) || !json_is_object(json_object_get(c.json, "metadata")))
        code = err_set(e, TT_EDATA, "%s: no weight_map or no metadata (both are objects)", index);
    if (!code && !(code = list_shards(map, index, &names, e)))
        w->file = xcalloc(names.n ? names.n : 1, sizeof *w->file);
    for (size_t i = 0; !code && i < names.n; i++) {
        char *path = file_join(dir, names.s[i]);
        if (!(code = st_open(&w->file[i], path, e)))
            w->nfile++;
        free(path);
    }
    for (size_t i = 0; !code && i < names.n; i++)
        code = take_shard(w, &w->file[i], names.s[i], map, e);
    if (!code)
        code = check_map(w, &names, map, e);
    strlist_release(&names);
    hf_config_release(&c);
    return code;
}

int hf_weights_open(struct hf_weights *w, const char *dir, const char *prefix, struct err *e)
{
    char *single = file_join(dir, SINGLE), *index = file_join(dir, INDEX);
    *w = (struct hf_weights){0};
    int code = file_exists(single)  ? open_single(w, single, e)
               : file_exists(index) ? open_shards(w, dir, index, e)
                                    : refuse(dir, e);
    if (!code && prefix)
        add_prefix(w, prefix);
    if (!code)
        code = sort_names(w, e);
    if (code)
        hf_weights_close(w);
    free(single);
    free(index);
    return code;
}

void hf_weights_close(struct hf_weights *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->t[i].name);
    for (size_t i = 0; i < w->nfile; i++)
        st_close(&w->file[i]);
    free(w->t);
    free(w->file);
    strlist_release(&w->unlisted);
    *w = (struct hf_weights){0};
}

const struct hf_tensor *hf_weights_find(const struct hf_weights *w, const char *name)
{
    const struct hf_tensor key = {.name = (char *)name};
    return w->n ? bsearch(&key, w->t, w->n, sizeof *w->t, by_name) : NULL;
}

bool hf_weights_exist(const char *dir)
{
    char *single = file_join(dir, SINGLE), *index = file_join(dir, INDEX);
    bool yes = file_exists(single) || file_exists(index);
    free(single);
    free(index);
    return yes;
}
