/* The learning rate: the whole schedule, where the run is on it, and what was changed live. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/hints.h"
#include "tui/list_keys.h"
#include "tui/run_plot.h"
#include "tui/view.h"
#include "tui/wrap.h"

struct lr_view {
    struct plot_window window;
    int first_edit; /* scrolled back by this many */
    int edit_rows;
};

static void draw_legend(struct canvas *c, struct rect r, const struct uimodel *m)
{
    char name[128], used[16], planned[16];
    bool over = run_state_over(m->text.state), plans = m->have_sched && m->sched.cls->factor;
    draw_rule(c, r.x, r.y, r.w, "learning rate", NULL,
              run_title(m, c->level, name, sizeof name, r.w / 3));
    int x = r.x + 3 + 13 + 2; /* behind the title */
    const struct {
        const char *sign, *word;
        enum role role;
        bool shown;
    } legend[] = {
        {plot_legend(c->level, PATTERN_SOLID, 2, used, sizeof used), "used", ROLE_SERIES1,
         m->series[SERIES_LR].n > 0},
        {plot_legend(c->level, PATTERN_PLANNED, 2, planned, sizeof planned), "planned", ROLE_DIM,
         plans && !over},
        {glyph_text(c->level, GLYPH_EDIT), "edit", ROLE_WARN, m->nedits > 0},
    };
    for (int i = 0; i < 3; i++) {
        int width = text_width(legend[i].sign) + 1 + text_width(legend[i].word);
        if (!legend[i].shown || x + width + 1 > r.x + r.w)
            continue;
        canvas_fill(c, (struct rect){x - 2, r.y, width + 3, 1}, ROLE_BORDER, ' ');
        canvas_put(c, x, r.y, legend[i].role, legend[i].sign);
        canvas_put(c, x + width - text_width(legend[i].word), r.y, ROLE_DIM, legend[i].word);
        x += width + 3;
    }
}

/* ---- now ------------------------------------------------------------------------------------ */

static void draw_now(struct canvas *c, struct rect r, const struct uimodel *m,
                     const struct plot_window *w)
{
    char label[48] = "now", step[32], value[32];
    int64_t now = m->text.step, ahead = now + 100, last = m->text.max_steps;
    bool follows = m->have_sched && !m->sched.cls->factor;
    double rate = m->text.lr;
    if (w->cursor) {
        snprintf(label, sizeof label, "step %s", str_commas(step, sizeof step, w->cursor));
        rate = rate_of_step(m, w->cursor);
    }
    const struct {
        const char *label;
        double rate;
    } part[] = {{label, rate},
                {"peak", peak_rate(m)},
                {"next 100 steps", follows ? NAN : rate_of_step(m, ahead < last ? ahead : last)},
                {"last step", follows ? NAN : rate_of_step(m, last)}};
    int x = r.x + 1;
    for (int i = 0; i < 4 && r.h > 0; i++) {
        fmt_rate(value, sizeof value, part[i].rate, c->level);
        int width = text_width(part[i].label) + 1 + text_width(value);
        if (x + width > r.x + r.w)
            return;
        x += canvas_put(c, x, r.y, ROLE_DIM, part[i].label) + 1;
        x += canvas_put(c, x, r.y, ROLE_TEXT, value) + 3;
    }
}

/* ---- edits ---------------------------------------------------------------------------------- */

/* Columns of the table; a narrow pane does without the time. */
struct edit_columns {
    int step_end, time, option, from_end, to_end;
};

static struct edit_columns edit_columns(int w)
{
    if (w >= 69)
        return (struct edit_columns){16, 18, 30, 61, 68};
    return (struct edit_columns){16, -1, 18, w - 8, w - 1};
}

static void draw_edit(struct canvas *c, struct rect r, int y, const struct edit_columns *cols,
                      const struct live_edit *e)
{
    char text[64];
    int option = cols->from_end - cols->option - 9;
    canvas_glyph(c, r.x + 1, y, ROLE_WARN, GLYPH_EDIT);
    canvas_right(c, r.x + cols->step_end, y, ROLE_TEXT, str_commas(text, sizeof text, e->step));
    if (cols->time >= 0)
        canvas_right(c, r.x + cols->time + 7, y, ROLE_DIM,
                     fmt_age(text, sizeof text, e->seconds, c->level));
    canvas_put(c, r.x + cols->option, y, ROLE_TEXT,
               text_cut_end(c->level, text, sizeof text, e->key, option));
    canvas_right(c, r.x + cols->from_end, y, ROLE_TEXT, e->from);
    canvas_right(c, r.x + cols->to_end, y, ROLE_TEXT, e->to);
}

