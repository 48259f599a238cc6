/* Lengths of texts. */
#include "tui/data_tokens.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/base/mem.h"
#include "tui/bars.h"
#include "tui/widgets.h"

enum { GUTTER = 6 };

/* Tokens that share a column of `cols`. */
static int64_t tokens_a_column(const struct token_counts *t, int cols)
{
    return t->longest > cols ? (t->longest + cols - 1) / cols : 1;
}

static void draw_histogram(struct canvas *c, struct rect r, const struct token_counts *t, int cols,
                           int64_t each)
{
    double *count = xcalloc((size_t)cols, sizeof *count);
    for (int64_t n = 1; n <= t->longest; n++)
        count[(n - 1) / each] += (double)t->count[n];
    bars_draw(c, &(struct bars){.area = r, .gutter = GUTTER, .count = count, .x0 = 1,
                                .x1 = 1 + (double)((cols - 1) * each), .unit = "tokens"});
    free(count);
}

/* "max_length 128: none cut", in a narrow pane "none cut at 128" */
static char *cut_words(const struct token_counts *t, bool narrow, char *dst, size_t size)
{
    char most[32], cut[32] = "none";
    str_commas(most, sizeof most, t->max_length);
    if (t->cut)
        str_commas(cut, sizeof cut, t->cut);
    if (narrow)
        snprintf(dst, size, "%s cut at %s", cut, most);
    else
        snprintf(dst, size, "max_length %s: %s%s cut", most, cut,
                 !t->cut ? "" : t->cut == 1 ? " row" : " rows");
    return dst;
}

void draw_tokens_pane(struct canvas *c, struct rect r, const struct token_counts *t)
{
    char unit[64] = "train, rows", right[96];
    int cols = bars_cols(r.w, GUTTER);
    if (r.h < 4 || cols < 1)
        return;
    int64_t each = tokens_a_column(t, cols);
    if (each > 1)
        snprintf(unit, sizeof unit, "train, rows by %lld", (long long)each);
    draw_rule(c, r.x, r.y, r.w, "tokens per row", unit, cut_words(t, r.w < 72, right, sizeof right));
    draw_histogram(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, t, cols, each);
}

char *batch_tokens(const struct token_counts *t, const int64_t *row, int64_t n, int64_t each, char *dst,
                   size_t size)
{
    char rows[32], packed[32], all[32];
    int64_t tokens = 0, padded = 0;
    for (int64_t from = 0; from < n; from += each) {
        int64_t longest = 0, end = from + each < n ? from + each : n;
        for (int64_t i = from; i < end; i++) {
            int64_t own = token_counts_of_row(t, row[i]);
            tokens += own > 0 ? own : 0;
            longest = own > longest ? own : longest;
        }
        padded += longest * (end - from);
    }
    snprintf(dst, size, "%s rows, %s tokens; padded: %s", str_commas(rows, sizeof rows, n),
             str_commas(packed, sizeof packed, tokens), str_commas(all, sizeof all, padded));
    return dst;
}
