/* The effective config as text, and what a resume may change of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/train/run_config.h"

#define VALUE_MAX 4200

static void add_part_text(struct strbuf *out, const struct config_part *p)
{
    char value[VALUE_MAX];
    for (const struct opt_desc *d = p->opts; d->key; d++) {
        opt_format(d, p->values, value, sizeof value);
        if (!*value)
            continue;
        if (d->type == OPT_PATH) {
            char *absolute = file_absolute(value);
            ini_add_pair(out, d->key, absolute);
            free(absolute);
        } else {
            ini_add_pair(out, d->key, value);
        }
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

/* The value that `section.key` has in a config; "" when the config has no such option. */
static void value_of(const struct run_config *rc, const char *section, const char *key,
                     char *dst, size_t size)
{
    void *values;
    const struct opt_desc *d = run_config_find(rc, section, key, &values);
    *dst = 0;
    if (d)
        opt_format(d, values, dst, size);
}

static const char *or_unset(const char *value)
{
    return *value ? value : "unset";
}

/* Every option of `p`, in both configs. */
static int compare_part(const struct config_part *p, const struct run_config *old,
                        const struct run_config *now, struct strlist *changed, struct err *e)
{
    for (const struct opt_desc *d = p->opts; d->key; d++) {
        char was[VALUE_MAX], is[VALUE_MAX], line[2 * VALUE_MAX + 200];
        value_of(old, p->section, d->key, was, sizeof was);
        value_of(now, p->section, d->key, is, sizeof is);
        if (!strcmp(was, is) || (d->flags & OPT_ANYTIME) || d->type == OPT_PATH)
            continue;
        if (!(d->flags & (OPT_RESUME | OPT_LIVE)))
            return err_set(e, TT_ECONFIG,
                           "%s.%s changed from %s to %s (a resumed run keeps it; start a new run)",
                           p->section, d->key, or_unset(was), or_unset(is));
        snprintf(line, sizeof line, "%s.%s %s -> %s", p->section, d->key, or_unset(was),
                 or_unset(is));
        if (strlist_find(changed, line) < 0)
            strlist_add(changed, line);
    }
    return 0;
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
    float *out = code ? NULL : xcalloc((size_t)n, sizeof *out);
    for (int i = 0; !code && i < n; i++) {
        double v;
        if (!str_to_f64(parts.s[i], &v) || !isfinite(v) || v < 0)
            code = err_set(e, TT_ECONFIG, "train.class_weights: \"%s\" (numbers from 0 up, by commas)",
                           parts.s[i]);
        else
            out[i] = (float)v;
    }
    strlist_release(&parts);
    if (code)
        free(out);
    else
        *w = out;
    return code;
}
