/* Everything that can be wrong with a run is found here, before it has a directory or takes memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "engine/train/network_config.h"
#include "engine/train/text_setup.h"
#include "engine/train/trainer_state.h"

/* What the data and the options ask of each other. */
static int check_evaluation(struct trainer *t, struct err *e)
{
    const struct eval_opts *o = &t->rc.eval;
    enum problem problem = t->train.spec.problem;
    bool patient = o->early_stopping_patience != OPT_INT_UNSET;
    t->watch = o->best ? metric_by_name(o->best, e) : -1;
    t->patience_metric = t->watch >= 0 ? t->watch : METRIC_LOSS;
    const char *wants = o->best                    ? "eval.best"
                        : patient                  ? "eval.early_stopping_patience"
                        : !t->rc.sched_cls->factor ? t->rc.sched_cls->name
                                                   : NULL;
    if (wants && t->eval.rows == 0)
        return err_set(e, TT_ECONFIG, "%s needs evaluation rows (data.eval or data.eval_fraction)",
                       wants);
    if (wants && o->every.kind == EVERY_NO)
        return err_set(e, TT_ECONFIG, "%s needs evaluations, eval.every is no", wants);
    if (t->watch >= 0 && !(metric_descs[t->watch].problems >> problem & 1))
        return err_set(e, TT_ECONFIG, "eval.best: %s is no score of this data",
                       metric_descs[t->watch].name);
    if (o->average == AVERAGE_BINARY && problem == PROBLEM_CLASSES && t->train.spec.num_labels != 2)
        return err_set(e, TT_ECONFIG, "eval.average: binary needs two classes, the data has %d "
                       "(macro, micro or weighted)", t->train.spec.num_labels);
    return 0;
}

static int check_loss(struct trainer *t, struct err *e)
{
    static const char *const kinds[] = {[PROBLEM_REGRESSION] = "numbers to predict",
                                        [PROBLEM_MULTI_LABEL] = "several labels a row"};
    enum problem problem = t->train.spec.problem;
    if (problem == PROBLEM_CLASSES)
        return run_config_class_weights(&t->rc, t->train.spec.num_labels, &t->class_weight, e);
    if (t->rc.train.class_weights)
        return err_set(e, TT_ECONFIG, "train.class_weights needs classes, the data has %s",
                       kinds[problem]);
    if (t->rc.train.label_smoothing_factor > 0) {
        char text[128];
        snprintf(text, sizeof text, "train.label_smoothing_factor: the data has %s: not used",
                 kinds[problem]);
        strlist_add(&t->rc.warnings, text);
    }
    return 0;
}

/* The rows are in memory already. Without this the kernel would end the run, and not politely. */
static int check_memory(const struct memory_plan *p, struct err *e)
{
    char need[32], have[32];
    if (p->total_bytes <= p->free_bytes)
        return 0;
    return err_set(e, TT_ERESOURCE, "the run needs %s, %s are free (traintui plan says for what)",
                   str_bytes(need, sizeof need, (double)p->total_bytes),
                   str_bytes(have, sizeof have, (double)p->free_bytes));
}

/* The newest whole checkpoint of a run that goes on: it has a head and a vocabulary of its own. NULL: none;
 * caller frees. */
static char *own_checkpoint(const char *resume_path)
{
    int64_t *steps = NULL;
    int n = resume_path ? ckpt_list(resume_path, &steps, NULL) : 0;
    char *own = n ? ckpt_dir(resume_path, steps[n - 1]) : NULL;
    free(steps);
    return own;
}

