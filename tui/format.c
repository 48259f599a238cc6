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

char *fmt_mib(char *dst, size_t size, int64_t bytes)
{
    char number[40];
    if (bytes < 1024)
        snprintf(dst, size, "%d B", (int)bytes);
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

char *fmt_seconds(char *dst, size_t size, double v, enum glyph_level level)
{
    if (special(dst, size, v, level))
        return dst;
    if (v < 0.1)
        snprintf(dst, size, "%.1f ms", 1000 * v);
    else
        snprintf(dst, size, "%.3f s", v);
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
