/* Progress, memory, evaluation and times of the overview. */
#include "tui/overview_panes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- progress ------------------------------------------------------------------------------- */

enum { LABEL_COLUMNS = 9 };

struct line {
    char label[24], value[32], more[64];
    double bar; /* fraction; NaN: none */
    enum role role, more_role;
    bool whole; /* `more` is shown whole or not at all */
};

static bool started(const struct uimodel *m)
{
    return m->text.step > 0;
}

/* A measured number that is none is said so; before the first step there is no number. */
static void show_loss(struct line *l, const struct uimodel *m, double v, enum glyph_level level)
{
    fmt_loss(l->value, sizeof l->value, v, level);
    if (isfinite(v) || !started(m))
        return;
    if (isnan(v))
        str_copy(l->value, sizeof l->value, "nan");
    l->role = ROLE_BAD;
}

static void line_run(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    (void)level;
    str_copy(l->label, sizeof l->label, "run");
    l->bar = m->text.max_steps > 0 ? (double)m->text.step / (double)m->text.max_steps : 0;
}

static void line_epoch(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    static const char *const words[] = {"epoch", "ep", "e"};
    const struct run_status *s = &m->text;
    int all = s->epochs > 0 ? (int)ceil(s->epochs) : 1, now = (int)floor(s->epoch) + 1;
    (void)level;
    if (now > all)
        now = all;
    int digits = snprintf(NULL, 0, "%d", all);
    for (int i = 0; i < 3; i++)
        if (snprintf(l->label, sizeof l->label, "%s %*d/%d", words[i], digits, now, all) <=
            LABEL_COLUMNS)
            break;
    double length = fmin(1, s->epochs - (now - 1)); /* the last one may be cut short */
    l->bar = length > 0 ? fmin(1, (s->epoch - (now - 1)) / length) : 0;
}

static void line_elapsed(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    double elapsed = floor(m->text.train_seconds), eta = floor(m->eta);
    char total[32];
    str_copy(l->label, sizeof l->label, "elapsed");
    fmt_age(l->value, sizeof l->value, elapsed, level);
    if (!run_state_over(m->text.state))
        snprintf(l->more, sizeof l->more, "of %s",
                 fmt_age(total, sizeof total, elapsed + eta, level));
}

/* Non-finite steps stand here where the pane has no row for them. */
static void line_loss(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    struct line last = {.role = ROLE_DIM};
    str_copy(l->label, sizeof l->label, "loss");
    show_loss(l, m, m->text.loss_ema, level);
    show_loss(&last, m, m->text.loss, level);
    snprintf(l->more, sizeof l->more, "last %s", last.value);
    l->more_role = last.role;
    if (m->text.nonfinite > 0) {
        char n[32];
        snprintf(l->more, sizeof l->more, "%s non-finite",
                 str_commas(n, sizeof n, m->text.nonfinite));
        l->more_role = ROLE_BAD;
    }
}

static void line_lr(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    const struct run_status *s = &m->text;
    str_copy(l->label, sizeof l->label, "lr");
    fmt_rate(l->value, sizeof l->value, s->lr, level);
    if (isfinite(s->lr_scale) && s->lr_scale != 1)
        snprintf(l->more, sizeof l->more, "%s × %.2f", s->schedule, s->lr_scale);
    else
        str_copy(l->more, sizeof l->more, s->schedule);
}

static void line_norm(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    double clip = m->text.max_grad_norm;
    str_copy(l->label, sizeof l->label, "grad norm");
    show_loss(l, m, m->text.grad_norm, level);
    if (clip > 0)
        snprintf(l->more, sizeof l->more, clip < 0.01 ? "clip %.2e" : "clip %.2f", clip);
    else if (clip == 0)
        str_copy(l->more, sizeof l->more, "no clip");
}

static void line_speed(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    char tokens[32];
    str_copy(l->label, sizeof l->label, "samples/s");
    fmt_speed(l->value, sizeof l->value, m->text.samples_per_second, level);
    if (isfinite(m->text.tokens_per_second))
        snprintf(l->more, sizeof l->more, "tokens/s %s",
                 fmt_speed(tokens, sizeof tokens, m->text.tokens_per_second, level));
}

