/* What keys do in the launcher, and when it looks at the disk again. */
#include "tui/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "tui/form.h"
#include "tui/list_keys.h"
#include "tui/run_words.h"

#define CONFIG_SECONDS 5
#define RUN_SECONDS 2
#define RUNS_DIR "runs"

static const char new_config[] = "; A new run. `traintui list options` names every key.\n"
                                 "\n"
                                 "[model]\ntype = mlp\nhidden = 128\n"
                                 "\n"
                                 "[data]\nformat = synthetic\n"
                                 "\n"
                                 "[optimizer]\nname = adamw\nlr = 1e-3\n"
                                 "\n"
                                 "[train]\nepochs = 3\nbatch_size = 32\n";

/* ---- lists ---------------------------------------------------------------------------------- */

static const char *config_name(void *user, int i)
{
    return ((const struct launcher *)user)->scan.config[i].name;
}

static const char *run_name(void *user, int i)
{
    return ((const struct launcher *)user)->scan.run[i].s.name;
}

static void filter_part(struct launcher *l, enum launcher_part p)
{
    int all = p == PART_CONFIGS ? l->scan.nconfigs : l->scan.nruns;
    l->row[p] = xreallocarray(l->row[p], (size_t)all + 1, sizeof *l->row[p]);
    int n = list_filter(&l->list[p], p == PART_CONFIGS ? config_name : run_name, l, all, l->row[p]);
    list_update(&l->list[p], n, launcher_names[p], l, l->list[p].rows);
}

/* Both parts follow the filter of the configs. */
static void apply_filter(struct launcher *l)
{
    str_copy(l->list[PART_RUNS].filter, sizeof l->list[PART_RUNS].filter,
             l->list[PART_CONFIGS].filter);
    filter_part(l, PART_CONFIGS);
    filter_part(l, PART_RUNS);
}

static void rescan_configs(struct launcher *l, double now)
{
    const struct app *a = l->layer.app;
    scan_configs(&l->scan, *l->folder ? l->folder : NULL, a->installed, a->optims);
    filter_part(l, PART_CONFIGS);
    l->configs_at = now;
}

static void rescan_runs(struct launcher *l, double now)
{
    char free_gib[32], total[32];
    scan_runs(&l->scan, RUNS_DIR);
    filter_part(l, PART_RUNS);
    l->runs_at = now;
    l->unix_now = sys_unix();
    snprintf(l->machine, sizeof l->machine, "cpu, %d cores, %s of %s GiB free", sys_cpus(),
             words_gib((double)sys_mem_free(), free_gib, sizeof free_gib),
             words_gib((double)sys_mem_total(), total, sizeof total));
}

static bool is_shown(const struct launcher *l)
{
    return app_top(l->layer.app) == &l->layer;
}

static bool launcher_poll(struct layer *layer)
{
    struct launcher *l = (struct launcher *)layer;
    double now = layer->app->now;
    bool changed = false;
    if (!is_shown(l))
        return false;
    if (l->configs_at == 0 || now - l->configs_at >= CONFIG_SECONDS) {
        rescan_configs(l, now);
        changed = true;
    }
    if (l->runs_at == 0 || now - l->runs_at >= RUN_SECONDS) {
        rescan_runs(l, now);
        changed = true;
    }
    return launcher_describe(l, now) || changed;
}

/* ---- moving --------------------------------------------------------------------------------- */

static void go_to_part(struct launcher *l, enum launcher_part p, bool last)
{
    if (!l->list[p].n)
        return;
    l->part = p;
    list_select(&l->list[p], last ? l->list[p].n - 1 : 0);
}

/* The runs follow on from the configs. */
static void move(struct launcher *l, enum list_move m)
{
    struct list *list = &l->list[l->part];
    int was = list->selected;
    list_move(list, m);
    if (list->selected != was)
        return;
    if (l->part == PART_CONFIGS && (m == LIST_DOWN || m == LIST_PAGE_DOWN))
        go_to_part(l, PART_RUNS, false);
    else if (l->part == PART_RUNS && (m == LIST_UP || m == LIST_PAGE_UP))
        go_to_part(l, PART_CONFIGS, true);
}

