/* Counting predictions, and the scores of the counts (trainer-semantics 2). */
#include "engine/train/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/train/correlation.h"

enum { UNDEFINED_PRECISION = 1, UNDEFINED_RECALL = 2, UNDEFINED_F1 = 4 };

static int64_t rows_kept(enum problem problem, int n, int64_t rows)
{
    return problem == PROBLEM_CLASSES && n <= EVAL_CLASSES_KEPT && rows <= EVAL_ROWS_KEPT ? rows : 0;
}

struct eval_report *eval_report_new(enum problem problem, int n, int64_t rows)
{
    struct eval_report *r = xcalloc(1, sizeof *r);
    r->problem = problem;
    r->n = n;
    r->kept = rows_kept(problem, n, rows);
    r->cell = xcalloc((size_t)r->kept + 1, sizeof *r->cell);
    r->cls = xcalloc((size_t)n, sizeof *r->cls);
    r->confusion = xcalloc((size_t)n * (size_t)n, sizeof *r->confusion);
    for (int i = 0; i < METRIC_COUNT; i++)
        r->value[i] = NAN;
    return r;
}

struct eval_report *eval_report_like(const struct eval_report *r)
{
    return eval_report_new(r->problem, r->n, r->kept);
}

void eval_report_free(struct eval_report *r)
{
    if (!r)
        return;
    free(r->cell);
    free(r->cls);
    free(r->confusion);
    free(r);
}

void eval_report_copy(struct eval_report *dst, const struct eval_report *src)
{
    BUG_ON(dst->n != src->n || dst->kept != src->kept);
    struct class_score *cls = dst->cls;
    int64_t *confusion = dst->confusion;
    int32_t *cell = dst->cell;
    size_t n = (size_t)src->n;
    *dst = *src;
    dst->cls = cls;
    dst->confusion = confusion;
    dst->cell = cell;
    memcpy(cell, src->cell, (size_t)src->kept * sizeof *cell);
    memcpy(cls, src->cls, n * sizeof *cls);
    memcpy(confusion, src->confusion, n * n * sizeof *confusion);
}

void metrics_init(struct metrics *m, enum problem problem, int n, int64_t rows)
{
    memset(m, 0, sizeof *m);
    m->problem = problem;
    m->n = n;
    m->cap = rows;
    m->confusion = xcalloc((size_t)n * (size_t)n, sizeof *m->confusion);
    m->tp = xcalloc((size_t)n, sizeof *m->tp);
    m->fp = xcalloc((size_t)n, sizeof *m->fp);
    m->fn = xcalloc((size_t)n, sizeof *m->fn);
    m->kept = rows_kept(problem, n, rows);
    m->cell = xcalloc((size_t)m->kept + 1, sizeof *m->cell);
    if (problem == PROBLEM_REGRESSION) {
        m->truth = xcalloc((size_t)rows + 1, sizeof *m->truth);
        m->guess = xcalloc((size_t)rows + 1, sizeof *m->guess);
    }
    metrics_clear(m);
}

void metrics_release(struct metrics *m)
{
    free(m->confusion);
    free(m->tp);
    free(m->fp);
    free(m->fn);
    free(m->cell);
    free(m->truth);
    free(m->guess);
    memset(m, 0, sizeof *m);
}

void metrics_clear(struct metrics *m)
{
    size_t n = (size_t)m->n;
    memset(m->confusion, 0, n * n * sizeof *m->confusion);
    memset(m->tp, 0, n * sizeof *m->tp);
    memset(m->fp, 0, n * sizeof *m->fp);
    memset(m->fn, 0, n * sizeof *m->fn);
    for (int64_t i = 0; i < m->kept; i++)
        m->cell[i] = -1;
    m->rows = m->right = 0;
    m->loss_sum = m->loss_weight = 0;
    m->smoothed_sum = NAN;
}

int argmax(const float *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best] || (isnan(x[best]) && !isnan(x[i])))
            best = i;
    return best;
}

void metrics_add_class(struct metrics *m, int truth, int guess)
{
    BUG_ON(truth < 0 || truth >= m->n || guess < 0 || guess >= m->n);
    m->confusion[truth * m->n + guess]++;
    m->right += truth == guess;
    m->rows++;
}

void metrics_add_value(struct metrics *m, double truth, double guess)
{
    if (m->rows == m->cap) {
        m->cap = 2 * m->cap + 16;
        m->truth = xreallocarray(m->truth, (size_t)m->cap + 1, sizeof *m->truth);
        m->guess = xreallocarray(m->guess, (size_t)m->cap + 1, sizeof *m->guess);
    }
    m->truth[m->rows] = truth;
    m->guess[m->rows++] = guess;
}