static void line_step_time(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    const struct run_status *s = &m->text;
    int largest = 0;
    char share[32];
    l->whole = true;
    str_copy(l->label, sizeof l->label, "step time");
    fmt_seconds(l->value, sizeof l->value, s->step_seconds, level);
    for (int i = 1; i < PHASE_COUNT; i++)
        if (s->phase_seconds[i] > s->phase_seconds[largest])
            largest = i;
    if (s->step_seconds > 0 && s->phase_seconds[largest] > 0)
        snprintf(l->more, sizeof l->more, "%s %s", phase_name((enum phase)largest),
                 fmt_percent(share, sizeof share, s->phase_seconds[largest] / s->step_seconds));
}

static void line_next_eval(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    const struct run_status *s = &m->text;
    char in[32];
    str_copy(l->label, sizeof l->label, "next eval");
    str_copy(l->value, sizeof l->value, glyph_text(level, GLYPH_MISSING));
    if (s->next_eval < 0 || run_state_over(s->state))
        return;
    str_commas(l->value, sizeof l->value, s->next_eval);
    snprintf(l->more, sizeof l->more, "in %s",
             fmt_age(in, sizeof in, (double)(s->next_eval - s->step) * s->step_seconds, level));
}

static void line_nonfinite(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    (void)level;
    str_copy(l->label, sizeof l->label, "non-finite");
    str_commas(l->value, sizeof l->value, m->text.nonfinite);
    str_copy(l->more, sizeof l->more, m->text.nonfinite == 1 ? "step" : "steps");
    l->role = m->text.nonfinite ? ROLE_BAD : ROLE_TEXT;
}

static void line_viewers(struct line *l, const struct uimodel *m, enum glyph_level level)
{
    (void)m;
    (void)level;
    str_copy(l->label, sizeof l->label, "viewers");
    str_copy(l->value, sizeof l->value, "1");
    str_copy(l->more, sizeof l->more, "this one");
}

static void (*const progress_lines[])(struct line *, const struct uimodel *, enum glyph_level) = {
    line_run, line_epoch, line_elapsed, line_loss, line_lr, line_norm, line_speed, line_step_time,
    line_next_eval, line_nonfinite, line_viewers,
};

/* Both bars begin behind the longer label, that of the epochs. */
static void draw_bar_line(struct canvas *c, struct rect r, int y, const struct uimodel *m,
                          double fraction)
{
    char share[32];
    struct line epoch;
    line_epoch(&epoch, m, c->level);
    int label = (int)strlen(epoch.label);
    int x = label > LABEL_COLUMNS ? label + 2 : LABEL_COLUMNS + 2;
    draw_progress(c, r.x + x, y, r.w - 9 - x, fraction);
    canvas_right(c, r.x + r.w - 1, y, ROLE_TEXT, fmt_percent_down(share, sizeof share, fraction));
}

