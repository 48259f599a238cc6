/* One update of one network, and the clock that says where its time went. */
#include "engine/train/accelerator.h"

#include <math.h>
#include <string.h>

#include "engine/base/sys.h"

int accelerator_open(struct accelerator *a, const char *device, int threads, uint64_t seed,
                     size_t reserve, struct err *e)
{
    memset(a, 0, sizeof *a);
    a->seed = seed;
    int code = backend_open(&a->be, device, threads, e);
    if (!code && (code = tape_init(&a->tape, &a->be, reserve, e)))
        backend_close(&a->be);
    return code;
}

void accelerator_close(struct accelerator *a)
{
    if (!a->be.cls)
        return;
    tape_release(&a->tape);
    backend_close(&a->be);
    memset(a, 0, sizeof *a);
}

void accelerator_clear_times(struct accelerator *a)
{
    memset(a->phase, 0, sizeof a->phase);
}

static void count(struct accelerator *a, enum phase p, double since)
{
    a->phase[p] += sys_now() - since;
}

struct tape *accelerator_begin(struct accelerator *a, bool training)
{
    a->forward_since = sys_now();
    tape_begin(&a->tape, training, a->seed, a->micro);
    if (training)
        a->micro++;
    return &a->tape;
}

float accelerator_item(struct accelerator *a, const struct tensor *x)
{
    float v;
    a->be.cls->download(&a->be, &v, x->data, sizeof v);
    return v;
}

int accelerator_backward(struct accelerator *a, struct network *net, struct tensor *loss,
                         struct err *e)
{
    if (!loss)
        return err_set(e, a->tape.err.code, "%s", a->tape.err.msg);
    count(a, PHASE_FORWARD, a->forward_since);
    if (!net->has_grads) {
        param_clear_grads(&net->ps);
        net->loss = 0;
    }
    net->has_grads = true;
    double start = sys_now();
    int code = tape_backward(&a->tape, loss, 1, e);
    net->loss += (double)accelerator_item(a, loss);
    count(a, PHASE_BACKWARD, start);
    return code;
}

void accelerator_step(struct accelerator *a, struct network *net, double max_norm,
                      struct step_info *info)
{
    *info = (struct step_info){.loss = NAN, .grad_norm = NAN, .lr = sched_lr(&net->sched),
                               .skipped = true};
    if (!net->has_grads)
        return;
    net->has_grads = false;
    double start = sys_now();
    info->loss = net->loss;
    param_finish_grads(&net->ps);
    info->grad_norm = param_grad_norm(&net->ps);
    info->nonfinite = !isfinite(info->loss) || !isfinite(info->grad_norm);
    if (info->nonfinite) {
        count(a, PHASE_CLIP, start);
        return;
    }
    double factor = max_norm / (info->grad_norm + 1e-6);
    if (max_norm > 0 && factor < 1)
        param_scale_grads(&net->ps, factor);
    count(a, PHASE_CLIP, start);
    start = sys_now();
    optim_update(&net->optim, info->lr);
    info->lr = optim_rate(&net->optim, info->lr);
    sched_advance(&net->sched);
    info->skipped = false;
    count(a, PHASE_OPTIMIZER, start);
}

int network_init(struct network *net, struct backend *be, const struct model_class *cls,
                 const void *model_opts, const struct data_spec *spec, struct err *e)
{
    memset(net, 0, sizeof *net);
    param_init(&net->ps, be);
    int code = model_init(&net->model, cls, model_opts, spec, &net->ps, e);
    if (code) {
        param_release(&net->ps);
        memset(net, 0, sizeof *net);
    }
    return code;
}

int network_alloc(struct network *net, const struct optim_class *optim, const void *optim_opts,
                  struct err *e)
{
    int code = param_alloc(&net->ps, e);
    return code ? code : optim_init(&net->optim, optim, optim_opts, &net->ps, e);
}

int network_build(struct network *net, uint64_t seed, const struct optim_class *optim,
                  const void *optim_opts, struct err *e)
{
    int code = param_build(&net->ps, seed, e);
    return code ? code : optim_init(&net->optim, optim, optim_opts, &net->ps, e);
}

void network_release(struct network *net)
{
    if (net->optim.cls)
        optim_release(&net->optim);
    if (net->model.cls)
        model_release(&net->model);
    if (net->ps.be)
        param_release(&net->ps);
    memset(net, 0, sizeof *net);
}
