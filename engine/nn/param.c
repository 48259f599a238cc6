/* The parameter table and its two slabs. */
#include "engine/nn/param.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/base/str.h"

#define NAMES_BLOCK ((size_t)16 << 10)

enum { GROUP_DECAY, GROUP_NO_DECAY, GROUP_OWN }; /* from GROUP_OWN on: those of [group.NAME] */

static int add_group(struct param_set *ps, struct param_group g)
{
    ps->group = xreallocarray(ps->group, (size_t)ps->ngroup + 1, sizeof(*ps->group));
    ps->group[ps->ngroup] = g;
    return ps->ngroup++;
}

void param_init(struct param_set *ps, struct backend *be)
{
    *ps = (struct param_set){.be = be};
    arena_init(&ps->names, NAMES_BLOCK);
    struct param_group g = {.name = "decay", .decay = true, .lr_scale = 1, .weight_decay = NAN};
    add_group(ps, g);
    g.name = "no decay";
    g.decay = false;
    add_group(ps, g);
}

void param_release(struct param_set *ps)
{
    if (ps->w)
        backend_free(ps->be, ps->w, ps->n * sizeof(float));
    if (ps->g)
        backend_free(ps->be, ps->g, ps->n * sizeof(float));
    if (ps->sum)
        backend_free(ps->be, ps->sum, sizeof(double));
    free(ps->seg);
    free(ps->tensor);
    free(ps->group);
    arena_release(&ps->names);
    *ps = (struct param_set){.be = ps->be};
}

int param_declare(struct param_set *ps, const char *name, int ndim, const int64_t *dim,
                  struct init init, unsigned kind)
{
    BUG_ON(ps->w || param_find(ps, name) >= 0 || ndim < 1 || ndim > TENSOR_DIMS);
    if (ps->nseg == ps->cap) {
        ps->cap = ps->cap ? 2 * ps->cap : 32;
        ps->seg = xreallocarray(ps->seg, (size_t)ps->cap, sizeof(*ps->seg));
        ps->tensor = xreallocarray(ps->tensor, (size_t)ps->cap, sizeof(*ps->tensor));
    }
    struct segment s = {.name = arena_strdup(&ps->names, name),
                        .at = ps->n,
                        .len = 1,
                        .ndim = ndim,
                        .init = init,
                        .matrix = kind & SEG_MATRIX,
                        .embedding = kind & SEG_EMBEDDING,
                        .group = param_name_decays(name) ? GROUP_DECAY : GROUP_NO_DECAY};
    for (int i = 0; i < ndim; i++) {
        BUG_ON(dim[i] < 1);
        s.dim[i] = dim[i];
        s.len *= (size_t)dim[i];
    }
    struct tensor *t = &ps->tensor[ps->nseg];
    *t = (struct tensor){.ndim = ndim, .len = s.len, .needs_grad = true, .name = s.name};
    memcpy(t->dim, s.dim, sizeof(t->dim));
    ps->seg[ps->nseg] = s;
    ps->n += s.len;
    return ps->nseg++;
}

static void fill_sinusoid(const struct segment *s, float *out)
{
    int64_t columns = s->dim[1];
    for (int64_t row = 0; row < s->dim[0]; row++)
        for (int64_t k = 0; k < columns; k++) {
            double angle = (double)row / pow(10000, (double)(k - k % 2) / (double)columns);
            out[row * columns + k] = (float)(k % 2 ? cos(angle) : sin(angle));
        }
}

/* First values of segment i into host memory; element j depends on (seed, i, j) only. */
static void fill_segment(const struct segment *s, struct rng_key key, float *out)
{
    switch (s->init.kind) {
    case INIT_ZERO:
    case INIT_ONE:
        for (size_t i = 0; i < s->len; i++)
            out[i] = s->init.kind == INIT_ONE;
        break;
    case INIT_NORMAL: rng_normal(key, out, s->len, 0, s->init.a); break;
    case INIT_UNIFORM: rng_uniform(key, out, s->len, -s->init.a, s->init.a); break;
    case INIT_SINUSOID: fill_sinusoid(s, out); break;
    }
    if (s->zero_row) {
        size_t row = s->len / (size_t)s->dim[0];
        memset(out + row * (size_t)(s->zero_row - 1), 0, row * sizeof(*out));
    }
}

