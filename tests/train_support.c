/* Whole training runs for tests. */
#include "tests/train_support.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "optimizers/table.h"

const char *train_config(const char *dir, const char *name, const char *more)
{
    struct strbuf b = STRBUF_INIT;
    char file[128];
    strbuf_addf(&b,
                "[run]\nname = %s\ndir = %s/runs\n[model]\ntype = mlp\nhidden = 16\n"
                "[data]\nformat = synthetic\nshape = 12\nclasses = 3\nrows = 60\n%s",
                name, dir, more);
    snprintf(file, sizeof file, "%s.ini", name);
    const char *path = test_write_file(dir, file, b.s);
    strbuf_release(&b);
    return path;
}

void train_run_with(const char *config, bool resume, void (*before)(struct hub *), struct outcome *out)
{
    struct run_config rc;
    struct err e = ERR_INIT;
    struct trainer *t = NULL;
    char *path = NULL;
    struct hub *hub = hub_new();
    memset(out, 0, sizeof *out);
    out->code = run_config_load(&rc, config, NULL, 0, optim_classes, &e);
    if (!out->code) {
        if (resume)
            out->code = trainer_find_resume(&rc, &path, &e);
        if (!out->code)
            out->code = trainer_new(&t, &rc, hub, path, &e);
        if (!out->code) {
            if (before)
                before(hub);
            out->code = trainer_run(t, &e);
            hub_status(hub, &out->st);
        }
        trainer_free(t);
        run_config_release(&rc);
    }
    free(path);
    hub_free(hub);
    str_copy(out->msg, sizeof out->msg, e.msg);
}

void train_run(const char *config, bool resume, struct outcome *out)
{
    train_run_with(config, resume, NULL, out);
}

int64_t train_cut_at;

void train_cut(struct hub *h)
{
    struct command pause = {.kind = COMMAND_PAUSE}, once = {.kind = COMMAND_STEP_ONCE},
                   stop = {.kind = COMMAND_SAVE_AND_STOP};
    hub_send(h, &pause);
    for (int64_t i = 0; i < train_cut_at; i++)
        hub_send(h, &once);
    hub_send(h, &stop);
}

char *train_metrics(const char *dir, const char *name)
{
    static const char *const times[] = {"samples_per_second", "tokens_per_second",
                                       "eval_runtime", "run"};
    char *path = xasprintf("%s/runs/%s/metrics.jsonl", dir, name);
    struct strlist lines = STRLIST_INIT;
    struct strbuf out = STRBUF_INIT;
    strlist_split(&lines, test_read_file(path, NULL), '\n');
    for (size_t i = 0; i < lines.n; i++) {
        if (!*lines.s[i])
            continue;
        json_t *o = json_loads(lines.s[i], 0, NULL);
        assert_non_null(o);
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
            json_object_del(o, times[k]);
        char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
        strbuf_addf(&out, "%s\n", text);
        free(text);
        json_decref(o);
    }
    strlist_release(&lines);
    free(path);
    return strbuf_take(&out);
}

static int find(const char *metrics, const char *key, int n, double *value)
{
    struct strlist lines = STRLIST_INIT;
    int seen = 0;
    *value = NAN;
    strlist_split(&lines, metrics, '\n');
    for (size_t i = 0; i < lines.n; i++) {
        json_t *o = json_loads(lines.s[i], 0, NULL);
        const json_t *v = json_object_get(o, key);
        if (v && seen++ == n && json_is_number(v))
            *value = json_number_value(v);
        json_decref(o);
    }
    strlist_release(&lines);
    return seen;
}

double train_value(const char *metrics, const char *key, int n)
{
    double value;
    find(metrics, key, n, &value);
    return value;
}

int train_count(const char *metrics, const char *key)
{
    double value;
    return find(metrics, key, -1, &value);
}
