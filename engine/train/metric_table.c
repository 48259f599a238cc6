/* Every score by name: what it is, which way is better, for which problem it is reported. */
#include "engine/train/metrics.h"

#include <string.h>

#include "engine/base/opt.h"
#include "engine/base/str.h"

#define CLASSES (1u << PROBLEM_CLASSES)
#define LABELS (1u << PROBLEM_MULTI_LABEL)
#define VALUES (1u << PROBLEM_REGRESSION)

const struct metric_desc metric_descs[METRIC_COUNT] = {
    [METRIC_LOSS] = {"loss", "eval_loss", "plain loss over all labelled rows", false,
                     CLASSES | LABELS | VALUES, true},
    [METRIC_ACCURACY] = {"accuracy", "eval_accuracy", "share of right answers (all of a row)", true,
                         CLASSES | LABELS, true},
    [METRIC_F1] = {"f1", "eval_f1", "F1 as eval.average says", true, CLASSES | LABELS, true},
    [METRIC_PRECISION] = {"precision", "eval_precision", "precision as eval.average says", true,
                          CLASSES | LABELS, true},
    [METRIC_RECALL] = {"recall", "eval_recall", "recall as eval.average says", true,
                       CLASSES | LABELS, true},
    [METRIC_F1_BINARY] = {"f1_binary", "eval_f1_binary", "F1 of class 1, with two classes", true,
                          CLASSES, true},
    [METRIC_MCC] = {"mcc", "eval_mcc", "Matthews correlation", true, CLASSES, false},
    [METRIC_MSE] = {"mse", "eval_mse", "mean squared error", false, VALUES, true},
    [METRIC_MAE] = {"mae", "eval_mae", "mean absolute error", false, VALUES, true},
    [METRIC_PEARSON] = {"pearson", "eval_pearson", "linear correlation", true, VALUES, true},
    [METRIC_SPEARMAN] = {"spearman", "eval_spearman", "rank correlation", true, VALUES, true},
    [METRIC_LOSS_SMOOTHED] = {"loss_smoothed", "eval_loss_smoothed", "loss with label smoothing",
                              false, CLASSES, true},
};

int metric_by_name(const char *name, struct err *e)
{
    const char *names[METRIC_COUNT];
    const char *bare = str_starts(name, "eval_") ? name + 5 : name;
    for (int i = 0; i < METRIC_COUNT; i++) {
        names[i] = metric_descs[i].name;
        if (!strcmp(names[i], bare))
            return i;
    }
    opt_unknown("metric", name, names, METRIC_COUNT, e);
    return -1;
}
