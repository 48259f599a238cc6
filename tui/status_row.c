/* The status row: state and step always, then what there is room for (screens.md "Frame"). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/dashboard.h"

struct part {
    char text[96];
    int width; /* of the largest value it can reach, where that is known */
    enum role role;
};

enum { PART_STEP, PART_TIME, PART_SAVED, PART_RISK, PART_CORE, PART_LOSS = PART_CORE, PART_RATE,
       PART_SAMPLES, PART_TOKENS, PART_COUNT };

static int commas_width(int64_t v)
{
    char text[32];
    return (int)strlen(str_commas(text, sizeof text, v));
}

static void part_step(struct part *p, const struct uimodel *m, enum glyph_level level)
{
    char step[32], max[32];
    int width = commas_width(m->text.max_steps);
    str_commas(step, sizeof step, m->text.step);
    str_commas(max, sizeof max, m->text.max_steps);
    if (!m->text.max_steps) {
        snprintf(p->text, sizeof p->text, "step %s", glyph_text(level, GLYPH_MISSING));
        return;
    }
    snprintf(p->text, sizeof p->text, "step %*s/%s", width, step, max);
}

/* Time to go, and what stands in its place: the pause, the rows of an evaluation, the end. */
static void part_time(struct part *p, const struct uimodel *m, enum glyph_level level)
{
    const struct run_status *s = &m->text;
    char a[32], b[32];
    if (s->state == RUN_DIVERGED)
        snprintf(p->text, sizeof p->text, "%s non-finite", str_commas(a, sizeof a, s->nonfinite));
    else if (run_state_over(s->state))
        snprintf(p->text, sizeof p->text, "took %s", fmt_age(a, sizeof a, s->train_seconds, level));
    else if (s->state == RUN_PAUSED)
        snprintf(p->text, sizeof p->text, "paused %7s",
                 fmt_age(a, sizeof a, m->clock - s->paused_at, level));
    else if (s->state == RUN_EVALUATING && s->eval_rows > 0)
        snprintf(p->text, sizeof p->text, "evaluating %*s/%s", commas_width(s->eval_rows),
                 str_commas(a, sizeof a, s->eval_rows_done), str_commas(b, sizeof b, s->eval_rows));
    else
        snprintf(p->text, sizeof p->text, "ETA %7s", fmt_age(a, sizeof a, m->eta, level));
}

static int64_t steps_at_risk(const struct run_status *s)
{
    return s->step - (s->saved_step > 0 ? s->saved_step : 0);
}

static void part_saved(struct part *p, const struct uimodel *m, enum glyph_level level)
{
    const struct run_status *s = &m->text;
    char a[32];
    if (s->saved_step < 0)
        snprintf(p->text, sizeof p->text, "saved %s", glyph_text(level, GLYPH_MISSING));
    else if (s->saved_at > 0 && !run_state_over(s->state))
        snprintf(p->text, sizeof p->text, "saved %7s ago",
                 fmt_age(a, sizeof a, fmax(0, m->clock - s->saved_at), level));
    else
        snprintf(p->text, sizeof p->text, "saved step %s", str_commas(a, sizeof a, s->saved_step));
}

/* The best of the metric that decides it, else what the end of a run has lost. */
static void part_outcome(struct part *p, const struct run_status *s, enum glyph_level level)
{
    char a[32], b[32];
    int64_t lost = steps_at_risk(s);
    if (s->state != RUN_FINISHED && lost > 0)
        snprintf(p->text, sizeof p->text, "%s steps lost", str_commas(a, sizeof a, lost));
    else if (isfinite(s->best))
        snprintf(p->text, sizeof p->text, "best %s @%s", fmt_score(a, sizeof a, s->best, level),
                 str_commas(b, sizeof b, s->best_step));
}

static void part_risk(struct part *p, const struct uimodel *m, enum glyph_level level)
{
    const struct run_status *s = &m->text;
    char a[32];
    if (run_state_over(s->state)) {
        part_outcome(p, s, level);
        return;
    }
    int64_t n = steps_at_risk(s), interval = s->checkpoint_interval;
    snprintf(p->text, sizeof p->text, "%s at risk", str_commas(a, sizeof a, n));
    p->width = commas_width(interval > 0 ? interval : s->max_steps) + (int)strlen(" at risk");
    if (interval > 0 && n > 2 * interval)
        p->role = ROLE_STATUS_WARN;
}

