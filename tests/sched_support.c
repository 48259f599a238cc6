/* Makes schedules, reads their golden tables. */
#include "tests/support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "tests/sched_support.h"

enum { CASES = 128, ROWS = 256 };

static const struct opt_desc no_options[] = {{0}};

static const struct opt_desc *rows_of(const struct sched_class *cls)
{
    return cls->opts ? cls->opts : no_options;
}

static void set_option(struct made *m, const char *text)
{
    struct strlist pair = STRLIST_INIT;
    strlist_split(&pair, text, '=');
    if (pair.n != 2)
        fail_msg("%s is no key=value", text);
    const struct opt_desc *common = opt_find(sched_opts_table, pair.s[0]);
    const struct opt_desc *own = opt_find(rows_of(m->sc.cls), pair.s[0]);
    if (!common && !own)
        fail_msg("%s has no option %s", m->sc.cls->name, pair.s[0]);
    struct err e = ERR_INIT;
    if (common ? opt_parse(common, &m->o, pair.s[1], &e) : opt_parse(own, m->own, pair.s[1], &e))
        fail_msg("%s: %s", text, e.msg);
    strlist_release(&pair);
}

void sched_make(struct made *m, const char *options, double lr, int64_t total)
{
    struct strlist parts = STRLIST_INIT;
    *m = (struct made){.e = ERR_INIT};
    strlist_split(&parts, options, ';');
    assert_true(parts.n > 0 && str_starts(parts.s[0], "name="));
    const struct sched_class *cls = sched_by_name(parts.s[0] + 5, &m->e);
    if (!cls)
        fail_msg("%s", m->e.msg);
    m->sc.cls = cls;
    m->own = xcalloc(1, cls->opts_size + 1);
    opt_defaults(sched_opts_table, &m->o);
    opt_defaults(rows_of(cls), m->own);
    for (size_t i = 0; i < parts.n; i++)
        if (*parts.s[i])
            set_option(m, parts.s[i]);
    strlist_release(&parts);
    m->rc = sched_init(&m->sc, cls, &m->o, m->own, lr, total, &m->e);
}

void sched_good(struct made *m, const char *options, double lr, int64_t total)
{
    sched_make(m, options, lr, total);
    if (m->rc)
        fail_msg("%s: %s", options, m->e.msg);
}

void made_release(struct made *m)
{
    opt_release(sched_opts_table, &m->o);
    opt_release(rows_of(m->sc.cls), m->own);
    free(m->own);
}

const char *sched_needs(const struct sched_class *cls)
{
    if (strstr(cls->name, "with_min_lr"))
        return "min_lr_rate=0.1";
    return strcmp(cls->name, "warmup_stable_decay") ? "" : "num_decay_steps=4";
}

/* The next tab-separated field of a line that is cut up in place. */
static char *field(char **line)
{
    char *f = strsep(line, "\t");
    assert_non_null(f);
    return f;
}

static double number(const char *text)
{
    double v;
    if (!str_to_f64(text, &v))
        fail_msg("%s is no number", text);
    return v;
}

static int64_t count_or(const char *text, int64_t missing)
{
    return strcmp(text, "-") ? (int64_t)number(text) : missing;
}

int sched_cases(const struct sched_case **out)
{
    static struct sched_case cases[CASES];
    static int n;
    *out = cases;
    if (n)
        return n;
    char *rest = (char *)test_golden("schedules/cases.tsv", NULL);
    strsep(&rest, "\n");
    for (char *line; (line = strsep(&rest, "\n")) && *line; n++) {
        assert_true(n < CASES);
        struct sched_case *c = &cases[n];
        c->file = field(&line);
        c->options = field(&line);
        c->lr = number(field(&line));
        c->total = count_or(field(&line), -1);
        c->warmup = count_or(field(&line), 0);
        c->rows = (int)number(field(&line));
    }
    return n;
}

int sched_table(const char *file, const struct sched_row **out)
{
    static struct sched_row rows[ROWS];
    char name[256];
    int n = 0;
    snprintf(name, sizeof name, "schedules/%s", file);
    char *rest = (char *)test_golden(name, NULL);
    strsep(&rest, "\n");
    for (char *line; (line = strsep(&rest, "\n")) && *line; n++) {
        assert_true(n < ROWS);
        rows[n].index = (int64_t)number(field(&line));
        rows[n].middle = number(field(&line));
        rows[n].lr = number(field(&line));
    }
    *out = rows;
    return n;
}

void sched_close(double got, double ref, double lr, const char *file, int64_t row)
{
    char what[256];
    snprintf(what, sizeof what, "%s, row %" PRId64, file, row);
    test_close(got, ref, 1e-12, 1e-15 * lr, what, __FILE__, __LINE__);
}
