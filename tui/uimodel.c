/* What the screen keeps of a run: histories, log, journal of edits, and the pace at which its
 * text changes (screens.md principles 20 and 21). */
#include "tui/uimodel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "tui/paths.h"

#define TEXT_SECONDS 0.25
#define CLOCK_SECONDS 1.0
#define ETA_STEPS 10
#define ETA_SECONDS 10.0
#define ETA_TOLERANCE 0.02

/* Before the trainer has said anything: no number is known. */
static void blank_status(struct run_status *s)
{
    s->loss = s->loss_ema = s->lr = s->grad_norm = s->max_grad_norm = s->lr_scale = NAN;
    s->samples_per_second = s->tokens_per_second = s->step_seconds = NAN;
    s->eval_seconds = s->save_seconds = s->best = NAN;
    s->saved_step = s->best_step = s->next_eval = s->next_save = -1;
    for (int i = 0; i < METRIC_COUNT; i++) {
        s->best_values[i] = NAN;
        s->best_steps[i] = -1;
    }
}

void uimodel_init(struct uimodel *m)
{
    memset(m, 0, sizeof *m);
    blank_status(&m->st);
    m->text = m->st;
    m->text_at = m->clock = -INFINITY;
    m->eta = NAN;
    m->log = xmalloc(UIMODEL_LOG * sizeof *m->log);
    for (int i = 0; i < SERIES_COUNT; i++)
        history_init(&m->series[i]);
}

void uimodel_release(struct uimodel *m)
{
    for (int i = 0; i < SERIES_COUNT; i++)
        history_release(&m->series[i]);
    eval_report_free(m->report);
    free(m->log);
    free(m->edits);
    plan_release(&m->plan);
    strlist_release(&m->labels);
    token_counts_release(&m->tokens[0]);
    token_counts_release(&m->tokens[1]);
    if (m->own_rc)
        run_config_release(m->own_rc);
    free(m->own_rc);
    memset(m, 0, sizeof *m);
}

static void keep_plan(struct uimodel *m, const struct memory_plan *plan)
{
    plan_release(&m->plan);
    m->plan = *plan;
    m->plan.tensor = xreallocarray(NULL, (size_t)plan->tensors + 1, sizeof *plan->tensor);
    if (plan->tensors)
        memcpy(m->plan.tensor, plan->tensor, (size_t)plan->tensors * sizeof *plan->tensor);
    m->have_plan = true;
}

void uimodel_start(struct uimodel *m, const struct run_config *rc, const struct memory_plan *plan,
                   const struct dataset *train)
{
    m->rc = rc;
    m->live = true;
    if (plan)
        keep_plan(m, plan);
    if (!train)
        return;
    m->problem = train->spec.problem;
    strlist_release(&m->labels);
    for (int i = 0; train->spec.label && i < train->spec.num_labels; i++)
        strlist_add(&m->labels, train->spec.label[i]);
}

void uimodel_count_tokens(struct uimodel *m, const struct dataset *train,
                          const struct dataset *eval)
{
    token_counts_make(&m->tokens[0], train);
    token_counts_make(&m->tokens[1], eval);
}

/* The schedule of the preview, made when the length of the run is known, and what edits do to
 * it. */
void uimodel_follow_schedule(struct uimodel *m)
{
    struct err ignored = ERR_INIT;
    if (!m->rc || m->st.max_steps <= 0)
        return;
    const struct optim_common *common = m->rc->optim_own;
    if (!m->have_sched && isfinite(common->lr))
        m->have_sched = !sched_init(&m->sched, m->rc->sched_cls, &m->rc->sched, m->rc->sched_own,
                                    common->lr, m->st.max_steps, &ignored);
    if (!m->have_sched)
        return;
    m->sched.scale = m->st.lr_scale;
    if (m->sched.args.total != m->st.max_steps) {
        m->sched.args.total = m->st.max_steps;
        sched_warmup(m->rc->sched_cls, &m->rc->sched, m->st.max_steps, &m->sched.args.warmup,
                     &ignored);
    }
}

static bool take_samples(struct uimodel *m, struct hub *h)
{
    struct sample s[256];
    bool any = false;
    for (int n; (n = hub_samples(h, s, 256)) > 0; any = true)
        for (int i = 0; i < n; i++)
            history_add(&m->series[s[i].series], s[i].step, s[i].epoch, s[i].seconds, s[i].value);
    return any;
}

/* A value of the journal as the screen writes numbers; `text` is as the config file spells it. */
static void show_value(const struct uimodel *m, const char *option, const char *text, char *dst,
                       size_t size)
{
    char section[64];
    void *values;
    double v;
    int64_t whole;
    str_copy(section, sizeof section, option);
    char *dot = strrchr(section, '.');
    const struct opt_desc *d = NULL;
    if (dot && m->rc) {
        *dot = '\0';
        d = run_config_find(m->rc, section, dot + 1, &values);
    }
    if (d && d->type == OPT_REAL && str_to_f64(text, &v) && rint(100 * v) == 100 * v)
        snprintf(dst, size, "%.2f", v);
    else if (d && d->type != OPT_REAL && str_to_i64(text, &whole))
        str_commas(dst, size, whole);
    else
        str_copy(dst, size, text);
}

/* "schedule.scale 1.00 -> 0.80, from the console" */
static void take_edit(struct uimodel *m, const struct log_line *l, double seconds)
{
    struct live_edit edit = {.step = l->step > 0 ? l->step : 0, .seconds = seconds};
    char from[32], to[32];
    if (sscanf(l->text, "%63s %31s -> %31[^ ,]", edit.key, from, to) != 3)
        return;
    show_value(m, edit.key, from, edit.from, sizeof edit.from);
    show_value(m, edit.key, to, edit.to, sizeof edit.to);
    m->edits = xgrow(m->edits, &m->edits_cap, (size_t)m->nedits + 1, sizeof *m->edits);
    m->edits[m->nedits++] = edit;
}

