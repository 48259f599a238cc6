/* A dry step: declare, count states, run forward and backward on the null backend, read the peaks. */
#include "engine/train/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/train/loss.h"
#include "engine/train/network_config.h"

struct dry {
    struct backend be;
    struct network net;
    struct tape tape;
    const struct run_config *rc;
};

/* Peaks of one batch of n rows: what lives over the step, and the largest scratch. */
struct peaks {
    int64_t live, scratch;
    double flops;
};

/* Lengths of the worst batch of texts: the longest rows together. NULL for other data; caller frees. */
static int32_t *worst_lengths(const struct dataset *ds, const struct data_spec *spec, int64_t n)
{
    if (spec->kind != BATCH_TEXT)
        return NULL;
    struct dataset side = {.rows = ds->rows, .at = ds->at, .spec = *spec};
    if (ds->at)
        side.spec.longest = ds->spec.longest;
    int32_t *at = xcalloc((size_t)n + 1, sizeof *at);
    dataset_longest(&side, n, at);
    return at;
}

static int dry_batch(struct dry *d, const struct dataset *ds, int64_t n, bool training,
                     struct peaks *out, struct err *e)
{
    struct tape *t = &d->tape;
    int code = tape_init(t, &d->be, TAPE_DRY, e);
    if (code)
        return code;
    int32_t *at = worst_lengths(ds, &d->net.model.spec, n);
    t->in_place = true; /* as on the cpu backend */
    tape_begin(t, training, 0, 0);
    struct batch b = {.n = (int)n, .labelled = n, .group_n = 1, .group_labelled = n,
                      .group_weight = (double)n, .at = at, .tokens = at ? at[n] : 0};
    struct loss_rule rule = {.problem = d->net.model.spec.problem};
    struct tensor *logits = model_logits(&d->net.model, t, &b);
    struct tensor *loss = loss_of_group(t, logits, &b, &rule);
    if (!loss)
        code = err_set(e, t->err.code, "%s", t->err.msg);
    if (!code && training) {
        param_clear_grads(&d->net.ps);
        code = tape_backward(t, loss, 1, e);
    }
    *out = (struct peaks){(int64_t)t->mem.peak, (int64_t)t->scratch_peak, t->flops};
    tape_release(t);
    free(at);
    return code;
}

static int64_t batch_bytes(struct dry *d, const struct dataset *ds, int64_t n, struct err *e)
{
    struct peaks p;
    return dry_batch(d, ds, n, true, &p, e) ? -1 : p.live + p.scratch;
}

/* Activation bytes grow in a straight line with the rows of a batch, but for rounding: solve, then step
 * down until a dry run agrees. */
static int64_t largest_batch(struct dry *d, const struct dataset *ds, int64_t n, int64_t room,
                             struct err *e)
{
    int64_t longest = d->net.model.spec.longest, limit = longest ? INT32_MAX / longest : 1000000000;
    if (2 * n > limit)
        return n;
    int64_t at_n = batch_bytes(d, ds, n, e), at_2n = batch_bytes(d, ds, 2 * n, e);
    if (at_n < 0 || at_2n < 0)
        return 0;
    double per_row = (double)(at_2n - at_n) / (double)n;
    if (per_row <= 0)
        return n;
    double most = (double)n + ((double)room - (double)at_n) / per_row;
    int64_t rows = most > (double)limit ? limit : (int64_t)most;
    while (rows > 0 && batch_bytes(d, ds, rows, e) > room)
        rows -= 1 + rows / 100;
    return rows > 0 ? rows : 0;
}

static struct plan_row *row_of(struct plan_optim *o, const char *name)
{
    for (int i = 0; i < o->nstate; i++)
        if (!strcmp(o->state[i].name, name))
            return &o->state[i];
    if (o->nstate == PLAN_STATES)
        return NULL;
    struct plan_row *r = &o->state[o->nstate++];
    str_copy(r->name, sizeof r->name, name);
    return r;
}

