/* The picture of the form (screens.md 2.2): frame, settings, status. */
#include <stdio.h>
#include <string.h>

#include "tui/form.h"
#include "tui/list_keys.h"
#include "tui/run_words.h"
#include "tui/wrap.h"

void form_pane_rule(struct canvas *c, int x, int y, int w, const char *title, bool focus)
{
    draw_rule(c, x, y, w, NULL, NULL, NULL);
    draw_head(c, x + 3, y, focus ? ROLE_FOCUS : ROLE_TITLE, title);
}

/* ---- settings ------------------------------------------------------------------------------- */

/* The pane without the separator that stands to its left: [x, end). */
struct span {
    int x, end;
};

static struct span inside(struct rect r)
{
    return (struct span){r.x + (r.x > 0), r.x + r.w};
}

static void draw_value(struct canvas *c, int from, int end, int y, enum role role, const char *value)
{
    char cut[512];
    canvas_right(c, end, y, role, text_cut_middle(c->level, cut, sizeof cut, value, end - from));
}

static void draw_start(const struct form *f, struct canvas *c, struct span s, int y, bool wide)
{
    char steps[32], epochs[32], text[96];
    const struct run_length *len = &f->facts.plan.length;
    canvas_put(c, s.x + 2, y, ROLE_TITLE, f->resume ? "Resume training" : "Start training");
    if (!f->facts.have_plan || *form_problem(f))
        return;
    int room = s.end - 1 - (s.x + 2 + 15 + 1);
    snprintf(epochs, sizeof epochs, "%.4g", len->epochs);
    str_commas(steps, sizeof steps, len->max_steps);
    if (f->runs > 1)
        snprintf(text, sizeof text, "%zu runs, %s steps", f->runs, steps);
    else
        snprintf(text, sizeof text, "%s steps, %s epoch%s", steps, epochs, strcmp(epochs, "1") ? "s" : "");
    if (text_width(text) > room)
        snprintf(text, sizeof text, "%s steps", steps);
    if (text_width(text) <= room)
        canvas_right(c, s.end - (wide ? 3 : 1), y, ROLE_DIM, text);
}

static void draw_choice(const struct form *f, struct canvas *c, struct span s, int y, int choice)
{
    char text[64] = "";
    const struct choice_class *cls = &choice_classes[choice];
    const char *swept = choice_swept(f, choice);
    int x = s.x + 2 + canvas_put(c, s.x + 2, y, ROLE_TEXT, cls->title);
    if (f->have_rc)
        draw_value(c, x + 2, s.end - 3, y, ROLE_TEXT, swept ? swept : cls->now(f, text, sizeof text));
    canvas_put(c, s.end - 2, y, ROLE_DIM, ">");
}

static void draw_option(const struct form *f, struct canvas *c, struct span s, int y,
                        const struct form_row *r)
{
    char value[512];
    enum role role = form_broken(f, r->section, r->key) ? ROLE_BAD : ROLE_TEXT;
    int x = s.x + 2 + canvas_put(c, s.x + 2, y, ROLE_TEXT, r->key);
    draw_value(c, x + 2, s.end - 3, y, role, form_row_value(f, r, value, sizeof value));
    if (form_row_changed(f, r))
        canvas_put(c, s.end - 2, y, ROLE_FOCUS, "*");
}

static void draw_row(const struct form *f, struct canvas *c, struct span s, int y,
                     const struct form_row *r)
{
    switch (r->kind) {
    case ROW_START: draw_start(f, c, s, y, f->layout.choices.h > 0); break;
    case ROW_CHOICE: draw_choice(f, c, s, y, r->choice); break;
    case ROW_SECTION: canvas_put(c, s.x + 1, y, ROLE_DIM, r->name); break;
    case ROW_OPTION:
    case ROW_SWEEP:
    case ROW_UNKNOWN: draw_option(f, c, s, y, r); break;
    }
}

/* The selected row, and the entry over its value. */
static void draw_selection(const struct form *f, struct canvas *c, struct span s, int y,
                           const struct form_row *r)
{
    bool focus = f->pane == PANE_SETTINGS;
    canvas_glyph(c, s.x, y, ROLE_TEXT, GLYPH_SELECTED);
    if (f->entry.open) {
        int from = s.x + 2 + text_width(r->key) + 1, end = s.end - 2;
        canvas_fill(c, (struct rect){from, y, s.end - from, 1}, ROLE_TEXT, ' ');
        canvas_select(c, (struct rect){s.x, y, s.end - s.x, 1});
        entry_draw(&f->entry, c, from, y, end - from, true);
    } else if (focus) {
        canvas_select(c, (struct rect){s.x, y, s.end - s.x, 1});
    }
}

