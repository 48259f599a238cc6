/* `traintui list WHAT`: the registries and the option tables, as text or JSON. */
#include <jansson.h>
#include <string.h>

#include "engine/base/str.h"
#include "engine/train/run_config.h"
#include "tui/cmd.h"

static void add(json_t *list, const char *name, const char *summary)
{
    json_array_append_new(list, json_pack("{s:s,s:s}", "name", name, "summary", summary));
}

static void list_models(json_t *list)
{
    for (const struct model_class *const *c = model_classes; *c; c++)
        add(list, (*c)->name, (*c)->summary);
}

static void list_optimizers(json_t *list)
{
    for (const struct optim_class *const *c = cmd_optimizers; *c; c++)
        add(list, (*c)->name, (*c)->summary);
}

static void list_schedules(json_t *list)
{
    for (const struct sched_class *const *c = sched_classes; *c; c++)
        add(list, (*c)->name, (*c)->summary);
}

static void list_formats(json_t *list)
{
    for (const struct data_format *const *c = data_formats; *c; c++)
        add(list, (*c)->name, (*c)->summary);
}

static void list_metrics(json_t *list)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        add(list, metric_descs[i].name, metric_descs[i].help);
}

static void add_option(void *user, const char *section, const char *owner, const struct opt_desc *d)
{
    char allowed[512], def[512], name[128];
    snprintf(name, sizeof name, "%s.%s", section, d->key);
    opt_allowed(d, allowed, sizeof allowed);
    opt_format_default(d, def, sizeof def);
    json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:b}", "name", name, "summary", d->help, "allowed",
                          allowed, "default", def, "live", (d->flags & OPT_LIVE) != 0);
    if (owner)
        json_object_set_new(o, "owner", json_string(owner));
    if (d->unit)
        json_object_set_new(o, "unit", json_string(d->unit));
    json_array_append_new(user, o);
}

static void list_options(json_t *list)
{
    run_config_each_option(cmd_optimizers, add_option, list);
}

static const struct what {
    const char *name;
    void (*fill)(json_t *list);
} whats[] = {
    {"models", list_models},   {"optimizers", list_optimizers}, {"schedules", list_schedules},
    {"formats", list_formats}, {"metrics", list_metrics},       {"options", list_options},
};

static void print_text(const json_t *list)
{
    size_t i;
    json_t *o;
    json_array_foreach(list, i, o)
    {
        const char *allowed = json_string_value(json_object_get(o, "allowed"));
        const char *owner = json_string_value(json_object_get(o, "owner"));
        const char *def = json_string_value(json_object_get(o, "default"));
        printf("%-34s %s", json_string_value(json_object_get(o, "name")),
               json_string_value(json_object_get(o, "summary")));
        if (owner)
            printf(" [%s]", owner);
        if (allowed)
            printf(" (%s; default %s%s)", allowed, *def ? def : "unset",
                   json_is_true(json_object_get(o, "live")) ? "; live" : "");
        printf("\n");
    }
}

static int run(const struct cmd_args *a, struct err *e)
{
    for (size_t i = 0; i < sizeof whats / sizeof whats[0]; i++) {
        if (strcmp(a->pos[0], whats[i].name))
            continue;
        json_t *list = json_array();
        whats[i].fill(list);
        if (a->json) {
            cmd_print_json(list);
        } else {
            print_text(list);
            json_decref(list);
        }
        return 0;
    }
    return err_set(e, TT_ECONFIG,
                   "list \"%s\" (models, optimizers, schedules, formats, metrics or options)",
                   a->pos[0]);
}

const struct cmd cmd_list = {
    .name = "list",
    .synopsis = "models|optimizers|schedules|formats|metrics|options [--json]",
    .summary = "what there is to choose from",
    .flags = CMD_TAKES_JSON,
    .min_pos = 1,
    .max_pos = 1,
    .run = run,
};
