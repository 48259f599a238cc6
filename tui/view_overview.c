/* The overview: the loss, progress, memory and the last evaluation on one page; with more room
 * also the learning rate, a score, where a step goes and the end of the log. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/hints.h"
#include "tui/log_line.h"
#include "tui/overview_panes.h"
#include "tui/phases.h"
#include "tui/run_plot.h"
#include "tui/view.h"

struct overview {
    struct series_plot loss;
    struct plot_range score;
    struct plot_window rate;
};

static void draw_loss_pane(struct canvas *c, struct rect r, const struct uimodel *m,
                           struct series_plot *sp)
{
    struct rect area = {r.x, r.y + 1, r.w, r.h - 1};
    draw_series_plot(c, area, m, sp);
    draw_series_rule(c, r, m, sp, false);
}

/* ---- compact -------------------------------------------------------------------------------- */

static int put_pair(struct canvas *c, int x, int y, const char *label, const char *value)
{
    x += canvas_put(c, x, y, ROLE_DIM, label) + 1;
    return x + canvas_put(c, x, y, ROLE_TEXT, value) + 1;
}

static void summary_run(struct canvas *c, struct rect r, int y, const struct uimodel *m)
{
    char share[32];
    double done = m->text.max_steps > 0 ? (double)m->text.step / (double)m->text.max_steps : 0;
    canvas_put(c, r.x + 1, y, ROLE_DIM, "run");
    draw_progress(c, r.x + 6, y, r.w - 15, done);
    canvas_right(c, r.x + r.w - 1, y, ROLE_TEXT, fmt_percent_down(share, sizeof share, done));
}

/* In six columns, so that nothing behind it moves: with as many places as fit. */
static char *short_loss(char *dst, size_t size, double v, enum glyph_level level)
{
    fmt_loss(dst, size, v, level);
    for (int places = 4; places >= 0 && text_width(dst) > 6; places--)
        snprintf(dst, size, "%.*f", places, v);
    if (text_width(dst) > 6)
        snprintf(dst, size, "%.0e", v);
    size_t n = strlen(dst);
    snprintf(dst + n, size - n, "%*s", text_width(dst) < 6 ? 6 - text_width(dst) : 0, "");
    return dst;
}

static void summary_loss(struct canvas *c, struct rect r, int y, const struct uimodel *m)
{
    const struct run_status *s = &m->text;
    char value[32];
    int x = put_pair(c, r.x + 1, y, "loss", short_loss(value, sizeof value, s->loss_ema, c->level));
    x = put_pair(c, x, y, "lr", fmt_rate(value, sizeof value, s->lr, c->level));
    fmt_speed(value, sizeof value, s->samples_per_second, c->level);
    if (x + text_width(value) + 1 + (int)strlen("samples/s") > r.x + r.w)
        return;
    x += canvas_put(c, x, y, ROLE_TEXT, value);
    canvas_put(c, x + 1, y, ROLE_DIM, "samples/s");
}

static void summary_scores(struct canvas *c, struct rect r, int y, const struct uimodel *m)
{
    const enum metric *k = main_metrics(m);
    char value[32], label[8];
    snprintf(label, sizeof label, "%.4s",
             k[0] == METRIC_ACCURACY ? "acc" : metric_descs[k[0]].name);
    canvas_put(c, r.x + 1, y, ROLE_DIM, label);
    canvas_put(c, r.x + 6, y, ROLE_TEXT,
               last_score(m, k[0], c->level, value, sizeof value));
    put_pair(c, r.x + 14, y, metric_descs[k[1]].name,
             last_score(m, k[1], c->level, value, sizeof value));
    put_pair(c, r.x + 27, y, "best",
             fmt_loss(value, sizeof value, m->text.best_values[k[0]], c->level));
}

static void summary_optimizer(struct canvas *c, struct rect r, int y, const struct uimodel *m)
{
    const struct run_status *s = &m->text;
    char value[32], steps[48];
    int64_t bytes = s->params_bytes || !m->have_plan ? s->state_bytes : m->plan.state_bytes;
    canvas_put(c, r.x + 1, y, ROLE_DIM, "opt");
    canvas_put(c, r.x + 6, y, ROLE_TEXT, fmt_mib(value, sizeof value, bytes));
    snprintf(steps, sizeof steps, "%s steps",
             str_commas(value, sizeof value, s->step - (s->saved_step > 0 ? s->saved_step : 0)));
    put_pair(c, r.x + 20, y, "at risk", steps);
}

static void draw_summary(struct canvas *c, struct rect r, const struct uimodel *m)
{
    static void (*const lines[])(struct canvas *, struct rect, int, const struct uimodel *) = {
        summary_run, summary_loss, summary_scores, summary_optimizer};
    for (int i = 0; i < 4 && i < r.h; i++)
        lines[i](c, r, r.y + i, m);
}

/* ---- wide ----------------------------------------------------------------------------------- */

static void draw_rate_pane(struct canvas *c, struct rect r, const struct uimodel *m,
                           struct plot_window *w)
{
    char name[128], value[32], share[32];
    double now = m->text.lr, peak = peak_rate(m);
    struct rect area = {r.x + 1, r.y + 1, r.w - 1, r.h - 2};
    draw_rule(c, r.x, r.y, r.w, "learning rate", NULL,
              run_title(m, c->level, name, sizeof name, r.w / 2));
    draw_separator(c, r.x, r.y + 1, r.h - 1);
    canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
    draw_rate_plot(c, area, m, w);
    int x =
        put_pair(c, r.x + 2, r.y + r.h - 1, "now", fmt_rate(value, sizeof value, now, c->level));
    if (now >= 0 && peak > 0)
        canvas_printf(c, x + 1, r.y + r.h - 1, ROLE_DIM, "%s of peak",
                      fmt_percent(share, sizeof share, now / peak));
}

