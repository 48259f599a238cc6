/* Typing a value: the field, its steps, its cursor. */
#include "tui/entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/keys.h"

#define FIRST_STEP 0.01 /* up from 0, for numbers that may be fractions */

void entry_open(struct entry *n, const char *text)
{
    field_set(&n->field, text);
    n->open = true;
    n->error[0] = 0;
}

void entry_close(struct entry *n)
{
    n->open = false;
    n->error[0] = 0;
}

bool entry_key(struct entry *n, const struct key_event *k)
{
    if (!n->open || !field_key(&n->field, k))
        return false;
    n->error[0] = 0;
    return true;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* The neighbour of v > 0 in 1, 2, 5, 10, 20 ... */
static double neighbour(double v, int dir)
{
    static const double steps[] = {0.5, 1, 2, 5, 10};
    const double slack = 1e-9;
    double unit = pow(10, floor(log10(v) + slack)), mantissa = v / unit;
    int i = 0;
    if (dir > 0) {
        while (i < 4 && steps[i] <= mantissa * (1 + slack))
            i++;
    } else {
        i = 4;
        while (i > 0 && steps[i] >= mantissa * (1 - slack))
            i--;
    }
    return steps[i] * unit;
}

static double step_number(double v, int dir, double first)
{
    if (v < 0)
        return -neighbour(-v, -dir);
    if (v > 0 && (dir > 0 || v > first || first < 1))
        return neighbour(v, dir);
    return dir > 0 ? first : 0;
}

static bool allowed(const struct opt_desc *d, double v)
{
    if (d->min == 0 && d->max == 0)
        return true;
    return !(v < d->min || v > d->max || (v == d->min && d->flags & OPT_MIN_OPEN) ||
             (v == d->max && d->flags & OPT_MAX_OPEN));
}

static void step_real(struct entry *n, const struct opt_desc *d, int dir)
{
    double v;
    char text[40];
    if (!str_to_f64(*n->field.text ? n->field.text : "0", &v) || !isfinite(v))
        return;
    v = step_number(v, dir, d->type == OPT_REAL ? FIRST_STEP : 1);
    if (allowed(d, v))
        field_set(&n->field, str_f64(text, sizeof text, v));
}

static void step_int(struct entry *n, const struct opt_desc *d, int dir)
{
    int64_t v;
    char text[40];
    if (!str_to_i64(*n->field.text ? n->field.text : "0", &v))
        return;
    double next = round(step_number((double)v, dir, 1));
    if (!allowed(d, next))
        return;
    snprintf(text, sizeof text, "%.0f", next);
    field_set(&n->field, text);
}

static void step_choice(struct entry *n, const struct opt_desc *d, int dir)
{
    char name[64];
    int count = 0, at = -1;
    for (; opt_choice(d, count, name, sizeof name); count++)
        if (!strcmp(name, n->field.text))
            at = count;
    if (!count)
        return;
    at = at < 0 ? 0 : (at + dir + count) % count;
    opt_choice(d, at, name, sizeof name);
    field_set(&n->field, name);
}

/* no, epoch, 1, 2, 5, ... */
static void step_every(struct entry *n, const struct opt_desc *d, int dir)
{
    const char *second = d->flags & OPT_NO_EPOCH ? "1" : "epoch";
    if (!strcmp(n->field.text, "no"))
        field_set(&n->field, dir > 0 ? second : "no");
    else if (!strcmp(n->field.text, "epoch"))
        field_set(&n->field, dir > 0 ? "1" : "no");
    else if (!strcmp(n->field.text, "1") && dir < 0)
        field_set(&n->field, strcmp(second, "1") ? second : "no");
    else
        step_int(n, d, dir);
}

void entry_step(struct entry *n, const struct opt_desc *d, int dir)
{
    n->error[0] = 0;
    switch (d->type) {
    case OPT_BOOL: field_set(&n->field, strcmp(n->field.text, "yes") ? "yes" : "no"); break;
    case OPT_INT: step_int(n, d, dir); break;
    case OPT_REAL: step_real(n, d, dir); break;
    case OPT_CHOICE: step_choice(n, d, dir); break;
    case OPT_EVERY: step_every(n, d, dir); break;
    case OPT_STR:
    case OPT_PATH: break;
    }
}

/* ---- drawing -------------------------------------------------------------------------------- */

void entry_draw(const struct entry *n, struct canvas *c, int x, int y, int w, bool right)
{
    char before[sizeof n->field.text];
    struct rect clip = c->clip;
    str_copy(before, (size_t)n->field.at + 1, n->field.text);
    int total = text_width(n->field.text), cursor = text_width(before);
    int start = x;
    if (total < w)
        start += right ? w - 1 - total : 0;
    else if (cursor >= w)
        start -= cursor - (w - 1);
    canvas_clip(c, (struct rect){x, y, w, 1});
    canvas_put(c, start, y, ROLE_TEXT, n->field.text);
    c->cursor_x = start + cursor;
    c->cursor_y = y;
    if (n->field.at == n->field.len)
        canvas_put(c, c->cursor_x, y, ROLE_CURSOR, "_");
    else
        canvas_select(c, (struct rect){c->cursor_x, y, 1, 1});
    canvas_clip(c, clip);
}

void entry_prompt(const struct entry *n, struct canvas *c, const char *prompt)
{
    int y = c->h - 1;
    canvas_fill(c, (struct rect){0, y, c->w, 1}, ROLE_TEXT, ' ');
    int x = 1 + canvas_put(c, 1, y, ROLE_FOCUS, prompt);
    entry_draw(n, c, x, y, c->w - x - 1, false);
}
