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
enum { TOKENS_END = 56, MEAN_END = 62, LONGEST_AT = 64, COMPACT_TOKENS_END = 39, COMPACT_BESIDE_TOKENS = 29 };

/* Right ends of the columns and where the last one begins; a narrow pane has rows and tokens alone. */
struct file_columns {
    int rows, labelled, tokens, mean, last; /* 0: left out */
};

static struct file_columns file_columns(const struct canvas *c, struct rect r,
                                        const struct token_counts tokens[2])
{
    char text[32];
    bool counted = tokens[0].rows || tokens[1].rows;
    int x = r.x + (r.w > 80 ? r.w - 80 : 0), more = 0; /* columns that a large count takes from the path */
    for (int i = 0; i < 2; i++)
        more = (int)fmax(more, text_width(str_commas(text, sizeof text, tokens[i].tokens)) - 8);
    if (size_class_of(c->w, c->h) <= SIZE_COMPACT && counted)
        return (struct file_columns){.rows = r.x + COMPACT_BESIDE_TOKENS - more,
                                     .tokens = r.x + COMPACT_TOKENS_END};
    if (size_class_of(c->w, c->h) <= SIZE_COMPACT)
        return (struct file_columns){.rows = r.x + COMPACT_ROWS_END};
    if (counted)
        return (struct file_columns){x + ROWS_END - more, x + LABELLED_END - more, x + TOKENS_END,
                                     x + MEAN_END, x + LONGEST_AT};
    return (struct file_columns){.rows = x + ROWS_END, .labelled = x + LABELLED_END, .last = x + SHAPE_AT};
}

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

/* "897,018  13.3  longest 66"; before it is counted, what there is for it. */
static void draw_file_tokens(struct canvas *c, int y, const struct token_counts *t,
                             const struct file_columns *k)
{
    char text[64];
    if (!t->rows) {
        canvas_right(c, k->tokens, y, ROLE_TEXT, glyph_text(c->level, GLYPH_MISSING));
        return;
    }
    canvas_right(c, k->tokens, y, ROLE_TEXT, str_commas(text, sizeof text, t->tokens));
    if (!k->mean)
        return;
    snprintf(text, sizeof text, "%.1f", (double)t->tokens / (double)t->rows);
    canvas_right(c, k->mean, y, ROLE_TEXT, text);
    str_commas(text, sizeof text, t->longest);
    canvas_printf(c, k->last, y, ROLE_DIM, "longest %s", text);
}

static void draw_file(struct canvas *c, struct rect r, int y, int side, const struct dataset *ds,
                      const struct token_counts *t, const struct file_columns *k)
{
    char text[4200], cut[256];
    canvas_put(c, r.x + 1, y, ROLE_DIM, side_names[side]);
    if (!ds->rows) {
        canvas_put(c, r.x + PATH_AT, y, ROLE_DIM, glyph_text(c->level, GLYPH_MISSING));
        return;
    }
    str_copy(text, sizeof text, "made up");
    if (ds->path)
        path_from_here(text, sizeof text, ds->path);
    canvas_put(c, r.x + PATH_AT, y, ROLE_TEXT,
               text_cut_middle(c->level, cut, sizeof cut, text, k->rows - 10 - r.x - PATH_AT));
    canvas_right(c, k->rows, y, ROLE_TEXT, str_commas(text, sizeof text, ds->rows));
    if (k->labelled)
        canvas_right(c, k->labelled, y, ROLE_TEXT, str_commas(text, sizeof text, ds->labelled));
    if (k->tokens)
        draw_file_tokens(c, y, t, k);
    else if (k->last)
        canvas_put(c, k->last, y, ROLE_DIM, shape_words(ds, text, sizeof text));
}

void draw_files_pane(struct canvas *c, struct rect r, const struct uimodel *m,
                     const struct data_sides *d)
{
    char name[128];
    bool compact = size_class_of(c->w, c->h) <= SIZE_COMPACT;
    struct file_columns k = file_columns(c, r, d->tokens);
    int room = k.mean ? r.x + r.w - k.mean - 7 : r.w / 4; /* for the name of the run */
    draw_rule(c, r.x, r.y, r.w, "data", NULL,
              compact ? NULL : run_title(m, c->level, name, sizeof name, room));
    draw_head(c, r.x + PATH_AT, r.y, ROLE_DIM, "file");
    draw_head(c, k.rows - 4, r.y, ROLE_DIM, "rows");
    if (k.labelled)
        draw_head(c, k.rows + 2, r.y, ROLE_DIM, "labelled");
    if (k.tokens)
        draw_head(c, k.tokens - 6, r.y, ROLE_DIM, "tokens");
    if (k.mean)
        draw_head(c, k.mean - 4, r.y, ROLE_DIM, "mean");
    for (int i = 0; i < 2 && i < r.h - 1; i++)
        draw_file(c, r, r.y + 1 + i, i, d->set[i], &d->tokens[i], &k);
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
