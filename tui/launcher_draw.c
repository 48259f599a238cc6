/* The picture of the launcher (screens.md 2.1). */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/launcher.h"
#include "tui/layout.h"
#include "tui/list_keys.h"
#include "tui/wrap.h"

#define NAME_LEAST 20 /* columns of a config's name before a column goes */
#define LABEL_WIDTH 7 /* of the detail's lines */

/* ---- columns, from the width of the pane ---------------------------------------------------- */

struct config_columns {
    int name_w, model, data, optimizer, schedule; /* -1: left out */
};

static struct config_columns config_columns(const struct rect *r)
{
    enum { MODEL_W = 12, DATA_W = 16, OPTIMIZER_W = 10, SCHEDULE_W = 9 };
    int optional[] = {SCHEDULE_W, OPTIMIZER_W, DATA_W}, out = 0;
    int name_w = r->w - 3 - MODEL_W - DATA_W - OPTIMIZER_W - SCHEDULE_W;
    while (out < 3 && name_w < NAME_LEAST)
        name_w += optional[out++];
    struct config_columns c = {.name_w = name_w, .data = -1, .optimizer = -1, .schedule = -1};
    c.model = r->x + 2 + name_w + 1;
    if (out < 3)
        c.data = c.model + MODEL_W;
    if (out < 2)
        c.optimizer = c.data + DATA_W;
    if (out < 1)
        c.schedule = c.optimizer + OPTIMIZER_W;
    return c;
}

struct run_columns {
    int name_w, state, step_end, optimizer, best, when_end;
};

static int step_width(const struct scan *s)
{
    int width = 11;
    for (int i = 0; i < s->nruns; i++) {
        char a[32], b[32];
        int w = (int)(strlen(str_commas(a, sizeof a, s->run[i].s.step)) +
                      strlen(str_commas(b, sizeof b, s->run[i].s.max_steps)) + 1);
        width = w > width ? w : width;
    }
    return width;
}