void uimodel_add_log(struct uimodel *m, const struct log_line *l, double seconds)
{
    m->log[m->log_end++ % UIMODEL_LOG] = *l;
    if (m->log_end - m->log_first > UIMODEL_LOG)
        m->log_first = m->log_end - UIMODEL_LOG;
    if (l->kind == LOG_EDIT)
        take_edit(m, l, seconds);
}

const struct log_line *uimodel_log(const struct uimodel *m, int64_t number)
{
    if (number < m->log_first || number >= m->log_end)
        return NULL;
    return &m->log[number % UIMODEL_LOG];
}

static bool take_logs(struct uimodel *m, struct hub *h)
{
    struct log_line lines[16];
    bool any = false;
    for (int n; (n = hub_logs(h, lines, 16)) > 0; any = true)
        for (int i = 0; i < n; i++)
            uimodel_add_log(m, &lines[i], m->st.train_seconds);
    return any;
}

static void take_status(struct uimodel *m, struct hub *h, double now)
{
    int64_t step = m->st.step;
    enum run_state state = m->st.state;
    hub_status(h, &m->st);
    if (m->st.max_steps == 0)
        blank_status(&m->st);
    if (m->st.step != step || m->st.state != state)
        m->step_at = now;
}

static bool refresh_text(struct uimodel *m, double now)
{
    if (now - m->text_at < TEXT_SECONDS || !memcmp(&m->text, &m->st, sizeof m->st))
        return false;
    m->text = m->st;
    m->text_at = now;
    return true;
}

static double or_zero(double v)
{
    return isfinite(v) ? v : 0;
}

/* Seconds to the end as the means of this session tell; NaN: too early to say. */
static double estimate(const struct uimodel *m, double now)
{
    const struct run_status *s = &m->st;
    if (run_state_over(s->state))
        return 0;
    if (s->timed_steps < ETA_STEPS || s->session_seconds < ETA_SECONDS)
        return NAN;
    double idle = now - m->step_at; /* spent on what is going on: a step, an evaluation, a save */
    double under_way = s->state == RUN_EVALUATING ? or_zero(s->eval_seconds)
                       : s->state == RUN_SAVING   ? or_zero(s->save_seconds)
                                                  : 0;
    double step = or_zero(s->step_seconds);
    under_way -= fmin(idle, under_way > 0 ? under_way : step);
    return fmax(0, (double)(s->max_steps - s->step) * step + under_way +
                       (double)s->evals_left * or_zero(s->eval_seconds) +
                       (double)s->saves_left * or_zero(s->save_seconds));
}

/* The running estimate counts down with the clock; one that is more than 2 % off takes its
 * place, by at most 2 % a second, so that no change on the screen is a jump. */
static void update_eta(struct uimodel *m, double passed)
{
    double fresh = estimate(m, m->clock);
    bool other = m->eta_steps != m->st.max_steps || run_state_over(m->st.state);
    m->eta_steps = m->st.max_steps;
    if (isnan(fresh) || isnan(m->eta) || other) {
        m->eta = fresh;
        return;
    }
    if (m->st.paused_at > 0)
        return;
    m->eta = fmax(0, m->eta - passed);
    double off = fresh - m->eta, most = fmax(ETA_TOLERANCE * m->eta, 1);
    if (fabs(off) > ETA_TOLERANCE * fresh)
        m->eta += fmax(-most, fmin(most, off));
}

static bool each_second(struct uimodel *m, double now)
{
    double passed = now - m->clock;
    if (passed < CLOCK_SECONDS)
        return false;
    if (passed < 2 * CLOCK_SECONDS)
        passed = CLOCK_SECONDS; /* in step with the seconds, however the frames fall */
    m->clock = isfinite(passed) ? m->clock + passed : now;
    update_eta(m, passed);
    m->rss = m->attached ? sys_rss_of(m->pid) : sys_rss();
    return true;
}

bool uimodel_poll(struct uimodel *m, struct hub *h, double now)
{
    m->now = now;
    m->unix_now = sys_unix();
    take_status(m, h, now);
    uimodel_follow_schedule(m);
    bool changed = take_samples(m, h);
    changed |= take_logs(m, h);
    if (hub_report_get(h, &m->report)) {
        m->problem = m->report->problem;
        changed = m->have_report = true;
    }
    changed |= each_second(m, now);
    changed |= refresh_text(m, now);
    return changed;
}

const char *uimodel_name(const struct uimodel *m)
{
    if (*m->st.name || !m->rc)
        return m->st.name;
    return m->rc->run.name ? m->rc->run.name : m->rc->stem;
}

char *uimodel_path(const struct uimodel *m, char *dst, size_t size, const char *below)
{
    char path[4096];
    path_from_here(path, sizeof path, m->path);
    snprintf(dst, size, "%s%s%s", path, *below ? "/" : "", below);
    return dst;
}

const char *uimodel_label(const struct uimodel *m, int i, char dst[32])
{
    if ((size_t)i < m->labels.n)
        return m->labels.s[i];
    snprintf(dst, 32, "LABEL_%d", i);
    return dst;
}

const struct history *uimodel_metric(const struct uimodel *m, enum metric k)
{
    return &m->series[SERIES_EVAL_FIRST + k];
}
