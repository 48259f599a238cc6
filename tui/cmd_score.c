/* `traintui score`: metrics of a table of truths and predictions. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "engine/base/str.h"
#include "engine/train/metrics.h"
#include "tui/cmd.h"
#include "tui/cmd_score_table.h"
#include "tui/report_json.h"

static int fill(const struct score_table *t, struct eval_report *r, struct err *e)
{
    struct metrics m;
    metrics_init(&m, r->problem, r->n, t->rows);
    for (int64_t i = 0; i < t->rows; i++)
        if (t->values)
            metrics_add_value(&m, score_value(t, i, 0), score_value(t, i, 1));
        else
            metrics_add_class(&m, score_class(t, i, 0), score_class(t, i, 1));
    int code = metrics_finish(&m, AVERAGE_MACRO, r, e);
    metrics_release(&m);
    return code;
}

/* The class of binary scores: the second of two, or number 1; -1: there is none. */
static int positive_class(const struct score_table *t, int64_t head)
{
    if (t->names.n != 2)
        return -1;
    return t->numbers && !head ? strlist_find(&t->names, "1") : 1;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *mean_json(double precision, double recall, double f1)
{
    return json_pack("{s:f,s:f,s:f}", "precision", precision, "recall", recall, "f1", f1);
}

static json_t *score_mean_json(const struct score_mean *m)
{
    return mean_json(m->precision, m->recall, m->f1);
}

/* Both by class: the scores, and the numbers of the classes that lack one. */
static void add_classes(json_t *root, const struct eval_report *r)
{
    static const char *const keys[] = {"precision", "recall", "f1"};
    json_t *each = json_object(), *undefined = json_object(), *support = json_array();
    for (int i = 0; i < 3; i++) {
        json_t *scores = json_array(), *lacking = json_array();
        for (int k = 0; k < r->n; k++) {
            const struct class_score *c = &r->cls[k];
            const double score[] = {c->precision, c->recall, c->f1};
            json_array_append_new(scores, json_real(score[i]));
            if (c->undefined >> i & 1)
                json_array_append_new(lacking, json_integer(k));
        }
        json_object_set_new(each, keys[i], scores);
        json_object_set_new(undefined, keys[i], lacking);
    }
    for (int k = 0; k < r->n; k++)
        json_array_append_new(support, json_integer(r->cls[k].support));
    json_object_set_new(each, "support", support);
    json_object_set_new(root, "per_class", each);
    json_object_set_new(root, "undefined", undefined);
}

static json_t *classes_json(const struct score_table *t, const struct eval_report *r, int positive)
{
    json_t *names = json_array();
    for (size_t i = 0; i < t->names.n; i++)
        json_array_append_new(names, json_string(t->names.s[i]));
    json_t *root = json_pack("{s:s,s:i,s:o,s:I,s:o,s:o}", "kind", "classification", "num_labels",
                             r->n, "labels", names, "samples", (json_int_t)r->rows, "accuracy",
                             number_or_null(r->value[METRIC_ACCURACY]), "confusion", confusion_json(r));
    add_classes(root, r);
    json_object_set_new(root, "macro", score_mean_json(&r->macro));
    json_object_set_new(root, "micro", score_mean_json(&r->micro));
    json_object_set_new(root, "weighted", score_mean_json(&r->weighted));
    json_object_set_new(root, "macro_seen",
                        r->rows ? score_mean_json(&r->macro_seen) : json_null());
    const struct class_score *c = &r->cls[positive < 0 ? 0 : positive];
    json_object_set_new(root, "binary",
                        positive < 0 ? json_null() : mean_json(c->precision, c->recall, c->f1));
    json_object_set_new(root, "mcc", json_real(r->value[METRIC_MCC]));
    return root;
}

static json_t *values_json(const struct eval_report *r)
{
    json_t *root = json_pack("{s:s,s:I}", "kind", "regression", "samples", (json_int_t)r->rows);
    for (int i = METRIC_MSE; i <= METRIC_SPEARMAN; i++)
        json_object_set_new(root, metric_descs[i].name, number_or_null(r->value[i]));
    return root;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_value(const char *name, double v)
{
    if (isnan(v))
        printf("%-12s undefined\n", name);
    else
        printf("%-12s %9.6g\n", name, v);
}

static void print_scores(const char *name, double precision, double recall, double f1)
{
    printf("%-12s %9.6f %9.6f %9.6f", name, precision, recall, f1);
}

static void print_class(const char *name, const struct class_score *c)
{
    char shown[128];
    print_scores(str_visible(shown, sizeof shown, name), c->precision, c->recall, c->f1);
    printf(" %9lld %9lld%s\n", (long long)c->support, (long long)c->predicted,
           c->undefined ? "  undefined scores are 0" : "");
}

static void print_classes(const struct score_table *t, const struct eval_report *r, int positive)
{
    const struct {
        const char *name;
        const struct score_mean *mean;
    } means[] = {{"macro", &r->macro}, {"micro", &r->micro}, {"weighted", &r->weighted},
                 {"macro_seen", &r->macro_seen}};
    printf("%-12s %9lld\n%-12s %9d\n", "samples", (long long)r->rows, "classes", r->n);
    print_value("accuracy", r->value[METRIC_ACCURACY]);
    print_value("mcc", r->value[METRIC_MCC]);
    printf("\n%-12s %9s %9s %9s %9s %9s\n", "", "precision", "recall", "f1", "support",
           "predicted");
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        print_scores(means[i].name, means[i].mean->precision, means[i].mean->recall,
                     means[i].mean->f1);
        printf("\n");
    }
    if (positive >= 0)
        print_class("binary", &r->cls[positive]);
    for (int k = 0; k < r->n; k++)
        print_class(t->names.s[k], &r->cls[k]);
}

static void print_values(const struct eval_report *r)
{
    printf("%-12s %9lld\n", "samples", (long long)r->rows);
    for (int i = METRIC_MSE; i <= METRIC_SPEARMAN; i++)
        print_value(metric_descs[i].name, r->value[i]);
}

static int run(const struct cmd_args *a, struct err *e)
{
    struct score_table t;
    int code = score_table_read(&t, a->pos[0], a->labels, e);
    if (code)
        return code;
    struct eval_report *r = eval_report_new(t.values ? PROBLEM_REGRESSION : PROBLEM_CLASSES,
                                            t.values ? 1 : (int)t.names.n, 0);
    int positive = positive_class(&t, a->labels);
    code = fill(&t, r, e);
    if (!code && a->json)
        cmd_print_json(t.values ? values_json(r) : classes_json(&t, r, positive));
    else if (!code && t.values)
        print_values(r);
    else if (!code)
        print_classes(&t, r, positive);
    if (!code && t.rows == 0)
        fprintf(stderr,
                "traintui: warning: %s: no rows (accuracy is undefined, all scores are 0)\n",
                t.path);
    eval_report_free(r);
    score_table_release(&t);
    return code;
}

const struct cmd cmd_score = {
    .name = "score",
    .synopsis = "FILE [--labels N] [--json]",
    .summary = "metrics of a table of truths and predictions",
    .flags = CMD_TAKES_JSON | CMD_TAKES_LABELS,
    .min_pos = 1,
    .max_pos = 1,
    .run = run,
};
