/* What a run tells: samples and status to the hub, lines to metrics.jsonl and log.txt, scalars to the
 * event file. No heap call in a step. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/file.h"
#include "engine/base/sys.h"
#include "engine/train/trainer_state.h"

#define EMA 0.95

/* One line of log.txt: date, time, step or a dash, kind, text, parted by single blanks. */
static void log_sink(void *user, const struct log_line *l)
{
    struct trainer *t = user;
    char text[LOG_TEXT + 80], step[24] = "-";
    time_t at = (time_t)l->time;
    struct tm tm;
    localtime_r(&at, &tm);
    if (l->step >= 0)
        snprintf(step, sizeof step, "%lld", (long long)l->step);
    size_t n = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S ", &tm);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s %s %s", step, log_kind_name(l->kind),
                          l->text);
    appender_line(&t->log_out, text, n < sizeof text ? n : sizeof text - 1);
    hub_log(t->hub, l);
}

static int open_at(struct appender *a, const char *dir, const char *name, struct err *e)
{
    char *path = file_join(dir, name);
    int code = appender_open(a, path, e);
    free(path);
    return code;
}

int report_open(struct trainer *t, struct err *e)
{
    int code = open_at(&t->metrics_out, t->dir.path, "metrics.jsonl", e);
    if (code)
        return code;
    if ((code = open_at(&t->log_out, t->dir.path, "log.txt", e))) {
        appender_close(&t->metrics_out);
        return code;
    }
    if (t->rc.log.tensorboard && !(code = tb_open(&t->tb, t->dir.path, e)))
        t->have_tb = true;
    log_set_sink(log_sink, t);
    return code;
}

void report_close(struct trainer *t)
{
    log_set_sink(NULL, NULL);
    appender_close(&t->metrics_out);
    appender_close(&t->log_out);
    if (t->have_tb)
        tb_close(&t->tb);
    t->have_tb = false;
}

/* A file that can't be grown any more is told once; the run goes on, and its end tells it again. */
static void check_writer(struct trainer *t, struct appender *a)
{
    if (appender_error(a, &t->failure))
        report_message(t, true, "%s", a->err.msg);
}

static void send_line(struct trainer *t)
{
    const char *text = json_end(&t->json);
    appender_line(&t->metrics_out, text, t->json.n);
    hub_line(t->hub, text, t->json.n);
    check_writer(t, &t->metrics_out);
}

void report_description(struct trainer *t)
{
    struct json_line *l = &t->json;
    const struct memory_plan *p = &t->plan;
    json_begin(l);
    json_str(l, "run", t->dir.name);
    json_str(l, "model", t->rc.model_cls->name);
    json_i64(l, "parameters", p->parameters);
    json_i64(l, "tensors", p->tensors);
    json_str(l, "optimizer", t->rc.optim_cls->name);
    json_open_object(l, "optimizer_state_bytes");
    for (int i = 0; i < p->nstate; i++)
        json_i64(l, p->state[i].name, p->state[i].bytes);
    json_close(l, '}');
    json_str(l, "schedule", t->rc.sched_cls->name);
    json_i64(l, "max_steps", t->length.max_steps);
    json_i64(l, "steps_per_epoch", t->length.updates_per_epoch);
    json_i64(l, "train_rows", t->train.rows);
    json_i64(l, "eval_rows", t->eval.rows);
    json_i64(l, "seed", t->rc.run.seed);
    send_line(t);
}

static void sample(struct trainer *t, int series, double value)
{
    struct sample s = {.series = series, .step = t->p.step, .epoch = t->st.epoch,
                       .seconds = t->p.train_seconds, .value = value};
    hub_sample(t->hub, &s);
}

static void event(struct trainer *t, const char *tag, double value)
{
    if (!t->have_tb)
        return;
    tb_scalar(&t->tb, t->p.step, sys_unix_f(), tag, value);
    check_writer(t, &t->tb.out);
}

