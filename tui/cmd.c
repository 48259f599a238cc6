/* Arguments of commands, help, and what several commands load. */
#include "tui/cmd.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/str.h"
#include "engine/io/rundir.h"
#include "engine/train/run_config.h"

#define X(name) extern const struct cmd cmd_##name;
#include "tui/cmd_list.h"
#undef X

const struct cmd *const cmds[] = {
#define X(name) &cmd_##name,
#include "tui/cmd_list.h"
#undef X
    NULL};

const struct optim_class *const *cmd_optimizers;

const struct cmd *cmd_by_name(const char *name)
{
    for (const struct cmd *const *c = cmds; *c; c++)
        if (*(*c)->name && !strcmp((*c)->name, name))
            return *c;
    return NULL;
}

/* One row per option; `at` is a bool, or the text or number that follows. */
static const struct cmd_option {
    const char *name, *value, *help;
    unsigned flag;
    size_t at;
} options[] = {
    {"--set", "section.key=value", "an option in place of the file's; may be repeated", CMD_TAKES_SET, 0},
    {"--json", NULL, "machine-readable output", CMD_TAKES_JSON, offsetof(struct cmd_args, json)},
    {"--csv", NULL, "comma-separated values, a header first", CMD_TAKES_CSV,
     offsetof(struct cmd_args, csv)},
    {"--resume", NULL, "go on with the newest unfinished run of this config", CMD_TAKES_RESUME,
     offsetof(struct cmd_args, resume)},
    {"--start", NULL, "start at once, without the form", CMD_TAKES_START,
     offsetof(struct cmd_args, start)},
    {"--read-only", NULL, "look only: no key changes the run", CMD_TAKES_READ_ONLY,
     offsetof(struct cmd_args, read_only)},
    {"--metrics", "FILE", "one metric per line, for schedules that follow one", CMD_TAKES_METRICS,
     offsetof(struct cmd_args, metrics)},
    {"--labels", "N", "number of classes of the head", CMD_TAKES_LABELS,
     offsetof(struct cmd_args, labels)},
    {"--pair", NULL, "two texts a line, with a tab between them", CMD_TAKES_PAIR,
     offsetof(struct cmd_args, pair)},
    {"--max-length", "N", "cut what has more tokens", CMD_TAKES_MAX_LENGTH,
     offsetof(struct cmd_args, max_length)},
};
#define N_OPTIONS (sizeof options / sizeof options[0])

static const struct cmd_option *find_option(const struct cmd *c, const char *name, size_t len)
{
    for (size_t i = 0; i < N_OPTIONS; i++)
        if ((c->flags & options[i].flag) && strlen(options[i].name) == len &&
            !strncmp(options[i].name, name, len))
            return &options[i];
    return NULL;
}

static int store(const struct cmd_option *o, const char *value, struct cmd_args *a, struct err *e)
{
    if (o->flag == CMD_TAKES_SET) {
        if (a->nset == CMD_SET)
            return err_set(e, TT_ECONFIG, "more than %d --set", CMD_SET);
        a->set[a->nset++] = value;
    } else if (o->flag & (CMD_TAKES_LABELS | CMD_TAKES_MAX_LENGTH)) {
        int64_t *n = (int64_t *)((char *)a + o->at);
        if (!str_to_i64(value, n) || *n < 1)
            return err_set(e, TT_ECONFIG, "%s \"%s\" (a whole number from 1)", o->name, value);
    } else if (o->value) {
        *(const char **)((char *)a + o->at) = value;
    } else {
        *(bool *)((char *)a + o->at) = true;
    }
    return 0;
}

static int check_positional(const struct cmd *c, const struct cmd_args *a, struct err *e)
{
    if (a->npos < c->min_pos)
        return err_set(e, TT_ECONFIG, "%s needs %s", c->name, c->synopsis);
    if (a->npos > c->max_pos)
        return err_set(e, TT_ECONFIG, "\"%s\" is one argument too many (traintui %s%s%s)",
                       a->pos[c->max_pos], c->name, *c->name ? " " : "", c->synopsis);
    return 0;
}

