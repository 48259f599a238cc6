/* The loop: one group of micro-batches after the other, and at each step border what is due. */
#include "engine/train/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/sys.h"
#include "engine/train/trainer_state.h"

/* Forward and backward of one micro-batch. */
static int train_batch(struct trainer *t, const struct batch *b, struct err *e)
{
    struct tape *tape = accelerator_begin(&t->acc, true);
    struct tensor *logits = model_logits(&t->net.model, tape, b);
    return accelerator_backward(&t->acc, &t->net, loss_of_group(tape, logits, b, &t->loss), e);
}

/* Where the run stands after batch `b`. */
static void move_on(struct trainer *t, const struct batch *b)
{
    struct progress *p = &t->p;
    p->epoch = b->epoch;
    p->micro = b->micro + 1;
    if (p->micro == t->length.batches) {
        p->epoch++;
        p->micro = 0;
    }
    t->st.epoch = (double)b->epoch + (double)(b->micro + 1) / (double)t->length.batches;
}

static void count_group(struct trainer *t, const struct batch *b, struct step_time *time)
{
    t->p.window_samples += b->n;
    t->p.window_tokens += b->tokens;
    time->samples += b->n;
    time->tokens += b->tokens;
}

/* All micro-batches of one update. A group without a labelled row makes no forward (decision D14). */
static int train_group(struct trainer *t, struct step_time *time, struct err *e)
{
    const struct batch *b;
    do {
        b = loader_next(t->loader, &t->acc.phase[PHASE_DATA]);
        if (b->group_labelled > 0) {
            int code = train_batch(t, b, e);
            if (code)
                return code;
        }
        count_group(t, b, time);
        move_on(t, b);
    } while (b->group_at + 1 < b->group_n);
    t->p.micro_total = (int64_t)t->acc.micro;
    return 0;
}

static void count_skipped(struct progress *p, const struct step_info *info)
{
    p->skipped += info->skipped;
    p->nonfinite += info->nonfinite;
    p->streak = info->nonfinite ? p->streak + 1 : 0;
}

/* printf knows a -nan, which means nothing to anybody. */
static double unsigned_nan(double v)
{
    return isnan(v) ? (double)NAN : v;
}

/* Decision D5: a skipped update is counted and said; too many with nan or inf in a row end the run. */
static int judge_step(struct trainer *t, const struct step_info *info, struct err *e)
{
    const struct progress *p = &t->p;
    if (!info->nonfinite) {
        if (info->skipped)
            log_line(LOG_WARN, "no labelled row in this update: skipped");
        return 0;
    }
    t->st.bad_from = p->step - p->streak + 1;
    t->st.bad_to = p->step;
    log_line(LOG_WARN, "loss %g, gradient norm %g: update skipped", unsigned_nan(info->loss),
             unsigned_nan(info->grad_norm));
    if (p->streak < t->rc.train.max_nonfinite)
        return 0;
    return err_set(e, TT_EDIVERGED, "loss %g at steps %lld to %lld: train.max_nonfinite %lld reached",
                   unsigned_nan(info->loss), (long long)t->st.bad_from, (long long)t->st.bad_to,
                   (long long)t->rc.train.max_nonfinite);
}

static void keep_times(struct trainer *t, struct step_time *time, double took)
{
    double rest = took;
    for (int k = 0; k < PHASE_OTHER; k++)
        rest -= t->acc.phase[k];
    memcpy(time->phase, t->acc.phase, sizeof time->phase);
    time->phase[PHASE_OTHER] = rest > 0 ? rest : 0;
    time->seconds = took;
    step_times_add(&t->times, time);
    t->p.train_seconds += took;
}

static int one_step(struct trainer *t, struct err *e)
{
    struct step_info info;
    struct step_time time = {0};
    double start = sys_now();
    accelerator_clear_times(&t->acc);
    int code = train_group(t, &time, e);
    if (code)
        return code;
    accelerator_step(&t->acc, &t->net, t->rc.train.max_grad_norm, &info);
    t->p.step++;
    keep_times(t, &time, sys_now() - start);
    count_skipped(&t->p, &info);
    report_step(t, &info);
    return judge_step(t, &info, e);
}

/* A checkpoint that can't be written is told and does not end the run; the end reports it again. */
static void save(struct trainer *t)
{
    if (t->saved_step == t->p.step)
        return;
    struct err e = ERR_INIT;
    report_status(t, RUN_SAVING);
    double start = sys_now();
    int code = checkpoint_save(t, &e);
    if (!code)
        report_summary(t, "training");
    t->window_start += sys_now() - start;
    if (code) {
        t->failure = e;
        report_message(t, true, "%s", e.msg);
    } else {
        char bytes[32];
        report_message(t, false, "saved step-%lld, %s", (long long)t->p.step,
                       str_bytes(bytes, sizeof bytes, (double)t->st.saved_bytes));
    }
}

/* Before anything is saved: a checkpoint knows whether its run is over. */
static void look_at_patience(struct trainer *t)
{
    if (!patience_is_over(t) || t->p.step >= t->length.max_steps)
        return;
    log_line(LOG_INFO, "stopped early: %lld evaluations without a better %s",
             (long long)t->p.bad_evals, metric_descs[t->patience_metric].name);
    t->p.over = true;
}