static void count_row(struct plan_optim *o, const struct optim_state *row, struct plan_tensor *tensor)
{
    const struct state_desc *d = &row->desc;
    struct plan_row *r = row_of(o, d->name);
    BUG_ON(!r);
    if ((int64_t)state_len(d) > r->largest) {
        r->largest = (int64_t)state_len(d);
        str_copy(r->type, sizeof r->type, dtype_short(d->dtype));
    }
    r->tensors++;
    r->elements += (int64_t)state_len(d);
    r->bytes += (int64_t)state_bytes(d);
    o->elements += (int64_t)state_len(d);
    o->bytes += (int64_t)state_bytes(d);
    if (tensor)
        tensor[row->seg].state_bytes[r - o->state] = (int64_t)state_bytes(d);
}

/* Sum the rows of one class by state, single numbers (step) last; `tensor`, when not NULL, gets the bytes
 * of each. */
static void count_states(struct plan_optim *o, const struct optim_class *cls, const void *opts,
                         const struct param_set *ps, struct plan_tensor *tensor)
{
    struct optim_state *rows;
    int n = optim_rows(cls, opts, ps, &rows);
    for (int scalars = 0; scalars < 2; scalars++)
        for (int i = 0; i < n; i++)
            if ((rows[i].desc.ndim == 0) == scalars)
                count_row(o, &rows[i], tensor);
    free(rows);
    size_t at = 0;
    for (int i = 0; i < o->nstate && at < sizeof o->states; i++)
        at += (size_t)snprintf(o->states + at, sizeof o->states - at, "%s%s", i ? ", " : "",
                               o->state[i].name);
    if (!o->nstate)
        str_copy(o->states, sizeof o->states, "none");
}

static void count_tensors(struct memory_plan *p, const struct param_set *ps)
{
    p->tensors = ps->nseg;
    p->tensor = xcalloc((size_t)ps->nseg, sizeof *p->tensor);
    for (int i = 0; i < ps->nseg; i++) {
        struct plan_tensor *t = &p->tensor[i];
        const struct segment *s = &ps->seg[i];
        str_copy(t->name, sizeof t->name, s->name);
        t->ndim = s->ndim;
        memcpy(t->dim, s->dim, sizeof t->dim);
        t->len = (int64_t)s->len;
        for (int k = 0; k < PLAN_STATES; k++)
            t->state_bytes[k] = -1;
    }
    p->parameters = (int64_t)ps->n;
    p->trainable = param_trainable(ps);
    p->weight_bytes = p->gradient_bytes = 4 * p->parameters;
}

/* What one class would keep for this model; the chosen one with its options, others with defaults. */
static void count_optim(struct memory_plan *p, struct plan_optim *o, const struct optim_class *cls,
                        const struct param_set *ps, const struct run_config *rc)
{
    bool chosen = cls == rc->optim_cls;
    void *opts = chosen ? rc->optim_own : xcalloc(1, cls->opts_size);
    if (!chosen)
        opt_defaults(cls->opts, opts);
    str_copy(o->name, sizeof o->name, cls->name);
    o->common = cls->common;
    struct err why = ERR_INIT;
    if (cls->check && cls->check(opts, ps, &why)) {
        o->refused = true;
        str_copy(o->states, sizeof o->states, why.msg);
    } else {
        count_states(o, cls, opts, ps, chosen ? p->tensor : NULL);
    }
    if (chosen) {
        memcpy(p->state, o->state, sizeof p->state);
        p->nstate = o->nstate;
        p->state_bytes = o->bytes;
    } else {
        opt_release(cls->opts, opts);
        free(opts);
    }
}

