/* run.json: what a run says about itself to those who look at it from outside. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/io/follow.h"
#include "engine/io/metrics_file.h"
#include "engine/io/rundir.h"

#define SUMMARY_NAME "run.json"
#define SUMMARY_LIMIT 65536
#define TAIL_BYTES 32768 /* of metrics.jsonl: holds the last line, which is below 16 KiB */

int rundir_write_summary(const struct rundir *r, const struct run_summary *s, struct err *e)
{
    struct json_line l;
    char *path = file_join(r->path, SUMMARY_NAME);

    json_begin(&l);
    json_str(&l, "state", s->state);
    json_str(&l, "name", s->name);
    json_str(&l, "config", s->config);
    json_str(&l, "optimizer", s->optimizer);
    json_str(&l, "model", s->model);
    json_i64(&l, "step", s->step);
    json_i64(&l, "max_steps", s->max_steps);
    json_str(&l, "best_metric", s->best_metric);
    json_f64(&l, "best", s->best);
    json_end(&l);
    l.s[l.n++] = '\n';
    int rc = file_write_all(path, l.s, l.n, e);
    free(path);
    return rc;
}

static void get_text(const json_t *object, const char *key, char *dst, size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    str_copy(dst, size, text ? text : "");
}

static void fill(struct run_summary *s, const json_t *object)
{
    const json_t *best = json_object_get(object, "best");

    get_text(object, "state", s->state, sizeof s->state);
    get_text(object, "config", s->config, sizeof s->config);
    get_text(object, "optimizer", s->optimizer, sizeof s->optimizer);
    get_text(object, "model", s->model, sizeof s->model);
    get_text(object, "best_metric", s->best_metric, sizeof s->best_metric);
    s->best = json_is_number(best) ? json_number_value(best) : NAN;
    s->step = json_integer_value(json_object_get(object, "step"));
    s->max_steps = json_integer_value(json_object_get(object, "max_steps"));
}

static int read_file(const char *path, struct run_summary *s, struct err *e)
{
    json_error_t at;
    char *text;
    size_t n;

    int rc = file_read(path, SUMMARY_LIMIT, &text, &n, e);
    if (rc)
        return rc;
    json_t *object = json_loadb(text, n, 0, &at);
    if (json_is_object(object))
        fill(s, object);
    else
        rc = err_set(e, TT_EDATA, "%s: not a JSON object", path);
    json_decref(object);
    free(text);
    return rc;
}

static int64_t newest_mtime(const char *run)
{
    static const char *const names[] = {SUMMARY_NAME, "metrics.jsonl", "config.ini"};
    int64_t newest = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = file_join(run, names[i]);
        int64_t t = file_mtime(path);
        newest = t > newest ? t : newest;
        free(path);
    }
    return newest;
}

static void keep_step(void *user, char *text, size_t n)
{
    struct metrics_value v[METRICS_VALUES];
    struct run_summary *s = user;
    int count = metrics_numbers(text, n, v);
    for (int i = 0; i < count; i++)
        if (strcmp(v[i].key, "step") == 0 && v[i].value > (double)s->step)
            s->step = (int64_t)v[i].value;
}

/* run.json is written now and then: the last lines of metrics.jsonl know better how far it came. */
static void look_at_metrics(const char *run, struct run_summary *s)
{
    struct err ignored = ERR_INIT;
    char *path = file_join(run, "metrics.jsonl");
    struct follow tail = {.path = path};
    int64_t size = file_size(path);
    tail.at = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
    if (size > 0)
        follow_read(&tail, TAIL_BYTES, keep_step, s, &ignored);
    free(path);
}

bool run_summary_over(const struct run_summary *s)
{
    return strcmp(s->state, "finished") == 0 || strcmp(s->state, "early") == 0;
}

int rundir_read_summary(const char *path, struct run_summary *s, struct err *e)
{
    int rc = 0;

    *s = (struct run_summary){.best = NAN};
    if (!file_is_dir(path))
        return err_set(e, TT_ECONFIG, "no such run: %s", path);
    char *absolute = file_absolute(path), *file = file_join(path, SUMMARY_NAME);
    str_copy(s->name, sizeof s->name, file_base(absolute));
    if (file_exists(file))
        rc = read_file(file, s, e);
    s->mtime = newest_mtime(path);
    bool live = rundir_in_use(path);
    if (live)
        str_copy(s->state, sizeof s->state, "training");
    else if (!s->state[0] || strcmp(s->state, "training") == 0)
        str_copy(s->state, sizeof s->state, "killed");
    if (live || strcmp(s->state, "killed") == 0)
        look_at_metrics(path, s);
    free(file);
    free(absolute);
    return rc;
}