static int load_data(struct trainer *t, const char *resume_path, struct err *e)
{
    char *own = own_checkpoint(resume_path);
    int code = pretrained_open(&t->start, &t->rc, own, e);
    if (!code)
        code = dataset_open(&t->rc.data, (uint64_t)t->rc.run.seed, &t->train, &t->eval, e);
    if (!code)
        code = pretrained_check(&t->start, &t->train, e);
    if (!code)
        code = checkpoint_note_data(t, e);
    if (!code)
        code = text_prepare(&t->rc, own, &t->train, &t->eval, &t->tokenizer, e);
    free(own);
    if (!code)
        code = plan_make(&t->plan, &t->rc, &t->train, &t->eval, e);
    if (!code)
        code = pretrained_fits(&t->start, &t->rc, &t->train, e);
    if (!code)
        code = check_memory(&t->plan, e);
    if (!code && (code = backend_check_name(t->rc.run.device, e)))
        err_prefix(e, "run.device: ");
    if (!code)
        code = check_evaluation(t, e);
    if (!code)
        code = check_loss(t, e);
    if (code == TT_ECONFIG)
        run_config_blame(&t->rc, e);
    t->length = t->plan.length;
    t->loss = (struct loss_rule){.problem = t->train.spec.problem,
                                 .smoothing = (float)t->rc.train.label_smoothing_factor,
                                 .class_weight = t->class_weight};
    return code;
}

/* The run lives where its directory lies, whatever its config says. */
static void name_run(struct trainer *t)
{
    char *dir = xstrndup(t->dir.path, strlen(t->dir.path) - strlen(t->dir.name) - 1);
    free(t->rc.run.name);
    free(t->rc.run.dir);
    t->rc.run.name = xstrdup(t->dir.name);
    t->rc.run.dir = *dir ? dir : xstrdup("/");
    if (!*dir)
        free(dir);
}

static int new_run(struct trainer *t, struct err *e)
{
    char *name;
    int code = rundir_choose(t->rc.run.dir, t->rc.run.name, t->rc.stem, &name, e);
    if (code)
        return code;
    code = rundir_create(&t->dir, t->rc.run.dir, name, e);
    free(name);
    if (code)
        return code;
    t->fresh_dir = true;
    name_run(t);
    char *config = file_join(t->dir.path, "config.ini");
    code = run_config_write(&t->rc, config, e);
    free(config);
    return code;
}

/* A run that was cut before it had a config has nothing to keep. */
static int compare_configs(struct trainer *t, struct err *e)
{
    char *path = file_join(t->dir.path, "config.ini");
    struct run_config old;
    bool none = !file_exists(path);
    int code = none ? 0 : run_config_load(&old, path, NULL, 0, t->rc.optims, e);
    if (!code && !none) {
        code = run_config_compare(&old, &t->rc, &t->rc.warnings, e);
        run_config_release(&old);
    }
    free(path);
    return code;
}

/* Did the run come to its end? Asked before the lock is ours: a run that is held is never over. */
static bool has_ended(const char *path, struct run_summary *last)
{
    char *final = file_join(path, "final");
    bool yes = !rundir_read_summary(path, last, NULL) && run_summary_over(last) && file_is_dir(final);
    free(final);
    return yes;
}

/* Without a whole checkpoint a run that has ended stays so, unless it is given more steps. */
static void resume_without(struct trainer *t, const struct run_summary *last)
{
    struct progress *p = &t->p;
    int64_t per_epoch = t->length.updates_per_epoch;
    p->over = t->ended && (last->step >= t->length.max_steps || last->step < last->max_steps);
    if (p->over) {
        p->step = last->step;
        p->epoch = last->step / per_epoch;
        p->micro = last->step % per_epoch * t->rc.train.gradient_accumulation_steps;
    } else {
        strlist_add(&t->rc.warnings, "no whole checkpoint: the run starts again from step 0");
    }
}

/* Lines of steps that the resumed run does again go, before anyone reads the file. */
static int cut_metrics(struct trainer *t, struct err *e)
{
    char *metrics = file_join(t->dir.path, "metrics.jsonl");
    int code = metrics_truncate(metrics, t->p.step, e);
    free(metrics);
    return code;
}

static int resumed_run(struct trainer *t, const char *path, struct err *e)
{
    struct run_summary last;
    t->ended = has_ended(path, &last);
    int code = rundir_open(&t->dir, path, e);
    if (code)
        return code;
    t->resumed = true;
    name_run(t);
    if ((code = compare_configs(t, e)))
        return code;
    int64_t *steps;
    struct strlist broken = STRLIST_INIT;
    int n = ckpt_list(t->dir.path, &steps, &broken);
    for (size_t i = 0; i < broken.n; i++) {
        char text[LOG_TEXT];
        snprintf(text, sizeof text, "checkpoint passed over: %s", broken.s[i]);
        strlist_add(&t->rc.warnings, text);
    }
    strlist_release(&broken);
    if (n > 0) {
        char *dir = ckpt_dir(t->dir.path, steps[n - 1]);
        code = checkpoint_read_state(t, dir, e);
        free(dir);
        t->saved_step = steps[n - 1];
    } else {
        resume_without(t, &last);
    }
    free(steps);
    return code ? code : cut_metrics(t, e);
}

