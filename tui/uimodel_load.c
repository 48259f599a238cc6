/* A run directory as a model: the series of metrics.jsonl, the lines of log.txt, the config, and
 * a status that says how the run ended. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/metrics_file.h"
#include "engine/io/rundir.h"
#include "tui/series_reader.h"
#include "tui/uimodel.h"

#define LOG_LIMIT ((size_t)1 << 28)

/* ---- metrics.jsonl -------------------------------------------------------------------------- */

static void read_status(const struct series_reader *r, struct run_status *s)
{
    if (r->step > s->step)
        s->step = r->step;
    if (r->epoch > s->epoch)
        s->epoch = r->epoch;
    s->loss = r->loss;
    s->lr = r->lr;
    s->grad_norm = r->grad_norm;
    s->samples_per_second = r->samples_per_second;
    s->tokens_per_second = r->tokens_per_second;
    if (r->samples_per_second > 0 && r->rows_per_step > 0)
        s->step_seconds = r->rows_per_step / r->samples_per_second;
    s->train_seconds = r->seconds;
}

static int read_line(void *user, const struct metrics_value *v, int n)
{
    series_reader_line(user, v, n);
    return 0;
}

/* The line that describes the run; NULL when it can't be read. */
static json_t *description(const char *path)
{
    FILE *f = fopen(path, "r");
    json_t *object = f ? json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    if (f)
        fclose(f);
    return object;
}

static int64_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

int uimodel_read_series(struct uimodel *m, const char *run_path, struct err *e)
{
    char *path = file_join(run_path, "metrics.jsonl");
    struct series_reader r;
    struct run_about about;
    int code = 0;
    series_reader_init(&r, m->series, run_about_read(&about, path) ? &about : NULL);
    if (file_exists(path))
        code = metrics_read(path, read_line, &r, e);
    read_status(&r, &m->st);
    free(path);
    return code;
}

/* ---- log.txt -------------------------------------------------------------------------------- */

static bool parse_kind(const char *name, enum log_kind *kind)
{
    for (enum log_kind k = 0; k < LOG_KINDS; k++)
        if (!strcmp(log_kind_name(k), name)) {
            *kind = k;
            return true;
        }
    return false;
}

/* "2026-01-31 14:02:13 500 eval loss 0.3214" */
static bool parse_log(const char *text, struct log_line *l)
{
    struct tm tm = {.tm_isdst = -1};
    char step[24], kind[16];
    int at = 0;
    if (sscanf(text, "%d-%d-%d %d:%d:%d %23s %15s %n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
               &tm.tm_hour, &tm.tm_min, &tm.tm_sec, step, kind, &at) != 8)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    l->time = mktime(&tm);
    if (!str_to_i64(step, &l->step))
        l->step = -1;
    str_copy(l->text, sizeof l->text, text + at);
    return parse_kind(kind, &l->kind);
}

static int read_log(struct uimodel *m, const char *run_path, struct err *e)
{
    char *path = file_join(run_path, "log.txt"), *text = NULL;
    size_t n;
    int code = file_exists(path) ? file_read(path, LOG_LIMIT, &text, &n, e) : 0;
    int64_t first = 0;
    char *rest = text;
    for (char *line; !code && (line = strsep(&rest, "\n"));) {
        struct log_line l;
        if (!parse_log(line, &l))
            continue;
        first = first ? first : l.time;
        uimodel_add_log(m, &l, (double)(l.time - first));
        if (l.kind == LOG_ERROR)
            str_copy(m->st.error, sizeof m->st.error, l.text);
    }
    free(text);
    free(path);
    return code;
}

/* ---- config, plan, status ------------------------------------------------------------------- */

static int read_config(struct uimodel *m, const char *run_path,
                       const struct optim_class *const *optims, struct err *e)
{
    char *path = file_join(run_path, "config.ini");
    struct run_config *rc = xcalloc(1, sizeof *rc);
    int code = run_config_load(rc, path, NULL, 0, optims, e);
    free(path);
    if (code) {
        free(rc);
        return code;
    }
    m->rc = m->own_rc = rc;
    return 0;
}

/* What the describing line alone tells of memory, where the data is no longer there to plan
 * with. */
static void plan_from_description(struct memory_plan *p, const json_t *about)
{
    const char *name;
    json_t *value;
    memset(p, 0, sizeof *p);
    p->parameters = number(about, "parameters");
    p->tensors = 0; /* their names are not known */
    p->weight_bytes = p->gradient_bytes = 4 * p->parameters;
    json_object_foreach(json_object_get(about, "optimizer_state_bytes"), name, value) {
        if (p->nstate == PLAN_STATES)
            break;
        struct plan_row *row = &p->state[p->nstate++];
        str_copy(row->name, sizeof row->name, name);
        row->bytes = json_integer_value(value);
        p->state_bytes += row->bytes;
    }
    p->total_bytes = p->weight_bytes + p->gradient_bytes + p->state_bytes;
}