static void draw_edit_heads(struct canvas *c, struct rect r, const struct edit_columns *cols)
{
    draw_head(c, r.x + cols->step_end - 4, r.y, ROLE_DIM, "step");
    if (cols->time >= 0)
        draw_head(c, r.x + cols->time + 2, r.y, ROLE_DIM, "time");
    draw_head(c, r.x + cols->option, r.y, ROLE_DIM, "option");
    draw_head(c, r.x + cols->from_end - 4, r.y, ROLE_DIM, "from");
    draw_head(c, r.x + cols->to_end - 2, r.y, ROLE_DIM, "to");
}

static void draw_edits(struct canvas *c, struct rect r, const struct uimodel *m, struct lr_view *v)
{
    struct edit_columns cols = edit_columns(r.w);
    int rows = v->edit_rows = r.h - 1;
    if (r.h < 1)
        return;
    draw_rule(c, r.x, r.y, r.w, "edits", NULL, NULL);
    if (m->nedits)
        draw_edit_heads(c, r, &cols);
    else
        canvas_put(c, r.x + 1, r.y + 1, ROLE_DIM,
                   "none: no option was changed while the run went on");
    int first = m->nedits > rows ? m->nedits - rows - v->first_edit : 0;
    first = first > 0 ? first : 0;
    for (int i = 0; i < rows && first + i < m->nedits; i++)
        draw_edit(c, r, r.y + 1 + i, &cols, &m->edits[first + i]);
}

/* ---- the schedule in words ------------------------------------------------------------------ */

/* "linear: warm-up 632 of 6,315 steps (warmup_ratio 0.1), then down to 0" */
static void schedule_words(const struct uimodel *m, char *dst, size_t size)
{
    const struct sched *s = &m->sched;
    char warmup[32], total[32], words[128] = "", ratio[48] = "", number[32];
    if (s->cls->describe)
        s->cls->describe(&s->args, words, sizeof words);
    if (m->rc && !isnan(m->rc->sched.warmup_ratio))
        snprintf(ratio, sizeof ratio, " (warmup_ratio %s)",
                 str_f64(number, sizeof number, m->rc->sched.warmup_ratio));
    if (s->args.warmup > 0)
        snprintf(dst, size, "%s: warm-up %s of %s steps%s, %s", s->cls->name,
                 str_commas(warmup, sizeof warmup, s->args.warmup),
                 str_commas(total, sizeof total, s->args.total), ratio,
                 *words ? words : s->cls->summary);
    else
        snprintf(dst, size, "%s: %s", s->cls->name,
                 str_starts(words, "then ") ? words + strlen("then ")
                 : *words                   ? words
                                            : s->cls->summary);
}

static void logged_words(const struct uimodel *m, char *dst, size_t size, enum glyph_level level)
{
    const struct sched *s = &m->sched;
    char value[32];
    double first = s->args.base_lr * (s->cls->factor ? s->cls->factor(0, &s->args) : 1);
    snprintf(dst, size, "the rate that the step used; update 1 uses %s",
             first == 0 ? "0" : fmt_rate(value, sizeof value, first, level));
}

/* A label and its words from (x, y), in rows down to the end of the pane; returns the rows
 * taken. */
static int draw_words(struct canvas *c, struct rect r, int x, int y, const char *label,
                      const char *words)
{
    struct rect room = {x + 10, y, r.x + r.w - x - 10, r.y + r.h - y};
    if (room.h < 1)
        return 0;
    canvas_put(c, x, y, ROLE_DIM, label);
    return draw_wrapped(c, room, ROLE_TEXT, words);
}

/* Beside the edits the text has a rule of its own and breaks its lines; below them each is one
 * line. */
