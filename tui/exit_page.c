/* The last words of a run. */
#include "tui/exit_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/train/trainer.h"
#include "tui/cmd.h"
#include "tui/end_words.h"
#include "tui/run_plot.h"
#include "tui/widgets.h"
#include "tui/wrap.h"

enum { COLUMNS = 80, PLOT_ROWS = 5 };

static void line(struct strbuf *out, const char *label, const char *text)
{
    strbuf_addf(out, "  %-11s %s\n", label, text);
}

/* A text over as many lines as it takes. */
static void paragraph(struct strbuf *out, const char *label, const char *text)
{
    char part[COLUMNS * 4];
    for (; *text; label = "") {
        size_t n = wrap_bytes(text, COLUMNS - 14);
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        line(out, label, part);
        text += n;
        text += strspn(text, " ");
    }
}

/* ---- how it ended --------------------------------------------------------------------------- */

static const char *outcome(const struct run_status *s)
{
    switch (s->state) {
    case RUN_FINISHED: return s->step < s->max_steps ? "stopped early" : "finished";
    case RUN_STOPPED:
        return s->exit_code == TT_ESTOPPED || s->saved_step == s->step ? "stopped and saved"
                                                                       : "stopped";
    case RUN_DIVERGED: return "diverged";
    case RUN_FAILED: return "failed";
    default: return "goes on";
    }
}

static void headline(const struct uimodel *m, struct strbuf *out)
{
    const struct run_status *s = &m->st;
    char step[32], max[32], text[700];
    bool whole = s->epochs == rint(s->epochs);
    strbuf_addf(out, "%s: %s at step %s of %s (epoch %.2f of %.*f)\n\n", uimodel_name(m),
                outcome(s), str_commas(step, sizeof step, s->step),
                str_commas(max, sizeof max, s->max_steps), s->epoch, whole ? 0 : 2, s->epochs);
    if (!ended_badly(m))
        return;
    paragraph(out, "cause", end_cause(m, text, sizeof text));
    paragraph(out, "safe", end_safe(m, text, sizeof text));
}

/* ---- figures -------------------------------------------------------------------------------- */

static void add_score(char *dst, size_t size, enum metric k, double v)
{
    char value[32];
    size_t n = strlen(dst);
    if (isfinite(v))
        snprintf(dst + n, size - n, "%s %s  ", metric_descs[k].name,
                 fmt_loss(value, sizeof value, v, GLYPHS_ASCII));
}

static double score_at(const struct uimodel *m, enum metric k, int64_t step)
{
    const struct history *h = uimodel_metric(m, k);
    int i = history_find(h, step);
    return i >= 0 && h->b[i].last == step ? h->b[i].value : NAN;
}

/* Scores of one evaluation; with the loss or without. */
static void scores_line(const struct uimodel *m, const char *label, int64_t step, bool with_loss,
                        struct strbuf *out)
{
    static const enum metric order[] = {METRIC_ACCURACY, METRIC_F1, METRIC_PEARSON, METRIC_MAE};
    char text[160] = "", at[32];
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        add_score(text, sizeof text, order[i], score_at(m, order[i], step));
    if (with_loss || !*text)
        add_score(text, sizeof text, METRIC_LOSS, score_at(m, METRIC_LOSS, step));
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "at step %s", str_commas(at, sizeof at, step));
    line(out, label, text);
}

static void evaluations(const struct uimodel *m, struct strbuf *out)
{
    const struct history *h = uimodel_metric(m, METRIC_LOSS);
    if (!h->n)
        return;
    int64_t best = m->st.best_steps[best_metric(m)];
    if (best > 0)
        scores_line(m, "best", best, best_metric(m) == METRIC_LOSS, out);
    scores_line(m, "last eval", h->last_step, true, out);
}

static void figures(const struct uimodel *m, enum glyph_level level, struct strbuf *out)
{
    const struct run_status *s = &m->st;
    char a[32], b[32], c[32], text[200];
    snprintf(text, sizeof text, "%s (EMA 0.95), %s non-finite steps",
             fmt_loss(a, sizeof a, s->loss_ema, level), str_commas(b, sizeof b, s->nonfinite));
    line(out, "train loss", text);
    int n = snprintf(text, sizeof text, "%s", fmt_age(a, sizeof a, s->train_seconds, level));
    if (isfinite(s->samples_per_second))
        n += snprintf(text + n, sizeof text - (size_t)n, ", %s samples/s",
                      fmt_speed(b, sizeof b, s->samples_per_second, level));
    if (isfinite(s->tokens_per_second))
        snprintf(text + n, sizeof text - (size_t)n, ", %s tokens/s",
                 fmt_speed(c, sizeof c, s->tokens_per_second, level));
    line(out, "time", text);
    n = snprintf(text, sizeof text, "%s %s of state", s->optimizer,
                 fmt_mib(a, sizeof a, s->state_bytes));
    if (s->rss_peak > 0)
        snprintf(text + n, sizeof text - (size_t)n, ", %s resident at most",
                 fmt_mib(b, sizeof b, s->rss_peak));
    line(out, "memory", text);
}

