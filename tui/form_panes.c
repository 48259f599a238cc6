/* The panes beside the settings: optimizers by what they keep, the schedule, the lists of choices. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/form.h"
#include "tui/list_keys.h"
#include "tui/plot.h"

#define GUTTER 8
#define TEXT_ROWS 2      /* below the plot */
#define TEXT_ROWS_WIDE 3

/* ---- optimizers ----------------------------------------------------------------------------- */

static bool is_wide(const struct form *f)
{
    return f->layout.choices.h > 0;
}

/* By bytes; the short list where there is no room for all. */
int form_optimizers(const struct form *f, const struct plan_optim *out[PLAN_OPTIMS])
{
    int n = 0;
    if (!f->facts.have_plan)
        return 0;
    const struct memory_plan *p = &f->facts.plan;
    for (int i = 0; i < p->noptim; i++) {
        const struct plan_optim *o = &p->optim[i];
        bool chosen = !strcmp(o->name, f->rc.optim_cls->name);
        if (!o->refused && (o->common || chosen || is_wide(f)))
            out[n++] = o;
    }
    return n;
}

/* Whole MiB, as the heads say; a small run has a decimal. */
static void run_mib(const struct memory_plan *p, const struct plan_optim *o, char *dst, size_t size)
{
    double mib = (double)(p->total_bytes - p->state_bytes + o->bytes) / 1048576;
    if (p->total_bytes < 100 << 20)
        snprintf(dst, size, "%.1f", mib);
    else
        str_commas(dst, size, (int64_t)llround(mib));
}

static void draw_optimizer(const struct form *f, struct canvas *c, struct rect r, int y,
                           const struct plan_optim *o, bool selected)
{
    bool chosen = !strcmp(o->name, f->rc.optim_cls->name);
    enum role role = chosen ? ROLE_TITLE : ROLE_TEXT;
    char text[64], run[32];
    canvas_put(c, r.x + 3, y, role, o->name);
    snprintf(text, sizeof text, "%.1f MiB", (double)o->bytes / 1048576);
    canvas_right(c, r.x + r.w - 8, y, role, text);
    run_mib(&f->facts.plan, o, run, sizeof run);
    canvas_right(c, r.x + r.w - 1, y, ROLE_DIM, run);
    if (selected)
        canvas_glyph(c, r.x + 1, y, ROLE_TEXT, GLYPH_SELECTED);
    if (chosen)
        canvas_put(c, r.x + (selected ? 2 : 1), y, ROLE_FOCUS, "*");
}

static const char *optimizer_name(void *user, int i)
{
    const struct plan_optim **o = user;
    return o[i]->name;
}

void form_draw_optimizers(struct form *f, struct canvas *c, struct rect r)
{
    const struct plan_optim *o[PLAN_OPTIMS];
    struct list *l = &f->optimizers;
    int n = form_optimizers(f, o), rows = r.h - 1;
    bool focus = f->pane == PANE_OPTIMIZERS;
    form_pane_rule(c, r.x, r.y, r.w, "optimizer", focus);
    draw_head(c, r.x + r.w - 15, r.y, ROLE_DIM, "state");
    draw_head(c, r.x + r.w - 8, r.y, ROLE_DIM, "run MiB");
    if (r.x > 0) {
        canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
        draw_separator(c, r.x, r.y + 1, rows);
    }
    if (!focus && f->have_rc) /* stays with the one in force until it has the focus */
        str_copy(l->name, sizeof l->name, f->rc.optim_cls->name);
    list_update(l, n, optimizer_name, o, rows);
    for (int i = 0; i < rows && l->top + i < n; i++) {
        bool selected = focus && l->top + i == l->selected;
        draw_optimizer(f, c, r, r.y + 1 + i, o[l->top + i], selected);
        list_row(c, l, l->top + i, (struct rect){r.x + 1, r.y + 1 + i, r.w - 1, 1});
        if (selected)
            canvas_select(c, (struct rect){r.x + 1, r.y + 1 + i, r.w - 1, 1});
    }
    if (!n && f->have_rc)
        canvas_put(c, r.x + 3, r.y + 1, ROLE_DIM, f->facts.err.code ? "needs the data" : "reading data");
}

/* ---- schedule ------------------------------------------------------------------------------- */

