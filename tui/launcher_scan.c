/* Reading the current folder for the launcher. */
#include "tui/launcher_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/train/run_queue.h"
#include "tui/run_words.h"

#define FIRST_CONFIG "quickstart.ini" /* stands on top: it runs as it is, anywhere */

static bool is_ini(const char *name)
{
    return str_ends(name, ".ini") && name[0] != '.';
}

static bool is_visible(const char *name)
{
    return name[0] != '.';
}

static struct strlist names_in(const char *dir, bool (*pass)(const char *))
{
    struct strlist names = STRLIST_INIT;
    struct err ignored = ERR_INIT;
    if (file_is_dir(dir))
        file_list(dir, pass, &names, &ignored);
    return names;
}

/* ---- configs -------------------------------------------------------------------------------- */

static struct config_entry *new_config(struct scan *s, const char *path, const char *name)
{
    s->config = xgrow(s->config, &s->config_cap, (size_t)s->nconfigs + 1, sizeof *s->config);
    struct config_entry *c = &s->config[s->nconfigs++];
    memset(c, 0, sizeof *c);
    str_copy(c->path, sizeof c->path, path);
    str_copy(c->name, sizeof c->name, name);
    return c;
}

static void fill_config(struct config_entry *c, const struct run_config *rc)
{
    str_copy(c->model, sizeof c->model, rc->model_cls->name);
    str_copy(c->optimizer, sizeof c->optimizer, rc->optim_cls->name);
    str_copy(c->schedule, sizeof c->schedule, rc->sched_cls->name);
    c->lacks = *words_lack(rc, c->data, sizeof c->data);
    if (!c->lacks)
        words_data(rc, c->data, sizeof c->data);
}

static void say_runs(struct config_entry *c)
{
    snprintf(c->model, sizeof c->model, "%d run%s", c->runs, c->runs == 1 ? "" : "s");
}

/* A [sweep] makes a queue of it. */
static void count_runs(struct config_entry *c, const struct run_config *rc,
                       const struct optim_class *const *optims)
{
    struct run_queue q;
    struct err e = ERR_INIT;
    c->runs = 1;
    if (run_queue_of(&q, &rc->ini, optims, &e)) {
        str_copy(c->error, sizeof c->error, e.msg);
        str_copy(c->data, sizeof c->data, "has an error");
        c->lacks = true;
        return;
    }
    c->runs = (int)q.n;
    run_queue_release(&q);
    if (c->runs > 1)
        say_runs(c);
}

static void read_config(struct config_entry *c, const struct optim_class *const *optims)
{
    struct run_config rc;
    struct err e = ERR_INIT;
    if (run_config_load(&rc, c->path, NULL, 0, optims, &e)) {
        str_copy(c->error, sizeof c->error, e.msg);
        str_copy(c->data, sizeof c->data, "has an error");
        c->lacks = true;
        return;
    }
    fill_config(c, &rc);
    count_runs(c, &rc, optims);
    run_config_release(&rc);
}

/* Is there a config of that file name among the first n? */
static bool is_listed(const struct scan *s, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(file_base(s->config[i].path), name))
            return true;
    return false;
}

/* `again`: what stands before a name that is listed already; NULL: such a file is left out. */
static void add_files(struct scan *s, const char *dir, const char *again,
                      const struct optim_class *const *optims)
{
    struct strlist names = names_in(*dir ? dir : ".", is_ini);
    int before = s->nconfigs;
    for (size_t i = 0; i < names.n; i++) {
        bool known = is_listed(s, before, names.s[i]);
        char *path = file_join(dir, names.s[i]);
        char *name = xasprintf("%s%s", known && again ? again : "", names.s[i]);
        if (!file_is_dir(path) && (!known || again))
            read_config(new_config(s, path, name), optims);
        free(path);
        free(name);
    }
    strlist_release(&names);
}

/* Keep in `all` what `one` has too: the columns of a folder are those its configs share. */
static void keep_common(char *all, size_t size, const char *one, bool first)
{
    if (first)
        str_copy(all, size, one);
    else if (strcmp(all, one))
        all[0] = 0;
}