/* A label is answered when its logit is above 0. */
static void add_labels(struct metrics *m, const float *logits, const float *target)
{
    bool all = true;
    for (int k = 0; k < m->n; k++) {
        bool said = logits[k] > 0, is = target[k] > 0.5f;
        m->tp[k] += said && is;
        m->fp[k] += said && !is;
        m->fn[k] += !said && is;
        all &= said == is;
    }
    m->right += all;
    m->rows++;
}

static void add_row(struct metrics *m, const struct batch *b, int i, int guess)
{
    if (b->row && b->row[i] < m->kept)
        m->cell[b->row[i]] = b->label[i] * m->n + guess;
    metrics_add_class(m, b->label[i], guess);
}

void metrics_add_batch(struct metrics *m, const float *logits, const struct batch *b)
{
    for (int i = 0; i < b->n; i++) {
        const float *row = logits + (size_t)i * (size_t)m->n;
        if (m->problem == PROBLEM_CLASSES) {
            if (b->label[i] != LABEL_IGNORE)
                add_row(m, b, i, argmax(row, m->n));
        } else if (!isnan(b->target[(size_t)i * (size_t)m->n])) {
            if (m->problem == PROBLEM_REGRESSION)
                metrics_add_value(m, (double)b->target[i], (double)row[0]);
            else
                add_labels(m, row, b->target + (size_t)i * (size_t)m->n);
        }
    }
}

void metrics_add_loss(struct metrics *m, double loss_sum, double weight)
{
    m->loss_sum += loss_sum;
    m->loss_weight += weight;
}