static double rate_at(void *user, double x)
{
    const struct sched *sc = user;
    return sched_lr_at(sc, (int64_t)x);
}

static double peak_of(const struct sched *sc, int64_t total)
{
    const int samples = 256;
    double peak = 0;
    for (int i = 0; i <= samples; i++)
        peak = fmax(peak, sched_lr_at(sc, (int64_t)((double)total * i / samples)));
    return fmax(peak, sched_lr_at(sc, sc->args.warmup));
}

/* The schedule of the form over the whole run; false: there is none to draw. */
static bool make_schedule(const struct form *f, struct sched *sc)
{
    struct err ignored = ERR_INIT;
    if (!f->have_rc || !f->facts.have_plan)
        return false;
    const struct optim_common *common = f->rc.optim_own;
    return !isnan(common->lr) && !sched_init(sc, f->rc.sched_cls, &f->rc.sched, f->rc.sched_own,
                                             common->lr, f->facts.plan.length.max_steps, &ignored);
}

static void plot_schedule(struct canvas *c, struct rect area, struct sched *sc, int64_t total)
{
    struct plot p;
    double peak = peak_of(sc, total);
    plot_begin(&p, c, area, GUTTER, "step");
    p.labels = LABELS_RATES;
    plot_x_fixed(&p, 0, (double)total);
    plot_y_fixed(&p, 0, peak > 0 ? peak : 1);
    plot_line(&p, rate_at, sc, 0, (double)total, ROLE_SERIES1, PATTERN_SOLID);
    plot_end(&p, c);
}

static void run_words(const struct form *f, char steps[96], char rows[96])
{
    const struct run_length *len = &f->facts.plan.length;
    char a[32], b[32], c[32], epochs[32];
    const char *times = is_wide(f) ? "" : " steps";
    snprintf(epochs, sizeof epochs, "%.4g", len->epochs);
    snprintf(steps, 96, "%s epoch%s x %s%s = %s", epochs, strcmp(epochs, "1") ? "s" : "",
             str_commas(a, sizeof a, len->updates_per_epoch), times,
             str_commas(b, sizeof b, len->max_steps));
    int64_t each = f->rc.train.batch_size * f->rc.train.gradient_accumulation_steps;
    snprintf(rows, 96, "%s%s a step", str_commas(c, sizeof c, each), is_wide(f) ? "" : " rows");
}

static void draw_run_words(const struct form *f, struct canvas *c, int x, int y, int rows)
{
    static const char *const labels[] = {"steps", "rows", "fits"};
    char text[3][96], batch[32];
    run_words(f, text[0], text[1]);
    snprintf(text[2], sizeof text[2], "largest batch %s",
             str_commas(batch, sizeof batch, form_largest_batch(f)));
    for (int i = 0; i < rows; i++) {
        if (is_wide(f))
            canvas_put(c, x, y + i, ROLE_DIM, labels[i]);
        canvas_put(c, x + (is_wide(f) ? 8 : 0), y + i, is_wide(f) ? ROLE_TEXT : ROLE_DIM, text[i]);
    }
}

void form_draw_schedule(const struct form *f, struct canvas *c, struct rect r)
{
    struct sched sc;
    char title[80], warmup[64] = "";
    bool known = make_schedule(f, &sc);
    snprintf(title, sizeof title, "schedule %s", f->have_rc ? f->rc.sched_cls->name : "");
    if (known && sc.cls->uses_warmup) {
        char count[32];
        snprintf(warmup, sizeof warmup, "warm-up %s", str_commas(count, sizeof count, sc.args.warmup));
    }
    draw_separator(c, r.x, r.y, r.h);
    draw_rule(c, r.x + 1, r.y, r.w - 1, title, NULL, *warmup ? warmup : NULL);
    canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_RIGHT);
    int words = is_wide(f) ? TEXT_ROWS_WIDE : TEXT_ROWS, room = r.h - 1 - words - 1, y = r.y + 1;
    if (known && room >= 3) {
        struct rect area = {r.x + 1, y, r.w - 1, plot_rows(room) + 1};
        plot_schedule(c, area, &sc, f->facts.plan.length.max_steps);
        y += area.h;
    } else if (f->have_rc && f->facts.have_plan && room >= 3) {
        canvas_put(c, r.x + 2, y++, ROLE_DIM, "the optimizer makes its own rate");
    }
    if (f->facts.have_plan)
        draw_run_words(f, c, r.x + 2, y, words < r.y + r.h - y ? words : r.y + r.h - y);
}

