/* Two watched files as one voice, and its words. */
#include "tui/disk_changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tui/keys.h"

static bool same_path(const char *a, const char *b)
{
    char *x = file_absolute(a), *y = file_absolute(b);
    bool same = !strcmp(x, y);
    free(x);
    free(y);
    return same;
}

void disk_changes_start(struct disk_changes *d, const struct run_config *started, const char *run_path,
                        const struct optim_class *const *optims)
{
    char *own = file_join(run_path, "config.ini");
    const char *from = started ? started->ini.path : NULL;
    memset(d, 0, sizeof *d);
    d->last = DISK_OF_RUN;
    if (from && !same_path(from, own))
        config_watch_start(&d->file[DISK_STARTED_FROM], from, started, optims);
    config_watch_start(&d->file[DISK_OF_RUN], own, NULL, optims);
    free(own);
}

bool disk_changes_poll(struct disk_changes *d, double now, const struct run_config *in_force)
{
    bool any = false;
    for (int i = 0; i < DISK_FILES; i++)
        if (config_watch_poll(&d->file[i], now, in_force)) {
            d->last = i;
            any = true;
        }
    return any;
}

void disk_changes_release(struct disk_changes *d)
{
    for (int i = 0; i < DISK_FILES; i++)
        config_watch_release(&d->file[i]);
}

static const struct config_watch *speaker(const struct disk_changes *d)
{
    return &d->file[d->last];
}

char *disk_changes_say(const struct disk_changes *d, char *dst, size_t size)
{
    const struct config_watch *w = speaker(d);
    config_watch_say(w, dst, size);
    size_t n = strlen(dst);
    if (w->n)
        snprintf(dst + n, size - n, "; %s shows %s", action_key(ACTION_OPTIONS),
                 w->n == 1 ? "it" : "them");
    return dst;
}

bool disk_changes_bad(const struct disk_changes *d)
{
    return speaker(d)->err.code != 0;
}

size_t disk_changes_live(const struct disk_changes *d)
{
    return speaker(d)->live;
}

const struct config_change *disk_changes_find(const struct disk_changes *d, const char *key)
{
    const struct config_watch *w = speaker(d);
    for (size_t i = 0; i < w->n; i++)
        if (w->change[i].live && !strcmp(w->change[i].key, key))
            return &w->change[i];
    return NULL;
}

/* ---- drawing -------------------------------------------------------------------------------- */

int disk_changes_rows(const struct disk_changes *d)
{
    const struct config_watch *w = speaker(d);
    if (w->err.code)
        return 1;
    return w->n ? 1 + (int)(w->n - w->live) : 0;
}

static void draw_row(struct canvas *c, struct rect r, int row, enum role role, const char *text)
{
    char cut[256];
    canvas_put(c, r.x, r.y + row, role, text_cut_end(c->level, cut, sizeof cut, text, r.w));
}

/* "optimizer.lr 0.001 -> 0.002: belongs to a new run"; a narrow place or long values: without these. */
static void draw_other(struct canvas *c, struct rect r, int row, const struct config_change *x)
{
    char text[512];
    int n = snprintf(text, sizeof text, "%s %s -> %s: %s", x->key, *x->was ? x->was : "unset",
                     *x->now ? x->now : "unset", x->reason);
    if (n >= (int)sizeof text || text_width(text) > r.w)
        snprintf(text, sizeof text, "%s: %s", x->key, x->reason);
    draw_row(c, r, row, ROLE_DIM, text);
}

static void draw_others(const struct config_watch *w, struct canvas *c, struct rect r)
{
    int left = (int)(w->n - w->live), row = 0;
    for (size_t i = 0; i < w->n && row < r.h; i++) {
        if (w->change[i].live)
            continue;
        if (row == r.h - 1 && left > 1) {
            char more[64];
            snprintf(more, sizeof more, "%d%s wait for another start", left, row ? " more" : "");
            draw_row(c, r, row, ROLE_DIM, more);
            return;
        }
        draw_other(c, r, row++, &w->change[i]);
        left--;
    }
}

void disk_changes_draw(const struct disk_changes *d, struct canvas *c, struct rect r)
{
    const struct config_watch *w = speaker(d);
    char name[256], text[512], count[64];
    if (r.h < 1 || !disk_changes_rows(d))
        return;
    if (w->err.code) {
        draw_row(c, r, 0, ROLE_BAD, config_watch_say(w, text, sizeof text));
        return;
    }
    snprintf(count, sizeof count, ": %zu differ%s, %zu live", w->n, w->n == 1 ? "s" : "", w->live);
    text_cut_middle(c->level, text, sizeof text, config_watch_name(w, name, sizeof name),
                    r.w - text_width(count));
    canvas_printf(c, r.x, r.y, ROLE_TEXT, "%s%s", text, count);
    draw_others(w, c, (struct rect){r.x, r.y + 1, r.w, r.h - 1});
}
