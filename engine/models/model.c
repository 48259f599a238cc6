/* What all models share: found by name, checked, fed. */
#include "engine/models/model.h"

#include <inttypes.h>
#include <string.h>

#include "engine/base/str.h"

#define ARENA_BLOCK ((size_t)4 << 10)
#define NAMES_MAX 64

const struct model_class *model_by_name(const char *name, struct err *e)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (; model_classes[n] && n < NAMES_MAX; n++) {
        names[n] = model_classes[n]->name;
        if (!strcmp(names[n], name))
            return model_classes[n];
    }
    opt_unknown("model", name, names, n, e);
    return NULL;
}

int model_check(const struct model_class *cls, const void *opts, const struct data_spec *spec,
                struct err *e)
{
    static const char *const kinds[] = {[BATCH_DENSE] = "numbers", [BATCH_TEXT] = "text"};
    if (cls->kind != spec->kind)
        return err_set(e, TT_ECONFIG, "model.type: %s reads %s, the data is %s", cls->name,
                       kinds[cls->kind], kinds[spec->kind]);
    return cls->check ? cls->check(opts, spec, e) : 0;
}

int model_init(struct model *m, const struct model_class *cls, const void *opts,
               const struct data_spec *spec, struct param_set *ps, struct err *e)
{
    *m = (struct model){.cls = cls, .opts = opts, .spec = *spec, .ps = ps};
    arena_init(&m->arena, ARENA_BLOCK);
    int r = model_check(cls, opts, spec, e);
    if (r == 0)
        r = cls->declare(m, e);
    if (r < 0)
        model_release(m);
    return r;
}

void model_release(struct model *m)
{
    arena_release(&m->arena);
    *m = (struct model){0};
}

struct tensor *model_logits(struct model *m, struct tape *t, const struct batch *b)
{
    m->input = NULL;
    return m->cls->logits(m, t, b);
}

struct tensor *model_input(struct model *m, struct tape *t, const struct batch *b)
{
    int64_t dim[TENSOR_DIMS] = {b->n};
    memcpy(&dim[1], m->spec.dim, sizeof(m->spec.dim));
    m->input = tape_input(t, m->spec.ndim + 1, dim, b->x, m->input_grad);
    return m->input;
}

int model_parse_list(const char *key, const char *text, int64_t min, int64_t max, int *out,
                     struct err *e)
{
    struct strlist parts = STRLIST_INIT;
    int r = 0;
    if (text && *text && strcmp(text, "none") != 0)
        strlist_split(&parts, text, ',');
    if (parts.n > MODEL_LIST_MAX)
        r = err_set(e, TT_ECONFIG, "%s: %zu numbers (at most %d)", key, parts.n, MODEL_LIST_MAX);
    for (size_t i = 0; i < parts.n && r >= 0; i++) {
        int64_t v;
        if (!str_to_i64(parts.s[i], &v) || v < min || v > max)
            r = err_set(e, TT_ECONFIG,
                        "%s: \"%s\" (whole numbers from %" PRId64 " to %" PRId64 " by commas)", key,
                        parts.s[i], min, max);
        else
            out[r++] = (int)v;
    }
    strlist_release(&parts);
    return r;
}
