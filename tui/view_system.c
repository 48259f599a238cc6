/* The system: where a step goes, what that means, what the machine does meanwhile. */
#include "tui/view_system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/base/sys.h"
#include "tui/hints.h"
#include "tui/phases.h"
#include "tui/plot.h"
#include "tui/run_plot.h"
#include "tui/term.h"
#include "tui/view.h"
#include "tui/wrap.h"

/* ---- readings ------------------------------------------------------------------------------- */

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What this thread has cost since the last look: a first figure soon, then once a second. */
static void measure_console(struct system_view *v, double now)
{
    double took = now - v->cost_at, cpu = thread_seconds(), bytes = (double)term_bytes();
    if (took < (isnan(v->cost.cpu) ? 0.15 : 1))
        return;
    if (v->cost_at > 0) {
        v->cost.cpu = (cpu - v->cpu_seconds) / took;
        v->cost.frames = v->frames / took;
        v->cost.bytes = bytes >= 0 && v->bytes >= 0 ? (bytes - v->bytes) / took : NAN;
    } else {
        v->cost.cpu = NAN;
    }
    v->cost_at = now;
    v->cpu_seconds = cpu;
    v->bytes = bytes;
    v->frames = 0;
}

static bool system_poll(struct view *view, const struct uimodel *m, struct hub *hub)
{
    struct system_view *v = view->state;
    double before = v->reading.at;
    (void)hub;
    if (!v->machine && m->live && *m->path)
        v->machine = machine_start(m->path, m->pid);
    measure_console(v, m->now);
    if (!v->machine || v->frozen)
        return false;
    machine_read(v->machine, &v->reading);
    if (v->reading.at == before)
        return false;
    if (!v->have_history)
        history_init(&v->cpu);
    v->have_history = true;
    if (isfinite(v->reading.cpu))
        history_add(&v->cpu, v->cpu.points + 1, 0, (double)(v->cpu.points + 1),
                    100 * v->reading.cpu);
    return true;
}

