/* Reading metrics.jsonl for the screen. */
#include "tui/series_reader.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "engine/base/str.h"

static int64_t number(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static void text_of(const json_t *o, const char *key, char *dst, size_t size)
{
    const char *text = json_string_value(json_object_get(o, key));
    str_copy(dst, size, text ? text : "");
}

bool run_about_parse(struct run_about *a, const char *text, size_t n)
{
    const char *name;
    json_t *o = json_loadb(text, n, 0, NULL), *bytes;
    bool ok = json_is_object(o) && json_object_get(o, "optimizer");
    *a = (struct run_about){0};
    text_of(o, "model", a->model, sizeof a->model);
    text_of(o, "optimizer", a->optimizer, sizeof a->optimizer);
    a->parameters = number(o, "parameters");
    a->max_steps = number(o, "max_steps");
    a->steps_per_epoch = number(o, "steps_per_epoch");
    a->train_rows = number(o, "train_rows");
    a->seed = number(o, "seed");
    json_object_foreach(json_object_get(o, "optimizer_state_bytes"), name, bytes)
    {
        a->state_bytes += json_integer_value(bytes);
    }
    json_decref(o);
    return ok;
}

bool run_about_read(struct run_about *a, const char *metrics_path)
{
    struct err ignored = ERR_INIT;
    char head[HUB_LINE];
    size_t n = 0;
    if (!file_exists(metrics_path) || file_read_head(metrics_path, head, sizeof head, &n, &ignored))
        return false;
    const char *end = memchr(head, '\n', n);
    return end && run_about_parse(a, head, (size_t)(end - head));
}

void series_reader_init(struct series_reader *r, struct history *series, const struct run_about *a)
{
    *r = (struct series_reader){.series = series,
                                .loss = NAN,
                                .lr = NAN,
                                .grad_norm = NAN,
                                .samples_per_second = NAN,
                                .tokens_per_second = NAN,
                                .mean_samples = NAN,
                                .mean_tokens = NAN};
    if (a && a->steps_per_epoch > 0)
        r->rows_per_step = (double)a->train_rows / (double)a->steps_per_epoch;
}

static double value_of(const struct metrics_value *v, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(v[i].key, key))
            return v[i].value;
    return NAN;
}

/* Of `steps` steps at that many rows a second. */
static void count_time(struct series_reader *r, double steps)
{
    double took = steps / r->samples_per_second; /* in units of rows_per_step */
    if (!(r->samples_per_second > 0))
        return;
    r->seconds += took * r->rows_per_step;
    r->time += took;
    r->steps += steps;
    r->tokens += took * r->tokens_per_second;
    r->mean_samples = r->steps / r->time;
    r->mean_tokens = r->tokens / r->time;
}

static void train_line(struct series_reader *r, const struct metrics_value *v, int n)
{
    int64_t steps = r->step - r->train_step;
    r->loss = value_of(v, n, "loss");
    r->lr = value_of(v, n, "learning_rate");
    r->grad_norm = value_of(v, n, "grad_norm");
    r->samples_per_second = value_of(v, n, "samples_per_second");
    r->tokens_per_second = value_of(v, n, "tokens_per_second");
    if (steps > 0)
        count_time(r, (double)steps);
    r->train_step = r->step;
}

static int find_series(const char *key)
{
    for (int s = 0; s < SERIES_COUNT; s++)
        if (!strcmp(series_name(s), key))
            return s;
    return -1;
}

void series_reader_line(struct series_reader *r, const struct metrics_value *v, int n)
{
    double step = value_of(v, n, "step"), epoch = value_of(v, n, "epoch");
    bool trains = false;
    if (!(step >= 0))
        return;
    r->step = (int64_t)step;
    r->epoch = epoch > r->epoch ? epoch : r->epoch;
    for (int i = 0; i < n && !trains; i++)
        trains = !strcmp(v[i].key, "loss");
    int64_t steps = r->step - r->train_step;
    if (trains)
        train_line(r, v, n);
    for (int i = 0; i < n; i++) {
        int s = find_series(v[i].key);
        if (s >= 0)
            history_add_mean(&r->series[s], r->step, epoch, r->seconds, v[i].value,
                             s < SERIES_EVAL_FIRST ? steps : 1);
    }
}