static void settings_head(const struct form *f, struct canvas *c, struct rect r)
{
    char text[160];
    int x = r.x + (r.x > 0 ? 15 : 17);
    const struct list *l = &f->settings;
    form_pane_rule(c, r.x, r.y, r.w, "settings", f->pane == PANE_SETTINGS);
    str_copy(text, sizeof text, "* not the default");
    if (*l->filter)
        snprintf(text, sizeof text, "/%s %d of %d", l->filter, l->n, f->nrows);
    if (x + text_width(text) < r.x + r.w)
        draw_head(c, x, r.y, ROLE_DIM, text);
}

void form_draw_settings(struct form *f, struct canvas *c, struct rect r)
{
    struct span s = inside(r);
    struct list *l = &f->settings;
    l->rows = r.h - 1;
    form_filter(f);
    settings_head(f, c, r);
    if (r.x > 0)
        draw_separator(c, r.x, r.y + 1, r.h - 1);
    for (int i = 0; i < r.h - 1 && l->top + i < l->n; i++) {
        const struct form_row *row = &f->row[f->shown[l->top + i]];
        draw_row(f, c, s, r.y + 1 + i, row);
        list_row(c, l, l->top + i, (struct rect){s.x, r.y + 1 + i, s.end - s.x, 1});
        if (l->top + i == l->selected)
            draw_selection(f, c, s, r.y + 1 + i, row);
    }
    if (!l->n)
        draw_no_match(c, s.x + 2, r.y + 1, l);
}

/* ---- frame ---------------------------------------------------------------------------------- */

static void draw_top(const struct form *f, struct canvas *c)
{
    char text[64] = "", path[600];
    int n = form_changes(f);
    int x = 1 + canvas_put(c, 1, 0, ROLE_TITLE, f->resume ? "resume" : "new run") + 2;
    if (n)
        snprintf(text, sizeof text, "%d change%s, not saved", n, n == 1 ? "" : "s");
    int room = c->w - 1 - text_width(text) - x - (n ? 2 : 0);
    canvas_put(c, x, 0, ROLE_TEXT,
               text_cut_middle(c->level, path, sizeof path, f->resume ? f->resume : f->file.path, room));
    canvas_right(c, c->w - 1, 0, ROLE_DIM, text);
}

/* Two lines; one that stands alone may take both. */
static void draw_help_lines(const struct form *f, struct canvas *c, int y, int rows)
{
    char first[512], second[512], cut[512];
    enum role role = *f->entry.error ? ROLE_BAD : ROLE_TEXT;
    form_help_lines(f, c->w - 1, first, second);
    if (!*second) {
        draw_wrapped(c, (struct rect){1, y, c->w - 2, rows}, role, first);
        return;
    }
    canvas_put(c, 1, y, role, text_cut_end(c->level, cut, sizeof cut, first, c->w - 1));
    if (rows > 1)
        canvas_put(c, 1, y + 1, ROLE_DIM, text_cut_end(c->level, cut, sizeof cut, second, c->w - 1));
}

static void draw_help(const struct form *f, struct canvas *c, struct rect r)
{
    const struct form_row *row = form_selected(f);
    if (r.h < 3) {
        draw_help_lines(f, c, r.y, 1);
        return;
    }
    draw_rule(c, r.x, r.y, r.w, row ? row->name : "settings", NULL, NULL);
    if (f->layout.settings.x > 0)
        canvas_glyph(c, f->layout.settings.x, r.y, ROLE_BORDER, GLYPH_TEE_UP);
    if (f->layout.optimizer.h > 0)
        canvas_glyph(c, f->layout.optimizer.x, r.y, ROLE_BORDER, GLYPH_TEE_UP);
    draw_help_lines(f, c, r.y + 1, 2);
}

/* Rows that fit, of those there are. */
int64_t form_largest_batch(const struct form *f)
{
    int64_t rows = f->facts.train.rows, most = f->facts.plan.largest_batch;
    return rows > 0 && rows < most ? rows : most;
}

