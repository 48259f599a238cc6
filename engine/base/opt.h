/* One description per option. A table of rows, ended by a row without a key, describes the fields
 * of one struct; reading, range check, form, help, `list options`, saved config all use it. There
 * is no default, no range and no help anywhere else. */
#ifndef TT_BASE_OPT_H
#define TT_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/err.h"

enum opt_type {
    OPT_BOOL,   /* bool */
    OPT_INT,    /* int64_t */
    OPT_REAL,   /* double */
    OPT_STR,    /* char *, owned, NULL when unset */
    OPT_PATH,   /* char *, owned; made absolute in the effective config */
    OPT_CHOICE, /* int: index into `choices` */
    OPT_EVERY,  /* struct every: N, epoch or no */
};

enum every_kind { EVERY_NO, EVERY_EPOCH, EVERY_N };
struct every {
    enum every_kind kind;
    int64_t n; /* with EVERY_N: above 0 */
};

enum opt_flags {
    OPT_LIVE = 1,       /* may change while running */
    OPT_MEMORY = 2,     /* changes the memory figure */
    OPT_COMMON = 4,     /* short form */
    OPT_REQUIRED = 8,   /* must be given */
    OPT_UNSET = 16,     /* may be unset, and is by default: OPT_INT_UNSET, NaN, NULL, choice -1 */
    OPT_MIN_OPEN = 32,  /* min itself is not allowed */
    OPT_MAX_OPEN = 64,  /* max itself is not allowed */
    OPT_NO_EPOCH = 128, /* EVERY: epoch is not allowed */
    OPT_RESUME = 256,   /* may change on a resume and then holds; LIVE ones may too */
    OPT_ANYTIME = 512,  /* no part of the run's result: may differ on a resume without a word */
    OPT_RATE = 1024     /* REAL: a learning rate, shown as 1.00e-03 whatever its size */
};

#define OPT_INT_UNSET INT64_MIN

struct opt_desc {
    const char *key, *help, *unit; /* unit NULL: none */
    enum opt_type type;
    size_t at;           /* offset into the owner's struct */
    double def;          /* BOOL 0/1, INT, REAL, CHOICE index; EVERY: N, 0 = no, -1 = epoch */
    double min, max;     /* INT, REAL; max 0 with min 0: no bounds; HUGE_VAL: no upper bound */
    const char *choices; /* CHOICE: "auto|cpu|cuda"; STR, PATH: default text or NULL */
    unsigned flags;
};

void opt_defaults(const struct opt_desc *table, void *values);
void opt_release(const struct opt_desc *table, void *values); /* strings only */
/* Deep; `dst` uninitialised. */
void opt_copy(const struct opt_desc *table, void *dst, const void *src);

const struct opt_desc *opt_find(const struct opt_desc *table, const char *key); /* or NULL */

/* Parse, check range, store. On error nothing is changed and the message says found and allowed:
 * `"2e-5x" (a number above 0)`. Empty text unsets an OPT_UNSET option. Code TT_ECONFIG. */
int opt_parse(const struct opt_desc *d, void *values, const char *text, struct err *e);

/* `unknown optimizer "adamx" (adafactor, adam or adamw; did you mean adam)`; `what` is the kind of
 * name. Returns TT_ECONFIG. */
int opt_unknown(const char *what, const char *text, const char *const *known, size_t n,
                struct err *e);

/* The value as the INI file spells it; "" when unset. Reads back to the same value. */
char *opt_format(const struct opt_desc *d, const void *values, char *dst, size_t size);
char *opt_text(const struct opt_desc *d, const void *values); /* of any length; caller frees */
char *opt_format_default(const struct opt_desc *d, char *dst, size_t size);
/* As shown on screen: "2.00e-05" for rates and small numbers, "1.00" for factors that may change while
 * running, "—" when unset. */
char *opt_show(const struct opt_desc *d, const void *values, char *dst, size_t size);
bool opt_is_default(const struct opt_desc *d, const void *values);
/* What is allowed: "a number above 0", "a whole number from 1 to 4096", "auto, cpu or cuda". */
char *opt_allowed(const struct opt_desc *d, char *dst, size_t size);
/* n-th choice of an OPT_CHOICE into dst; false past the last. */
bool opt_choice(const struct opt_desc *d, int n, char *dst, size_t size);

static inline const void *opt_at(const struct opt_desc *d, const void *values)
{
    return (const char *)values + d->at;
}

#endif
