/* What the runs compared say about each other. */
#include <math.h>
#include <stddef.h>

#include "tui/compare_data.h"

struct compare_run *compare_slot(const struct compare *c, int slot)
{
    for (int i = 0; i < c->n; i++)
        if (c->run[i]->slot == slot)
            return c->run[i];
    return NULL;
}

int compare_pinned(const struct compare *c)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += c->run[i]->slot >= 0;
    return n;
}

static bool has_score(const struct compare *c, enum metric k)
{
    for (int i = 0; i < c->n; i++)
        if (c->run[i]->slot >= 0 && isfinite(c->run[i]->best[k]))
            return true;
    return false;
}

void compare_scores(const struct compare *c, enum metric out[2])
{
    static const enum metric by_weight[] = {METRIC_ACCURACY, METRIC_F1,       METRIC_PEARSON,
                                            METRIC_MSE,      METRIC_SPEARMAN, METRIC_LOSS};
    int n = 0;
    out[0] = METRIC_ACCURACY;
    out[1] = METRIC_F1;
    for (size_t i = 0; i < sizeof by_weight / sizeof *by_weight && n < 2; i++)
        if (has_score(c, by_weight[i]))
            out[n++] = by_weight[i];
    if (n == 1 && out[0] == METRIC_F1)
        out[1] = METRIC_ACCURACY;
}

static bool better(enum metric k, double a, double b)
{
    if (!isfinite(a) || !isfinite(b))
        return isfinite(a);
    return metric_descs[k].larger ? a > b : a < b;
}

const struct compare_run *compare_best(const struct compare *c, enum metric k)
{
    const struct compare_run *best = NULL;
    for (int slot = 0; slot < COMPARE_SLOTS; slot++) {
        const struct compare_run *r = compare_slot(c, slot);
        if (r && isfinite(r->best[k]) && (!best || better(k, r->best[k], best->best[k])))
            best = r;
    }
    return best;
}

const struct compare_run *compare_least(const struct compare *c)
{
    const struct compare_run *least = NULL;
    for (int slot = 0; slot < COMPARE_SLOTS; slot++) {
        const struct compare_run *r = compare_slot(c, slot);
        if (r && (!least || r->state_bytes < least->state_bytes))
            least = r;
    }
    return least;
}

double compare_score_at(const struct compare_run *r, enum metric k, int64_t step)
{
    const struct history *h = &r->series[SERIES_EVAL_FIRST + k];
    int i = history_find(h, step);
    return i >= 0 && h->b[i].last == step && h->b[i].count ? h->b[i].value : NAN;
}

static bool all_evaluated(const struct compare *c, enum metric k, int64_t step)
{
    for (int i = 0; i < c->n; i++)
        if (c->run[i]->slot >= 0 && isnan(compare_score_at(c->run[i], k, step)))
            return false;
    return true;
}

int64_t compare_common_step(const struct compare *c, enum metric k)
{
    const struct compare_run *first = NULL;
    for (int slot = 0; slot < COMPARE_SLOTS && !first; slot++)
        first = compare_slot(c, slot);
    const struct history *h = first ? &first->series[SERIES_EVAL_FIRST + k] : NULL;
    for (int i = h ? h->n - 1 : -1; i >= 0; i--)
        if (all_evaluated(c, k, h->b[i].last))
            return h->b[i].last;
    return -1;
}

bool compare_same_seed(const struct compare *c)
{
    const struct compare_run *first = NULL;
    for (int i = 0; i < c->n; i++) {
        const struct compare_run *r = c->run[i];
        if (r->slot < 0)
            continue;
        if (first && first->about.seed != r->about.seed)
            return false;
        first = first ? first : r;
    }
    return true;
}