static void draw_text(struct canvas *c, struct rect r, const struct uimodel *m)
{
    bool beside = r.x > 0;
    int x = r.x + (beside ? 2 : 1), y = r.y + beside, rows = 1;
    char text[256], shown[256];
    if (beside) {
        draw_rule(c, r.x, r.y, r.w, "schedule", NULL, NULL);
        canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
        draw_separator(c, r.x, r.y + 1, r.h - 1);
    }
    if (!m->have_sched || r.h < 1)
        return;
    schedule_words(m, text, sizeof text);
    if (!beside)
        text_cut_end(c->level, shown, sizeof shown, text, r.w - 11);
    rows = draw_words(c, r, x, y, "schedule", beside ? text : shown);
    logged_words(m, text, sizeof text, c->level);
    draw_words(c, r, x, y + rows, "logged", text);
}

/* ---- the view ------------------------------------------------------------------------------- */

static void lr_draw(struct view *view, struct canvas *c, struct rect r, const struct uimodel *m)
{
    struct lr_view *v = view->state;
    struct layout_lr l = layout_lr(c->w, c->h);
    (void)r;
    draw_rate_plot(c, (struct rect){l.plot.x, l.plot.y + 1, l.plot.w, l.plot.h - 1}, m, &v->window);
    draw_legend(c, l.plot, m);
    draw_now(c, l.now, m, &v->window);
    if (size_class_of(c->w, c->h) <= SIZE_COMPACT)
        return;
    draw_edits(c, l.edits, m, v);
    draw_text(c, l.text, m);
}

/* The next edit from the cursor on, with the first after the last. */
static unsigned next_edit(struct lr_view *v, const struct uimodel *m, int direction, char *message)
{
    int best = -1;
    for (int i = 0; i < m->nedits; i++) {
        int at = direction > 0 ? i : m->nedits - 1 - i;
        if (best < 0 && direction * (m->edits[at].step - v->window.cursor) > 0)
            best = at;
    }
    if (!m->nedits) {
        str_copy(message, 256, "no option was changed while the run went on");
        return REACT_REDRAW | REACT_MESSAGE;
    }
    if (best < 0)
        best = direction > 0 ? 0 : m->nedits - 1;
    plot_window_cursor(&v->window, m, m->edits[best].step > 0 ? m->edits[best].step : 1);
    return REACT_REDRAW;
}

static unsigned scroll(struct lr_view *v, const struct uimodel *m, int by)
{
    int most = m->nedits - v->edit_rows;
    v->first_edit += by;
    if (v->first_edit > most)
        v->first_edit = most;
    if (v->first_edit < 0)
        v->first_edit = 0;
    return REACT_REDRAW;
}

static unsigned lr_action(struct view *view, enum action a, const struct uimodel *m, char *message)
{
    struct lr_view *v = view->state;
    switch (a) {
    case ACTION_NEW: return next_edit(v, m, 1, message);
    case ACTION_PREV_MARK: return next_edit(v, m, -1, message);
    case ACTION_UP: return scroll(v, m, 1);
    case ACTION_DOWN: return scroll(v, m, -1);
    case ACTION_PAGE_UP: return scroll(v, m, v->edit_rows);
    case ACTION_PAGE_DOWN: return scroll(v, m, -v->edit_rows);
    default: break;
    }
    return plot_window_action(&v->window, a, m, m->text.max_steps) ? REACT_REDRAW : REACT_NONE;
}

static void lr_hints(const struct view *view, const struct uimodel *m, char *dst, size_t size)
{
    (void)view;
    if (!m->series[SERIES_LR].n && !m->have_sched) {
        hint_run(dst, size, m);
        return;
    }
    hint_ended(dst, size, m);
    hint_pair(dst, size, ACTION_LEFT, ACTION_RIGHT, "", "cursor");
    hint_pair(dst, size, ACTION_ZOOM_IN, ACTION_ZOOM_OUT, "", "zoom");
    hint_add(dst, size, ACTION_X_AXIS, "axis");
    if (run_takes_commands(m))
        hint_add(dst, size, ACTION_OPTIONS, "options");
    if (m->nedits)
        hint_add(dst, size, ACTION_NEW, "next edit");
}

static const struct view_key lr_keys[] = {
    {ACTION_NEW, ACTION_PREV_MARK, "next, previous edit"},
    {ACTION_UP, ACTION_DOWN, "scroll the edits"},
    {ACTION_NONE, ACTION_NONE, NULL},
};

const struct view_class view_lr = {
    .name = "lr",
    .key = "3",
    .state_size = sizeof(struct lr_view),
    .draw = lr_draw,
    .action = lr_action,
    .hints = lr_hints,
    .keys = lr_keys,
};