/* ---- the curve ------------------------------------------------------------------------------ */

/* Lines without the blanks at their ends. */
static void add_canvas(const struct canvas *c, struct strbuf *out)
{
    struct strbuf text = STRBUF_INIT;
    canvas_text(c, &text);
    for (char *at = text.s, *end; at && (end = strchr(at, '\n')); at = end + 1) {
        size_t n = (size_t)(end - at);
        while (n && at[n - 1] == ' ')
            n--;
        strbuf_add(out, at, n);
        strbuf_adds(out, "\n");
    }
    strbuf_release(&text);
}

static void curve(const struct uimodel *m, enum glyph_level level, struct strbuf *out)
{
    const struct history *h = &m->series[SERIES_LOSS];
    struct plot_range range = {0};
    struct plot p;
    struct canvas c;
    if (h->n < 2)
        return;
    canvas_init(&c, COLUMNS, PLOT_ROWS + 1, level);
    plot_begin(&p, &c, (struct rect){2, 0, COLUMNS - 4, PLOT_ROWS + 1}, 5, "step");
    plot_x_fixed(&p, 0, (double)h->last_step);
    plot_y_history(&p, &range, &h, 1, SMOOTH_95, false, 0);
    plot_raw(&p, h);
    plot_history(&p, h, SMOOTH_95, ROLE_SERIES1, PATTERN_SOLID);
    plot_end(&p, &c);
    strbuf_adds(out, "\n");
    add_canvas(&c, out);
    canvas_release(&c);
}

/* ---- files and what next -------------------------------------------------------------------- */

static void files(const struct uimodel *m, struct strbuf *out)
{
    const struct run_status *s = &m->st;
    char path[4500], below[64], text[4600], bytes[32];
    if (s->state == RUN_FINISHED)
        line(out, "model", uimodel_path(m, path, sizeof path, "final"));
    if (s->saved_step >= 0) {
        snprintf(below, sizeof below, "checkpoints/step-%lld", (long long)s->saved_step);
        snprintf(text, sizeof text, "%s", uimodel_path(m, path, sizeof path, below));
        if (s->saved_bytes > 0)
            snprintf(text, sizeof text, "%s  (%s)", path,
                     fmt_mib(bytes, sizeof bytes, s->saved_bytes));
        line(out, "checkpoint", text);
    }
    if (*s->best_metric && s->best_step > 0 && s->saved_step >= s->best_step) {
        snprintf(below, sizeof below, "checkpoints/step-%lld", (long long)s->best_step);
        line(out, "best model", uimodel_path(m, path, sizeof path, below));
    }
    snprintf(text, sizeof text, "%s%s", uimodel_path(m, path, sizeof path, "metrics.jsonl"),
             m->rc && m->rc->log.tensorboard ? ", events.out.tfevents..." : "");
    line(out, "metrics", text);
}

/* Commands are never cut: they are there to be copied. */
static void what_next(const struct uimodel *m, struct strbuf *out)
{
    const struct run_status *s = &m->st;
    char path[4500], text[4600];
    strbuf_adds(out, "\n");
    if (!run_state_over(s->state)) {
        snprintf(text, sizeof text, "%ld", m->pid ? (long)m->pid : (long)getpid());
        line(out, "process", text);
    } else if (s->state != RUN_FINISHED && s->saved_step > 0) {
        snprintf(text, sizeof text, "traintui train %s --resume",
                 uimodel_path(m, path, sizeof path, "config.ini"));
        line(out, "continue", text);
    }
    const char *word = !run_state_over(s->state) && cmd_by_name("attach") ? "attach"
                       : cmd_by_name("compare")                        ? "compare"
                                                                       : "eval";
    snprintf(text, sizeof text, "traintui %s %s", word, uimodel_path(m, path, sizeof path, ""));
    line(out, "look again", text);
}

void exit_page(const struct uimodel *m, enum glyph_level level, struct strbuf *out)
{
    headline(m, out);
    evaluations(m, out);
    figures(m, level, out);
    curve(m, level, out);
    if (!*m->path || (m->text.state == RUN_FAILED && !file_is_dir(m->path))) /* it never began */
        return;
    strbuf_adds(out, "\n");
    files(m, out);
    what_next(m, out);
}