static void part_figures(struct part part[PART_COUNT], const struct run_status *s,
                         enum glyph_level level)
{
    char a[32];
    snprintf(part[PART_LOSS].text, sizeof part->text, "loss %6s",
             fmt_loss(a, sizeof a, s->loss_ema, level));
    snprintf(part[PART_RATE].text, sizeof part->text, "lr %8s",
             fmt_rate(a, sizeof a, s->lr, level));
    if (isfinite(s->samples_per_second))
        snprintf(part[PART_SAMPLES].text, sizeof part->text, "%s samples/s",
                 fmt_speed(a, sizeof a, s->samples_per_second, level));
    if (isfinite(s->tokens_per_second))
        snprintf(part[PART_TOKENS].text, sizeof part->text, "%s tokens/s",
                 fmt_speed(a, sizeof a, s->tokens_per_second, level));
}

static void fill_parts(struct part part[PART_COUNT], const struct uimodel *m,
                       enum glyph_level level)
{
    const struct run_status *s = &m->text;
    for (int i = 0; i < PART_COUNT; i++)
        part[i] = (struct part){.role = ROLE_STATUS};
    part_step(&part[PART_STEP], m, level);
    part_time(&part[PART_TIME], m, level);
    if (s->state != RUN_FINISHED)
        part_saved(&part[PART_SAVED], m, level);
    part_risk(&part[PART_RISK], m, level);
    part_figures(part, s, level);
    for (int i = 0; i < PART_COUNT; i++) {
        int width = text_width(part[i].text);
        if (part[i].width < width)
            part[i].width = width;
    }
}

#define LOST_SECONDS 10

/* No word from a run of another process, which is to give one each second. */
static bool is_lost(const struct uimodel *m)
{
    return m->attached && !run_state_over(m->text.state) && m->now - m->heard_at > LOST_SECONDS;
}

static enum role state_role(enum run_state s, bool lost)
{
    if (lost || s == RUN_DIVERGED || s == RUN_FAILED)
        return ROLE_STATUS_BAD;
    return s == RUN_PAUSED || s == RUN_STOPPING ? ROLE_STATUS_WARN : ROLE_STATUS;
}

static void drop(struct part *p)
{
    p->text[0] = '\0';
    p->width = 0;
}

/* Column where the parts [0, n) end when the first stands at `x`, with `gap` between them. */
static int parts_end(const struct part *part, int n, int x, int gap)
{
    for (int i = 0; i < n; i++)
        x += part[i].width ? part[i].width + gap : 0;
    return x - gap;
}

/* Leave out what has no room in `w` columns; returns the gap between parts. */
static int choose_parts(struct part part[PART_COUNT], int x, int w, bool compact)
{
    static const int orders[2][3] = {{PART_SAVED, PART_TIME, PART_RISK},
                                     {PART_SAVED, PART_RISK, PART_TIME}}; /* compact */
    const int *order = orders[compact];
    int gap = compact ? 1 : 3, fits = PART_CORE;
    if (!compact && parts_end(part, PART_CORE, x, gap) > w)
        gap = 2;
    for (int i = 0; i < 3 && parts_end(part, PART_CORE, x, gap) > w; i++)
        drop(&part[order[i]]);
    while (gap == 3 && fits < PART_COUNT && parts_end(part, fits + 1, x, gap) < w)
        fits++;
    for (int i = fits; i < PART_COUNT; i++)
        drop(&part[i]);
    return gap;
}

/* The dot and the word; returns the column where the step stands. */
static int draw_state(struct canvas *c, int y, const struct uimodel *m, bool compact)
{
    enum { NORMAL_WIDTH = 11 }; /* "evaluating" and a blank */
    bool lost = is_lost(m);
    enum role role = state_role(m->text.state, lost);
    const char *word = lost ? "lost" : run_state_name(m->text.state);
    int x = compact ? 0 : 1, step_x = x + 2 + (compact ? text_width(word) + 1 : NORMAL_WIDTH);
    canvas_fill(c, (struct rect){x, y, step_x - x - compact, 1}, role, ' ');
    canvas_glyph(c, x, y, role, GLYPH_DOT);
    canvas_put(c, x + 2, y, role, word);
    return step_x;
}

void dashboard_status_row(struct canvas *c, const struct uimodel *m)
{
    struct part part[PART_COUNT];
    int y = c->h - 2;
    bool compact = size_class_of(c->w, c->h) <= SIZE_COMPACT;
    fill_parts(part, m, c->level);
    canvas_fill(c, (struct rect){0, y, c->w, 1}, ROLE_STATUS, ' ');
    int x = draw_state(c, y, m, compact);
    int gap = choose_parts(part, x, c->w, compact);
    for (int i = 0; i < PART_COUNT; i++) {
        if (!part[i].width)
            continue;
        canvas_put(c, x, y, part[i].role, part[i].text);
        x += part[i].width + gap;
    }
}
