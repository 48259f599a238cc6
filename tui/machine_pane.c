/* The lines of the machine. */
#include "tui/machine_pane.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/sys.h"
#include "tui/wrap.h"

enum { VALUE_END = 22, TEXT_AT = 23, BAR = 20, NARROW_BAR = 7, NARROW = 72 };

#define STALE_SECONDS 3

/* A line: label, value, a bar where there is a share, words. */
struct line {
    const char *label;
    char value[40], words[256];
    double share; /* NaN: no bar */
};

/* Binary units, one decimal: the values of this pane are sizes at a glance. */
static char *size_words(char *dst, size_t size, double bytes)
{
    double mib = bytes / 1048576, gib = mib / 1024;
    if (gib >= 1)
        snprintf(dst, size, gib < 100 ? "%.1f GiB" : "%.0f GiB", gib);
    else
        snprintf(dst, size, "%.1f MiB", mib);
    return dst;
}

static void line_cpu(struct line *l, const struct machine_reading *r)
{
    l->label = "cpu";
    l->share = r->cpu / r->cpus;
    snprintf(l->value, sizeof l->value, "%.1f %%", 100 * r->cpu);
    snprintf(l->words, sizeof l->words, "of %d core%s", r->cpus, r->cpus == 1 ? "" : "s");
}

static void line_memory(struct line *l, const struct machine_reading *r)
{
    const double gib = 1024.0 * 1048576;
    l->label = "memory";
    l->share = (double)r->resident / (double)r->total;
    fmt_mib(l->value, sizeof l->value, r->resident);
    snprintf(l->words, sizeof l->words, "here; %.1f of %.1f GiB free", (double)r->free / gib,
             (double)r->total / gib);
}

static void line_disk(struct line *l, const struct machine_reading *r, const struct uimodel *m,
                      int path_cols)
{
    char path[4400], free_words[32];
    l->label = "disk";
    if (r->disk_used < 0 || r->disk_free < 0)
        return;
    l->share = (double)r->disk_used / (double)(r->disk_used + r->disk_free);
    size_words(l->value, sizeof l->value, (double)r->disk_used);
    uimodel_path(m, path, sizeof path, "");
    text_cut_middle(GLYPHS_BRAILLE, l->words, sizeof l->words,
                    text_width(path) > path_cols ? file_base(path) : path, path_cols);
    size_t n = strlen(l->words);
    snprintf(l->words + n, sizeof l->words - n, "; %s free",
             size_words(free_words, sizeof free_words, (double)r->disk_free));
}

static void line_gpu(struct line *l, const struct uimodel *m)
{
    char precision[32] = "fp32";
    void *values;
    const struct opt_desc *d = m->rc ? run_config_find(m->rc, "run", "precision", &values) : NULL;
    if (d)
        opt_format(d, values, precision, sizeof precision);
    l->label = "gpu";
    bool looked = !m->rc || !m->rc->run.device || !strcmp(m->rc->run.device, "auto");
    snprintf(l->words, sizeof l->words, "%s; backend %s, %s",
             looked ? "none found" : "not asked for", m->text.device, precision);
}

/* Threads of known purpose; more, as the sampler's and those of libraries, are others. */
static void line_threads(struct line *l, const struct machine_reading *r, const struct uimodel *m)
{
    const struct run_config *rc = m->rc;
    int64_t wanted = rc && rc->run.threads != OPT_INT_UNSET ? rc->run.threads : 0;
    int compute = sys_threads(wanted, NULL, 0), known = compute + 2;
    l->label = "threads";
    snprintf(l->value, sizeof l->value, "%d", r->threads);
    int n = snprintf(l->words, sizeof l->words, "%d compute, 1 loader, 1 console", compute);
    if (r->threads > known)
        snprintf(l->words + n, sizeof l->words - (size_t)n, ", %d other", r->threads - known);
    else if (r->threads < known) /* not all have begun */
        l->words[0] = '\0';
}

static void line_console(struct line *l, const struct console_cost *cost)
{
    l->label = "console";
    if (isnan(cost->cpu))
        return;
    snprintf(l->value, sizeof l->value, "%.1f %%", 100 * cost->cpu);
    int n = snprintf(l->words, sizeof l->words, "of a core, %.0f frames/s", cost->frames);
    if (isfinite(cost->bytes))
        snprintf(l->words + n, sizeof l->words - (size_t)n, ", %.1f KiB/s to the terminal",
                 cost->bytes / 1024);
}

