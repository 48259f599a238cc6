/* `traintui predict`: one answer per row of a file, in its order. */
#include <math.h>
#include <stdlib.h>

#include "engine/io/metrics_file.h"
#include "engine/train/trainer.h"
#include "tui/cmd.h"

struct printer {
    bool json;
    struct json_line line;
};

static void put_answer(struct json_line *l, const float *logits, const struct data_spec *spec)
{
    if (spec->problem == PROBLEM_CLASSES) {
        json_str(l, "label", spec->label[argmax(logits, spec->num_labels)]);
    } else if (spec->problem == PROBLEM_REGRESSION) {
        json_f32(l, "label", (double)logits[0]);
    } else {
        json_open_array(l, "label");
        for (int i = 0; i < spec->num_labels; i++)
            if (logits[i] > 0)
                json_str(l, NULL, spec->label[i]);
        json_close(l, ']');
    }
}

static void print_json(struct json_line *l, int64_t row, const float *logits,
                       const struct data_spec *spec)
{
    json_begin(l);
    json_i64(l, "row", row + 1);
    put_answer(l, logits, spec);
    json_open_array(l, "logits");
    for (int i = 0; i < spec->num_labels; i++)
        json_f32(l, NULL, (double)logits[i]);
    json_close(l, ']');
    puts(json_end(l));
}

static void print_text(int64_t row, const float *logits, const struct data_spec *spec)
{
    printf("%lld\t", (long long)row + 1);
    if (spec->problem == PROBLEM_CLASSES)
        printf("%s\n", spec->label[argmax(logits, spec->num_labels)]);
    else if (spec->problem == PROBLEM_REGRESSION)
        printf("%.9g\n", (double)logits[0]);
    else {
        const char *comma = "";
        for (int i = 0; i < spec->num_labels; i++)
            if (logits[i] > 0) {
                printf("%s%s", comma, spec->label[i]);
                comma = ",";
            }
        printf("\n");
    }
}

static int print_row(void *user, int64_t row, const float *logits, const struct data_spec *spec)
{
    struct printer *p = user;
    if (p->json)
        print_json(&p->line, row, logits, spec);
    else
        print_text(row, logits, spec);
    return 0;
}

static int run(const struct cmd_args *a, struct err *e)
{
    struct run_config rc;
    char *path;
    int code = cmd_load_run(a, a->pos[0], &path, &rc, e);
    if (code)
        return code;
    struct printer *p = calloc(1, sizeof *p);
    p->json = a->json;
    code = trainer_predict(&rc, path, a->pos[1], print_row, p, e);
    free(p);
    free(path);
    run_config_release(&rc);
    return code;
}

const struct cmd cmd_predict = {
    .name = "predict",
    .synopsis = "RUN FILE [--set s.k=v]... [--json]",
    .summary = "a run's answer for every row of a file",
    .flags = CMD_TAKES_SET | CMD_TAKES_JSON,
    .min_pos = 2,
    .max_pos = 2,
    .run = run,
};
