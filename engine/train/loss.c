/* Which op is the loss, and what it is divided by. */
#include "engine/train/loss.h"

#include "engine/ops/ops.h"

double loss_items(enum problem problem, double rows, int num_labels)
{
    return problem == PROBLEM_MULTI_LABEL ? rows * num_labels : rows;
}

static struct tensor *loss_op(struct tape *t, struct tensor *logits, const struct batch *b,
                              const struct loss_rule *r, double denom)
{
    switch (r->problem) {
    case PROBLEM_REGRESSION:
        return op_mse(t, logits, b->target, denom);
    case PROBLEM_MULTI_LABEL:
        return op_bce(t, logits, b->target, r->class_weight, denom);
    case PROBLEM_CLASSES:
        break;
    }
    return op_softmax_xent(t, logits, b->label, r->class_weight, r->smoothing, denom);
}

struct tensor *loss_of_group(struct tape *t, struct tensor *logits, const struct batch *b,
                             const struct loss_rule *r)
{
    if (!logits)
        return NULL;
    int n = (int)logits->dim[logits->ndim - 1];
    double rows = r->problem == PROBLEM_CLASSES ? b->group_weight : (double)b->group_labelled;
    return loss_op(t, logits, b, r, loss_items(r->problem, rows, n));
}

struct tensor *loss_sum(struct tape *t, struct tensor *logits, const struct batch *b,
                        enum problem problem, float smoothing)
{
    struct loss_rule plain = {.problem = problem, .smoothing = smoothing};
    return logits ? loss_op(t, logits, b, &plain, 1) : NULL;
}