void draw_progress_pane(struct canvas *c, struct rect r, const struct uimodel *m)
{
    enum {
        LINES = sizeof progress_lines / sizeof *progress_lines,
        USUAL_END = 19,
        USUAL_DIGITS = 8
    };
    char more[80];
    int digits = (int)strlen(str_commas(more, sizeof more, m->text.max_steps));
    int value_end = r.x + USUAL_END + (digits > USUAL_DIGITS ? digits - USUAL_DIGITS : 0);
    draw_rule(c, r.x, r.y, r.w, "progress", NULL, NULL);
    for (int i = 0; i < LINES && i < r.h - 1; i++) {
        struct line l = {.bar = NAN, .role = ROLE_TEXT, .more_role = ROLE_DIM};
        int y = r.y + 1 + i;
        progress_lines[i](&l, m, c->level);
        canvas_put(c, r.x + 1, y, ROLE_DIM, l.label);
        if (!isnan(l.bar)) {
            draw_bar_line(c, r, y, m, l.bar);
            continue;
        }
        canvas_right(c, value_end, y, l.role, l.value);
        int room = r.x + r.w - 1 - value_end - 2;
        text_cut_end(c->level, more, sizeof more, l.more, room);
        if (!l.whole || text_width(l.more) <= room)
            canvas_put(c, value_end + 2, y, l.more_role, more);
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

struct amount {
    char name[40];
    int64_t bytes;
    bool state;
};

static int64_t total_bytes(const struct uimodel *m)
{
    const struct run_status *s = &m->st;
    int64_t allocated = s->params_bytes + s->grads_bytes + s->state_bytes + s->activation_bytes +
                        s->workspace_bytes;
    return allocated > 0 || !m->have_plan ? allocated : m->plan.total_bytes;
}

static void add_amount(struct amount *a, int *n, const char *name, int64_t bytes, bool state)
{
    str_copy(a[*n].name, sizeof a->name, name);
    a[*n].bytes = bytes;
    a[(*n)++].state = state;
}

/* Three lines at most: states beyond them fold into the last. */
static void add_states(struct amount *a, int *n, const struct uimodel *m)
{
    const struct memory_plan *p = &m->plan;
    int shown = p->nstate > 3 ? 2 : p->nstate;
    int64_t rest = 0;
    char more[40];
    if (!m->have_plan || !p->nstate) {
        add_amount(a, n, m->have_plan ? "no state" : "optimizer", m->st.state_bytes, true);
        return;
    }
    for (int i = 0; i < p->nstate; i++) {
        if (i < shown)
            add_amount(a, n, p->state[i].name, p->state[i].bytes, true);
        else
            rest += p->state[i].bytes;
    }
    snprintf(more, sizeof more, "%d more", p->nstate - shown);
    if (shown < p->nstate)
        add_amount(a, n, more, rest, true);
}

/* The lines of the pane, in pairs where it is low. */
static int amounts(struct amount a[8], const struct uimodel *m, bool low)
{
    const struct run_status *s = &m->st;
    const struct memory_plan *p = &m->plan;
    bool known = s->params_bytes > 0 || !m->have_plan;
    int64_t params = known ? s->params_bytes : p->weight_bytes;
    int64_t grads = known ? s->grads_bytes : p->gradient_bytes;
    int64_t act = known ? s->activation_bytes : p->activation_bytes;
    int64_t work = known ? s->workspace_bytes : p->workspace_bytes;
    int n = 0;
    if (low)
        add_amount(a, &n, "params + grads", params + grads, false);
    else
        add_amount(a, &n, "parameters", params, false);
    if (!low)
        add_amount(a, &n, "gradients", grads, false);
    add_states(a, &n, m);
    if (low)
        add_amount(a, &n, "act. + work", act + work, false);
    else
        add_amount(a, &n, "activations", act, false);
    if (!low)
        add_amount(a, &n, "workspace", work, false);
    return n;
}

/* "501.9 MiB" with its number ending before column x, so that units stand in one line. */
static void put_bytes(struct canvas *c, int x, int y, enum role role, int64_t bytes)
{
    char text[32];
    fmt_mib(text, sizeof text, bytes);
    char *unit = strchr(text, ' ');
    *unit = '\0';
    canvas_right(c, x, y, role, text);
    canvas_put(c, x + 1, y, role, unit + 1);
}

/* Columns of the widest number before its unit. */
static int number_width(const struct amount *a, int n)
{
    int width = 5;
    for (int i = 0; i < n; i++) {
        char text[32];
        int w = (int)strcspn(fmt_mib(text, sizeof text, a[i].bytes), " ");
        width = w > width ? w : width;
    }
    return width;
}

void draw_memory_pane(struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct amount a[8];
    char total[32], name[40];
    int64_t all = total_bytes(m);
    int n = amounts(a, m, r.h < 8), number_end = r.x + 18 + number_width(a, n);
    fmt_mib(total, sizeof total, all);
    draw_rule(c, r.x, r.y, r.w, "memory", NULL, all ? total : NULL);
    draw_separator(c, r.x, r.y + 1, r.h - 1);
    for (int i = 0; i < n && i < r.h - 1; i++) {
        int y = r.y + 1 + i, bar = number_end + 6;
        text_cut_middle(c->level, name, sizeof name, a[i].name, 15);
        canvas_put(c, r.x + 2, y, a[i].state ? ROLE_TEXT : ROLE_DIM, name);
        if (!all) {
            canvas_right(c, number_end, y, ROLE_TEXT, glyph_text(c->level, GLYPH_MISSING));
            continue;
        }
        put_bytes(c, number_end, y, ROLE_TEXT, a[i].bytes);
        draw_amount(c, bar, y, r.x + r.w - 1 - bar, (double)a[i].bytes / (double)all,
                    a[i].state ? ROLE_SERIES1 : ROLE_DIM);
    }
}

/* ---- evaluation ----------------------------------------------------------------------------- */

const enum metric *main_metrics(const struct uimodel *m)
{
    static const enum metric classes[] = {METRIC_ACCURACY, METRIC_F1, METRIC_LOSS};
    static const enum metric values[] = {METRIC_PEARSON, METRIC_MAE, METRIC_LOSS};
    return m->problem == PROBLEM_REGRESSION ? values : classes;
}

char *last_score(const struct uimodel *m, enum metric k, enum glyph_level level, char *dst, size_t size)
{
    const struct history *h = uimodel_metric(m, k);
    return h->n ? fmt_measured(dst, size, h->last, level) : fmt_loss(dst, size, NAN, level);
}

enum role last_score_role(const struct uimodel *m, enum metric k)
{
    const struct history *h = uimodel_metric(m, k);
    if (h->n && !isfinite(h->last))
        return ROLE_BAD;
    return h->n && h->last_step == m->text.best_steps[k] ? ROLE_OK : ROLE_TEXT;
}

char *best_words(const struct uimodel *m, enum metric k, enum glyph_level level, int cols,
                 char *dst, size_t size)
{
    char value[32], step[32];
    double best = m->text.best_values[k];
    dst[0] = '\0';
    if (isnan(best) || !uimodel_metric(m, k)->n)
        return dst;
    fmt_loss(value, sizeof value, best, level);
    snprintf(dst, size, "best %s @%s", value, str_commas(step, sizeof step, m->text.best_steps[k]));
    if (text_width(dst) > cols)
        snprintf(dst, size, "best %s", value);
    if (text_width(dst) > cols)
        dst[0] = '\0';
    return dst;
}

char *no_evaluation_words(const struct uimodel *m, char *dst, size_t size)
{
    char step[32];
    if (m->text.next_eval >= 0)
        snprintf(dst, size, "no evaluation yet: first at step %s",
                 str_commas(step, sizeof step, m->text.next_eval));
    else if (m->rc && m->rc->eval.every.kind == EVERY_NO)
        str_copy(dst, size, "evaluation is off: [eval] every = no");
    else
        str_copy(dst, size, m->text.max_steps ? "evaluation is off: no rows to evaluate on"
                                              : "no evaluation yet");
    return dst;
}

/* "first at step 500" in the words' place of the pane, where there are no scores yet. */
static char *first_words(const struct uimodel *m, char *dst, size_t size)
{
    char step[32];
    if (m->text.next_eval >= 0)
        snprintf(dst, size, "first at step %s", str_commas(step, sizeof step, m->text.next_eval));
    else
        str_copy(dst, size, m->text.max_steps ? "off" : "");
    return dst;
}

void draw_eval_pane(struct canvas *c, struct rect r, const struct uimodel *m)
{
    const enum metric *k = main_metrics(m);
    const struct history *h = uimodel_metric(m, METRIC_LOSS);
    char right[40] = "", step[32], value[32], words[64];
    if (h->n)
        snprintf(right, sizeof right, "step %s", str_commas(step, sizeof step, h->last_step));
    draw_rule(c, r.x + 1, r.y, r.w - 1, "eval", NULL, *right ? right : NULL);
    draw_separator(c, r.x, r.y + 1, r.h - 1);
    for (int i = 0; i < 3 && i < r.h - 1; i++) {
        int y = r.y + 1 + i;
        canvas_put(c, r.x + 2, y, ROLE_DIM, metric_descs[k[i]].name);
        canvas_put(c, r.x + 12, y, last_score_role(m, k[i]),
                   last_score(m, k[i], c->level, value, sizeof value));
        best_words(m, k[i], c->level, r.w - 22, words, sizeof words);
        if (!h->n && i == 0)
            first_words(m, words, sizeof words);
        canvas_put(c, r.x + 21, y, ROLE_DIM, words);
    }
}
