/* Rows of a table by number, and their gradient. */
#include "engine/backend/cpu/cpu.h"

#include <string.h>

enum { ROWS = 16, COLS = 64 }; /* of a piece: rows gathered, columns added up by one thread */

struct gather {
    float *to;
    const float *from;
    const int32_t *id;
    size_t n;
    int cols, skip;
};

static void gather_rows(const void *arg, size_t piece)
{
    const struct gather *g = arg;
    size_t end = (piece + 1) * ROWS < g->n ? (piece + 1) * ROWS : g->n, cols = (size_t)g->cols;
    for (size_t i = piece * ROWS; i < end; i++)
        memcpy(g->to + i * cols, g->from + (size_t)g->id[i] * cols, cols * sizeof *g->to);
}

void cpu_gather_fwd(struct backend *be, float *y, const float *w, const int32_t *id, size_t n, int cols)
{
    const struct gather g = {y, w, id, n, cols, -1};
    cpu_each(be, n * (size_t)cols, (n + ROWS - 1) / ROWS, gather_rows, &g);
}

/* Columns are shared out, not rows: a row may come several times. */
CPU_CLONES static void scatter_cols(const void *arg, size_t piece)
{
    const struct gather *g = arg;
    int first = (int)piece * COLS, cols = g->cols - first < COLS ? g->cols - first : COLS;
    for (size_t i = 0; i < g->n; i++) {
        const float *from = g->from + i * (size_t)g->cols + first;
        float *to = g->to + (size_t)g->id[i] * (size_t)g->cols + first;
        if (g->id[i] == g->skip)
            continue;
#pragma omp simd
        for (int c = 0; c < cols; c++)
            to[c] += from[c];
    }
}

void cpu_gather_bwd(struct backend *be, float *dw, const float *dy, const int32_t *id, size_t n, int rows,
                    int cols, int skip, bool add)
{
    const struct gather g = {dw, dy, id, n, cols, skip};
    if (!add)
        cpu_fill(be, dw, (size_t)rows * (size_t)cols, 0);
    cpu_each(be, n * (size_t)cols, (size_t)(cols + COLS - 1) / COLS, scatter_cols, &g);
}