void metrics_add_smoothed(struct metrics *m, double loss_sum)
{
    m->smoothed_sum = (isnan(m->smoothed_sum) ? 0 : m->smoothed_sum) + loss_sum;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void score_class(struct class_score *s, int64_t tp, int64_t fp, int64_t fn)
{
    s->hit = tp;
    s->support = tp + fn;
    s->predicted = tp + fp;
    s->precision = ratio((double)tp, (double)s->predicted);
    s->recall = ratio((double)tp, (double)s->support);
    s->f1 = ratio(2 * (double)tp, (double)(s->support + s->predicted));
    s->undefined = (s->predicted == 0 ? UNDEFINED_PRECISION : 0u) |
                   (s->support == 0 ? UNDEFINED_RECALL : 0u) |
                   (s->support + s->predicted == 0 ? UNDEFINED_F1 : 0u);
}

static void score_classes(const struct metrics *m, struct eval_report *out)
{
    for (int k = 0; k < m->n; k++) {
        int64_t tp = m->tp[k], fp = m->fp[k], fn = m->fn[k];
        if (m->problem == PROBLEM_CLASSES) {
            int64_t row = 0, column = 0;
            for (int i = 0; i < m->n; i++) {
                row += m->confusion[k * m->n + i];
                column += m->confusion[i * m->n + k];
            }
            tp = m->confusion[k * m->n + k];
            fp = column - tp;
            fn = row - tp;
        }
        score_class(&out->cls[k], tp, fp, fn);
    }
}

static void add_score(struct score_mean *s, const struct class_score *c, double weight)
{
    s->precision += weight * c->precision;
    s->recall += weight * c->recall;
    s->f1 += weight * c->f1;
}

static void average_classes(struct eval_report *r)
{
    int64_t support = 0, predicted = 0, hit = 0, seen = 0;
    r->macro = r->micro = r->weighted = r->macro_seen = (struct score_mean){0};
    for (int k = 0; k < r->n; k++) {
        const struct class_score *c = &r->cls[k];
        support += c->support;
        predicted += c->predicted;
        hit += c->hit;
        seen += !(c->undefined & UNDEFINED_F1);
    }
    for (int k = 0; k < r->n; k++) {
        const struct class_score *c = &r->cls[k];
        add_score(&r->macro, c, 1.0 / r->n);
        add_score(&r->weighted, c, ratio((double)c->support, (double)support));
        if (!(c->undefined & UNDEFINED_F1))
            add_score(&r->macro_seen, c, 1.0 / (double)seen);
    }
    r->micro.precision = ratio((double)hit, (double)predicted);
    r->micro.recall = ratio((double)hit, (double)support);
    r->micro.f1 = ratio(2 * (double)hit, (double)(support + predicted));
}

/* Gorodkin's k-category correlation; 0 when its root is 0. */
static double matthews(const struct eval_report *r, int64_t samples, int64_t right)
{
    double s = (double)samples, c = (double)right, cross = 0, pp = 0, tt = 0;
    for (int k = 0; k < r->n; k++) {
        double p = (double)r->cls[k].predicted, t = (double)r->cls[k].support;
        cross += p * t;
        pp += p * p;
        tt += t * t;
    }
    double root = sqrt((s * s - pp) * (s * s - tt));
    return root > 0 ? (c * s - cross) / root : 0;
}

/* Scores of the micro average that have no row to count. */
static unsigned undefined_micro(const struct eval_report *r)
{
    unsigned bits = UNDEFINED_PRECISION | UNDEFINED_RECALL | UNDEFINED_F1;
    for (int k = 0; k < r->n; k++)
        bits &= r->cls[k].undefined;
    return bits;
}

/* The scores that one of the averaged classes lacks. */
static unsigned undefined_classes(const struct eval_report *r, int first)
{
    unsigned bits = 0;
    for (int k = first; k < r->n; k++)
        bits |= r->cls[k].undefined;
    return bits;
}

static void put_average(struct eval_report *r, enum average a)
{
    struct score_mean binary = {0};
    if (r->n == 2)
        add_score(&binary, &r->cls[1], 1);
    const struct score_mean *means[] = {&r->macro, &binary, &r->micro, &r->weighted};
    r->value[METRIC_PRECISION] = means[a]->precision;
    r->value[METRIC_RECALL] = means[a]->recall;
    r->value[METRIC_F1] = means[a]->f1;
    static const enum metric of_bit[] = {METRIC_PRECISION, METRIC_RECALL, METRIC_F1};
    unsigned undefined = a == AVERAGE_MICRO ? undefined_micro(r)
                                            : undefined_classes(r, a == AVERAGE_BINARY);
    for (int bit = 0; bit < 3; bit++)
        if (undefined >> bit & 1)
            r->undefined |= 1u << of_bit[bit];
    if (r->problem == PROBLEM_CLASSES && r->n == 2) {
        r->value[METRIC_F1_BINARY] = r->cls[1].f1;
        if (r->cls[1].undefined & UNDEFINED_F1)
            r->undefined |= 1u << METRIC_F1_BINARY;
    }
}

static void finish_regression(const struct metrics *m, struct eval_report *out)
{
    double squares = 0, absolute = 0, n = (double)m->rows;
    for (int64_t i = 0; i < m->rows; i++) {
        double d = m->guess[i] - m->truth[i];
        squares += d * d;
        absolute += fabs(d);
    }
    out->value[METRIC_MSE] = n > 0 ? squares / n : NAN;
    out->value[METRIC_MAE] = n > 0 ? absolute / n : NAN;
    out->value[METRIC_PEARSON] = pearson(m->truth, m->guess, m->rows);
    out->value[METRIC_SPEARMAN] = spearman(m->truth, m->guess, m->rows);
    for (int i = METRIC_MSE; i <= METRIC_SPEARMAN; i++)
        if (isnan(out->value[i]))
            out->undefined |= 1u << i;
}

int metrics_finish(const struct metrics *m, enum average a, struct eval_report *out, struct err *e)
{
    if (a == AVERAGE_BINARY && m->problem != PROBLEM_REGRESSION && m->n != 2)
        return err_set(e, TT_ECONFIG, "binary average of %d classes (two; or macro, micro, weighted)",
                       m->n);
    out->problem = m->problem;
    out->average = a;
    out->rows = m->rows;
    out->undefined = 0;
    for (int i = 0; i < METRIC_COUNT; i++)
        out->value[i] = NAN;
    out->value[METRIC_LOSS] = m->loss_weight > 0 ? m->loss_sum / m->loss_weight : NAN;
    out->value[METRIC_LOSS_SMOOTHED] = m->loss_weight > 0 ? m->smoothed_sum / m->loss_weight : NAN;
    if (m->problem == PROBLEM_REGRESSION) {
        finish_regression(m, out);
        return 0;
    }
    if (out->kept && out->kept == m->kept)
        memcpy(out->cell, m->cell, (size_t)m->kept * sizeof *out->cell);
    memcpy(out->confusion, m->confusion, (size_t)m->n * (size_t)m->n * sizeof *m->confusion);
    score_classes(m, out);
    average_classes(out);
    put_average(out, a);
    out->value[METRIC_ACCURACY] = m->rows ? (double)m->right / (double)m->rows : NAN;
    if (!m->rows)
        out->undefined |= 1u << METRIC_ACCURACY;
    if (m->problem == PROBLEM_CLASSES) {
        out->value[METRIC_MCC] = matthews(out, m->rows, m->right);
        if (!m->rows)
            out->undefined |= 1u << METRIC_MCC;
    }
    return 0;
}
