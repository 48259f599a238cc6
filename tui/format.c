/* Numbers as the screen shows them (screens.md section 1, principles 8 to 12). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/widgets.h"

/* NaN and infinities, which look alike in all formats; false: a number. */
static bool special(char *dst, size_t size, double v, enum glyph_level level)
{
    if (isfinite(v))
        return false;
    str_copy(dst, size, isnan(v) ? glyph_text(level, GLYPH_MISSING) : v < 0 ? "-inf" : "inf");
    return true;
}

char *fmt_loss(char *dst, size_t size, double v, enum glyph_level level)
{
    if (special(dst, size, v, level))
        return dst;
    double magnitude = fabs(v);
    bool plain = magnitude == 0 || (magnitude >= 0.001 && magnitude < 999.99995);
    snprintf(dst, size, plain ? "%.4f" : "%.2e", v);
    return dst;
}

char *fmt_measured(char *dst, size_t size, double v, enum glyph_level level)
{
    fmt_loss(dst, size, v, level);
    if (isnan(v))
        str_copy(dst, size, "nan");
    return dst;
}

char *fmt_rate(char *dst, size_t size, double v, enum glyph_level level)
{
    if (!special(dst, size, v, level))
        snprintf(dst, size, "%.2e", v);
    return dst;
}

char *fmt_score(char *dst, size_t size, double v, enum glyph_level level)
{
    if (!special(dst, size, v, level))
        snprintf(dst, size, "%.4f", v);
    return dst;
}

static char *percent(char *dst, size_t size, double value, double share)
{
    if (!special(dst, size, share, GLYPHS_BRAILLE))
        snprintf(dst, size, "%.1f %%", value);
    return dst;
}

char *fmt_percent(char *dst, size_t size, double share)
{
    return percent(dst, size, 100 * share, share);
}

char *fmt_percent_down(char *dst, size_t size, double share)
{
    return percent(dst, size, floor(1000 * share + 1e-9) / 10, share);
}

/* A number >= 0 with commas and at most one decimal. */
static char *commas(char *dst, size_t size, double v, int decimals)
{
    int unit = decimals ? 10 : 1;
    int64_t n = (int64_t)llround(v * unit);
    str_commas(dst, size, n / unit);
    size_t used = strlen(dst);
    if (decimals)
        snprintf(dst + used, size - used, ".%d", (int)(n % unit));
    return dst;
}

#define SHOWN_AS_MIB 52429 /* bytes: 0.1 MiB, rounded */

char *fmt_mib(char *dst, size_t size, int64_t bytes)
{
    char number[40];
    if (bytes < 1024)
        snprintf(dst, size, "%d B", (int)bytes);
    else if (bytes < SHOWN_AS_MIB)
        snprintf(dst, size, "%.1f KiB", (double)bytes / 1024);
    else
        snprintf(dst, size, "%s MiB", commas(number, sizeof number, (double)bytes / 1048576, 1));
    return dst;
}

char *fmt_speed(char *dst, size_t size, double v, enum glyph_level level)
{
    if (special(dst, size, v, level))
        return dst;
    return commas(dst, size, v, v < 99.95);
}

const struct time_unit *time_unit_of(double seconds)
{
    static const struct time_unit units[] = {
        {0.001, 1e6, 0, "µs", "us"}, {0.01, 1e3, 2, "ms", "ms"}, {0.1, 1e3, 1, "ms", "ms"},
        {INFINITY, 1, 3, "s", "s"}};
    const struct time_unit *u = units;
    while (seconds >= u->below)
        u++;
    return u;
}

const char *time_unit_name(const struct time_unit *u, enum glyph_level level)
{
    return level == GLYPHS_ASCII ? u->ascii : u->name;
}

char *fmt_seconds(char *dst, size_t size, double v, enum glyph_level level)
{
    if (special(dst, size, v, level))
        return dst;
    const struct time_unit *u = time_unit_of(v);
    snprintf(dst, size, "%.*f %s", u->decimals, v * u->per_second, time_unit_name(u, level));
    return dst;
}

char *fmt_age(char *dst, size_t size, double seconds, enum glyph_level level)
{
    if (!(seconds >= 0) || isinf(seconds))
        str_copy(dst, size, glyph_text(level, GLYPH_MISSING));
    else
        str_duration(dst, size, seconds);
    return dst;
}
