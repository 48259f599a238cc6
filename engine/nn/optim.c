/* Owner of optimizer states: one slab laid out from the class's rows, and the walk over tensors. */
#include "engine/nn/optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"

size_t state_len(const struct state_desc *d)
{
    size_t n = 1;
    for (int i = 0; i < d->ndim; i++)
        n *= (size_t)d->dim[i];
    return n;
}

size_t state_bytes(const struct state_desc *d)
{
    return state_len(d) * dtype_size(d->dtype);
}

/* ---- rows ---------------------------------------------------------------------------------- */

int optim_rows(const struct optim_class *cls, const void *opts, const struct param_set *ps,
               struct optim_state **rows)
{
    struct optim_state *row = xcalloc((size_t)ps->nseg * OPTIM_MAX_STATES + 1, sizeof *row);
    int n = 0;
    for (int i = 0; i < ps->nseg; i++) {
        const struct segment *seg = &ps->seg[i];
        if (seg->frozen)
            continue;
        struct state_desc desc[OPTIM_MAX_STATES] = {0};
        int k = cls->states(opts, seg, ps->group[seg->group].state_bits, desc);
        BUG_ON(k > OPTIM_MAX_STATES);
        for (int j = 0; j < k; j++)
            row[n++] =
                (struct optim_state){.seg = i, .desc = desc[j], .bytes = state_bytes(&desc[j])};
    }
    *rows = row;
    return n;
}