static void other_part(struct launcher *l)
{
    enum launcher_part p = l->part == PART_CONFIGS ? PART_RUNS : PART_CONFIGS;
    if (l->list[p].n)
        l->part = p;
}

/* ---- opening -------------------------------------------------------------------------------- */

void launcher_look_into(struct launcher *l, const char *folder)
{
    str_copy(l->folder, sizeof l->folder, folder);
    l->list[PART_CONFIGS].filter[0] = 0;
    list_select(&l->list[PART_CONFIGS], 0);
    rescan_configs(l, l->layer.app->now);
    apply_filter(l);
}

static void open_config(struct launcher *l, const char *path)
{
    struct err e = ERR_INIT;
    if (form_open(l->layer.app, &(struct form_spec){.path = path}, &e))
        app_say(l->layer.app, true, "%s", e.msg);
}

static void open_run(struct launcher *l, const struct run_entry *r)
{
    struct err e = ERR_INIT;
    if (!r->live)
        app_show_run(l->layer.app, r->path);
    else if (app_attach_run(l->layer.app, r->path, false, &e))
        app_say(l->layer.app, true, "%s", e.msg);
}

static void open_selected(struct launcher *l)
{
    const struct config_entry *c = launcher_config(l);
    const struct run_entry *r = launcher_run(l);
    if (c && c->folder)
        launcher_ask_queue(l, c->path, NULL, 0);
    else if (c)
        open_config(l, c->path);
    else if (r)
        open_run(l, r);
}

static void resume_run(struct launcher *l, const struct run_entry *r)
{
    if (r->live)
        app_say(l->layer.app, true, "%s is going on; Enter attaches to it", r->s.name);
    else if (!strcmp(r->s.state, "finished") || !strcmp(r->s.state, "early"))
        app_say(l->layer.app, true, "%s is finished; Enter opens its views", r->s.name);
    else
        form_resume(l->layer.app, r->path, true);
}

/* The newest unfinished run of a config. */
static void resume_config(struct launcher *l, const struct config_entry *c)
{
    struct run_config rc;
    struct err e = ERR_INIT;
    char *path = NULL;
    int code = run_config_load(&rc, c->path, NULL, 0, l->layer.app->optims, &e);
    if (!code) {
        code = trainer_find_resume(&rc, &path, &e);
        run_config_release(&rc);
    }
    if (code)
        app_say(l->layer.app, true, "%s", e.msg);
    else
        form_resume(l->layer.app, path, true);
    free(path);
}

static void resume_selected(struct launcher *l)
{
    const struct config_entry *c = launcher_config(l);
    const struct run_entry *r = launcher_run(l);
    if (r)
        resume_run(l, r);
    else if (c && c->folder)
        launcher_ask_queue(l, c->path, NULL, 0);
    else if (c)
        resume_config(l, c);
}

/* ---- a new config ---------------------------------------------------------------------------- */

/* A copy of the selected config or run, comments and all; without its own run name. */
static int copy_config(const char *from, const char *path, struct err *e)
{
    struct ini ini;
    int code = ini_read(&ini, from, e);
    if (code)
        return code;
    ini_put(&ini, "run", "name", NULL, INI_FORM);
    code = ini_save(&ini, path, e);
    ini_release(&ini);
    return code;
}

static int write_new(const struct launcher *l, const char *path, struct err *e)
{
    const struct config_entry *c = launcher_config(l);
    const struct run_entry *r = launcher_run(l);
    if (c && !c->folder)
        return copy_config(c->path, path, e);
    if (!r)
        return file_write_all(path, new_config, strlen(new_config), e);
    char *config = file_join(r->path, "config.ini");
    int code = copy_config(config, path, e);
    free(config);
    return code;
}

