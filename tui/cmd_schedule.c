/* `traintui schedule`: the rate of every update, or of every evaluation for one that follows a metric. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/str.h"
#include "engine/train/pretrained.h"
#include "tui/cmd.h"

static int load_sched(struct run_config *rc, struct sched *s, struct err *e)
{
    struct dataset train = {0}, eval = {0};
    struct run_length length;
    struct pretrained start = {0};
    const struct optim_common *common = rc->optim_own;
    int code = 0;
    if (isnan(common->lr)) {
        err_set(e, TT_ECONFIG,
                "optimizer.lr is not given: %s makes its own rates (optimizer.relative_step) and reads "
                "no schedule", rc->optim_cls->name);
        return run_config_blame(rc, e);
    }
    if (rc->train.max_steps == OPT_INT_UNSET && rc->sched_cls->factor &&
        !(code = pretrained_open(&start, rc, NULL, e)))
        code = dataset_peek(&rc->data, (uint64_t)rc->run.seed, &train, &eval, e);
    if (!code)
        code = run_length_of(rc, train.rows ? train.rows : rc->train.batch_size, &length, e);
    dataset_release(&train);
    dataset_release(&eval);
    pretrained_release(&start);
    return code ? code : sched_init(s, rc->sched_cls, &rc->sched, rc->sched_own, common->lr,
                                    length.max_steps, e);
}

/* On stderr, beside the table. */
static void print_warnings(const struct run_config *rc, const struct sched *s)
{
    char doubt[256];
    for (size_t i = 0; i < rc->warnings.n; i++)
        fprintf(stderr, "traintui: warning: %s\n", rc->warnings.s[i]);
    if (sched_doubt(s, doubt, sizeof doubt))
        fprintf(stderr, "traintui: warning: %s\n", doubt);
}

static void print_steps(const struct sched *s)
{
    printf("step\tlearning_rate\n");
    for (int64_t i = 0; i < s->args.total && !ferror(stdout); i++)
        printf("%lld\t%.17g\n", (long long)i + 1, sched_lr_at(s, i));
}

/* One metric a line; blank lines are passed over. */
static int replay(struct sched *s, bool larger, const char *path, struct err *e)
{
    char *text;
    size_t n;
    int code = file_read(path, 64 << 20, &text, &n, e);
    if (code)
        return code;
    struct strlist lines = STRLIST_INIT;
    strlist_split(&lines, text, '\n');
    free(text);
    printf("evaluation\tmetric\tlr_after\n");
    int64_t count = 0;
    for (size_t i = 0; !code && i < lines.n; i++) {
        double v;
        if (!*lines.s[i])
            continue;
        if (!str_to_f64(lines.s[i], &v))
            code = err_set(e, TT_EDATA, "%s:%zu: \"%s\" (a number)", path, i + 1, lines.s[i]);
        else {
            sched_observe(s, v, larger);
            printf("%lld\t%s\t%.17g\n", (long long)++count, lines.s[i], sched_lr(s));
        }
    }
    strlist_release(&lines);
    return code;
}

static int run(const struct cmd_args *a, struct err *e)
{
    struct run_config rc;
    struct sched s;
    int code = cmd_load_config(a, a->pos[0], &rc, e);
    if (code)
        return code;
    code = load_sched(&rc, &s, e);
    if (!code)
        print_warnings(&rc, &s);
    int metric = rc.eval.best ? metric_by_name(rc.eval.best, e) : METRIC_LOSS;
    if (!code && s.cls->factor) {
        if (a->metrics)
            code = err_set(e, TT_ECONFIG, "--metrics: %s follows no metric", s.cls->name);
        else
            print_steps(&s);
    } else if (!code && !a->metrics) {
        code = err_set(e, TT_ECONFIG, "%s follows a metric: --metrics FILE, one value per line",
                       s.cls->name);
    } else if (!code) {
        code = replay(&s, metric_descs[metric].larger, a->metrics, e);
    }
    run_config_release(&rc);
    return code;
}

const struct cmd cmd_schedule = {
    .name = "schedule",
    .synopsis = "FILE.ini [--set s.k=v]... [--metrics FILE]",
    .summary = "the learning rate of every step, as TSV",
    .flags = CMD_TAKES_SET | CMD_TAKES_METRICS,
    .min_pos = 1,
    .max_pos = 1,
    .run = run,
};