/* "ready   6,315 steps   needs 1.18 of 22.1 GiB: fits   largest batch 3,688"; gaps of two where that is
 * too long, then parts go from the right. */
static bool status_words(const struct form *f, char *dst, size_t size, int cols)
{
    char part[4][96], a[32], b[64];
    const struct memory_plan *p = &f->facts.plan;
    const char *problem = form_problem(f);
    int used = 0, gap = 3;
    if (*problem || !f->facts.have_plan) {
        str_copy(dst, size, *problem ? problem : "reading data");
        return !*problem;
    }
    str_copy(part[0], sizeof part[0], f->starting ? "starting" : p->fits ? "ready" : "too large");
    str_commas(a, sizeof a, p->length.max_steps);
    if (f->runs > 1)
        snprintf(part[1], sizeof part[1], "%zu runs of %s steps", f->runs, a);
    else
        snprintf(part[1], sizeof part[1], "%s steps", a);
    words_need(p, a, sizeof a);
    snprintf(part[2], sizeof part[2], "needs %s: %s", a, words_verdict(p, b, sizeof b));
    snprintf(part[3], sizeof part[3], "largest batch %s",
             str_commas(a, sizeof a, form_largest_batch(f)));
    for (int i = 0; i < 4; i++)
        used += text_width(part[i]);
    if (used + 3 * gap > cols)
        gap = 2;
    str_copy(dst, size, part[0]);
    for (int i = 1; i < 4 && text_width(dst) + gap + text_width(part[i]) <= cols; i++)
        snprintf(dst + strlen(dst), size - strlen(dst), "%*s%s", gap, "", part[i]);
    return p->fits;
}

static void draw_status(const struct form *f, struct canvas *c)
{
    char text[1200], cut[1200];
    bool good = status_words(f, text, sizeof text, c->w - 2);
    enum role role = good ? ROLE_STATUS : ROLE_STATUS_BAD;
    canvas_fill(c, (struct rect){0, c->h - 2, c->w, 1}, role, ' ');
    canvas_put(c, 1, c->h - 2, role, text_cut_end(c->level, cut, sizeof cut, text, c->w - 2));
}

static const char *enter_word(const struct form *f)
{
    const struct form_row *r = form_selected(f);
    if (f->pane != PANE_SETTINGS)
        return "choose";
    return !r || r->kind == ROW_START ? "start" : r->kind == ROW_CHOICE ? "choose" : "edit";
}

static void draw_hint_row(const struct form *f, struct canvas *c)
{
    char text[128];
    if (f->settings.typing) {
        snprintf(text, sizeof text, "/%s", f->settings.filter);
        draw_hints(c, text, true);
    } else if (f->path.open) {
        entry_prompt(&f->path, c, "data file: ");
    } else if (f->entry.open) {
        app_hints(f->layer.app, c, "Enter take  ↑↓ step  ^U clear  Esc leave unchanged");
    } else {
        snprintf(text, sizeof text, "Enter %s  r %s  %sTab next part  / find  Esc back", enter_word(f),
                 f->resume ? "resume" : "start", f->resume ? "" : "s save  ");
        app_hints(f->layer.app, c, text);
    }
}

void form_draw(struct layer *layer, struct canvas *c)
{
    struct form *f = (struct form *)layer;
    f->layout = layout_form(c->w, c->h);
    if (f->pane >= PANE_CHOICES && f->layout.choices.h == 0)
        f->pane = PANE_SETTINGS;
    if (f->pane == PANE_OPTIMIZERS && f->layout.optimizer.h == 0)
        f->pane = PANE_SETTINGS;
    if (list_clicked(&f->settings))
        f->pane = PANE_SETTINGS;
    if (list_clicked(&f->optimizers))
        f->pane = PANE_OPTIMIZERS;
    draw_top(f, c);
    form_draw_settings(f, c, f->layout.settings);
    if (f->layout.choices.h > 0)
        form_draw_choices(f, c, f->layout.choices);
    if (f->layout.optimizer.h > 0)
        form_draw_optimizers(f, c, f->layout.optimizer);
    if (f->layout.schedule.h > 0)
        form_draw_schedule(f, c, f->layout.schedule);
    draw_help(f, c, f->layout.help);
    draw_status(f, c);
    draw_hint_row(f, c);
}
