/* Configs become a list of runs: folders are listed, sweeps are multiplied out. */
#include "engine/train/run_queue.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/rundir.h"

#define SWEEP "sweep"

/* One line of [sweep]. */
struct axis {
    const char *section, *key;
    struct strlist values;
};

struct axes {
    struct axis *axis;
    size_t n;
};

static void axes_release(struct axes *a)
{
    for (size_t i = 0; i < a->n; i++)
        strlist_release(&a->axis[i].values);
    free(a->axis);
}

static int blame(const struct ini *ini, const struct ini_entry *en, struct err *e)
{
    char where[4200];
    return err_prefix(e, "%s: ", ini_where(ini, en, where, sizeof where));
}

/* `section.key`, the last dot parting them; the names point into `name`, which is changed. */
static int split_option(char *name, const char **section, const char **key, struct err *e)
{
    char *dot = strrchr(name, '.');
    if (!dot || dot == name || !dot[1])
        return err_set(e, TT_ECONFIG, "sweep.%s (an option as section.key)", name);
    *dot = '\0';
    *section = name;
    *key = dot + 1;
    return 0;
}

static int read_axis(const struct ini_entry *en, struct axis *a, char *name, struct err *e)
{
    int code = split_option(name, &a->section, &a->key, e);
    if (code)
        return code;
    strlist_split(&a->values, en->value, ',');
    for (size_t i = 0; i < a->values.n; i++) {
        if (!*a->values.s[i])
            return err_set(e, TT_ECONFIG, "sweep.%s: an empty value (values by commas)", en->key);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(a->values.s[k], a->values.s[i]))
                return err_set(e, TT_ECONFIG, "sweep.%s: %s is there twice", en->key,
                               a->values.s[i]);
    }
    return a->values.n ? 0 : err_set(e, TT_ECONFIG, "sweep.%s: no value (values by commas)", en->key);
}

/* `names` holds what the axes point to. */
static int read_axes(const struct ini *ini, struct axes *out, struct strlist *names, struct err *e)
{
    size_t runs = 1;
    int code = 0;
    out->axis = xcalloc(ini->n + 1, sizeof *out->axis);
    for (size_t i = 0; i < ini->n && !code; i++) {
        const struct ini_entry *en = &ini->e[i];
        if (strcmp(en->section, SWEEP))
            continue;
        strlist_add(names, en->key);
        struct axis *a = &out->axis[out->n++];
        if (!(code = read_axis(en, a, names->s[names->n - 1], e)) &&
            (runs *= a->values.n) > RUN_QUEUE_MAX)
            code = err_set(e, TT_ECONFIG, "[sweep] makes over %d runs", RUN_QUEUE_MAX);
        if (code)
            blame(ini, en, e);
    }
    return code;
}

static void drop_sweep(struct ini *ini)
{
    for (size_t i = ini->n; i-- > 0;)
        if (!strcmp(ini->e[i].section, SWEEP)) {
            char *key = xstrdup(ini->e[i].key);
            ini_put(ini, SWEEP, key, NULL, INI_SET);
            free(key);
        }
}

/* A value as a part of a file's name. */
static void add_value(struct strbuf *name, const char *value)
{
    strbuf_addf(name, "-");
    for (; *value; value++)
        strbuf_addf(name, "%c", iscntrl((unsigned char)*value) || strchr("/ ", *value) ? '_' : *value);
}

static void add_item(struct run_queue *q, const struct ini *base, const struct axes *axes,
                     size_t number)
{
    struct strbuf name = STRBUF_INIT;
    q->item = xrealloc(q->item, (q->n + 1) * sizeof *q->item);
    struct run_queue_item *it = &q->item[q->n++];
    ini_copy(&it->ini, base);
    char *stem = file_stem(base->path);
    const char *given = ini_get(base, "run", "name");
    strbuf_addf(&name, "%s", given ? given : stem);
    free(stem);
    size_t below = 1;
    for (size_t k = 0; k < axes->n; k++)
        below *= axes->axis[k].values.n;
    for (size_t k = 0; k < axes->n; k++) {
        const struct axis *a = &axes->axis[k];
        below /= a->values.n;
        const char *value = a->values.s[number / below % a->values.n];
        ini_put(&it->ini, a->section, a->key, value, INI_SWEEP);
        add_value(&name, value);
    }
    if (given && axes->n)
        ini_put(&it->ini, "run", "name", name.s, INI_SWEEP);
    it->stem = name.s;
}

