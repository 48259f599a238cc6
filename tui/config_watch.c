/* The text of a config file and what a run has of it, compared option by option. */
#include "tui/config_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"

#define LOOK_SECONDS 1.0
#define CONFIG_LIMIT (1 << 20) /* bytes of a config */

/* ---- the file ------------------------------------------------------------------------------- */

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mode == b->st_mode && same_time(a->st_mtim, b->st_mtim) &&
           same_time(a->st_ctim, b->st_ctim);
}

/* All zero where there is none. */
static struct stat mark_of(const char *path)
{
    struct stat st;
    return stat(path, &st) ? (struct stat){0} : st;
}

/* NULL: it is no file to be read, or holds nothing. */
static char *read_text(const char *path, const struct stat *mark)
{
    char *text;
    size_t n;
    struct err absent = ERR_INIT;
    if (!S_ISREG(mark->st_mode) || !mark->st_size || mark->st_size > CONFIG_LIMIT ||
        file_read(path, CONFIG_LIMIT, &text, &n, &absent))
        return NULL;
    if (n && strlen(text) == n)
        return text;
    free(text);
    return NULL;
}

static int read_ini(const struct config_watch *w, const char *text, struct ini *ini, struct err *e)
{
    return ini_read_text(ini, w->path, text, strlen(text), e);
}

static int take_base(struct config_watch *w, const struct run_config *started,
                     const struct optim_class *const *optims, struct err *e)
{
    struct ini own;
    int code = read_ini(w, w->seen, &w->first, e);
    if (code)
        return code;
    if (started)
        return run_config_copy(&w->base, started, e);
    ini_copy(&own, &w->first);
    return run_config_resolve(&w->base, &own, optims, e);
}

void config_watch_start(struct config_watch *w, const char *path, const struct run_config *started,
                        const struct optim_class *const *optims)
{
    struct err unread = ERR_INIT;
    memset(w, 0, sizeof *w);
    if (!path)
        return;
    w->path = xstrdup(path);
    w->mark = mark_of(path);
    w->seen = read_text(path, &w->mark);
    if (!w->seen || take_base(w, started, optims, &unread))
        config_watch_release(w);
}

static void forget_change(struct config_change *c)
{
    free(c->key);
    free(c->was);
    free(c->now);
    free(c->shown);
}

static void forget(struct config_watch *w)
{
    for (size_t i = 0; i < w->n; i++)
        forget_change(&w->change[i]);
    free(w->change);
    w->change = NULL;
    w->n = w->live = 0;
    w->err = (struct err)ERR_INIT;
}