static void line_viewers(struct line *l, const struct uimodel *m)
{
    int others = m->viewers > 1 ? m->viewers - 1 : 0;
    l->label = "viewers";
    snprintf(l->value, sizeof l->value, "%d", others + 1);
    str_copy(l->words, sizeof l->words, "this one");
    if (others)
        snprintf(l->words, sizeof l->words, "this one and %d more", others);
}

/* The words run on below the line in up to `more` rows, if that is room for all of them; returns the
 * rows that took. */
static int draw_line(struct canvas *c, struct rect r, int y, const struct line *l, int more,
                     enum role role)
{
    char words[256];
    int bar = r.w < NARROW ? NARROW_BAR : BAR, x = r.x + TEXT_AT + (isnan(l->share) ? 0 : bar + 2);
    const char *missing = glyph_text(c->level, GLYPH_MISSING);
    canvas_put(c, r.x + 1, y, ROLE_DIM, l->label);
    canvas_right(c, r.x + VALUE_END, y, role, *l->value ? l->value : missing);
    if (!isnan(l->share))
        draw_progress(c, r.x + TEXT_AT, y, bar, l->share);
    struct rect room = {x, y, r.x + r.w - x, 1 + more};
    int rows = draw_wrapped(NULL, room, ROLE_DIM, l->words);
    if (rows > 1 && rows <= room.h)
        return draw_wrapped(c, room, ROLE_DIM, l->words) - 1;
    canvas_put(c, x, y, ROLE_DIM, text_cut_clause(c->level, words, sizeof words, l->words, room.w));
    return 0;
}

static int fill_lines(struct line line[8], const struct uimodel *m, const struct machine_reading *r,
                      const struct console_cost *cost, int w)
{
    int path_cols =
        w - TEXT_AT - (w < NARROW ? NARROW_BAR : BAR) - 2 - (int)strlen("; 1,000 GiB free");
    for (int i = 0; i < 8; i++)
        line[i] = (struct line){.share = NAN};
    line_cpu(&line[0], r);
    line_memory(&line[1], r);
    line_disk(&line[2], r, m, path_cols > 8 ? path_cols : 8);
    line_gpu(&line[3], m);
    line_threads(&line[4], r, m);
    line[5].label = "blas";
    str_copy(line[5].value, sizeof line[5].value, " ");
    snprintf(line[5].words, sizeof line[5].words, "%s, check passed", r->blas);
    line_console(&line[6], cost);
    line_viewers(&line[7], m);
    if (isnan(r->cpu))
        line[0].value[0] = '\0';
    return 8;
}

static void draw_pane_rule(struct canvas *c, struct rect r, const char *right, bool beside)
{
    draw_rule(c, r.x, r.y, r.w, "machine", NULL, *right ? right : NULL);
    if (!beside)
        return;
    canvas_glyph(c, r.x, r.y, ROLE_BORDER, GLYPH_TEE_DOWN);
    draw_separator(c, r.x, r.y + 1, r.h - 1);
}

void draw_machine_pane(struct canvas *c, struct rect r, const struct uimodel *m,
                       const struct machine_reading *reading, const struct console_cost *cost,
                       bool beside)
{
    struct line line[8];
    char right[48] = "";
    double age = fmax(0, m->clock - reading->at);
    bool known = reading->at > 0;
    if (known)
        snprintf(right, sizeof right, "sampled %.1f s ago", age);
    draw_pane_rule(c, r, right, beside);
    struct rect inside = {r.x + beside, r.y, r.w - beside, r.h};
    if (!known) {
        canvas_put(c, inside.x + 1, r.y + 1, ROLE_DIM,
                   m->live ? "sampled once a second" : "this run does not go on here");
        return;
    }
    int n = fill_lines(line, m, reading, cost, inside.w);
    int spare = r.h - 1 - n, y = r.y + 1;
    for (int i = 0; i < n && y < r.y + r.h; i++) {
        int took = draw_line(c, inside, y, &line[i], spare > 0 ? spare : 0,
                             age > STALE_SECONDS ? ROLE_DIM : ROLE_TEXT);
        spare -= took;
        y += 1 + took;
    }
}