int param_alloc(struct param_set *ps, struct err *e)
{
    size_t bytes = ps->n * sizeof(float);
    BUG_ON(ps->w || !ps->n);
    if (!(ps->w = backend_alloc(ps->be, bytes, e)) || !(ps->g = backend_alloc(ps->be, bytes, e)) ||
        !(ps->sum = backend_alloc(ps->be, sizeof(double), e)))
        return TT_ERESOURCE;
    for (int i = 0; i < ps->nseg; i++) {
        ps->tensor[i].data = ps->w + ps->seg[i].at;
        ps->tensor[i].grad = ps->g + ps->seg[i].at;
    }
    ps->be->cls->zero(ps->be, ps->g, bytes); /* frozen segments stay so */
    return 0;
}

void param_fill(struct param_set *ps, int i, uint64_t seed)
{
    const struct segment *s = &ps->seg[i];
    const struct backend_class *be = ps->be->cls;
    struct rng_key key = {seed, RNG_INIT, (uint64_t)i};
    if (be == &backend_null) /* a dry run has no values */
        return;
    if (be->host_memory) {
        fill_segment(s, key, ps->w + s->at);
        return;
    }
    float *host = xreallocarray(NULL, s->len, sizeof(*host));
    fill_segment(s, key, host);
    be->upload(ps->be, ps->w + s->at, host, s->len * sizeof(*host));
    be->sync(ps->be);
    free(host);
}

int param_build(struct param_set *ps, uint64_t seed, struct err *e)
{
    int code = param_alloc(ps, e);
    for (int i = 0; !code && i < ps->nseg; i++)
        param_fill(ps, i, seed);
    return code;
}

int param_find(const struct param_set *ps, const char *name)
{
    for (int i = 0; i < ps->nseg; i++)
        if (!strcmp(ps->seg[i].name, name))
            return i;
    return -1;
}

struct tensor *param_tensor(struct param_set *ps, int i)
{
    BUG_ON(i < 0 || i >= ps->nseg);
    return &ps->tensor[i];
}

int param_matches(const struct param_set *ps, const char *glob)
{
    int n = 0;
    for (int i = 0; i < ps->nseg; i++)
        n += fnmatch(glob, ps->seg[i].name, 0) == 0;
    return n;
}

static bool matches(const struct strlist *globs, const char *name)
{
    for (size_t i = 0; i < globs->n; i++)
        if (fnmatch(globs->s[i], name, 0) == 0)
            return true;
    return false;
}

int param_group_add(struct param_set *ps, const char *name, const char *globs, double lr_scale,
                    double weight_decay, int state_bits, bool freeze)
{
    struct param_group g = {.name = arena_strdup(&ps->names, name),
                            .lr_scale = lr_scale,
                            .weight_decay = weight_decay,
                            .state_bits = state_bits};
    struct strlist list = STRLIST_INIT;
    strlist_split(&list, globs, ',');
    int taken = 0, own[2] = {-1, -1}; /* without an own weight decay there are two halves */
    for (int i = 0; i < ps->nseg; i++) {
        struct segment *s = &ps->seg[i];
        if (s->group >= GROUP_OWN || !matches(&list, s->name))
            continue;
        g.decay = !isnan(weight_decay) || s->group == GROUP_DECAY;
        if (own[g.decay] < 0)
            own[g.decay] = add_group(ps, g);
        s->group = own[g.decay];
        s->frozen = freeze;
        ps->tensor[i].needs_grad = !freeze;
        taken++;
    }
    strlist_release(&list);
    return taken;
}

void param_clear_grads(struct param_set *ps)
{
    for (int i = 0; i < ps->nseg; i++)
        ps->tensor[i].grad_set = false;
}

void param_finish_grads(struct param_set *ps)
{
    for (int i = 0; i < ps->nseg; i++) {
        struct tensor *t = &ps->tensor[i];
        if (!t->grad_set && t->needs_grad)
            ps->be->cls->zero(ps->be, t->grad, t->len * sizeof(float));
        t->grad_set = true;
    }
}

double param_grad_norm(struct param_set *ps)
{
    double sum = 0;
    ps->be->k->sumsq(ps->be, ps->sum, ps->g, ps->n);
    ps->be->cls->download(ps->be, &sum, ps->sum, sizeof(sum));
    return sqrt(sum);
}

void param_scale_grads(struct param_set *ps, double factor)
{
    ps->be->k->scale(ps->be, ps->g, ps->n, (float)factor);
}

int64_t param_trainable(const struct param_set *ps)
{
    int64_t n = 0;
    for (int i = 0; i < ps->nseg; i++)
        n += ps->seg[i].frozen ? 0 : (int64_t)ps->seg[i].len;
    return n;
}