static struct run_columns run_columns(const struct rect *r, const struct scan *s)
{
    enum { STATE_W = 10, OPTIMIZER_W = 10, BEST_W = 16, WHEN_W = 10 };
    int step_w = step_width(s), name_least = 12;
    int name_w = r->w - 4 - STATE_W - step_w - 2 - OPTIMIZER_W - BEST_W - WHEN_W;
    struct run_columns c = {.optimizer = 0, .when_end = r->x + r->w};
    if (name_w < name_least) {
        c.when_end = -1;
        name_w += WHEN_W;
    }
    if (name_w < name_least) {
        c.optimizer = -1;
        name_w += OPTIMIZER_W;
    }
    c.name_w = name_w;
    c.state = r->x + 2 + name_w + 2;
    c.step_end = c.state + STATE_W + step_w;
    c.best = c.step_end + 2;
    if (c.optimizer >= 0) {
        c.optimizer = c.best;
        c.best += OPTIMIZER_W;
    }
    return c;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void head(struct canvas *c, int x, int y, const char *text)
{
    if (x >= 0)
        draw_head(c, x, y, ROLE_DIM, text);
}

static void put_cut(struct canvas *c, int x, int y, int w, enum role role, const char *text)
{
    char cut[256];
    if (x >= 0)
        canvas_put(c, x, y, role, text_cut_middle(c->level, cut, sizeof cut, text, w));
}

static void draw_config(struct canvas *c, const struct rect *r, int y,
                        const struct config_entry *e)
{
    struct config_columns col = config_columns(r);
    put_cut(c, r->x + 2, y, col.name_w, ROLE_TEXT, e->name);
    put_cut(c, col.model, y, 11, ROLE_TEXT, e->model);
    put_cut(c, col.data, y, 15, e->lacks ? ROLE_WARN : ROLE_TEXT, e->data);
    put_cut(c, col.optimizer, y, 9, ROLE_TEXT, e->optimizer);
    put_cut(c, col.schedule, y, 8, ROLE_TEXT, e->schedule);
}

static enum role state_role(const char *state)
{
    static const struct {
        const char *state;
        enum role role;
    } roles[] = {
        {"training", ROLE_OK}, {"diverged", ROLE_BAD}, {"failed", ROLE_BAD}, {"killed", ROLE_WARN},
    };
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (!strcmp(roles[i].state, state))
            return roles[i].role;
    return ROLE_DIM;
}

static void draw_run(struct canvas *c, const struct rect *r, int y, const struct launcher *l,
                     const struct run_entry *e)
{
    struct run_columns col = run_columns(r, &l->scan);
    char a[32], b[32], text[80];
    put_cut(c, r->x + 2, y, col.name_w, ROLE_TEXT, e->s.name);
    canvas_put(c, col.state, y, state_role(e->s.state), e->s.state);
    snprintf(text, sizeof text, "%s/%s", str_commas(a, sizeof a, e->s.step),
             str_commas(b, sizeof b, e->s.max_steps));
    canvas_right(c, col.step_end, y, ROLE_TEXT, text);
    put_cut(c, col.optimizer, y, 9, ROLE_TEXT, e->s.optimizer);
    if (*e->s.best_metric && e->s.best == e->s.best)
        snprintf(text, sizeof text, "%s %s", e->s.best_metric,
                 fmt_loss(a, sizeof a, e->s.best, c->level));
    else
        str_copy(text, sizeof text, glyph_text(c->level, GLYPH_MISSING));
    put_cut(c, col.best, y, 15, ROLE_TEXT, text);
    if (col.when_end >= 0)
        canvas_right(c, col.when_end, y, e->live ? ROLE_OK : ROLE_DIM,
                     e->live ? "live" : launcher_when(e->s.mtime, l->unix_now, text, sizeof text));
}

char *launcher_when(int64_t then, int64_t now, char *dst, size_t size)
{
    time_t at = (time_t)then, today = (time_t)now;
    struct tm tm_at, tm_now;
    int64_t age = now - then;
    localtime_r(&at, &tm_at);
    localtime_r(&today, &tm_now);
    int days = (tm_now.tm_year - tm_at.tm_year) * 365 + tm_now.tm_yday - tm_at.tm_yday;
    if (age < 60)
        str_copy(dst, size, "just now");
    else if (age < 3600)
        snprintf(dst, size, "%d min ago", (int)(age / 60));
    else if (age < 12 * 3600 || days == 0)
        snprintf(dst, size, "%d h ago", (int)(age / 3600));
    else if (days == 1)
        str_copy(dst, size, "yesterday");
    else
        strftime(dst, size, days < 300 ? "%-d %b" : "%b %Y", &tm_at);
    return dst;
}

/* ---- panes ---------------------------------------------------------------------------------- */

/* What stands in the first row of an empty list. */
static void draw_empty(struct canvas *c, const struct rect *r, const struct launcher *l,
                       enum launcher_part part)
{
    if (*l->list[part].filter)
        draw_no_match(c, r->x + 2, r->y + 1, &l->list[part]);
    else
        canvas_put(c, r->x + 2, r->y + 1, ROLE_DIM,
                   part == PART_CONFIGS ? "no *.ini here; n writes one" : "no runs in ./runs");
}

/* The name alone where all is shown. */
static void draw_title(struct canvas *c, const struct rect *r, const struct launcher *l,
                       enum launcher_part part)
{
    const struct list *list = &l->list[part];
    int all = part == PART_CONFIGS ? l->scan.nconfigs : l->scan.nruns;
    const char *name = part == PART_RUNS ? "runs" : *l->folder ? l->folder : "configs";
    char title[600];
    str_copy(title, sizeof title, name);
    if (*list->filter || list->n > r->h - 1)
        list_title(list, name, all, title, sizeof title);
    draw_rule(c, r->x, r->y, r->w, title, NULL, NULL);
}

static void draw_heads(struct canvas *c, const struct rect *r, const struct launcher *l,
                       enum launcher_part part)
{
    if (part == PART_CONFIGS) {
        struct config_columns col = config_columns(r);
        head(c, col.model, r->y, "model");
        head(c, col.data, r->y, "data");
        head(c, col.optimizer, r->y, "optimizer");
        head(c, col.schedule, r->y, "schedule");
        return;
    }
    struct run_columns col = run_columns(r, &l->scan);
    head(c, col.state, r->y, "state");
    head(c, col.step_end - 4, r->y, "step");
    head(c, col.optimizer, r->y, "optimizer");
    head(c, col.best, r->y, "best");
    if (col.when_end >= 0)
        head(c, col.when_end - 4, r->y, "when");
}

static void draw_part(struct canvas *c, const struct rect *r, struct launcher *l,
                      enum launcher_part part)
{
    struct list *list = &l->list[part];
    if (r->h < 1)
        return;
    draw_title(c, r, l, part);
    draw_heads(c, r, l, part);
    for (int i = 0; i < r->h - 1 && list->top + i < list->n; i++) {
        int row = list->top + i, y = r->y + 1 + i;
        list_row(c, list, row, (struct rect){r->x, y, r->w, 1});
        if (part == PART_CONFIGS)
            draw_config(c, r, y, &l->scan.config[l->row[part][row]]);
        else
            draw_run(c, r, y, l, &l->scan.run[l->row[part][row]]);
        if (row == list->selected && part == l->part) {
            canvas_glyph(c, r->x, y, ROLE_TEXT, GLYPH_SELECTED);
            canvas_select(c, (struct rect){r->x, y, r->w, 1});
        }
    }
    if (!list->n)
        draw_empty(c, r, l, part);
}

/* One line each below the lists; beside them a line may take several rows. */
static void draw_words(struct canvas *c, const struct rect *r, const struct launcher *l)
{
    bool beside = r->x > 0;
    int x = r->x + (beside ? 2 : 1), y = r->y + 1, end = r->y + r->h;
    struct rect text = {x + LABEL_WIDTH, y, r->x + r->w - x - LABEL_WIDTH - 1, 1};
    for (int i = 0; i < 3 && y < end; i++) {
        char cut[256];
        if (l->label[i])
            canvas_put(c, x, y, ROLE_DIM, l->label[i]);
        text.y = y++;
        text.h = end - text.y;
        if (beside)
            y = text.y + draw_wrapped(c, text, ROLE_TEXT, l->line[i]);
        else
            canvas_put(c, text.x, text.y, ROLE_TEXT,
                       text_cut_end(c->level, cut, sizeof cut, l->line[i], text.w));
    }
}

static void draw_detail(struct canvas *c, const struct rect *r, const struct launcher *l)
{
    char place[48] = "";
    const struct list *list = &l->list[l->part];
    if (r->h < 1)
        return;
    if (r->x > 0)
        draw_separator(c, r->x, r->y, r->h);
    if (list->n)
        snprintf(place, sizeof place, "%d of %d", list->selected + 1, list->n);
    draw_rule(c, r->x, r->y, r->w, *l->title ? l->title : NULL, NULL, *place ? place : NULL);
    if (r->x > 0)
        canvas_glyph(c, r->x, r->y, ROLE_BORDER, GLYPH_TEE_DOWN);
    draw_words(c, r, l);
}

static void draw_status(struct canvas *c, const struct launcher *l)
{
    char cut[512];
    enum role role = l->status_bad ? ROLE_STATUS_BAD : ROLE_STATUS;
    canvas_fill(c, (struct rect){0, c->h - 2, c->w, 1}, role, ' ');
    canvas_put(c, 1, c->h - 2, role, text_cut_end(c->level, cut, sizeof cut, l->status, c->w - 2));
}

static void draw_hint_row(struct canvas *c, const struct launcher *l)
{
    char text[96];
    const struct list *configs = &l->list[PART_CONFIGS];
    if (configs->typing) {
        snprintf(text, sizeof text, "/%s", configs->filter);
        draw_hints(c, text, true);
    } else if (l->name.open) {
        entry_prompt(&l->name, c, "name of the new config: ");
    } else {
        app_hints(l->layer.app, c,
                  *l->folder || *configs->filter
                      ? "↑↓ move  Enter open  Esc back  / filter  r resume a run  n new config"
                      : "↑↓ move  Enter open  / filter  r resume a run  n new config");
    }
}

static const char *config_name(void *user, int i)
{
    const struct launcher *l = user;
    return l->scan.config[l->row[PART_CONFIGS][i]].name;
}

static const char *run_name(void *user, int i)
{
    const struct launcher *l = user;
    return l->scan.run[l->row[PART_RUNS][i]].s.name;
}

const char *(*const launcher_names[PARTS])(void *user, int i) = {config_name, run_name};

void launcher_draw(struct layer *layer, struct canvas *c)
{
    struct launcher *l = (struct launcher *)layer;
    struct layout_launcher lay =
        layout_launcher(c->w, c->h, l->list[PART_CONFIGS].n, l->list[PART_RUNS].n);
    struct rect pane[PARTS] = {lay.configs, lay.runs};
    if (!lay.runs.h) { /* one list at a time */
        pane[l->part] = lay.configs;
        pane[!l->part].h = 0;
    }
    for (int p = 0; p < PARTS; p++)
        if (list_clicked(&l->list[p]))
            l->part = (enum launcher_part)p;
    for (int p = 0; p < PARTS; p++)
        list_update(&l->list[p], l->list[p].n, launcher_names[p], l, pane[p].h - 1);
    int x = 1 + canvas_put(c, 1, 0, ROLE_TITLE, "traintui");
    x += 2 + canvas_put(c, x + 2, 0, ROLE_DIM, PACKAGE_VERSION);
    if (x + 2 + text_width(l->machine) < c->w)
        canvas_right(c, c->w - 1, 0, ROLE_DIM, l->machine);
    for (int p = 0; p < PARTS; p++)
        draw_part(c, &pane[p], l, (enum launcher_part)p);
    draw_detail(c, &lay.detail, l);
    draw_status(c, l);
    draw_hint_row(c, l);
}
