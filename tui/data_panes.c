/* Files and classes. */
#include "tui/data_panes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/layout.h"
#include "tui/paths.h"
#include "tui/run_plot.h"

static const char *const side_names[2] = {"train", "eval"};

/* ---- files ---------------------------------------------------------------------------------- */

enum { PATH_AT = 8, ROWS_END = 37, LABELLED_END = 47, SHAPE_AT = 50, COMPACT_ROWS_END = 32 };

static bool is_text(const struct dataset *ds)
{
    return ds->spec.kind == BATCH_TEXT;
}

/* "1×28×28", "784 features", "texts" */
static char *shape_words(const struct dataset *ds, char *dst, size_t size)
{
    size_t n = 0;
    str_copy(dst, size, "texts");
    if (is_text(ds))
        return dst;
    for (int i = 0; i < ds->spec.ndim && n < size; i++)
        n +=
            (size_t)snprintf(dst + n, size - n, "%s%lld", i ? "×" : "", (long long)ds->spec.dim[i]);
    if (ds->spec.ndim == 1)
        snprintf(dst + n, size - n, " features");
    return dst;
}

static void draw_file(struct canvas *c, struct rect r, int y, const char *side,
                      const struct dataset *ds, bool compact)
{
    char text[4200], cut[256];
    int rows_end = r.x + (compact ? COMPACT_ROWS_END : ROWS_END), spare = compact ? 0 : r.w - 80;
    rows_end += spare > 0 ? spare : 0;
    canvas_put(c, r.x + 1, y, ROLE_DIM, side);
    if (!ds->rows) {
        canvas_put(c, r.x + PATH_AT, y, ROLE_DIM, glyph_text(c->level, GLYPH_MISSING));
        return;
    }
    str_copy(text, sizeof text, "made up");
    if (ds->path)
        path_from_here(text, sizeof text, ds->path);
    canvas_put(c, r.x + PATH_AT, y, ROLE_TEXT,
               text_cut_middle(c->level, cut, sizeof cut, text, rows_end - 10 - r.x - PATH_AT));
    canvas_right(c, rows_end, y, ROLE_TEXT, str_commas(text, sizeof text, ds->rows));
    if (compact)
        return;
    canvas_right(c, rows_end + LABELLED_END - ROWS_END, y, ROLE_TEXT,
                 str_commas(text, sizeof text, ds->labelled));
    canvas_put(c, rows_end + SHAPE_AT - ROWS_END, y, ROLE_DIM, shape_words(ds, text, sizeof text));
}

void draw_files_pane(struct canvas *c, struct rect r, const struct uimodel *m,
                     const struct data_sides *d)
{
    char name[128];
    bool compact = size_class_of(c->w, c->h) <= SIZE_COMPACT;
    int spare = !compact && r.w > 80 ? r.w - 80 : 0;
    int rows_end = r.x + spare + (compact ? COMPACT_ROWS_END : ROWS_END);
    draw_rule(c, r.x, r.y, r.w, "data", NULL,
              compact ? NULL : run_title(m, c->level, name, sizeof name, r.w / 4));
    draw_head(c, r.x + PATH_AT, r.y, ROLE_DIM, "file");
    draw_head(c, rows_end - 4, r.y, ROLE_DIM, "rows");
    if (!compact)
        draw_head(c, rows_end + 2, r.y, ROLE_DIM, "labelled");
    for (int i = 0; i < 2 && i < r.h - 1; i++)
        draw_file(c, r, r.y + 1 + i, side_names[i], d->set[i], compact);
}

/* ---- classes -------------------------------------------------------------------------------- */

enum { COUNT_END = 27, SHARE_END = 40, BAR = 14, EVAL_END = 62, EVAL_SHARE_END = 76 };

/* Columns of the pane; a narrow one has the training set alone. */
struct label_columns {
    int count, share, bar, eval, eval_share; /* right ends; 0: left out */
};

