/* The seven types of options. */
#include "engine/base/opt_type.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"

/* -- bool ---------------------------------------------------------------------------------- */

static void bool_default(const struct opt_desc *d, void *value)
{
    *(bool *)value = d->def != 0;
}

static bool bool_parse(const struct opt_desc *d, void *value, const char *text)
{
    static const char *const words[][2] = {
        {"no", "yes"}, {"false", "true"}, {"off", "on"}, {"0", "1"}};
    (void)d;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int v = 0; v < 2; v++)
            if (!strcmp(text, words[i][v])) {
                *(bool *)value = v;
                return true;
            }
    return false;
}

static void bool_format(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    (void)d;
    str_copy(dst, size, *(const bool *)value ? "yes" : "no");
}

static void bool_allowed(const struct opt_desc *d, char *dst, size_t size)
{
    (void)d;
    str_copy(dst, size, "yes or no");
}

/* -- numbers ------------------------------------------------------------------------------- */

static bool in_bounds(const struct opt_desc *d, double v)
{
    if (d->min == 0 && d->max == 0)
        return true;
    if (v < d->min || v > d->max)
        return false;
    return !(d->flags & OPT_MIN_OPEN && v == d->min) && !(d->flags & OPT_MAX_OPEN && v == d->max);
}

/* "a number above 0", "a whole number from 1 to 4096", "a number from 0 to below 1". */
static void number_allowed(const struct opt_desc *d, const char *what, char *dst, size_t size)
{
    static const char *const upper[2][2] = {{" up to %s", " below %s"}, {" to %s", " to below %s"}};
    bool unbounded = d->min == 0 && d->max == 0;
    bool low = !unbounded && isfinite(d->min), high = !unbounded && isfinite(d->max);
    bool low_open = d->flags & OPT_MIN_OPEN, high_open = d->flags & OPT_MAX_OPEN;
    char from[40], to[40], bound[32];
    from[0] = to[0] = '\0';
    if (low)
        snprintf(from, sizeof from, low_open ? " above %s" : " from %s",
                 str_f64(bound, sizeof bound, d->min));
    if (high)
        snprintf(to, sizeof to, upper[low][high_open], str_f64(bound, sizeof bound, d->max));
    snprintf(dst, size, "%s%s%s%s", what, from, to, low && !high && !low_open ? " up" : "");
}

static void int_default(const struct opt_desc *d, void *value)
{
    *(int64_t *)value = d->flags & OPT_UNSET ? OPT_INT_UNSET : (int64_t)d->def;
}

static bool int_parse(const struct opt_desc *d, void *value, const char *text)
{
    int64_t v;
    if (!str_to_i64(text, &v) || v == OPT_INT_UNSET || !in_bounds(d, (double)v))
        return false;
    *(int64_t *)value = v;
    return true;
}

static bool int_unset(const struct opt_desc *d, void *value)
{
    if (!(d->flags & OPT_UNSET))
        return false;
    *(int64_t *)value = OPT_INT_UNSET;
    return true;
}

static void int_format(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    int64_t v = *(const int64_t *)value;
    (void)d;
    snprintf(dst, size, "%" PRId64, v);
    if (v == OPT_INT_UNSET)
        dst[0] = '\0';
}

static void int_show(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    int64_t v = *(const int64_t *)value;
    (void)d;
    if (v == OPT_INT_UNSET)
        dst[0] = '\0';
    else
        str_commas(dst, size, v);
}

static void int_allowed(const struct opt_desc *d, char *dst, size_t size)
{
    number_allowed(d, "a whole number", dst, size);
}

static void real_default(const struct opt_desc *d, void *value)
{
    *(double *)value = d->flags & OPT_UNSET ? (double)NAN : d->def;
}

static bool real_parse(const struct opt_desc *d, void *value, const char *text)
{
    double v;
    if (!str_to_f64(text, &v) || !isfinite(v) || !in_bounds(d, v))
        return false;
    *(double *)value = v;
    return true;
}

static bool real_unset(const struct opt_desc *d, void *value)
{
    if (!(d->flags & OPT_UNSET))
        return false;
    *(double *)value = (double)NAN;
    return true;
}

static void real_format(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    double v = *(const double *)value;
    (void)d;
    str_f64(dst, size, v);
    if (isnan(v))
        dst[0] = '\0';
}

/* Two decimals at least, so that points stand in line. */
static void pad_decimals(char *text, size_t size)
{
    const char *point = strchr(text, '.');
    size_t have = point ? strlen(point + 1) : 0, n = strlen(text);
    if (n && !strchr(text, 'e') && have < 2)
        snprintf(text + n, size - n, "%s%s", point ? "" : ".", have ? "0" : "00");
}

static void real_show(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    double v = *(const double *)value;
    if (v != 0 && isfinite(v) && (d->flags & OPT_RATE || fabs(v) < 0.001)) {
        snprintf(dst, size, "%.2e", v);
        return;
    }
    real_format(d, value, dst, size);
    if (d->flags & OPT_LIVE)
        pad_decimals(dst, size);
}