static void train_line(struct trainer *t)
{
    struct progress *p = &t->p;
    struct json_line *l = &t->json;
    double now = sys_now(), took = now - t->window_start;
    double loss = p->window_updates ? p->window_loss / (double)p->window_updates : NAN;
    double rate = took > 0 ? (double)p->window_samples / took : NAN;
    json_begin(l);
    json_i64(l, "step", p->step);
    json_f64(l, "epoch", t->st.epoch);
    json_f64(l, "loss", loss);
    json_f64(l, "learning_rate", p->last_lr);
    json_f64(l, "grad_norm", p->last_norm);
    json_f64(l, "samples_per_second", rate);
    if (p->window_tokens)
        json_f64(l, "tokens_per_second", (double)p->window_tokens / took);
    json_i64(l, "skipped", p->skipped);
    send_line(t);
    event(t, "train/loss", loss);
    event(t, "train/learning_rate", p->last_lr);
    event(t, "train/grad_norm", p->last_norm);
    event(t, "train/samples_per_second", rate);
    p->window_loss = 0;
    p->window_updates = p->window_samples = p->window_tokens = 0;
    t->window_start = now;
}

static void keep_loss(struct progress *p, double loss)
{
    p->loss_ema = EMA * p->loss_ema + (1 - EMA) * loss;
    p->loss_weight = EMA * p->loss_weight + (1 - EMA);
    p->window_loss += loss;
    p->window_updates++;
}

void report_step(struct trainer *t, const struct step_info *info)
{
    struct progress *p = &t->p;
    p->last_loss = info->loss;
    p->last_lr = info->lr;
    p->last_norm = info->grad_norm;
    if (!info->skipped)
        keep_loss(p, info->loss);
    log_set_step(p->step);
    sample(t, SERIES_LOSS, info->loss);
    sample(t, SERIES_LR, info->lr);
    sample(t, SERIES_GRAD_NORM, info->grad_norm);
    if (every_due(&t->rc.log.every, p->step, t->length.updates_per_epoch) ||
        (p->step == t->length.max_steps && t->rc.log.every.kind != EVERY_NO))
        train_line(t);
}

void report_evaluation(struct trainer *t, bool best)
{
    const struct eval_report *r = t->report;
    struct json_line *l = &t->json;
    struct strbuf text = STRBUF_INIT;
    json_begin(l);
    json_i64(l, "step", r->step);
    json_f64(l, "epoch", r->epoch);
    for (int i = 0; i < METRIC_COUNT; i++) {
        const struct metric_desc *d = &metric_descs[i];
        if (!d->logged || !(d->problems >> r->problem & 1))
            continue;
        if (i == METRIC_LOSS_SMOOTHED && isnan(r->value[i]))
            continue;
        if (i == METRIC_F1_BINARY && (r->problem != PROBLEM_CLASSES || r->n != 2))
            continue;
        json_f64(l, d->series, r->value[i]);
        sample(t, SERIES_EVAL_FIRST + i, r->value[i]);
        char tag[64];
        snprintf(tag, sizeof tag, "eval/%s", d->name);
        event(t, tag, r->value[i]);
        if (i == METRIC_LOSS || i == METRIC_ACCURACY || i == METRIC_F1 || i == METRIC_PEARSON)
            strbuf_addf(&text, "%s%s %.4f", text.len ? "  " : "", d->name, r->value[i]);
    }
    json_i64(l, "eval_samples", r->rows);
    json_f64(l, "eval_runtime", r->seconds);
    if (r->undefined) {
        json_open_array(l, "eval_undefined");
        for (int i = 0; i < METRIC_COUNT; i++)
            if (r->undefined >> i & 1)
                json_str(l, NULL, metric_descs[i].name);
        json_close(l, ']');
    }
    send_line(t);
    hub_report(t->hub, r);
    log_line(LOG_EVAL, "%s%s", text.s ? text.s : "", best ? "  best" : "");
    strbuf_release(&text);
}

