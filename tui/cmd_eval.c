/* `traintui eval`: scores of a run's weights on its evaluation rows. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "engine/base/file.h"
#include "engine/base/str.h"
#include "engine/train/trainer.h"
#include "tui/cmd.h"
#include "tui/report_json.h"

static json_t *classes_json(const struct eval_report *r)
{
    json_t *list = json_array();
    for (int i = 0; i < r->n; i++)
        json_array_append_new(list, json_pack("{s:o,s:o,s:o,s:I}", "precision",
                                              number_or_null(r->cls[i].precision), "recall",
                                              number_or_null(r->cls[i].recall), "f1", number_or_null(r->cls[i].f1),
                                              "support", (json_int_t)r->cls[i].support));
    return list;
}

static void print_report(const struct eval_report *r, bool json)
{
    json_t *root = json_object();
    for (int i = 0; i < METRIC_COUNT; i++) {
        const struct metric_desc *d = &metric_descs[i];
        if (!d->logged || !(d->problems >> r->problem & 1) ||
            ((i == METRIC_LOSS_SMOOTHED || i == METRIC_F1_BINARY) && isnan(r->value[i])))
            continue;
        json_object_set_new(root, d->series, number_or_null(r->value[i]));
        if (!json)
            printf("%-22s %.6g%s\n", d->series, r->value[i],
                   r->undefined >> i & 1 ? "  (partly undefined)" : "");
    }
    json_object_set_new(root, "eval_samples", json_integer(r->rows));
    if (!json)
        printf("%-22s %lld\n", "eval_samples", (long long)r->rows);
    if (r->problem != PROBLEM_REGRESSION)
        json_object_set_new(root, "per_class", classes_json(r));
    if (r->problem == PROBLEM_CLASSES)
        json_object_set_new(root, "confusion", confusion_json(r));
    if (json)
        cmd_print_json(root);
    else
        json_decref(root);
}

/* RUN, or the run that a config file made last, or the model that it starts from. */
static int find(const struct cmd_args *a, char **path, struct run_config *rc, struct err *e)
{
    if (!str_ends(a->pos[0], ".ini") || file_is_dir(a->pos[0]))
        return cmd_load_run(a, a->pos[0], path, rc, e);
    int code = cmd_load_config(a, a->pos[0], rc, e);
    if (!code && (code = trainer_find_weights(rc, path, e)))
        run_config_release(rc);
    return code;
}

static int run(const struct cmd_args *a, struct err *e)
{
    struct run_config rc;
    struct eval_report *report = NULL;
    char *path;
    int code = find(a, &path, &rc, e);
    if (code)
        return code;
    code = trainer_evaluate(&rc, path, &report, e);
    if (!code)
        print_report(report, a->json);
    eval_report_free(report);
    free(path);
    run_config_release(&rc);
    return code;
}

const struct cmd cmd_eval = {
    .name = "eval",
    .synopsis = "RUN_OR_INI [--set s.k=v]... [--json]",
    .summary = "scores of a run's weights",
    .flags = CMD_TAKES_SET | CMD_TAKES_JSON,
    .min_pos = 1,
    .max_pos = 1,
    .run = run,
};