static void system_release(struct view *view)
{
    struct system_view *v = view->state;
    machine_stop(v->machine);
    if (v->have_history)
        history_release(&v->cpu);
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* "= 426 tokens: 43.1 samples/s, 574 tokens/s" */
static void step_words(const struct run_status *s, char *dst, size_t size, enum glyph_level level)
{
    char n[32], samples[32], tokens[32];
    bool text = isfinite(s->tokens_per_second);
    double each = (text ? s->tokens_per_second : s->samples_per_second) * s->step_seconds;
    dst[0] = '\0';
    if (!isfinite(each))
        return;
    fmt_speed(samples, sizeof samples, s->samples_per_second, level);
    int at = snprintf(dst, size, "= %s %s: %s samples/s", str_commas(n, sizeof n, llround(each)),
                      text ? "tokens" : "samples", samples);
    if (text)
        snprintf(dst + at, size - (size_t)at, ", %s tokens/s",
                 fmt_speed(tokens, sizeof tokens, s->tokens_per_second, level));
}

static void draw_step(struct canvas *c, struct rect r, int y, const struct run_status *s)
{
    char text[96], cut[96];
    canvas_put(c, r.x + 1, y, ROLE_TITLE, "step");
    canvas_right(c, r.x + 19, y, ROLE_TITLE,
                 fmt_seconds(text, sizeof text, s->step_seconds, c->level));
    if (s->step_seconds > 0)
        canvas_right(c, r.x + 28, y, ROLE_TITLE, "100.0 %");
    step_words(s, text, sizeof text, c->level);
    canvas_put(c, r.x + 30, y, ROLE_DIM, text_cut_clause(c->level, cut, sizeof cut, text, r.w - 31));
}

static int window_of(const struct system_view *v)
{
    return STEP_WINDOW_TOLD + v->other_window;
}

/* The figures of the chosen window in the place of those that are told everywhere. */
static void choose_window(struct run_status *s, int window)
{
    const struct step_means *m = &s->means[window];
    if (window == STEP_WINDOW_TOLD || !s->timed_steps)
        return;
    s->step_seconds = m->step_seconds;
    memcpy(s->phase_seconds, m->phase_seconds, sizeof s->phase_seconds);
    s->samples_per_second = m->samples_per_second;
    s->tokens_per_second = m->tokens_per_second;
}

static void draw_phases(struct canvas *c, struct rect r, const struct uimodel *m,
                        const struct run_status *s, int window, bool frozen)
{
    char name[128], text[64], count[32];
    int64_t n = s->timed_steps < step_windows[window] ? s->timed_steps : step_windows[window];
    snprintf(text, sizeof text, "mean of the last %s steps%s", str_commas(count, sizeof count, n),
             frozen ? ", frozen" : "");
    run_title(m, c->level, name, sizeof name, r.x + r.w < c->w ? 0 : r.w / 3);
    draw_rule(c, r.x, r.y, r.w, "where a step goes", n ? text : NULL, *name ? name : NULL);
    draw_phase_lines(c, r.x + 1, r.y + 1, r.h - 1, r.x + r.w - 1, s);
    if (r.h > PHASE_COUNT + 1) /* the sum of parts that are all there */
        draw_step(c, r, r.y + PHASE_COUNT + 1, s);
}

/* One thing to try, where the numbers say which; "" otherwise. */
static void proposal(const struct verdict *v, const struct uimodel *m,
                     const struct machine_reading *r, char *dst, size_t size)
{
    int64_t threads = m->rc ? m->rc->run.threads : OPT_INT_UNSET;
    dst[0] = '\0';
    if (!strcmp(v->word, "optimizer-bound"))
        str_copy(dst, size, "would help: train.gradient_accumulation_steps, fewer updates");
    else if (!strcmp(v->word, "compute-bound") && threads != OPT_INT_UNSET && threads < r->cpus)
        snprintf(dst, size, "would help: run.threads = %d (%lld of %d cores are used)", r->cpus,
                 (long long)threads, r->cpus);
}

/* "forward, backward 91.8 % of a step, at 176 GFLOP/s; data 0.1 %", the speed where it is asked for. */
static void verdict_words(const struct verdict *v, const struct uimodel *m, const struct run_status *s,
                          bool speed, enum glyph_level level, char *dst, size_t size)
{
    char text[32];
    double seconds = s->phase_seconds[PHASE_FORWARD] + s->phase_seconds[PHASE_BACKWARD];
    int n = snprintf(dst, size, "%s", v->evidence);
    if (*v->word && speed && m->have_plan && m->plan.flops_per_step > 0 && seconds > 0)
        n += snprintf(dst + n, size - (size_t)n, ", at %s GFLOP/s",
                      fmt_speed(text, sizeof text, m->plan.flops_per_step / seconds / 1e9, level));
    if (*v->word && strcmp(v->word, "data-bound"))
        snprintf(dst + n, size - (size_t)n, "; data %s", fmt_percent(text, sizeof text, v->data));
}

static void draw_verdict(struct canvas *c, struct rect r, const struct uimodel *m,
                         const struct run_status *s, const struct machine_reading *reading)
{
    struct verdict v;
    char text[256], cut[256];
    make_verdict(s, &v);
    draw_rule(c, r.x, r.y, r.w, "verdict", NULL, NULL);
    canvas_put(c, r.x + 1, r.y + 1, ROLE_TITLE, v.word);
    int words = text_width(v.word) + 2, x = r.x + (!*v.word ? 1 : words > 16 ? words : 16);
    struct rect room = {x, r.y + 1, r.x + r.w - x, r.h - 1};
    verdict_words(&v, m, s, true, c->level, text, sizeof text);
    if (draw_wrapped(NULL, room, ROLE_TEXT, text) > room.h)
        verdict_words(&v, m, s, false, c->level, text, sizeof text);
    if (draw_wrapped(c, room, *v.word ? ROLE_TEXT : ROLE_DIM, text) > 1)
        return; /* the figures took the place of the proposal */
    proposal(&v, m, reading, text, sizeof text);
    canvas_put(c, x, r.y + 2, ROLE_DIM,
               text_cut_end(c->level, cut, sizeof cut, text, r.x + r.w - x));
}

/* Use of the processors since the view was first open. */
static void draw_cpu_history(struct canvas *c, struct rect r, const struct system_view *v)
{
    struct plot p;
    if (r.h < 5)
        return;
    draw_rule(c, r.x, r.y, r.w, "cpu, % of a core", NULL, NULL);
    if (!v->have_history || v->cpu.n < 2) {
        canvas_put(c, r.x + 1, r.y + 1, ROLE_DIM, "appears after two samples");
        return;
    }
    plot_begin(&p, c, (struct rect){r.x, r.y + 1, r.w, plot_rows(r.h - 2) + 1}, 6, "s");
    p.by = PLOT_TIME;
    plot_x_range(&p, v->cpu.b[v->cpu.n - 1].seconds, 0);
    plot_y_fixed(&p, 0, 100 * v->reading.cpus);
    plot_history(&p, &v->cpu, SMOOTH_OFF, ROLE_SERIES1, PATTERN_SOLID);
    plot_end(&p, c);
}

static void system_draw(struct view *view, struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct system_view *v = view->state;
    struct layout_system l = layout_system(c->w, c->h);
    struct run_status s = v->frozen ? v->shown : m->text;
    (void)r;
    choose_window(&s, window_of(v));
    v->frames++;
    if (!(v->cost_at > 0))
        v->cost.cpu = NAN;
    draw_phases(c, l.phases, m, &s, window_of(v), v->frozen);
    draw_verdict(c, l.verdict, m, &s, &v->reading);
    if (l.machine.h > 1)
        draw_machine_pane(c, l.machine, m, &v->reading, &v->cost, l.machine.x > 0);
    draw_cpu_history(c, l.history, v);
    if (l.history.h) {
        canvas_glyph(c, l.machine.x, l.verdict.y, ROLE_BORDER, GLYPH_TEE_LEFT);
        canvas_glyph(c, l.machine.x, l.history.y, ROLE_BORDER, GLYPH_TEE_UP);
    }
}

static unsigned system_action(struct view *view, enum action a, const struct uimodel *m,
                              char *message)
{
    struct system_view *v = view->state;
    int window = window_of(v);
    (void)message;
    switch (a) {
    case ACTION_FOLLOW:
        v->frozen = !v->frozen;
        v->shown = m->text;
        return REACT_REDRAW;
    case ACTION_PREV_PART: v->other_window -= window > 0; return REACT_REDRAW;
    case ACTION_NEXT_PART: v->other_window += window < STEP_WINDOWS - 1; return REACT_REDRAW;
    default: return REACT_NONE;
    }
}

static void system_hints(const struct view *view, const struct uimodel *m, char *dst, size_t size)
{
    const struct system_view *v = view->state;
    hint_ended(dst, size, m);
    if (!run_takes_commands(m))
        return;
    hint_pair(dst, size, ACTION_PREV_PART, ACTION_NEXT_PART, " ", "window");
    hint_add(dst, size, ACTION_FOLLOW, v->frozen ? "follow" : "freeze");
    hint_add(dst, size, ACTION_SAVE, "save");
    hint_add(dst, size, ACTION_PAUSE, m->text.state == RUN_PAUSED ? "resume" : "pause");
}

static const struct view_key system_keys[] = {
    {ACTION_PREV_PART, ACTION_NEXT_PART, "mean of 10, 100 or 1,000 steps"},
    {ACTION_FOLLOW, ACTION_NONE, "freeze the figures, follow"},
    {ACTION_NONE, ACTION_NONE, NULL},
};

const struct view_class view_system = {
    .name = "system",
    .key = "8",
    .state_size = sizeof(struct system_view),
    .draw = system_draw,
    .action = system_action,
    .hints = system_hints,
    .poll = system_poll,
    .release = system_release,
    .keys = system_keys,
};