/* Beside the configs at hand; opened where it was written. */
static void make_config(struct launcher *l, const char *name)
{
    struct err e = ERR_INIT;
    const char *dir = *l->folder ? l->folder : file_is_dir("configs") ? "configs" : "";
    char *file = xasprintf("%s%s", name, str_ends(name, ".ini") ? "" : ".ini");
    char *path = file_join(dir, file);
    int code = 0;
    if (!*name || strchr(name, '/') || name[0] == '.')
        code = err_set(&e, TT_ECONFIG, "\"%s\" is no name for a file", name);
    else if (file_exists(path))
        code = err_set(&e, TT_ECONFIG, "%s exists", path);
    else
        code = write_new(l, path, &e);
    if (code) {
        app_say(l->layer.app, true, "%s", e.msg);
    } else {
        l->configs_at = 0;
        str_copy(l->list[PART_CONFIGS].name, sizeof l->list[PART_CONFIGS].name, file);
        open_config(l, path);
        app_say(l->layer.app, false, "wrote %s", path);
    }
    free(file);
    free(path);
}

/* ---- keys ----------------------------------------------------------------------------------- */

/* Enter makes the config, Esc does not. */
static void end_name(struct launcher *l, bool keep)
{
    entry_close(&l->name);
    if (keep)
        make_config(l, l->name.field.text);
}

/* The folder that was looked into is selected again. */
static void look_out(struct launcher *l)
{
    char name[sizeof l->folder + 2];
    snprintf(name, sizeof name, "%s/", file_base(l->folder));
    launcher_look_into(l, "");
    str_copy(l->list[PART_CONFIGS].name, sizeof l->list[PART_CONFIGS].name, name);
    filter_part(l, PART_CONFIGS);
}

/* One layer back: the filter, the folder. */
static void go_back(struct launcher *l)
{
    if (list_action(&l->list[PART_CONFIGS], ACTION_BACK))
        apply_filter(l);
    else if (*l->folder)
        look_out(l);
}

static void launcher_key(struct layer *layer, enum action action, const struct key_event *k)
{
    struct launcher *l = (struct launcher *)layer;
    (void)k;
    if (l->name.open) {
        if (action == ACTION_ENTER || action == ACTION_BACK)
            end_name(l, action == ACTION_ENTER);
        return;
    }
    switch (action) {
    case ACTION_UP: move(l, LIST_UP); break;
    case ACTION_DOWN: move(l, LIST_DOWN); break;
    case ACTION_PAGE_UP: move(l, LIST_PAGE_UP); break;
    case ACTION_PAGE_DOWN: move(l, LIST_PAGE_DOWN); break;
    case ACTION_FIRST: move(l, LIST_FIRST); break;
    case ACTION_LAST: move(l, LIST_LAST); break;
    case ACTION_NEXT_VIEW:
    case ACTION_PREV_VIEW: other_part(l); break;
    case ACTION_ENTER: open_selected(l); break;
    case ACTION_START: resume_selected(l); break;
    case ACTION_FILTER: list_action(&l->list[PART_CONFIGS], action); break;
    case ACTION_NEW: entry_open(&l->name, ""); break;
    case ACTION_BACK: go_back(l); break;
    case ACTION_QUIT: layer->app->leave = true; break;
    default: break;
    }
}

static bool launcher_text(struct layer *layer, const struct key_event *k)
{
    struct launcher *l = (struct launcher *)layer;
    if (!list_filter_key(&l->list[PART_CONFIGS], k))
        return entry_key(&l->name, k);
    apply_filter(l);
    return true;
}

static void launcher_free(struct layer *layer)
{
    struct launcher *l = (struct launcher *)layer;
    facts_release(&l->facts);
    if (l->have_rc)
        run_config_release(&l->rc);
    for (int p = 0; p < PARTS; p++)
        free(l->row[p]);
    scan_release(&l->scan);
    strlist_release(&l->queue_set);
    free(l);
}

static const struct layer_class launcher_class = {
    .name = "launcher",
    .draw = launcher_draw,
    .text = launcher_text,
    .key = launcher_key,
    .poll = launcher_poll,
    .free = launcher_free,
};

struct layer *launcher_new(struct app *a)
{
    struct launcher *l = xcalloc(1, sizeof *l);
    l->layer = (struct layer){&launcher_class, a};
    return &l->layer;
}