static void fill_times(struct trainer *t)
{
    struct run_status *s = &t->st;
    const struct step_means *m = &s->means[STEP_WINDOW_TOLD];
    for (int w = 0; w < STEP_WINDOWS; w++)
        step_times_means(&t->times, w, &s->means[w]);
    memcpy(s->phase_seconds, m->phase_seconds, sizeof s->phase_seconds);
    s->timed_steps = t->times.n;
    s->step_seconds = m->step_seconds;
    s->samples_per_second = m->samples_per_second;
    s->tokens_per_second = m->tokens_per_second;
}

static int64_t times_left(const struct every *v, const struct trainer *t)
{
    int64_t n = every_steps(v, t->length.updates_per_epoch);
    if (!n)
        return 0;
    int64_t left = t->length.max_steps / n - t->p.step / n;
    return left + (t->length.max_steps % n != 0);
}

void report_status(struct trainer *t, enum run_state state)
{
    struct run_status *s = &t->st;
    const struct progress *p = &t->p;
    s->state = state;
    s->step = p->step;
    s->loss = p->last_loss;
    s->loss_ema = p->loss_weight > 0 ? p->loss_ema / p->loss_weight : NAN;
    s->lr = p->last_lr;
    s->grad_norm = p->last_norm;
    s->max_grad_norm = t->rc.train.max_grad_norm;
    s->lr_scale = t->rc.sched.scale;
    s->max_steps = t->length.max_steps;
    s->steps_per_epoch = t->length.updates_per_epoch;
    s->epochs = t->length.epochs;
    s->train_seconds = p->train_seconds;
    s->session_seconds = sys_now() - t->session_start - t->paused_seconds;
    bool evaluates = t->eval.rows > 0;
    s->next_eval = evaluates ? every_next(&t->rc.eval.every, p->step, s->steps_per_epoch,
                                          s->max_steps) : -1;
    s->next_save = every_next(&t->rc.checkpoint.every, p->step, s->steps_per_epoch, s->max_steps);
    s->evals_left = evaluates ? times_left(&t->rc.eval.every, t) : 0;
    s->saves_left = times_left(&t->rc.checkpoint.every, t);
    s->checkpoint_interval = every_steps(&t->rc.checkpoint.every, s->steps_per_epoch);
    s->saved_step = t->saved_step;
    s->skipped = p->skipped;
    s->nonfinite = p->nonfinite;
    s->best = p->best;
    s->best_step = p->best_step;
    s->evals = p->evals;
    memcpy(s->best_values, p->best_values, sizeof s->best_values);
    memcpy(s->best_steps, p->best_steps, sizeof s->best_steps);
    fill_times(t);
    hub_publish(t->hub, s);
}

void report_message(struct trainer *t, bool bad, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(t->st.message, sizeof t->st.message, fmt, ap);
    va_end(ap);
    t->st.message_id++;
    t->st.message_bad = bad;
    if (bad)
        log_line(LOG_ERROR, "%s", t->st.message);
}

void report_summary(struct trainer *t, const char *state)
{
    struct run_summary s = {.best = t->p.best, .step = t->p.step, .max_steps = t->length.max_steps,
                            .mtime = sys_unix()};
    str_copy(s.name, sizeof s.name, t->dir.name);
    str_copy(s.config, sizeof s.config, t->rc.stem);
    str_copy(s.state, sizeof s.state, state);
    str_copy(s.optimizer, sizeof s.optimizer, t->rc.optim_cls->name);
    str_copy(s.model, sizeof s.model, t->rc.model_cls->name);
    if (t->watch >= 0)
        str_copy(s.best_metric, sizeof s.best_metric, metric_descs[t->watch].name);
    struct err e = ERR_INIT;
    if (rundir_write_summary(&t->dir, &s, &e))
        report_message(t, true, "%s", e.msg);
}
