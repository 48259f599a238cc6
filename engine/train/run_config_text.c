/* The effective config as text, and what a resume may change of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/train/run_config.h"

static void add_part_text(struct strbuf *out, const struct config_part *p)
{
    for (const struct opt_desc *d = p->opts; d->key; d++) {
        char *value = opt_text(d, p->values);
        if (*value && d->type == OPT_PATH) {
            char *absolute = file_absolute(value);
            ini_add_pair(out, d->key, absolute);
            free(absolute);
        } else if (*value) {
            ini_add_pair(out, d->key, value);
        }
        free(value);
    }
}

void run_config_format(const struct run_config *rc, struct strbuf *out)
{
    const char *section = "";
    for (int i = 0; i < rc->nparts; i++) {
        if (strcmp(section, rc->part[i].section)) {
            strbuf_addf(out, "%s[%s]\n", i ? "\n" : "", rc->part[i].section);
            section = rc->part[i].section;
        }
        bool warmup_unused = rc->part[i].values == &rc->sched && !rc->sched_cls->uses_warmup;
        if (warmup_unused) {
            struct sched_opts plain = rc->sched;
            plain.warmup_steps = OPT_INT_UNSET;
            plain.warmup_ratio = NAN;
            struct config_part p = rc->part[i];
            p.values = &plain;
            add_part_text(out, &p);
        } else {
            add_part_text(out, &rc->part[i]);
        }
    }
    static const char *const kept[] = {"keys", "sweep"};
    for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++) {
        bool head = false;
        for (size_t i = 0; i < rc->ini.n; i++) {
            if (strcmp(rc->ini.e[i].section, kept[k]))
                continue;
            if (!head)
                strbuf_addf(out, "\n[%s]\n", kept[k]);
            head = true;
            ini_add_pair(out, rc->ini.e[i].key, rc->ini.e[i].value);
        }
    }
}

/* What could not be read again is refused now, not at the resume. */
int run_config_write(const struct run_config *rc, const char *path, struct err *e)
{
    struct strbuf text = STRBUF_INIT;
    struct ini readable;
    run_config_format(rc, &text);
    int code = ini_read_text(&readable, path, text.s, text.len, e);
    if (!code) {
        ini_release(&readable);
        code = file_write_all(path, text.s, text.len, e);
    }
    strbuf_release(&text);
    return code;
}

/* The value that `section.key` has in a config; "" when the config has no such option. Caller frees. */
static char *value_of(const struct run_config *rc, const char *section, const char *key)
{
    void *values;
    const struct opt_desc *d = run_config_find(rc, section, key, &values);
    return d ? opt_text(d, values) : xstrdup("");
}

static const char *or_unset(const char *value)
{
    return *value ? value : "unset";
}

/* One option, in both configs. */
static int compare_option(const char *section, const struct opt_desc *d, const char *was,
                          const char *is, struct strlist *changed, struct err *e)
{
    if (!strcmp(was, is) || (d->flags & OPT_ANYTIME) || d->type == OPT_PATH)
        return 0;
    if (!(d->flags & (OPT_RESUME | OPT_LIVE)))
        return err_set(e, TT_ECONFIG,
                       "%s.%s changed from %s to %s (a resumed run keeps it; start a new run)",
                       section, d->key, or_unset(was), or_unset(is));
    char *line = xasprintf("%s.%s %s -> %s", section, d->key, or_unset(was), or_unset(is));
    if (strlist_find(changed, line) < 0)
        strlist_add(changed, line);
    free(line);
    return 0;
}

static int compare_part(const struct config_part *p, const struct run_config *old,
                        const struct run_config *now, struct strlist *changed, struct err *e)
{
    int code = 0;
    for (const struct opt_desc *d = p->opts; d->key && !code; d++) {
        char *was = value_of(old, p->section, d->key), *is = value_of(now, p->section, d->key);
        code = compare_option(p->section, d, was, is, changed, e);
        free(was);
        free(is);
    }
    return code;
}

int run_config_compare(const struct run_config *old, const struct run_config *now,
                       struct strlist *changed, struct err *e)
{
    int code = 0;
    for (int i = 0; !code && i < now->nparts; i++)
        code = compare_part(&now->part[i], old, now, changed, e);
    for (int i = 0; !code && i < old->nparts; i++)
        code = compare_part(&old->part[i], old, now, changed, e);
    return code;
}

int run_config_class_weights(const struct run_config *rc, int n, float **w, struct err *e)
{
    *w = NULL;
    if (!rc->train.class_weights)
        return 0;
    struct strlist parts = STRLIST_INIT;
    strlist_split(&parts, rc->train.class_weights, ',');
    int code = 0;
    if (parts.n != (size_t)n)
        code = err_set(e, TT_ECONFIG, "train.class_weights has %zu numbers (one for each of %d classes)",
                       parts.n, n);
    double sum = 0;
    float *out = code ? NULL : xcalloc((size_t)n, sizeof *out);
    for (int i = 0; !code && i < n; i++) {
        double v;
        if (!str_to_f64(parts.s[i], &v) || !isfinite(v) || v < 0)
            code = err_set(e, TT_ECONFIG, "train.class_weights: \"%s\" (numbers from 0 up, by commas)",
                           parts.s[i]);
        else
            sum += out[i] = (float)v;
    }
    if (!code && sum <= 0)
        code = err_set(e, TT_ECONFIG, "train.class_weights: no weight is above 0 (one at least)");
    strlist_release(&parts);
    if (code)
        free(out);
    else
        *w = out;
    return code;
}