/* ---- lists of choices ------------------------------------------------------------------------ */

/* Which entries a list shows: the short list of optimizers, else the first; the one in force always. */
int form_choice_rows(const struct form *f, int choice, int room, int out[])
{
    const struct choice_class *cls = &choice_classes[choice];
    int n = cls->count(f), now = choice_current(f, choice), used = 0;
    int most = n > room ? room - 1 : n; /* the last row says how many more */
    for (int i = 0; i < n && used < most; i++) {
        bool listed = n <= room || choice != CHOICE_OPTIMIZER || f->layer.app->optims[i]->common;
        bool keep_place = used == most - 1 && now > i; /* the last place is for the one in force */
        if (i == now || (listed && !keep_place))
            out[used++] = i;
    }
    return used;
}

/* Rows of each list: its entries, fewer where they do not fit. */
static void choice_heights(const struct form *f, int rows, int height[CHOICES])
{
    static const int most[CHOICES] = {5, 5, 9, 7};
    int total = 0;
    for (int k = 0; k < CHOICES; k++) {
        int n = choice_classes[k].count(f);
        height[k] = n < most[k] ? n : most[k];
        total += height[k] + 1;
    }
    for (int k = CHOICES - 1; total > rows; k = (k + CHOICES - 1) % CHOICES)
        if (height[k] > 1) {
            height[k]--;
            total--;
        }
}

static void draw_choice_entry(const struct form *f, struct canvas *c, struct rect r, int y, int choice,
                              int entry)
{
    const struct choice_class *cls = &choice_classes[choice];
    bool now = entry == choice_current(f, choice);
    char count[32], text[64] = "";
    if (now)
        canvas_put(c, r.x + 1, y, ROLE_FOCUS, "*");
    canvas_put(c, r.x + 3, y, now ? ROLE_TITLE : ROLE_TEXT, cls->name(f, entry));
    if (now && choice == CHOICE_MODEL && f->facts.have_plan)
        str_commas(text, sizeof text, f->facts.plan.parameters);
    else if (now && choice == CHOICE_DATA && f->facts.have_data)
        snprintf(text, sizeof text, "%s rows",
                 str_commas(count, sizeof count, f->facts.train.rows + f->facts.eval.rows));
    canvas_right(c, r.x + r.w - 1, y, ROLE_DIM, text);
}

static void draw_choice_list(struct form *f, struct canvas *c, struct rect r, int choice)
{
    int shown[PLAN_OPTIMS + FORM_DATA], n = form_choice_rows(f, choice, r.h - 1, shown);
    int all = choice_classes[choice].count(f);
    struct list *l = &f->choices[choice];
    bool focus = f->pane == PANE_CHOICES + choice;
    form_pane_rule(c, r.x, r.y, r.w, choice_classes[choice].title, focus);
    l->rows = r.h - 1;
    l->n = n + (all > n);
    list_select(l, l->selected);
    for (int i = 0; i < l->n; i++) {
        int y = r.y + 1 + i;
        if (i < n)
            draw_choice_entry(f, c, r, y, choice, shown[i]);
        else
            canvas_printf(c, r.x + 3, y, ROLE_TEXT, "%d more ...", all - n);
        if (focus && i == l->selected) {
            canvas_glyph(c, r.x, y, ROLE_TEXT, GLYPH_SELECTED);
            canvas_select(c, (struct rect){r.x, y, r.w, 1});
        }
    }
}

void form_draw_choices(struct form *f, struct canvas *c, struct rect r)
{
    int height[CHOICES], y = r.y;
    choice_heights(f, r.h, height);
    for (int k = 0; k < CHOICES; k++) {
        draw_choice_list(f, c, (struct rect){r.x, y, r.w, height[k] + 1}, k);
        if (k)
            canvas_glyph(c, r.x + r.w, y, ROLE_BORDER, GLYPH_TEE_LEFT);
        y += height[k] + 1;
    }
    canvas_glyph(c, r.x + r.w, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
}