void config_watch_release(struct config_watch *w)
{
    forget(w);
    free(w->path);
    free(w->seen);
    ini_release(&w->first);
    run_config_release(&w->base);
    memset(w, 0, sizeof *w);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static const char *reason_of(unsigned flags)
{
    if (flags & OPT_RESUME)
        return "holds from a resume on";
    if (flags & OPT_ANYTIME)
        return "holds from the next start on";
    return "belongs to a new run";
}

/* Caller frees; "" where the config has no such option. */
static char *value_in(const struct run_config *rc, const char *section, const char *key)
{
    void *values;
    const struct opt_desc *d = run_config_find(rc, section, key, &values);
    return d ? opt_text(d, values) : xstrdup("");
}

/* The run has the value that the file has: from now on that is what the file is compared with. */
static void settle(struct config_watch *w, const char *section, const char *key, const char *value)
{
    void *values;
    struct err ignored = ERR_INIT;
    const struct opt_desc *d = run_config_find(&w->base, section, key, &values);
    if (d)
        opt_parse(d, values, value, &ignored);
}

/* An option that the file has another value of than it had. `was` and `now` are taken over. */
static void add_change(struct config_watch *w, const char *section, const struct opt_desc *d, char *was,
                       char *now, const char *shown)
{
    bool live = d->flags & OPT_LIVE;
    w->change = xreallocarray(w->change, w->n + 1, sizeof *w->change);
    w->change[w->n++] = (struct config_change){.key = xasprintf("%s.%s", section, d->key), .was = was,
                                               .now = now, .shown = xstrdup(shown), .live = live,
                                               .reason = live ? NULL : reason_of(d->flags)};
    w->live += live;
}

static void compare(struct config_watch *w, const char *section, const struct opt_desc *d,
                    const void *values, const struct run_config *in_force)
{
    char *was = value_in(&w->base, section, d->key), *now = opt_text(d, values), shown[64];
    bool same = !strcmp(was, now);
    if (!same && d->flags & OPT_LIVE) {
        free(was);
        was = value_in(in_force, section, d->key);
        same = !strcmp(was, now);
        if (same)
            settle(w, section, d->key, now);
    }
    if (!same) {
        add_change(w, section, d, was, now, opt_show(d, values, shown, sizeof shown));
        return;
    }
    free(was);
    free(now);
}

static void compare_all(struct config_watch *w, const struct run_config *now,
                        const struct run_config *in_force)
{
    for (int i = 0; i < now->nparts; i++)
        for (const struct opt_desc *d = now->part[i].opts; d->key; d++)
            compare(w, now->part[i].section, d, now->part[i].values, in_force);
}

/* Options of a choice that the file does not make any more. */
static void compare_gone(struct config_watch *w, const struct run_config *now)
{
    for (int i = 0; i < w->base.nparts; i++) {
        const struct config_part *p = &w->base.part[i];
        for (const struct opt_desc *d = p->opts; d->key; d++) {
            void *values;
            char *was = opt_text(d, p->values);
            if (*was && !run_config_find(now, p->section, d->key, &values))
                add_change(w, p->section, d, was, xstrdup(""), "");
            else
                free(was);
        }
    }
}

static bool says_same(const struct ini *a, const struct ini *b, const struct ini_entry *e)
{
    const char *x = ini_get(a, e->section, e->key), *y = ini_get(b, e->section, e->key);
    return x && y ? !strcmp(x, y) : x == y;
}

/* What the run was started with holds where the file says nothing new. */
static void put_over(struct ini *ini, const struct ini *first, const struct ini *started)
{
    struct ini file;
    ini_copy(&file, ini);
    for (size_t i = 0; i < started->n; i++) {
        const struct ini_entry *e = &started->e[i];
        if (e->from != INI_FILE && says_same(first, &file, e))
            ini_put(ini, e->section, e->key, e->value, e->from);
    }
    for (size_t i = 0; i < first->n; i++) {
        const struct ini_entry *e = &first->e[i];
        if (!ini_find(started, e->section, e->key) && says_same(first, &file, e))
            ini_put(ini, e->section, e->key, NULL, INI_FORM);
    }
    ini_release(&file);
}

static void look(struct config_watch *w, const struct run_config *in_force)
{
    struct ini ini;
    struct run_config now;
    forget(w);
    if (read_ini(w, w->seen, &ini, &w->err))
        return;
    put_over(&ini, &w->first, &w->base.ini);
    if (run_config_resolve(&now, &ini, w->base.optims, &w->err))
        return;
    compare_all(w, &now, in_force);
    compare_gone(w, &now);
    run_config_release(&now);
}

/* Live changes that the run has taken meanwhile. */
static void drop_settled(struct config_watch *w, const struct run_config *in_force)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++) {
        struct config_change *c = &w->change[i];
        char section[64], *value;
        const char *key = strrchr(c->key, '.') + 1;
        snprintf(section, sizeof section, "%.*s", (int)(key - 1 - c->key), c->key);
        value = c->live ? value_in(in_force, section, key) : NULL;
        if (value && !strcmp(value, c->now)) {
            settle(w, section, key, value);
            forget_change(c);
            w->live--;
        } else {
            w->change[kept++] = *c;
        }
        free(value);
    }
    w->n = kept;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* Its text, where that is another than was seen; NULL: nothing new. */
static char *new_text(struct config_watch *w)
{
    struct stat mark = mark_of(w->path);
    bool same = same_file(&mark, &w->mark);
    w->mark = mark;
    if (!same || !w->unread) {
        w->unread |= !same;
        return NULL;
    }
    w->unread = false;
    char *text = read_text(w->path, &mark);
    if (text && strcmp(text, w->seen))
        return text;
    free(text);
    return NULL;
}

bool config_watch_poll(struct config_watch *w, double now, const struct run_config *in_force)
{
    char *text;
    drop_settled(w, in_force);
    if (!w->path || now - w->looked_at < LOOK_SECONDS)
        return false;
    w->looked_at = now;
    if (!(text = new_text(w)))
        return false;
    bool told = w->n || w->err.code;
    free(w->seen);
    w->seen = text;
    look(w, in_force);
    return told || w->n || w->err.code;
}

char *config_watch_name(const struct config_watch *w, char *dst, size_t size)
{
    const char *name = file_base(w->path);
    char *dir = file_dir(w->path);
    if (strcmp(name, "config.ini"))
        snprintf(dst, size, "%s", name);
    else
        snprintf(dst, size, "%s/%s", file_base(dir), name);
    free(dir);
    return dst;
}

char *config_watch_say(const struct config_watch *w, char *dst, size_t size)
{
    char name[256];
    config_watch_name(w, name, sizeof name);
    if (w->err.code && str_starts(w->err.msg, w->path))
        snprintf(dst, size, "%s%s", name, w->err.msg + strlen(w->path));
    else if (w->err.code)
        snprintf(dst, size, "%s: %s", name, w->err.msg);
    else if (!w->n)
        snprintf(dst, size, "%s is as the run has it", name);
    else
        snprintf(dst, size, "%s changed on disk: %zu option%s, %zu live", name, w->n,
                 w->n == 1 ? "" : "s", w->live);
    return dst;
}