static void draw_score_pane(struct canvas *c, struct rect r, const struct uimodel *m,
                            struct plot_range *range)
{
    char words[64];
    struct rect area = {r.x + 1, r.y + 1, r.w - 1, r.h - 1};
    enum metric k = *m->text.best_metric ? best_metric(m) : main_metrics(m)[0];
    best_words(m, k, c->level, r.w / 2, words, sizeof words);
    draw_rule(c, r.x + 1, r.y, r.w - 1, metric_descs[k].name, NULL, *words ? words : NULL);
    draw_separator(c, r.x, r.y + 1, r.h - 1);
    canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_RIGHT);
    draw_score_plot(c, area, m, k, range);
}

static void draw_phases_pane(struct canvas *c, struct rect r, const struct uimodel *m)
{
    char step[32];
    bool known = m->text.step_seconds > 0;
    draw_rule(c, r.x, r.y, r.w, "where a step goes", NULL,
              known ? fmt_seconds(step, sizeof step, m->text.step_seconds, c->level) : NULL);
    draw_separator(c, r.x, r.y + 1, r.h - 1);
    draw_phase_lines(c, r.x + 2, r.y + 1, r.h - 1, r.x + r.w - 1, &m->text);
}

static void draw_verdict_pane(struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct verdict v;
    char share[32];
    make_verdict(&m->text, &v);
    draw_rule(c, r.x + 1, r.y, r.w - 1, "verdict", NULL, NULL);
    draw_separator(c, r.x, r.y + 1, r.h - 1);
    canvas_put(c, r.x + 2, r.y + 1, ROLE_TITLE, v.word);
    canvas_put(c, r.x + 2, r.y + 2, ROLE_DIM, v.evidence);
    if (*v.word)
        canvas_printf(c, r.x + 2, r.y + 3, ROLE_DIM, "data waits %s",
                      fmt_percent(share, sizeof share, v.data));
}

static void draw_log_tail(struct canvas *c, struct rect r, const struct uimodel *m)
{
    char right[32];
    int rows = r.h - 1;
    snprintf(right, sizeof right, "%s log", action_key(ACTION_VIEW_9));
    draw_rule(c, r.x, r.y, r.w, "log", NULL, right);
    for (int i = 0; i < rows; i++) {
        int64_t first = m->log_end - rows < m->log_first ? m->log_first : m->log_end - rows;
        const struct log_line *l = uimodel_log(m, first + i);
        if (l)
            draw_log_line(c, r.x, r.y + 1 + i, r.w, m, l);
    }
}

/* Where the separators of the panes meet the rules. */
static void draw_joints(struct canvas *c, const struct layout_overview *l)
{
    const struct {
        struct rect at;
        enum glyph g;
    } joints[] = {{l->memory, GLYPH_TEE_DOWN},
                  {l->eval, GLYPH_TEE_RIGHT},
                  {l->phases, GLYPH_TEE_DOWN},
                  {l->verdict, GLYPH_CROSS}};
    for (int i = 0; i < 4; i++)
        if (joints[i].at.h)
            canvas_glyph(c, joints[i].at.x, joints[i].at.y, ROLE_BORDER, joints[i].g);
    if (!l->log.h)
        return;
    canvas_glyph(c, l->memory.x, l->log.y, ROLE_BORDER, GLYPH_TEE_UP);
    canvas_glyph(c, l->phases.x, l->log.y, ROLE_BORDER, GLYPH_TEE_UP);
}

static void draw_wide(struct canvas *c, const struct layout_overview *l, const struct uimodel *m,
                      struct overview *o)
{
    struct rect memory = l->memory;
    struct series_plot *sp = &o->loss;
    draw_series_plot(c, (struct rect){l->loss.x, l->loss.y + 1, l->loss.w, l->loss.h - 1}, m, sp);
    draw_series_rule(c, l->loss, m, sp, false);
    draw_rate_pane(c, l->lr, m, &o->rate);
    draw_score_pane(c, l->accuracy, m, &o->score);
    memory.w++; /* its rule goes on to the next separator */
    draw_progress_pane(c, l->progress, m);
    draw_memory_pane(c, memory, m);
    draw_eval_pane(c, l->eval, m);
    draw_phases_pane(c, l->phases, m);
    draw_verdict_pane(c, l->verdict, m);
    draw_log_tail(c, l->log, m);
    draw_joints(c, l);
}

/* ---- the view ------------------------------------------------------------------------------- */

static void overview_draw(struct view *v, struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct overview *o = v->state;
    struct layout_overview l = layout_overview(c->w, c->h);
    (void)r;
    if (l.size >= SIZE_WIDE) {
        draw_wide(c, &l, m, o);
        return;
    }
    draw_loss_pane(c, l.loss, m, &o->loss);
    if (l.size <= SIZE_COMPACT) {
        draw_summary(c, l.progress, m);
        return;
    }
    draw_progress_pane(c, l.progress, m);
    draw_memory_pane(c, l.memory, m);
    draw_eval_pane(c, l.eval, m);
    draw_joints(c, &l);
}

static void overview_hints(const struct view *v, const struct uimodel *m, char *dst, size_t size)
{
    (void)v;
    hint_run(dst, size, m);
    if (m->text.state != RUN_PAUSED)
        hint_add(dst, size, ACTION_NEXT_VIEW, "next view");
}

const struct view_class view_overview = {
    .name = "overview",
    .key = "1",
    .state_size = sizeof(struct overview),
    .draw = overview_draw,
    .hints = overview_hints,
};
