/* Weights of a network from and into safetensors files. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/io/hf_weights.h"
#include "engine/train/model_dir.h"

void weights_report_release(struct weights_report *r)
{
    strlist_release(&r->fresh);
    strlist_release(&r->unused);
}

/* -- saving -------------------------------------------------------------------------------- */

int model_weights_save(const char *path, struct network *net, struct err *e)
{
    struct param_set *ps = &net->ps;
    const struct backend_class *be = ps->be->cls;
    float *host = be->host_memory ? ps->w : xmalloc(ps->n * sizeof *host);
    if (host != ps->w)
        be->download(ps->be, host, ps->w, ps->n * sizeof *host);
    struct st_tensor *list = xcalloc((size_t)ps->nseg, sizeof *list);
    for (int i = 0; i < ps->nseg; i++) {
        const struct segment *s = &ps->seg[i];
        list[i] = (struct st_tensor){.name = s->name, .dtype = DT_F32, .ndim = s->ndim,
                                     .data = host + s->at, .bytes = s->len * sizeof *host};
        memcpy(list[i].dim, s->dim, sizeof s->dim);
    }
    int code = st_write(path, list, (size_t)ps->nseg, NULL, e);
    free(list);
    if (host != ps->w)
        free(host);
    return code;
}

/* -- loading ------------------------------------------------------------------------------- */

/* A name, and its part after the class's prefix. */
static bool matches(const char *const *globs, const char *name, const char *prefix)
{
    for (; *globs; globs++)
        if (!fnmatch(*globs, name, 0) ||
            (str_starts(name, prefix) && !fnmatch(*globs, name + strlen(prefix), 0)))
            return true;
    return false;
}

/* The tensors of the head: those of the layer that is declared last. */
static bool in_head(const struct param_set *ps, int i)
{
    const char *last = ps->seg[ps->nseg - 1].name, *dot = strrchr(last, '.');
    return strncmp(ps->seg[i].name, last, dot ? (size_t)(dot - last) + 1 : strlen(last)) == 0;
}

static char *shape_text(char *dst, size_t size, int ndim, const int64_t *dim)
{
    size_t n = (size_t)snprintf(dst, size, "[");
    for (int i = 0; i < ndim && n < size; i++)
        n += (size_t)snprintf(dst + n, size - n, "%s%lld", i ? ", " : "", (long long)dim[i]);
    if (n < size)
        snprintf(dst + n, size - n, "]");
    return dst;
}

static int check_shape(const struct hf_tensor *x, const struct segment *s, struct err *e)
{
    char file[160], model[160];
    if (x->t->ndim == s->ndim && !memcmp(x->t->dim, s->dim, (size_t)s->ndim * sizeof *s->dim))
        return 0;
    return err_set(e, TT_EDATA, "%s: %s is %s, the model's is %s", x->file->path, s->name,
                   shape_text(file, sizeof file, x->t->ndim, x->t->dim),
                   shape_text(model, sizeof model, s->ndim, s->dim));
}

static int read_segment(const struct hf_tensor *x, struct param_set *ps, const struct segment *s,
                        struct err *e)
{
    const struct backend_class *be = ps->be->cls;
    int code = check_shape(x, s, e);
    if (be == &backend_null) /* a dry run has no values */
        return code;
    if (code || be->host_memory)
        return code ? code : st_read_f32(x->file, x->t, ps->w + s->at, e);
    float *host = xmalloc(s->len * sizeof *host);
    if (!(code = st_read_f32(x->file, x->t, host, e))) {
        be->upload(ps->be, ps->w + s->at, host, s->len * sizeof *host);
        be->sync(ps->be);
    }
    free(host);
    return code;
}

/* The tensors into the network; names of those that it can't have from there into `fresh`. NULL: nothing
 * may be missing. */
static int read_all(const struct hf_weights *w, const char *dir, struct network *net, bool head,
                    struct strlist *fresh, struct err *e)
{
    const struct hf_names *hf = net->model.cls->hf;
    struct param_set *ps = &net->ps;
    int code = 0;
    for (int i = 0; !code && i < ps->nseg; i++) {
        const struct segment *s = &ps->seg[i];
        const struct hf_tensor *x = hf_weights_find(w, s->name);
        bool may_miss = fresh && hf && matches(hf->may_miss, s->name, "");
        if ((!head && in_head(ps, i)) || (!x && may_miss))
            strlist_add(fresh, s->name);
        else if (x)
            code = read_segment(x, ps, s, e);
        else
            code = err_set(e, TT_EDATA, "%s: no tensor %s", w->nfile == 1 ? w->file[0].path : dir,
                           s->name);
    }
    return code;
}

static void note_unused(const struct hf_weights *w, const struct network *net, struct strlist *out)
{
    const struct hf_names *hf = net->model.cls->hf;
    for (size_t i = 0; i < w->n; i++) {
        const char *name = w->t[i].name;
        if (param_find(&net->ps, name) < 0 && !(hf && matches(hf->ignored, name, hf->prefix)))
            strlist_add(out, w->t[i].t->name);
    }
    for (size_t i = 0; i < w->unlisted.n; i++)
        strlist_add(out, w->unlisted.s[i]);
}

int model_weights_start(const char *dir, struct network *net, bool head, uint64_t seed,
                        struct weights_report *report, struct err *e)
{
    const struct hf_names *hf = net->model.cls->hf;
    struct hf_weights w;
    *report = (struct weights_report){0};
    int code = hf_weights_open(&w, dir, hf ? hf->prefix : NULL, e);
    if (code)
        return code;
    code = read_all(&w, dir, net, head, &report->fresh, e);
    for (size_t i = 0; i < report->fresh.n; i++)
        param_fill(&net->ps, param_find(&net->ps, report->fresh.s[i]), seed);
    note_unused(&w, net, &report->unused);
    hf_weights_close(&w);
    return code;
}

int model_weights_load(const char *dir, struct network *net, struct err *e)
{
    const struct hf_names *hf = net->model.cls->hf;
    struct hf_weights w;
    int code = hf_weights_open(&w, dir, hf ? hf->prefix : NULL, e);
    if (code)
        return code;
    code = read_all(&w, dir, net, true, NULL, e);
    hf_weights_close(&w);
    return code;
}