static int by_bytes(const void *a, const void *b)
{
    const struct plan_optim *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void count_optims(struct memory_plan *p, const struct param_set *ps,
                         const struct run_config *rc)
{
    for (const struct optim_class *const *c = rc->optims; *c && p->noptim < PLAN_OPTIMS; c++)
        count_optim(p, &p->optim[p->noptim++], *c, ps, rc);
    qsort(p->optim, (size_t)p->noptim, sizeof p->optim[0], by_bytes);
}

/* Of texts before they are tokenised an upper bound: a token is a byte at least. */
static int64_t kept_bytes(const struct dataset *ds)
{
    if (ds->spec.kind == BATCH_TEXT) {
        int64_t tokens = ds->at ? ds->at[ds->rows] : ds->text_bytes + 3 * ds->rows;
        return ds->rows * (int64_t)(sizeof *ds->at + sizeof *ds->label) +
               tokens * (int64_t)(sizeof *ds->ids + (ds->spec.pairs ? sizeof *ds->types : 0));
    }
    size_t each = ds->x8 || ds->x8_scale > 0 ? 1 : sizeof(float);
    return ds->rows * (int64_t)(ds->row_len * each + sizeof(int32_t));
}

static int count_activations(struct memory_plan *p, struct dry *d, const struct dataset *train_set,
                             const struct dataset *eval, struct err *e)
{
    const struct run_config *rc = d->rc;
    struct peaks train, score = {0};
    int code = dry_batch(d, train_set, rc->train.batch_size, true, &train, e);
    if (!code && eval->rows > 0)
        code = dry_batch(d, eval,
                         rc->eval.batch_size < eval->rows ? rc->eval.batch_size : eval->rows, false,
                         &score, e);
    if (code)
        return code;
    p->activation_eval_bytes = score.live;
    p->activation_bytes = train.live > score.live ? train.live : score.live;
    p->workspace_bytes = train.scratch > score.scratch ? train.scratch : score.scratch;
    p->workspace_bytes += (int64_t)optim_scratch_bytes(rc->optim_cls, rc->optim_own, &d->net.ps);
    p->flops_per_step = 3 * train.flops * (double)rc->train.gradient_accumulation_steps;
    return 0;
}

int plan_make(struct memory_plan *p, const struct run_config *rc, const struct dataset *train,
              const struct dataset *eval, struct err *e)
{
    memset(p, 0, sizeof *p);
    struct dry d = {.rc = rc};
    struct data_spec spec;
    struct spec_names names = {0};
    int64_t threads = rc->run.threads == OPT_INT_UNSET ? 0 : rc->run.threads;
    int code = backend_open(&d.be, "null", sys_threads(threads, NULL, 0), e);
    if (code)
        return code;
    if (!(code = spec_of_run(rc, train, &spec, &names, e)))
        code = network_from_config(&d.net, &d.be, rc, &spec, e);
    if (!code)
        code = run_length_of(rc, train->rows, &p->length, e);
    if (!code)
        code = param_build(&d.net.ps, 0, e);
    if (code)
        goto out;
    count_tensors(p, &d.net.ps);
    count_optims(p, &d.net.ps, rc);
    if ((code = count_activations(p, &d, train, eval, e)))
        goto out;
    p->total_bytes = p->weight_bytes + p->gradient_bytes + p->state_bytes + p->activation_bytes +
                     p->workspace_bytes;
    p->data_bytes = kept_bytes(train) + kept_bytes(eval);
    p->free_bytes = sys_mem_free();
    p->total_memory = sys_mem_total();
    p->fits = p->total_bytes + p->data_bytes <= p->free_bytes;
    int64_t fixed = p->weight_bytes + p->gradient_bytes + p->state_bytes + p->data_bytes;
    p->largest_batch = largest_batch(&d, train, rc->train.batch_size, p->free_bytes - fixed, e);
out:
    network_release(&d.net);
    spec_names_release(&names);
    backend_close(&d.be);
    if (code)
        plan_release(p);
    return code;
}

void plan_release(struct memory_plan *p)
{
    free(p->tensor);
    memset(p, 0, sizeof *p);
}