static void read_plan(struct uimodel *m, const char *run_path)
{
    struct dataset train = {0}, eval = {0};
    struct memory_plan plan;
    struct err ignored = ERR_INIT;
    char *path = file_join(run_path, "metrics.jsonl");
    json_t *about = description(path);
    int code = dataset_peek(&m->rc->data, (uint64_t)m->rc->run.seed, &train, &eval, &ignored);
    if (!code)
        code = plan_make(&plan, m->rc, &train, &eval, &ignored);
    if (code)
        plan_from_description(&plan, about);
    uimodel_start(m, m->rc, plan.parameters ? &plan : NULL, code ? NULL : &train);
    m->st.params_bytes = m->st.grads_bytes = plan.weight_bytes;
    m->st.state_bytes = plan.state_bytes;
    m->st.activation_bytes = plan.activation_bytes;
    m->st.workspace_bytes = plan.workspace_bytes;
    m->st.steps_per_epoch = number(about, "steps_per_epoch");
    plan_release(&plan);
    dataset_release(&train);
    dataset_release(&eval);
    json_decref(about);
    free(path);
}

static enum run_state state_by_name(const char *name)
{
    if (!strcmp(name, "early"))
        return RUN_FINISHED;
    for (enum run_state s = RUN_FINISHED; s <= RUN_FAILED; s++)
        if (!strcmp(name, run_state_name(s)))
            return s;
    return !strcmp(name, "training") ? RUN_TRAINING
                                     : RUN_STOPPED; /* killed: no more than stopped */
}

/* The best of each metric, from its points. */
static void find_best(struct uimodel *m)
{
    struct run_status *s = &m->st;
    for (int k = 0; k < METRIC_COUNT; k++) {
        const struct history *h = uimodel_metric(m, k);
        bool larger = metric_descs[k].larger;
        s->best_values[k] = larger ? h->max : h->min;
        s->best_steps[k] = larger ? h->max_step : h->min_step;
        int64_t evals = h->points + h->nonfinite;
        if (evals > s->evals)
            s->evals = evals;
    }
    if (m->series[SERIES_EVAL_FIRST + METRIC_MSE].points)
        m->problem = PROBLEM_REGRESSION;
}

static void fill_status(struct uimodel *m, const char *run_path, const struct run_summary *sum)
{
    struct run_status *s = &m->st;
    int64_t *steps;
    s->state = state_by_name(sum->state);
    str_copy(s->name, sizeof s->name, sum->name);
    str_copy(m->path, sizeof m->path, run_path);
    str_copy(s->model, sizeof s->model, sum->model);
    str_copy(s->optimizer, sizeof s->optimizer, sum->optimizer);
    str_copy(s->schedule, sizeof s->schedule, m->rc->sched_cls->name);
    str_copy(s->best_metric, sizeof s->best_metric, sum->best_metric);
    s->step = sum->step > s->step ? sum->step : s->step;
    s->max_steps = sum->max_steps;
    s->epochs = s->steps_per_epoch > 0 ? (double)s->max_steps / (double)s->steps_per_epoch : 0;
    s->max_grad_norm = m->rc->train.max_grad_norm;
    s->lr_scale = m->rc->sched.scale;
    s->loss_ema = m->series[SERIES_LOSS].ema95;
    s->nonfinite = m->series[SERIES_LOSS].nonfinite;
    find_best(m);
    int best = *s->best_metric ? metric_by_name(s->best_metric, NULL) : -1;
    if (best >= 0) {
        s->best = s->best_values[best];
        s->best_step = s->best_steps[best];
    }
    int n = ckpt_list(run_path, &steps, NULL);
    s->saved_step = n > 0 ? steps[n - 1] : -1;
    free(steps);
}

int uimodel_load(struct uimodel *m, const char *run_path,
                 const struct optim_class *const *optims, struct err *e)
{
    struct run_summary sum;
    int code = rundir_read_summary(run_path, &sum, e);
    if (!code)
        code = read_config(m, run_path, optims, e);
    if (!code)
        code = uimodel_read_series(m, run_path, e);
    if (!code)
        code = read_log(m, run_path, e);
    if (code)
        return code;
    read_plan(m, run_path);
    fill_status(m, run_path, &sum);
    uimodel_follow_schedule(m);
    m->live = false;
    m->eta = run_state_over(m->st.state) ? 0 : NAN;
    m->text = m->st;
    return 0;
}