static void real_allowed(const struct opt_desc *d, char *dst, size_t size)
{
    number_allowed(d, "a number", dst, size);
}

/* -- text ---------------------------------------------------------------------------------- */

static const char *text_of_default(const struct opt_desc *d)
{
    return d->flags & OPT_UNSET ? NULL : d->choices;
}

static void text_default(const struct opt_desc *d, void *value)
{
    *(char **)value = xstrdup(text_of_default(d));
}

static bool text_parse(const struct opt_desc *d, void *value, const char *text)
{
    char **owned = value;
    char *copy = xstrdup(text);
    (void)d;
    free(*owned);
    *owned = copy;
    return true;
}

static bool text_unset(const struct opt_desc *d, void *value)
{
    if (text_of_default(d))
        return false;
    char **owned = value;
    free(*owned);
    *owned = NULL;
    return true;
}

static void text_format(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    const char *text = *(char *const *)value;
    (void)d;
    str_copy(dst, size, text ? text : "");
}

static void text_show(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    const char *text = *(char *const *)value;
    (void)d;
    str_visible(dst, size, text ? text : "");
}

static void text_allowed(const struct opt_desc *d, char *dst, size_t size)
{
    str_copy(dst, size, d->type == OPT_PATH ? "a path" : "text");
}

/* -- choice -------------------------------------------------------------------------------- */

static void choice_default(const struct opt_desc *d, void *value)
{
    *(int *)value = d->flags & OPT_UNSET ? -1 : (int)d->def;
}

static bool choice_parse(const struct opt_desc *d, void *value, const char *text)
{
    char name[64];
    for (int i = 0; opt_choice(d, i, name, sizeof name); i++)
        if (!strcmp(name, text)) {
            *(int *)value = i;
            return true;
        }
    return false;
}

static bool choice_unset(const struct opt_desc *d, void *value)
{
    if (!(d->flags & OPT_UNSET))
        return false;
    *(int *)value = -1;
    return true;
}

static void choice_format(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    if (!opt_choice(d, *(const int *)value, dst, size))
        dst[0] = '\0';
}

static void choice_allowed(const struct opt_desc *d, char *dst, size_t size)
{
    struct strlist names = STRLIST_INIT;
    strlist_split(&names, d->choices, '|');
    str_alternatives(dst, size, (const char *const *)names.s, names.n);
    strlist_release(&names);
}

/* -- every --------------------------------------------------------------------------------- */

static void every_default(const struct opt_desc *d, void *value)
{
    struct every *v = value;
    *v = (struct every){.kind = d->def > 0 ? EVERY_N : d->def < 0 ? EVERY_EPOCH : EVERY_NO};
    if (v->kind == EVERY_N)
        v->n = (int64_t)d->def;
}

static bool every_parse(const struct opt_desc *d, void *value, const char *text)
{
    struct every v = {.kind = EVERY_N};
    if (!strcmp(text, "no"))
        v.kind = EVERY_NO;
    else if (!strcmp(text, "epoch") && !(d->flags & OPT_NO_EPOCH))
        v.kind = EVERY_EPOCH;
    else if (!str_to_i64(text, &v.n) || v.n <= 0)
        return false;
    *(struct every *)value = v;
    return true;
}

static void every_format(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    const struct every *v = value;
    (void)d;
    if (v->kind == EVERY_N)
        snprintf(dst, size, "%" PRId64, v->n);
    else
        str_copy(dst, size, v->kind == EVERY_EPOCH ? "epoch" : "no");
}

static void every_show(const struct opt_desc *d, const void *value, char *dst, size_t size)
{
    const struct every *v = value;
    if (v->kind == EVERY_N)
        str_commas(dst, size, v->n);
    else
        every_format(d, value, dst, size);
}

static void every_allowed(const struct opt_desc *d, char *dst, size_t size)
{
    str_copy(dst, size,
             d->flags & OPT_NO_EPOCH ? "a whole number above 0, or no"
                                     : "a whole number above 0, epoch or no");
}

const struct opt_type_class opt_types[] = {
    [OPT_BOOL] = {sizeof(bool), false, bool_default, bool_parse, NULL, bool_format, bool_format,
                  bool_allowed},
    [OPT_INT] = {sizeof(int64_t), false, int_default, int_parse, int_unset, int_format, int_show,
                 int_allowed},
    [OPT_REAL] = {sizeof(double), false, real_default, real_parse, real_unset, real_format,
                  real_show, real_allowed},
    [OPT_STR] = {sizeof(char *), true, text_default, text_parse, text_unset, text_format, text_show,
                 text_allowed},
    [OPT_PATH] = {sizeof(char *), true, text_default, text_parse, text_unset, text_format,
                  text_show, text_allowed},
    [OPT_CHOICE] = {sizeof(int), false, choice_default, choice_parse, choice_unset, choice_format,
                    choice_format, choice_allowed},
    [OPT_EVERY] = {sizeof(struct every), false, every_default, every_parse, NULL, every_format,
                   every_show, every_allowed},
};
