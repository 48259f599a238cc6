/* Round ticks, their labels, and drawing of both axes. */
#include "tui/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-9 /* of a tick distance: decimal fractions are not exact */

/* m x 10^k, rounded once. */
static double decimal(double m, int k)
{
    return k < 0 ? m / pow(10, -k) : m * pow(10, k);
}

double axis_round_up(double v)
{
    static const double round[] = {1, 2, 2.5, 5, 10};
    if (!(v > 0) || isinf(v))
        return 1;
    int k = (int)floor(log10(v));
    size_t i = 0;
    while (i < 4 && decimal(round[i], k) < v * (1 - TOLERANCE))
        i++;
    return decimal(round[i], k);
}

int axis_intervals(int rows)
{
    if (rows < 9)
        return 2;
    return rows >= 17 && (rows - 1) % 8 == 0 ? 8 : 4;
}

struct axis axis_linear(double lo, double hi, int intervals)
{
    if (!(hi > lo)) {
        double margin = 0.01 * fabs(lo);
        hi = lo == 0 ? 1 : lo + margin;
        lo -= margin;
    }
    int parts = intervals == 2 ? 4 : intervals; /* two intervals: every second tick of four */
    double step = axis_round_up((hi - lo) / parts);
    double first = floor(lo / step + TOLERANCE);
    while ((first + parts + TOLERANCE) * step < hi) {
        step = axis_round_up(step * 1.1);
        first = floor(lo / step + TOLERANCE);
    }
    return (struct axis){.lo = first * step,
                         .hi = (first + parts) * step,
                         .step = step * parts / intervals,
                         .intervals = intervals};
}

/* Largest of 1, 2, 5 x 10^k at or below v. */
static double round_down(double v)
{
    int k = (int)floor(log10(v) + TOLERANCE);
    double m = v / decimal(1, k) * (1 + TOLERANCE);
    return decimal(m >= 5 ? 5 : m >= 2 ? 2 : 1, k);
}

/* Of all axes with at most `intervals`, halved as often as it goes, the one that reaches least beyond hi. */
struct axis axis_log(double lo, double hi, int intervals)
{
    static const double factors[] = {2, 5, 10, 100, 1e3, 1e4, 1e6, 1e8, 1e16, 1e32};
    struct axis best = {.hi = INFINITY};
    lo = round_down(lo);
    for (int n = intervals; n >= 2 && intervals % n == 0; n /= 2) {
        size_t i = 0, last = sizeof factors / sizeof *factors - 1;
        while (i < last && lo * pow(factors[i], n) < hi * (1 - TOLERANCE))
            i++;
        double top = lo * pow(factors[i], n);
        if (top < best.hi)
            best = (struct axis){lo, top, factors[i], true, n};
    }
    return best;
}

double axis_part(const struct axis *a, double v)
{
    if (!a->log)
        return (v - a->lo) / (a->hi - a->lo);
    return v > 0 ? log(v / a->lo) / log(a->hi / a->lo) : NAN;
}

static double tick(const struct axis *a, int i)
{
    return a->log ? a->lo * pow(a->step, i) : a->lo + i * a->step;
}

/* Decimals of plain labels: no more than `most`, else they have an exponent; at least `least`
 * where there are any. */
struct style {
    int most, least;
};
static const struct style y_style = {3, 2}, x_style = {2, 0};

/* Decimals that a multiple of `step` needs. */
static int decimals_of(double step)
{
    int n = 0;
    for (double v = fabs(step); n < 8 && fabs(v - rint(v)) > 1e-6 * v; n++)
        v *= 10;
    return n;
}

/* The number with the fewest digits after the point that is exact: 5e-04, 2.5e-03. */
static void exponent_label(char dst[32], double v, int decimals)
{
    do
        snprintf(dst, 32, "%.*e", decimals, v);
    while (fabs(strtod(dst, NULL) - v) > 1e-6 * fabs(v) && ++decimals < 4);
}

static void plain_label(char dst[32], double v, int decimals, int least)
{
    if (!decimals)
        str_commas(dst, 32, (int64_t)rint(v));
    else
        snprintf(dst, 32, "%.*f", decimals > least ? decimals : least, v);
}