static int add_text(struct run_queue *q, struct ini *ini, struct err *e)
{
    struct axes axes = {0};
    struct strlist names = STRLIST_INIT;
    int code = read_axes(ini, &axes, &names, e);
    size_t runs = 1;
    for (size_t k = 0; k < axes.n && !code; k++)
        runs *= axes.axis[k].values.n;
    if (!code && q->n + runs > RUN_QUEUE_MAX)
        code = err_set(e, TT_ECONFIG, "%s: over %d runs in the queue", ini->path, RUN_QUEUE_MAX);
    drop_sweep(ini);
    for (size_t i = 0; i < runs && !code; i++)
        add_item(q, ini, &axes, i);
    axes_release(&axes);
    strlist_release(&names);
    return code;
}

static int add_config(struct run_queue *q, const char *path, const char *const *set, size_t nset,
                      struct err *e)
{
    struct ini ini;
    int code = ini_read(&ini, path, e);
    if (code)
        return code;
    for (size_t i = 0; i < nset && !code; i++)
        code = ini_put_assignment(&ini, set[i], e);
    if (!code)
        code = add_text(q, &ini, e);
    ini_release(&ini);
    return code;
}

static bool is_config(const char *name)
{
    return str_ends(name, ".ini") && name[0] != '.';
}

static int add_folder(struct run_queue *q, const char *path, const char *const *set, size_t nset,
                      struct err *e)
{
    struct strlist names = STRLIST_INIT;
    int code = file_list(path, is_config, &names, e);
    if (!code && !names.n)
        code = err_set(e, TT_ECONFIG, "%s: no config in this folder (*.ini)", path);
    strlist_sort(&names);
    for (size_t i = 0; i < names.n && !code; i++) {
        char *file = file_join(path, names.s[i]);
        code = add_config(q, file, set, nset, e);
        free(file);
    }
    strlist_release(&names);
    return code;
}

/* A mistake in the last run is found before the first one starts. */
static int check(struct run_queue *q, int code, const struct optim_class *const *optims, struct err *e)
{
    for (size_t i = 0; i < q->n && !code; i++) {
        struct run_config rc;
        if (!(code = run_queue_config(q, i, optims, &rc, e)))
            run_config_release(&rc);
    }
    if (code)
        run_queue_release(q);
    return code;
}

int run_queue_open(struct run_queue *q, const char *path, const char *const *set, size_t nset,
                   const struct optim_class *const *optims, struct err *e)
{
    *q = (struct run_queue){0};
    int code = file_is_dir(path) ? add_folder(q, path, set, nset, e)
                                 : add_config(q, path, set, nset, e);
    return check(q, code, optims, e);
}

int run_queue_of(struct run_queue *q, const struct ini *ini, const struct optim_class *const *optims,
                 struct err *e)
{
    struct ini copy;
    *q = (struct run_queue){0};
    ini_copy(&copy, ini);
    int code = add_text(q, &copy, e);
    ini_release(&copy);
    return check(q, code, optims, e);
}

void run_queue_release(struct run_queue *q)
{
    for (size_t i = 0; i < q->n; i++) {
        ini_release(&q->item[i].ini);
        free(q->item[i].stem);
    }
    free(q->item);
    *q = (struct run_queue){0};
}

int run_queue_config(const struct run_queue *q, size_t i, const struct optim_class *const *optims,
                     struct run_config *rc, struct err *e)
{
    struct ini ini;
    ini_copy(&ini, &q->item[i].ini);
    int code = run_config_resolve(rc, &ini, optims, e);
    if (!code)
        run_config_rename(rc, q->item[i].stem);
    return code;
}

char *run_queue_resume(const struct run_config *rc)
{
    char *path;
    struct err absent = ERR_INIT;
    if (!rc->run.name)
        return rundir_newest(rc->run.dir, rc->stem, false);
    return rundir_resolve(rc->run.dir, rc->run.name, &path, &absent) ? NULL : path;
}