static int evaluate_now(struct trainer *t, bool scheduled, struct err *e)
{
    int64_t best_step = t->p.best_step;
    report_status(t, RUN_EVALUATING);
    double start = sys_now();
    int code = evaluate(t, scheduled, e);
    t->window_start += sys_now() - start;
    if (code == TT_ESTOPPED) {
        t->want_stop_now = true;
        return 0;
    }
    if (!code && scheduled)
        look_at_patience(t);
    if (!code && t->p.best_step != best_step)
        save(t);
    return code;
}

int trainer_serve(struct trainer *t, struct err *e)
{
    int code = 0;
    if (t->want_eval && t->eval.rows > 0)
        code = evaluate_now(t, false, e);
    if (!code && t->want_save)
        save(t);
    t->want_eval = t->want_save = false;
    return code;
}

/* What is due after step p->step: evaluate, decide the best, save. */
static int step_border(struct trainer *t, struct err *e)
{
    struct progress *p = &t->p;
    int64_t per_epoch = t->length.updates_per_epoch;
    const struct every *ev = &t->rc.eval.every, *ck = &t->rc.checkpoint.every;
    bool last = p->step >= t->length.max_steps;
    if (t->eval.rows > 0 && ev->kind != EVERY_NO && (last || every_due(ev, p->step, per_epoch))) {
        int code = evaluate_now(t, true, e);
        if (code || t->want_stop_now) /* cut short: a resume has to evaluate this step again */
            return code;
    }
    p->over |= last;
    if (ck->kind != EVERY_NO && (p->over || every_due(ck, p->step, per_epoch)))
        save(t);
    return 0;
}

static int train(struct trainer *t, struct err *e)
{
    while (!t->p.over) {
        commands_handle(t);
        int code = trainer_serve(t, e);
        if (code)
            return code;
        if (t->want_stop_now || t->want_stop)
            break;
        code = one_step(t, e);
        if (!code)
            code = step_border(t, e);
        if (code)
            return code;
        report_status(t, RUN_TRAINING);
    }
    if (t->p.over)
        return 0;
    report_status(t, RUN_STOPPING);
    if (t->want_stop_now)
        return err_set(e, TT_EFAIL, "stopped at step %lld%s", (long long)t->p.step,
                       t->saved_step == t->p.step ? ", which is saved" : " without saving");
    save(t);
    if (t->saved_step != t->p.step)
        return err_set(e, TT_EFAIL, "stopped at step %lld, not saved: %s", (long long)t->p.step,
                       t->failure.msg);
    return err_set(e, TT_ESTOPPED, "stopped and saved at step %lld", (long long)t->p.step);
}

/* final/: the best evaluation's weights where a best is asked for and there was one, else the last. */
static int write_final(struct trainer *t, struct err *e)
{
    int code = 0;
    if (t->watch >= 0 && t->p.best_step < 0)
        log_line(LOG_WARN, "%s was never a number: final/ holds the last weights",
                 metric_descs[t->watch].series);
    if (t->watch >= 0 && t->p.best_step >= 0 && t->p.best_step != t->p.step) {
        char *dir = ckpt_dir(t->dir.path, t->p.best_step);
        code = checkpoint_load(t, dir, e);
        free(dir);
    }
    char *temp = file_join(t->dir.path, ".tmp-final"), *final = file_join(t->dir.path, "final");
    optim_set_eval(&t->net.optim, true);
    if (!code && !(code = file_remove_tree(temp, e)) && !(code = file_mkdirs(temp, e)) &&
        !(code = trainer_save_model(t, temp, e)) &&
        !(code = file_remove_tree(final, e)))
        code = file_rename(temp, final, e);
    if (code)
        file_remove_tree(temp, NULL);
    free(temp);
    free(final);
    return code;
}

static const char *summary_word(const struct trainer *t, int code)
{
    if (code == TT_EDIVERGED)
        return "diverged";
    if (code)
        return t->want_stop || t->want_stop_now ? "stopped" : "failed";
    return t->p.step < t->length.max_steps ? "early" : "finished";
}

static enum run_state end_state(const struct trainer *t, int code)
{
    if (code == TT_EDIVERGED)
        return RUN_DIVERGED;
    if (code)
        return t->want_stop || t->want_stop_now ? RUN_STOPPED : RUN_FAILED;
    return RUN_FINISHED;
}

/* The end of a run that had begun: everything that is told about it, then the hub's last word. */
static int finish(struct trainer *t, int code, struct err *e)
{
    if (!code)
        code = write_final(t, e);
    if (!code && (t->failure.code || appender_error(&t->log_out, &t->failure)))
        code = err_set(e, TT_EFAIL, "%s", t->failure.msg);
    log_line(code && code != TT_ESTOPPED ? LOG_ERROR : LOG_INFO, "%s",
             code ? e->msg : "finished");
    report_summary(t, summary_word(t, code));
    t->st.exit_code = code;
    t->st.rss_peak = sys_rss_peak();
    if (code)
        str_copy(t->st.error, sizeof t->st.error, e->msg);
    report_status(t, end_state(t, code));
    return code;
}

int trainer_run(struct trainer *t, struct err *e)
{
    int code = trainer_build(t, e);
    if (code) {
        trainer_discard(t);
        t->st.exit_code = code;
        str_copy(t->st.error, sizeof t->st.error, e->msg);
        t->st.state = RUN_FAILED;
        hub_publish(t->hub, &t->st);
    } else if (t->p.over && t->ended) {
        log_line(LOG_INFO, "nothing to do: the run was over at step %lld", (long long)t->p.step);
        report_status(t, RUN_FINISHED);
    } else {
        code = finish(t, train(t, e), e);
    }
    trainer_teardown(t);
    return code;
}
