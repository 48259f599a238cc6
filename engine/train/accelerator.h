/* The layer a training loop is written on: a backend, a tape, and what one update of one network means.
 * A loop owns the order; this owns the meaning: gradients of a group add up, the norm is taken over the
 * whole network before clipping, an update with a non-finite loss or gradient is skipped and counted and
 * moves neither the optimizer's nor the schedule's counter (trainer-semantics 1.2, decisions D5, D13, D14).
 *
 *     accelerator_open(&acc, "auto", threads, seed, reserve, e);
 *     network_init(&net, ...); network_build(&net, ...);
 *     for each group: for each micro-batch:
 *         struct tape *t = accelerator_begin(&acc, true);
 *         loss = op_...(t, model_logits(&net.model, t, batch), ..., items of the whole group);
 *         accelerator_backward(&acc, &net, loss, e);
 *     accelerator_step(&acc, &net, max_norm, &info);
 *
 * One thread, the one that opened it. */
#ifndef TT_TRAIN_ACCELERATOR_H
#define TT_TRAIN_ACCELERATOR_H

#include "engine/models/model.h"
#include "engine/nn/optim.h"
#include "engine/train/hub.h"
#include "engine/train/sched.h"

struct accelerator {
    struct backend be;
    struct tape tape;
    uint64_t seed;
    uint64_t micro;               /* training micro-batches since the start of the run: dropout key */
    double phase[PHASE_COUNT];    /* seconds since accelerator_clear_times */
    double forward_since;         /* sys_now() of the last begin */
};

/* A model with its parameters, optimizer and schedule. */
struct network {
    struct param_set ps;
    struct model model;
    struct optim optim;
    struct sched sched;
    double loss;       /* sum of the group's micro-batch losses, each already divided by the group's items */
    bool has_grads;    /* a backward was run since the last step */
};

struct step_info {
    double loss, grad_norm, lr; /* grad_norm before clipping; lr: the rate that was used */
    bool skipped;               /* no update was made */
    bool nonfinite;             /* because loss or norm is not finite */
};

/* device, threads: see backend_open. reserve: bytes of the tape (a plan's activations). */
int accelerator_open(struct accelerator *a, const char *device, int threads, uint64_t seed,
                     size_t reserve, struct err *e);
void accelerator_close(struct accelerator *a);
void accelerator_clear_times(struct accelerator *a);

/* Start a forward; its time is counted until the next call. training: dropout on, nodes kept. */
struct tape *accelerator_begin(struct accelerator *a, bool training);
/* Gradients of `loss` (one element; NULL: the tape's error is passed on), added to the group's. */
int accelerator_backward(struct accelerator *a, struct network *net, struct tensor *loss,
                         struct err *e);
/* End of a group: norm, clip (max_norm 0: never), update, schedule. Without any backward: skipped. */
void accelerator_step(struct accelerator *a, struct network *net, double max_norm,
                      struct step_info *info);
/* Value of a one-element tensor; waits. */
float accelerator_item(struct accelerator *a, const struct tensor *x);

/* Declare the model into a fresh parameter set on `be`; groups are added by the caller before
 * network_build takes memory and writes initial weights. Options are borrowed. */
int network_init(struct network *net, struct backend *be, const struct model_class *cls,
                 const void *model_opts, const struct data_spec *spec, struct err *e);
int network_build(struct network *net, uint64_t seed, const struct optim_class *optim,
                  const void *optim_opts, struct err *e);
/* The same without initial weights: they come from a file. */
int network_alloc(struct network *net, const struct optim_class *optim, const void *optim_opts,
                  struct err *e);
void network_release(struct network *net);

#endif
