/* Two texts of one config file, resolved and compared option by option. */
#include "tui/config_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"

#define LOOK_SECONDS 1.0
#define CONFIG_LIMIT (1 << 20) /* bytes of a config */

static char *read_text(const char *path)
{
    char *text;
    size_t n;
    struct err absent = ERR_INIT;
    return file_read(path, CONFIG_LIMIT, &text, &n, &absent) ? NULL : text;
}

void config_watch_start(struct config_watch *w, const char *path,
                        const struct optim_class *const *optims)
{
    *w = (struct config_watch){.optims = optims};
    w->first = path ? read_text(path) : NULL;
    if (!w->first)
        return;
    w->path = xstrdup(path);
    w->seen = xstrdup(w->first);
}

static void forget(struct config_watch *w)
{
    for (size_t i = 0; i < w->n; i++) {
        free(w->change[i].key);
        free(w->change[i].was);
        free(w->change[i].now);
    }
    free(w->change);
    w->change = NULL;
    w->n = w->live = 0;
    w->err = (struct err)ERR_INIT;
}

void config_watch_release(struct config_watch *w)
{
    forget(w);
    free(w->path);
    free(w->first);
    free(w->seen);
    *w = (struct config_watch){0};
}

static int resolve(const struct config_watch *w, const char *text, struct run_config *rc, struct err *e)
{
    struct ini ini;
    int code = ini_read_text(&ini, w->path, text, strlen(text), e);
    return code ? code : run_config_resolve(rc, &ini, w->optims, e);
}

static const char *reason_of(unsigned flags)
{
    if (flags & OPT_RESUME)
        return "holds from a resume on";
    if (flags & OPT_ANYTIME)
        return "holds from the next start on";
    return "belongs to a new run";
}

static void compare(struct config_watch *w, const char *section, const struct opt_desc *d, char *was,
                    char *now)
{
    if (!strcmp(was, now)) {
        free(was);
        free(now);
        return;
    }
    bool live = d->flags & OPT_LIVE;
    w->change = xrealloc(w->change, (w->n + 1) * sizeof *w->change);
    w->change[w->n++] = (struct config_change){.key = xasprintf("%s.%s", section, d->key),
                                               .was = was, .now = now, .live = live,
                                               .reason = live ? NULL : reason_of(d->flags)};
    w->live += live;
}

static char *value_in(const struct run_config *rc, const char *section, const char *key)
{
    void *values;
    const struct opt_desc *d = run_config_find(rc, section, key, &values);
    return d ? opt_text(d, values) : xstrdup("");
}

/* Every option of `a`; with `other`, only those that `b` doesn't have. */
static void compare_all(struct config_watch *w, const struct run_config *a, const struct run_config *b,
                        bool other)
{
    for (int i = 0; i < a->nparts; i++) {
        const struct config_part *p = &a->part[i];
        for (const struct opt_desc *d = p->opts; d->key; d++) {
            void *values;
            char *mine = opt_text(d, p->values);
            if (!other)
                compare(w, p->section, d, value_in(b, p->section, d->key), mine);
            else if (!run_config_find(b, p->section, d->key, &values))
                compare(w, p->section, d, mine, xstrdup(""));
            else
                free(mine);
        }
    }
}

static void look(struct config_watch *w)
{
    struct run_config was, now;
    struct err unread = ERR_INIT;
    forget(w);
    if (resolve(w, w->seen, &now, &w->err))
        return;
    if (!resolve(w, w->first, &was, &unread)) {
        compare_all(w, &now, &was, false);
        compare_all(w, &was, &now, true);
        run_config_release(&was);
    }
    run_config_release(&now);
}

bool config_watch_poll(struct config_watch *w, double now)
{
    if (!w->path || now - w->looked_at < LOOK_SECONDS)
        return false;
    w->looked_at = now;
    char *text = read_text(w->path);
    if (!text || !strcmp(text, w->seen)) { /* an editor may take it away for a moment */
        free(text);
        return false;
    }
    free(w->seen);
    w->seen = text;
    look(w);
    return true;
}

char *config_watch_say(const struct config_watch *w, char *dst, size_t size)
{
    const char *name = w->path ? file_base(w->path) : "";
    if (w->err.code)
        snprintf(dst, size, "%s changed on disk: %s", name, w->err.msg);
    else if (!w->n)
        snprintf(dst, size, "%s is as it was at the start", name);
    else
        snprintf(dst, size, "%s changed on disk: %zu option%s, %zu live", name, w->n,
                 w->n == 1 ? "" : "s", w->live);
    return dst;
}