static void fill_folder(struct config_entry *c, const struct scan *inside)
{
    for (int i = 0; i < inside->nconfigs; i++) {
        const struct config_entry *one = &inside->config[i];
        keep_common(c->data, sizeof c->data, one->data, i == 0);
        keep_common(c->optimizer, sizeof c->optimizer, one->optimizer, i == 0);
        keep_common(c->schedule, sizeof c->schedule, one->schedule, i == 0);
        c->runs += one->runs;
    }
    c->folder = true;
    say_runs(c);
}

static void add_folders(struct scan *s, const char *dir, const struct optim_class *const *optims)
{
    struct strlist names = names_in(dir, is_visible);
    for (size_t i = 0; i < names.n; i++) {
        char *path = file_join(dir, names.s[i]), *name = xasprintf("%s/", names.s[i]);
        struct scan inside = {0};
        if (file_is_dir(path))
            add_files(&inside, path, NULL, optims);
        if (inside.nconfigs)
            fill_folder(new_config(s, path, name), &inside);
        scan_release(&inside);
        free(path);
        free(name);
    }
    strlist_release(&names);
}

static int by_name(const void *a, const void *b)
{
    const struct config_entry *x = a, *y = b;
    bool first_x = !strcmp(x->name, FIRST_CONFIG), first_y = !strcmp(y->name, FIRST_CONFIG);
    if (first_x != first_y)
        return first_x ? -1 : 1;
    if (x->folder != y->folder)
        return x->folder ? 1 : -1;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->path, y->path);
}

void scan_configs(struct scan *s, const char *folder, const char *installed,
                  const struct optim_class *const *optims)
{
    s->nconfigs = 0;
    if (folder) {
        add_files(s, folder, NULL, optims);
    } else {
        add_files(s, "configs", NULL, optims);
        add_files(s, "", "./", optims);
        if (installed)
            add_files(s, installed, NULL, optims);
        add_folders(s, "configs", optims);
    }
    if (s->nconfigs)
        qsort(s->config, (size_t)s->nconfigs, sizeof *s->config, by_name);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static bool is_run(const char *path)
{
    static const char *const marks[] = {"run.json", "metrics.jsonl", "config.ini"};
    bool found = false;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && !found; i++) {
        char *file = file_join(path, marks[i]);
        found = file_exists(file);
        free(file);
    }
    return found;
}

static void add_run(struct scan *s, const char *path)
{
    struct err ignored = ERR_INIT;
    struct run_summary sum;
    if (!is_run(path) || rundir_read_summary(path, &sum, &ignored))
        return;
    s->run = xgrow(s->run, &s->run_cap, (size_t)s->nruns + 1, sizeof *s->run);
    struct run_entry *r = &s->run[s->nruns++];
    memset(r, 0, sizeof *r);
    str_copy(r->path, sizeof r->path, path);
    r->s = sum;
    r->live = !strcmp(sum.state, "training");
}

static int by_age(const void *a, const void *b)
{
    const struct run_entry *x = a, *y = b;
    if (x->live != y->live)
        return x->live ? -1 : 1;
    if (x->s.mtime != y->s.mtime)
        return x->s.mtime > y->s.mtime ? -1 : 1;
    return strcmp(x->s.name, y->s.name);
}

void scan_runs(struct scan *s, const char *dir)
{
    struct strlist names = names_in(dir, is_visible);
    s->nruns = 0;
    for (size_t i = 0; i < names.n; i++) {
        char *path = file_join(dir, names.s[i]);
        if (file_is_dir(path))
            add_run(s, path);
        free(path);
    }
    strlist_release(&names);
    if (s->nruns)
        qsort(s->run, (size_t)s->nruns, sizeof *s->run, by_age);
}

void scan_release(struct scan *s)
{
    free(s->config);
    free(s->run);
    memset(s, 0, sizeof *s);
}