static struct label_columns label_columns(int w)
{
    int spare = w > 80 ? w - 80 : 0;
    if (w < 72)
        return (struct label_columns){w > 46 ? 35 : 27, w > 46 ? 46 : 38, 0, 0, 0};
    if (w < EVAL_SHARE_END + 1)
        return (struct label_columns){COUNT_END, SHARE_END, SHARE_END + 1, EVAL_END, 0};
    return (struct label_columns){COUNT_END + spare, SHARE_END + spare, SHARE_END + 1 + spare,
                                  EVAL_END + spare, EVAL_SHARE_END + spare};
}

static void draw_count(struct canvas *c, int count_end, int share_end, int y, int64_t count,
                       int64_t of)
{
    char text[40];
    canvas_right(c, count_end, y, ROLE_TEXT, of ? str_commas(text, sizeof text, count)
                                                : glyph_text(c->level, GLYPH_MISSING));
    if (share_end && of)
        canvas_right(c, share_end, y, ROLE_DIM,
                     fmt_percent(text, sizeof text, (double)count / (double)of));
}

static void draw_label(struct canvas *c, struct rect r, int y, const struct data_sides *d, int i,
                       const struct label_columns *k)
{
    const struct dataset *train = d->set[0], *eval = d->set[1];
    char name[64], text[160];
    snprintf(name, sizeof name, "%d ", i);
    int x = r.x + 1 + canvas_put(c, r.x + 1, y, ROLE_TEXT, name);
    const char *label = (size_t)i < train->labels.n ? train->labels.s[i] : "";
    canvas_put(c, x, y, ROLE_TEXT,
               text_cut_middle(c->level, text, sizeof text, label, r.x + k->count - 9 - x));
    int64_t count = d->count[0].count[i];
    draw_count(c, r.x + k->count, r.x + k->share, y, count, train->labelled);
    if (k->bar && train->labelled)
        draw_amount(c, r.x + k->bar, y, BAR, (double)count / (double)train->labelled, ROLE_SERIES1);
    if (k->eval)
        draw_count(c, r.x + k->eval, k->eval_share ? r.x + k->eval_share : 0, y,
                   d->count[1].count[i], eval->labelled);
}

static void draw_label_heads(struct canvas *c, struct rect r, const struct label_columns *k)
{
    draw_head(c, r.x + k->count - 5, r.y, ROLE_DIM, "train");
    draw_head(c, r.x + k->share - 5, r.y, ROLE_DIM, "share");
    if (k->eval)
        draw_head(c, r.x + k->eval - 4, r.y, ROLE_DIM, "eval");
    if (k->eval_share)
        draw_head(c, r.x + k->eval_share - 5, r.y, ROLE_DIM, "share");
}

static void draw_numbers(struct canvas *c, struct rect r, const struct data_sides *d)
{
    draw_rule(c, r.x, r.y, r.w, "labels", "numbers", NULL);
    for (int i = 0; i < 2 && i < r.h - 1; i++) {
        const struct label_counts *k = &d->count[i];
        canvas_put(c, r.x + 1, r.y + 1 + i, ROLE_DIM, side_names[i]);
        if (isnan(k->mean))
            canvas_put(c, r.x + 8, r.y + 1 + i, ROLE_TEXT, glyph_text(c->level, GLYPH_MISSING));
        else
            canvas_printf(c, r.x + 8, r.y + 1 + i, ROLE_TEXT, "%.4g to %.4g, mean %.4g", k->min,
                          k->max, k->mean);
    }
}

void draw_labels_pane(struct canvas *c, struct rect r, const struct data_sides *d, int first)
{
    int n = d->count[0].n, rows = r.h - 1;
    char title[48] = "labels";
    struct label_columns k = label_columns(r.w);
    if (d->set[0]->spec.problem == PROBLEM_REGRESSION) {
        draw_numbers(c, r, d);
        return;
    }
    if (n > rows)
        snprintf(title, sizeof title, "%d-%d of %d", first + 1, first + rows, n);
    draw_rule(c, r.x, r.y, r.w, title, NULL, NULL);
    draw_label_heads(c, r, &k);
    for (int i = 0; i < rows && first + i < n; i++)
        draw_label(c, r, r.y + 1 + i, d, first + i, &k);
}