/* 2,500,000 as 2.5M; for labels over 7 characters only. */
static void short_label(char dst[32], double v)
{
    static const char units[] = "kMGT";
    size_t u = 0;
    for (v /= 1000; fabs(v) >= 1000 && u < 3; u++)
        v /= 1000;
    snprintf(dst, 32, "%g%c", v, units[u]);
}

static char *label(char *dst, size_t size, double v, double step, int width, struct style style)
{
    char text[32];
    int decimals = decimals_of(step);
    bool plain = decimals <= style.most && fabs(v) < 1e15;
    if (fabs(v) < step * 1e-6)
        v = 0;
    if (v == 0 && !plain)
        str_copy(text, sizeof text, "0");
    else if (plain)
        plain_label(text, v, decimals, style.least);
    else
        exponent_label(text, v, 0);
    if (plain && strlen(text) > 7)
        short_label(text, v);
    if (plain && (int)strlen(text) > width)
        exponent_label(text, v, 0);
    str_copy(dst, size, (int)strlen(text) <= width ? text : "");
    return dst;
}

char *axis_label(char *dst, size_t size, double v, double step, enum axis_labels labels, int width)
{
    struct style style = y_style;
    if (width - 4 > style.most) /* a wide gutter has room for more */
        style.most = width - 4;
    if (labels == LABELS_PLAIN)
        return label(dst, size, v, step, width, style);
    char text[32] = "0";
    if (fabs(v) >= step * 1e-6)
        exponent_label(text, v, 1);
    str_copy(dst, size, (int)strlen(text) <= width ? text : "");
    return dst;
}

/* Labels of a log axis have one form where that of the least tick has room for the largest, too. */
static double label_step(const struct axis *a, double v, int width)
{
    char most[32];
    if (!a->log)
        return a->step;
    label(most, sizeof most, a->hi, a->lo, width, y_style);
    return *most && !strchr(most, 'e') ? a->lo : v;
}

void axis_draw_y(struct canvas *c, int x, int y, int gutter, int rows, const struct axis *a,
                 enum axis_labels labels)
{
    for (int r = 0; r < rows; r++)
        canvas_glyph(c, x + gutter, y + r, ROLE_BORDER, GLYPH_Y_AXIS);
    for (int i = 0; i <= a->intervals; i++) {
        char text[32];
        int row = (int)lrint((rows - 1) * (1 - (double)i / a->intervals));
        double v = tick(a, i);
        axis_label(text, sizeof text, v, label_step(a, v, gutter), labels, gutter);
        canvas_right(c, x + gutter, y + row, ROLE_DIM, text);
        canvas_glyph(c, x + gutter, y + row, ROLE_BORDER, GLYPH_Y_TICK);
    }
}

double axis_x_step(double x0, double x1, int pane)
{
    int parts = pane / 15 > 3 ? pane / 15 : 3;
    return axis_round_up((x1 - x0) / parts);
}

int axis_x_dot(const struct axis_x *a, double x)
{
    return (int)lrint((x - a->x0) / (a->x1 - a->x0) * (a->cols * a->dots - 1));
}

void axis_draw_x(struct canvas *c, int x, int y, const struct axis_x *a)
{
    int unit = (int)strlen(a->unit), end = unit ? a->cols - unit - 1 : a->cols;
    canvas_glyph(c, x, y, ROLE_BORDER, GLYPH_CORNER);
    for (int i = 0; i < end; i++)
        canvas_glyph(c, x + 1 + i, y, ROLE_BORDER, GLYPH_X_AXIS);
    if (unit && end >= 0)
        canvas_put(c, x + 2 + end, y, ROLE_DIM, a->unit);
    if (!(a->step > 0) || !(a->x1 > a->x0))
        return;
    double first = ceil(a->x0 / a->step - TOLERANCE);
    for (double i = first; i * a->step <= a->x1 + TOLERANCE * a->step; i++) {
        char text[32];
        int at = axis_x_dot(a, i * a->step) / a->dots;
        int next = axis_x_dot(a, (i + 1) * a->step) / a->dots;
        label(text, sizeof text, i * a->step, a->step, 7, x_style);
        int label_end = at + 1 + (int)strlen(text);
        if (at + 1 >= end)
            break;
        canvas_glyph(c, x + 1 + at, y, ROLE_BORDER, GLYPH_X_TICK);
        if (label_end <= end && label_end <= next)
            canvas_put(c, x + 2 + at, y, ROLE_DIM, text);
    }
}
