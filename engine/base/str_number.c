/* Numbers from text and as text. Both directions use the C locale whatever the process has set. */
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/str.h"

static const char missing[] = "—";

static locale_t c_locale;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    BUG_ON(!c_locale);
}

/* Switch this thread to the C locale; returns what uselocale() gives back to switch again. */
static locale_t enter_c_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    return uselocale(c_locale);
}

bool str_to_i64(const char *s, int64_t *out)
{
    const char *digits = s + (*s == '-' || *s == '+');
    if (!*digits || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    long long v = strtoll(s, NULL, 10);
    if (errno == ERANGE)
        return false;
    *out = v;
    return true;
}

/* strtod() also takes blanks in front, hexadecimal and "nan(...)". */
static bool looks_decimal(const char *s)
{
    static const char *const words[] = {"inf", "infinity", "nan"};
    s += *s == '-' || *s == '+';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(s, words[i]))
            return true;
    return *s && strspn(s, "0123456789.eE+-") == strlen(s);
}

bool str_to_f64(const char *s, double *out)
{
    if (!looks_decimal(s))
        return false;
    locale_t old = enter_c_locale();
    char *end;
    double v = strtod(s, &end);
    uselocale(old);
    if (end == s || *end)
        return false;
    *out = v;
    return true;
}

char *str_commas(char *dst, size_t size, int64_t v)
{
    char digits[24], text[32];
    int n = snprintf(digits, sizeof digits, "%" PRId64, v), used = 0;
    int sign = v < 0;
    for (int i = 0; i < n; i++) {
        if (i > sign && (n - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    str_copy(dst, size, text);
    return dst;
}

char *str_bytes(char *dst, size_t size, double bytes)
{
    static const struct {
        const char *name;
        int decimals;
        double full; /* from here on the rounded text would say 1024 */
    } units[] = {
        {"B", 0, 1023.5},     {"KiB", 1, 1023.95},  {"MiB", 1, 1023.95},
        {"GiB", 2, 1023.995}, {"TiB", 2, 1023.995}, {"PiB", 2, HUGE_VAL},
    };
    if (!(bytes >= 0) || isinf(bytes)) {
        str_copy(dst, size, missing);
        return dst;
    }
    size_t u = 0;
    for (; bytes >= units[u].full; u++)
        bytes /= 1024;
    snprintf(dst, size, "%.*f %s", units[u].decimals, bytes, units[u].name);
    return dst;
}

char *str_duration(char *dst, size_t size, double seconds)
{
    if (!(seconds >= 0) || seconds >= 1e15) {
        str_copy(dst, size, missing);
        return dst;
    }
    int64_t s = (int64_t)seconds, h = s / 3600;
    int minutes = (int)(s / 60 % 60);
    if (h < 100)
        snprintf(dst, size, "%d:%02d:%02d", (int)h, minutes, (int)(s % 60));
    else
        snprintf(dst, size, "%" PRId64 "d%02d:%02d", h / 24, (int)(h % 24), minutes);
    return dst;
}

/* The fewest digits that read back as `v`, and the decimal exponent they have. */
static int shortest_digits(double v, int *exponent)
{
    char text[40];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*e", digits, v);
    while (strtod(text, NULL) != v && ++digits < 17);
    *exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    return digits + 1;
}

char *str_f64(char *dst, size_t size, double v)
{
    if (!isfinite(v)) {
        str_copy(dst, size, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return dst;
    }
    locale_t old = enter_c_locale();
    int exponent, digits = shortest_digits(v, &exponent);
    if (exponent >= -4 && exponent < 16)
        snprintf(dst, size, "%.*f", digits > exponent ? digits - 1 - exponent : 0, v);
    else
        snprintf(dst, size, "%.*e", digits - 1, v);
    uselocale(old);
    return dst;
}