int cmd_parse(const struct cmd *c, int argc, char **argv, struct cmd_args *a, struct err *e)
{
    memset(a, 0, sizeof *a);
    bool only_names = false;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        if (only_names || arg[0] != '-' || !arg[1]) {
            if (a->npos == CMD_POSITIONAL)
                return err_set(e, TT_ECONFIG, "too many arguments");
            a->pos[a->npos++] = arg;
            continue;
        }
        if (!strcmp(arg, "--")) {
            only_names = true;
            continue;
        }
        const char *equals = strchr(arg, '=');
        const struct cmd_option *o = find_option(c, arg, equals ? (size_t)(equals - arg) : strlen(arg));
        if (!o)
            return err_set(e, TT_ECONFIG, "unknown option %s (traintui %s%s--help lists them)", arg,
                           c->name, *c->name ? " " : "");
        const char *value = equals ? equals + 1 : NULL;
        if (o->value && !value && !(value = argv[++i]))
            return err_set(e, TT_ECONFIG, "%s needs %s", o->name, o->value);
        if (!o->value && value)
            return err_set(e, TT_ECONFIG, "%s takes no value", o->name);
        int code = store(o, value, a, e);
        if (code)
            return code;
    }
    return check_positional(c, a, e);
}

static void help_options(const struct cmd *c, FILE *out)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        char left[64];
        if (!(c->flags & options[i].flag))
            continue;
        snprintf(left, sizeof left, "%s%s%s", options[i].name, options[i].value ? " " : "",
                 options[i].value ? options[i].value : "");
        fprintf(out, "  %-28s %s\n", left, options[i].help);
    }
}

void cmd_help(const struct cmd *c, FILE *out)
{
    if (c) {
        fprintf(out, "usage: traintui %s%s%s\n\n%s.\n", c->name, *c->name ? " " : "", c->synopsis,
                c->summary);
        if (c->flags)
            fprintf(out, "\n");
        help_options(c, out);
        return;
    }
    fprintf(out, "traintui: train models in the terminal, and watch and steer the run.\n\n");
    for (const struct cmd *const *i = cmds; *i; i++) {
        char left[80];
        snprintf(left, sizeof left, "traintui %s%s%s", (*i)->name, *(*i)->name ? " " : "",
                 (*i)->synopsis);
        fprintf(out, "  %-50s %s\n", left, (*i)->summary);
    }
    fprintf(out, "\ntraintui COMMAND --help says more; traintui --version.\n"
                 "Exit status: 0 finished, 2 usage or config, 3 a data or model file, 4 diverged,\n"
                 "5 stopped and saved, 6 out of memory or device, 1 anything else.\n");
}

int cmd_load_config(const struct cmd_args *a, const char *path, struct run_config *rc, struct err *e)
{
    return run_config_load(rc, path, a->set, a->nset, cmd_optimizers, e);
}

/* Where names of runs are looked for: there is no config yet, but there may be --set run.dir. */
static const char *run_dir(const struct cmd_args *a)
{
    static const char key[] = "run.dir=";
    const char *dir = "runs";
    for (size_t i = 0; i < a->nset; i++)
        if (str_starts(a->set[i], key) && a->set[i][strlen(key)])
            dir = a->set[i] + strlen(key);
    return dir;
}

int cmd_load_run(const struct cmd_args *a, const char *run, char **path, struct run_config *rc,
                 struct err *e)
{
    int code = rundir_resolve(run_dir(a), run, path, e);
    if (code)
        return code;
    char *config = file_join(*path, "config.ini");
    code = cmd_load_config(a, config, rc, e);
    free(config);
    if (code) {
        free(*path);
        *path = NULL;
    }
    return code;
}

void cmd_print_json(void *root)
{
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    puts(text);
    free(text);
    json_decref(root);
}