size_t optim_scratch_bytes(const struct optim_class *cls, const void *opts,
                           const struct param_set *ps)
{
    size_t most = 0;
    for (int i = 0; cls->scratch && i < ps->nseg; i++) {
        size_t bytes = ps->seg[i].frozen ? 0 : cls->scratch(opts, &ps->seg[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static bool same_kind(const struct optim_state *a, const struct optim_state *b)
{
    return a->desc.dtype == b->desc.dtype && strcmp(a->desc.name, b->desc.name) == 0;
}

/* Place all states of one name and type one after the other, wide types first so that each is
 * aligned without gaps. */
static void place_states(struct optim *o)
{
    char *at = o->slab;
    for (size_t size = sizeof(double); size > 0; size /= 2) {
        for (int i = 0; i < o->nstate; i++) {
            if (o->state[i].data || dtype_size(o->state[i].desc.dtype) != size)
                continue;
            for (int j = i; j < o->nstate; j++) {
                if (!same_kind(&o->state[i], &o->state[j]))
                    continue;
                o->state[j].data = at;
                at += o->state[j].bytes;
            }
        }
    }
    BUG_ON(at != o->slab + o->bytes);
}

/* ---- building ------------------------------------------------------------------------------ */

static void fill_state(struct backend *be, const struct optim_state *st)
{
    unsigned char piece[4096];
    size_t size = dtype_size(st->desc.dtype);
    BUG_ON(st->desc.dtype != DT_F32 && st->desc.dtype != DT_U8);
    for (size_t i = 0; i < sizeof piece; i += size) {
        float wide = (float)st->desc.fill;
        unsigned char byte = (unsigned char)st->desc.fill;
        memcpy(piece + i, st->desc.dtype == DT_F32 ? (void *)&wide : (void *)&byte, size);
    }
    for (size_t at = 0; at < st->bytes; at += sizeof piece) {
        size_t rest = st->bytes - at;
        be->cls->upload(be, (char *)st->data + at, piece,
                        rest < sizeof piece ? rest : sizeof piece);
    }
}

static int take_memory(struct optim *o, struct err *e)
{
    struct backend *be = o->ps->be;
    if (o->bytes && !(o->slab = backend_alloc(be, o->bytes, e)))
        return err_prefix(e, "optimizer states: ");
    if (o->scratch_bytes && !(o->scratch = backend_alloc(be, o->scratch_bytes, e)))
        return err_prefix(e, "working memory of the optimizer: ");
    return 0;
}

int optim_init(struct optim *o, const struct optim_class *cls, const void *opts,
               struct param_set *ps, struct err *e)
{
    *o = (struct optim){.cls = cls, .opts = opts, .ps = ps};
    o->nstate = optim_rows(cls, opts, ps, &o->state);
    o->first = xcalloc((size_t)ps->nseg + 1, sizeof *o->first);
    for (int i = 0; i < o->nstate; i++) {
        o->first[o->state[i].seg + 1]++;
        o->bytes += o->state[i].bytes;
    }
    for (int i = 0; i < ps->nseg; i++)
        o->first[i + 1] += o->first[i];
    o->scratch_bytes = optim_scratch_bytes(cls, opts, ps);

    int rc = take_memory(o, e);
    if (rc < 0) {
        optim_release(o);
        return rc;
    }
    if (!o->bytes)
        return 0;
    place_states(o);
    ps->be->cls->zero(ps->be, o->slab, o->bytes);
    for (int i = 0; i < o->nstate; i++) {
        if (o->state[i].desc.fill != 0)
            fill_state(ps->be, &o->state[i]);
    }
    return 0;
}

void optim_release(struct optim *o)
{
    if (o->slab)
        backend_free(o->ps->be, o->slab, o->bytes);
    if (o->scratch)
        backend_free(o->ps->be, o->scratch, o->scratch_bytes);
    free(o->state);
    free(o->first);
    *o = (struct optim){0};
}

/* ---- the walk ------------------------------------------------------------------------------ */

/* One past the run that begins with tensor `i`: neighbours of one group for element-wise classes,
 * else the tensor alone. */
static int run_end(const struct optim *o, int i)
{
    const struct segment *seg = o->ps->seg;
    int end = i + 1;
    while (o->cls->elementwise && end < o->ps->nseg && !seg[end].frozen &&
           seg[end].group == seg[i].group && seg[end].at == seg[end - 1].at + seg[end - 1].len)
        end++;
    return end;
}

static struct optim_step make_step(struct optim *o, int from, int to, double lr)
{
    struct param_set *ps = o->ps;
    const struct segment *seg = &ps->seg[from], *last = &ps->seg[to - 1];
    const struct param_group *group = &ps->group[seg->group];
    const struct optim_common *common = o->opts;
    double decay = isnan(group->weight_decay) ? common->weight_decay : group->weight_decay;
    struct optim_step s = {
        .be = ps->be,
        .seg = seg,
        .nseg = to - from,
        .w = ps->w + seg->at,
        .g = ps->g + seg->at,
        .n = last->at + last->len - seg->at,
        .lr = lr * group->lr_scale,
        .weight_decay = group->decay ? decay : 0,
        .t = o->t,
        .state_bits = group->state_bits,
        .opts = o->opts,
        .shared = o->shared,
        .scratch = o->scratch,
    };
    for (int i = o->first[from]; i < o->first[from + 1]; i++)
        s.state[i - o->first[from]] = o->state[i].data;
    return s;
}

static void each_run(struct optim *o, double lr, void (*fn)(const struct optim_step *))
{
    for (int i = 0, end; i < o->ps->nseg; i = end) {
        end = i + 1;
        if (o->ps->seg[i].frozen)
            continue;
        end = run_end(o, i);
        struct optim_step s = make_step(o, i, end, lr);
        fn(&s);
    }
}

static bool owns_rate(const struct optim *o)
{
    return o->cls->own_rate && o->cls->own_rate(o->opts);
}

void optim_update(struct optim *o, double lr)
{
    BUG_ON(o->evaluating);
    o->t++;
    if (owns_rate(o))
        lr = 1;
    if (o->cls->begin)
        o->cls->begin(&(struct optim_begin){
            .ps = o->ps, .lr = lr, .t = o->t, .opts = o->opts, .shared = o->shared});
    each_run(o, lr, o->cls->step);
}

double optim_rate(const struct optim *o, double lr)
{
    return owns_rate(o) ? o->shared[0] : lr;
}

void optim_set_eval(struct optim *o, bool on)
{
    if (!o->cls->eval_weights || o->t == 0 || o->evaluating == on)
        return;
    struct param_set *ps = o->ps;
    o->evaluating = on;
    for (int i = 0; i < ps->nseg; i++) {
        const struct segment *seg = &ps->seg[i];
        float *w = ps->w + seg->at, *g = ps->g + seg->at;
        if (!seg->frozen)
            ps->be->cls->copy(ps->be, on ? g : w, on ? w : g, seg->len * sizeof *w);
    }
    if (on)
        each_run(o, 0, o->cls->eval_weights);
}

/* ---- finding ------------------------------------------------------------------------------- */

const struct optim_state *optim_find_state(const struct optim *o, int seg, const char *name)
{
    for (int i = o->first[seg]; i < o->first[seg + 1]; i++) {
        if (strcmp(o->state[i].desc.name, name) == 0)
            return &o->state[i];
    }
    return NULL;
}

const struct optim_class *optim_by_name(const struct optim_class *const *table, const char *name,
                                        struct err *e)
{
    size_t n = 0;
    for (; table[n]; n++) {
        if (strcmp(table[n]->name, name) == 0)
            return table[n];
    }
    const char **names = xcalloc(n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = table[i]->name;
    opt_unknown("optimizer", name, names, n, e);
    free(names);
    return NULL;
}
