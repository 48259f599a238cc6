/* The evaluation loop: batches in file order, no dropout, no gradients. */
#include "engine/train/evaluate.h"

#include <stdlib.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/train/loss.h"

#define TELL_SECONDS 0.1

int predict_batch(struct accelerator *acc, struct network *net, const struct batch *b, float *logits,
                  struct err *e)
{
    struct tape *t = accelerator_begin(acc, false);
    struct tensor *y = model_logits(&net->model, t, b);
    if (!y)
        return err_set(e, t->err.code, "%s", t->err.msg);
    acc->be.cls->download(&acc->be, logits, y->data, y->len * sizeof *logits);
    return 0;
}

static int add_batch(const struct eval_job *job, const struct batch *b, float *logits,
                     struct err *e)
{
    struct accelerator *acc = job->acc;
    enum problem problem = job->net->model.spec.problem;
    struct tape *t = accelerator_begin(acc, false);
    struct tensor *y = model_logits(&job->net->model, t, b);
    struct tensor *loss = loss_sum(t, y, b, problem, 0);
    struct tensor *smooth = job->smoothing > 0 ? loss_sum(t, y, b, problem, job->smoothing) : NULL;
    if (!loss)
        return err_set(e, t->err.code, "%s", t->err.msg);
    acc->be.cls->download(&acc->be, logits, y->data, y->len * sizeof *logits);
    double items = loss_items(problem, (double)b->labelled, job->net->model.spec.num_labels);
    metrics_add_batch(job->metrics, logits, b);
    metrics_add_loss(job->metrics, (double)accelerator_item(acc, loss), items);
    if (smooth)
        metrics_add_smoothed(job->metrics, (double)accelerator_item(acc, smooth));
    return 0;
}

/* Schedule-free optimizers evaluate other weights than they train. */
static void set_eval(struct network *net, bool on)
{
    if (net->optim.cls)
        optim_set_eval(&net->optim, on);
}

int evaluate_rows(const struct eval_job *job, struct eval_report *out, struct err *e)
{
    struct loader_opts o = {.batch_size = (int)(job->batch_size < job->data->rows ? job->batch_size
                                                                                  : job->data->rows),
                            .accumulation = 1};
    float *logits = xcalloc((size_t)o.batch_size * (size_t)job->net->model.spec.num_labels,
                            sizeof *logits);
    struct loader *l = loader_new(job->data, &o);
    const struct batch *b;
    int64_t rows = 0;
    double told = 0;
    int code = 0;
    metrics_clear(job->metrics);
    set_eval(job->net, true);
    while (!code && (b = loader_next(l, NULL))) {
        code = add_batch(job, b, logits, e);
        rows += b->n;
        double now = sys_now();
        if (!code && job->tell && now - told > TELL_SECONDS) {
            told = now;
            if (!job->tell(job->user, rows))
                code = err_set(e, TT_ESTOPPED, "evaluation was stopped");
        }
    }
    set_eval(job->net, false);
    loader_free(l);
    free(logits);
    return code ? code : metrics_finish(job->metrics, job->average, out, e);
}