static void start_progress(struct progress *p)
{
    p->best = p->last_loss = p->last_lr = p->last_norm = NAN;
    p->best_step = -1;
    for (int i = 0; i < METRIC_COUNT; i++) {
        p->best_values[i] = NAN;
        p->best_steps[i] = -1;
    }
}

int trainer_new(struct trainer **out, const struct run_config *rc, struct hub *hub,
                const char *resume_path, struct err *e)
{
    struct trainer *t = xcalloc(1, sizeof *t);
    t->hub = hub;
    t->saved_step = -1;
    t->dir.lock = -1;
    start_progress(&t->p);
    int code = run_config_copy(&t->rc, rc, e);
    if (!code)
        code = load_data(t, resume_path, e);
    if (!code)
        code = resume_path ? resumed_run(t, resume_path, e) : new_run(t, e);
    if (code && t->fresh_dir)
        trainer_discard(t);
    if (code)
        trainer_free(t);
    else
        *out = t;
    return code;
}

void trainer_discard(struct trainer *t)
{
    struct err ignored = ERR_INIT;
    if (t->fresh_dir)
        file_remove_tree(t->dir.path, &ignored);
}

void trainer_free(struct trainer *t)
{
    if (!t)
        return;
    rundir_close(&t->dir);
    plan_release(&t->plan);
    dataset_release(&t->train);
    dataset_release(&t->eval);
    pretrained_release(&t->start);
    tokenizer_free(t->tokenizer);
    free(t->class_weight);
    run_config_release(&t->rc);
    free(t);
}

const char *trainer_run_path(const struct trainer *t)
{
    return t->dir.path;
}

const struct memory_plan *trainer_plan(const struct trainer *t)
{
    return &t->plan;
}

const struct dataset *trainer_data(const struct trainer *t)
{
    return &t->train;
}

const struct dataset *trainer_eval_data(const struct trainer *t)
{
    return &t->eval;
}

/* Is the config's own folder a run directory? */
static char *own_run(const struct run_config *rc)
{
    if (!rc->ini.path || strcmp(file_base(rc->ini.path), "config.ini"))
        return NULL;
    char *absolute = file_absolute(rc->ini.path);
    absolute[strlen(absolute) - strlen("/config.ini")] = 0;
    char *metrics = file_join(absolute, "metrics.jsonl");
    bool is_run = file_exists(metrics);
    free(metrics);
    if (is_run)
        return absolute;
    free(absolute);
    return NULL;
}

int trainer_find_resume(const struct run_config *rc, char **path, struct err *e)
{
    *path = own_run(rc);
    if (!*path && rc->run.name)
        return rundir_resolve(rc->run.dir, rc->run.name, path, e);
    if (!*path)
        *path = rundir_newest(rc->run.dir, rc->stem, true);
    if (!*path)
        *path = rundir_newest(rc->run.dir, rc->stem, false);
    return *path ? 0
                 : err_set(e, TT_ECONFIG,
                           "no run of %s in %s to resume (start one without --resume)", rc->stem,
                           rc->run.dir);
}

int trainer_find_weights(const struct run_config *rc, char **path, struct err *e)
{
    *path = own_run(rc);
    if (!*path && rc->run.name)
        return rundir_resolve(rc->run.dir, rc->run.name, path, e);
    if (!*path)
        *path = rundir_newest(rc->run.dir, rc->stem, false);
    if (!*path && rc->model.pretrained)
        *path = file_absolute(rc->model.pretrained);
    return *path ? 0
                 : err_set(e, TT_ECONFIG, "no run of %s in %s, and no model.pretrained (train it first)",
                           rc->stem, rc->run.dir);
}
