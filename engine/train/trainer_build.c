/* A run's memory, taken on the thread that computes: device, weights, states, tape, loader, files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/sys.h"
#include "engine/train/trainer_state.h"

static int build_network(struct trainer *t, struct err *e)
{
    struct data_spec spec;
    char warning[256];
    int threads = sys_threads(t->rc.run.threads == OPT_INT_UNSET ? 0 : t->rc.run.threads, warning,
                              sizeof warning);
    if (*warning)
        strlist_add(&t->rc.warnings, warning);
    int code = accelerator_open(&t->acc, t->rc.run.device, threads, (uint64_t)t->rc.run.seed,
                                (size_t)t->plan.activation_bytes, e);
    if (code || (code = spec_of_run(&t->rc, &t->train, &spec, &t->names, e)) ||
        (code = network_from_config(&t->net, &t->acc.be, &t->rc, &spec, e)) ||
        (code = network_alloc(&t->net, t->rc.optim_cls, t->rc.optim_own, e)))
        return code;
    const struct optim_common *common = t->rc.optim_own;
    return sched_init(&t->net.sched, t->rc.sched_cls, &t->rc.sched, t->rc.sched_own, common->lr,
                      t->length.max_steps, e);
}

/* Initial weights: the seed's, or those of a model directory. */
static int start_weights(struct trainer *t, struct err *e)
{
    uint64_t seed = (uint64_t)t->rc.run.seed;
    bool keep_head = pretrained_keeps_head(&t->start, &t->train);
    if (t->start.dir)
        return pretrained_load(&t->start, &t->net, keep_head, seed, e);
    for (int i = 0; i < t->net.ps.nseg; i++)
        param_fill(&t->net.ps, i, seed);
    return 0;
}

static int restore(struct trainer *t, struct err *e)
{
    if (t->saved_step < 0)
        return start_weights(t, e);
    char *dir = ckpt_dir(t->dir.path, t->saved_step);
    int code = checkpoint_load(t, dir, e);
    free(dir);
    t->acc.micro = (uint64_t)t->p.micro_total;
    /* A run that had used up its steps goes on when it is given more. */
    if (t->p.over && t->p.step < t->length.max_steps && !patience_is_over(t))
        t->p.over = false;
    if (t->p.step >= t->length.max_steps)
        t->p.over = true;
    return code;
}

static void start_loader(struct trainer *t)
{
    struct loader_opts o = {.batch_size = (int)t->rc.train.batch_size,
                            .accumulation = (int)t->rc.train.gradient_accumulation_steps,
                            .shuffle = t->rc.train.shuffle,
                            .drop_last = t->rc.train.drop_last,
                            .group_by_length = t->rc.train.group_by_length,
                            .seed = (uint64_t)t->rc.run.seed,
                            .epoch = t->p.epoch,
                            .micro = t->p.micro,
                            .endless = true,
                            .class_weight = t->class_weight};
    t->loader = loader_new(&t->train, &o);
}

static void describe(struct trainer *t)
{
    struct run_status *s = &t->st;
    str_copy(s->name, sizeof s->name, t->dir.name);
    str_copy(s->model, sizeof s->model, t->rc.model_cls->name);
    str_copy(s->optimizer, sizeof s->optimizer, t->rc.optim_cls->name);
    str_copy(s->schedule, sizeof s->schedule, t->rc.sched_cls->name);
    str_copy(s->device, sizeof s->device, t->acc.be.cls->name);
    if (t->watch >= 0)
        str_copy(s->best_metric, sizeof s->best_metric, metric_descs[t->watch].name);
    s->eval_seconds = s->save_seconds = NAN;
    s->params_bytes = s->grads_bytes = (int64_t)(t->net.ps.n * sizeof(float));
    s->state_bytes = (int64_t)t->net.optim.bytes;
    s->activation_bytes = t->plan.activation_bytes;
    s->workspace_bytes = t->plan.workspace_bytes;
    double batches = (double)t->length.batches;
    s->epoch = (double)t->p.epoch + (double)t->p.micro / batches;
}

static void say_start(struct trainer *t)
{
    char bytes[32], a[32], b[32], c[32];
    log_set_step(t->p.step > 0 ? t->p.step : -1);
    for (size_t i = 0; i < t->rc.warnings.n; i++)
        log_line(LOG_WARN, "%s", t->rc.warnings.s[i]);
    if (*t->train.note)
        log_line(LOG_WARN, "%s", t->train.note);
    if (*t->eval.note)
        log_line(LOG_WARN, "%s", t->eval.note);
    log_line(LOG_INFO, "%s: %s parameters in %d tensors, %s, %s train rows, %s eval rows",
             t->rc.model_cls->name, str_commas(a, sizeof a, t->plan.parameters), t->plan.tensors,
             t->acc.be.cls->name, str_commas(b, sizeof b, t->train.rows),
             str_commas(c, sizeof c, t->eval.rows));
    str_bytes(bytes, sizeof bytes, (double)t->net.optim.bytes);
    str_commas(a, sizeof a, t->length.max_steps);
    if (isnan(t->net.sched.args.base_lr))
        log_line(LOG_INFO, "%s: %s of state; makes its own rates for %s steps, reads no schedule",
                 t->rc.optim_cls->name, bytes, a);
    else
        log_line(LOG_INFO, "%s: %s of state; schedule %s: warm-up %s of %s steps, peak %.2e",
                 t->rc.optim_cls->name, bytes, t->rc.sched_cls->name,
                 str_commas(b, sizeof b, t->net.sched.args.warmup), a, t->net.sched.args.base_lr);
    char doubt[LOG_TEXT];
    if (sched_doubt(&t->net.sched, doubt, sizeof doubt))
        log_line(LOG_WARN, "%s", doubt);
    if (t->start.dir && !t->resumed)
        pretrained_say(&t->start, &t->net.model.spec);
    if (t->resumed)
        log_line(LOG_INFO, "resumed at step %lld", (long long)t->p.step);
}

static int write_config(const struct trainer *t, struct err *e)
{
    char *path = file_join(t->dir.path, "config.ini");
    int code = run_config_write(&t->rc, path, e);
    free(path);
    return code;
}

int trainer_build(struct trainer *t, struct err *e)
{
    t->session_start = t->window_start = sys_now();
    int code = build_network(t, e);
    if (code || (code = restore(t, e)))
        return code;
    describe(t);
    metrics_init(&t->metrics, t->loss.problem, t->net.model.spec.num_labels, t->eval.rows);
    t->report = eval_report_new(t->loss.problem, t->net.model.spec.num_labels, t->eval.rows);
    hub_report_init(t->hub, t->report);
    if ((code = report_open(t, e)) || (code = write_config(t, e)))
        return code;
    say_start(t);
    if (t->p.over)
        return 0;
    if (file_size(t->metrics_out.path) == 0)
        report_description(t);
    report_summary(t, "training");
    start_loader(t);
    t->session_start = t->window_start = sys_now();
    report_status(t, RUN_TRAINING);
    return 0;
}

int trainer_save_model(struct trainer *t, const char *dir, struct err *e)
{
    int code = model_dir_save(dir, &t->net, &t->rc, &t->start.config, e);
    return code || !t->tokenizer ? code : tokenizer_save(t->tokenizer, dir, e);
}

void trainer_teardown(struct trainer *t)
{
    report_close(t);
    loader_free(t->loader);
    t->loader = NULL;
    metrics_release(&t->metrics);
    eval_report_free(t->report);
    t->report = NULL;
    network_release(&t->net);
    spec_names_release(&t->names);
    accelerator_close(&t->acc);
}
