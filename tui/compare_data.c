/* Finding and reading the runs to compare. */
#include "tui/compare_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/base/sys.h"
#include "tui/launcher_scan.h"

#define SCAN_SECONDS 2.0
#define READ_SECONDS 0.02      /* of a turn of the loop */
#define READ_BYTES (256 << 10) /* between two looks at the clock */

/* ---- one run -------------------------------------------------------------------------------- */

/* Its numbers come from its file from now on. */
static void read_file(struct compare_run *r)
{
    r->own = false;
    r->series = r->read = xcalloc(SERIES_COUNT, sizeof *r->read);
    for (int s = 0; s < SERIES_COUNT; s++)
        history_init(&r->read[s]);
    series_reader_init(&r->reader, r->read, NULL);
}

static struct compare_run *run_new(const char *path)
{
    struct compare_run *r = xcalloc(1, sizeof *r);
    str_copy(r->path, sizeof r->path, path);
    r->metrics = file_join(path, "metrics.jsonl");
    r->file.path = r->metrics;
    r->slot = -1;
    read_file(r);
    run_about_read(&r->about, r->metrics);
    return r;
}

static void run_free(struct compare_run *r)
{
    for (int s = 0; s < SERIES_COUNT && r->read; s++)
        history_release(&r->read[s]);
    free(r->read);
    free(r->metrics);
    free(r);
}

static void take_line(void *user, char *text, size_t n)
{
    struct compare_run *r = user;
    struct metrics_value v[METRICS_VALUES];
    if (r->lines++ == 0) {
        if (run_about_parse(&r->about, text, n))
            series_reader_init(&r->reader, r->read, &r->about);
        return;
    }
    int count = metrics_numbers(text, n, v);
    if (count >= 0)
        series_reader_line(&r->reader, v, count);
}

static void forget(struct compare_run *r)
{
    for (int s = 0; s < SERIES_COUNT; s++)
        history_clear(&r->read[s]);
    series_reader_init(&r->reader, r->read, NULL);
    r->lines = 0;
}

static void look(struct compare_run *r)
{
    enum follow_news news = r->own ? FOLLOW_SAME : follow_look(&r->file);
    if (news == FOLLOW_ANEW)
        forget(r);
    r->unread |= news != FOLLOW_SAME;
}

static int read_some(struct compare_run *r, struct err *e)
{
    int code = follow_read(&r->file, READ_BYTES, take_line, r, e);
    r->unread = code > 0;
    return code < 0 ? code : 0;
}

/* ---- what the table shows ------------------------------------------------------------------- */

static void best_of_series(struct compare_run *r)
{
    for (int k = 0; k < METRIC_COUNT; k++) {
        const struct history *h = &r->series[SERIES_EVAL_FIRST + k];
        r->best[k] = metric_descs[k].larger ? h->max : h->min;
        r->best_step[k] = metric_descs[k].larger ? h->max_step : h->min_step;
    }
}

/* What the summary tells of a run whose lines were not read. */
static void best_of_summary(struct compare_run *r, const struct run_summary *s)
{
    int k = *s->best_metric ? metric_by_name(s->best_metric, NULL) : -1;
    for (int i = 0; i < METRIC_COUNT; i++)
        r->best[i] = i == k ? s->best : NAN;
}

static void take_summary(struct compare_run *r, const struct run_summary *s)
{
    str_copy(r->name, sizeof r->name, s->name);
    str_copy(r->state, sizeof r->state, s->state);
    if (!*r->about.optimizer)
        str_copy(r->about.optimizer, sizeof r->about.optimizer, s->optimizer);
    r->state_bytes = r->about.state_bytes;
    r->max_steps = s->max_steps > r->about.max_steps ? s->max_steps : r->about.max_steps;
    r->step = s->step > r->reader.step ? s->step : r->reader.step;
    r->samples = r->reader.mean_samples;
    r->tokens = r->reader.mean_tokens;
    r->seconds = r->reader.seconds;
    if (r->lines)
        best_of_series(r);
    else
        best_of_summary(r, s);
}

static void take_model(struct compare_run *r, const struct uimodel *m)
{
    const struct run_status *s = &m->text;
    str_copy(r->name, sizeof r->name, uimodel_name(m));
    str_copy(r->state, sizeof r->state, run_state_name(s->state));
    str_copy(r->about.optimizer, sizeof r->about.optimizer, s->optimizer);
    r->series = m->series;
    r->state_bytes = s->params_bytes || !m->have_plan ? s->state_bytes : m->plan.state_bytes;
    r->step = s->step;
    r->max_steps = s->max_steps;
    r->samples = s->samples_per_second;
    r->tokens = s->tokens_per_second;
    r->seconds = s->train_seconds;
    memcpy(r->best, s->best_values, sizeof r->best);
    memcpy(r->best_step, s->best_steps, sizeof r->best_step);
}

int compare_read(struct compare_run *r, struct err *e)
{
    struct run_summary s;
    int code = 0;
    look(r);
    while (r->unread && !code)
        code = read_some(r, e);
    if (!code && !(code = rundir_read_summary(r->path, &s, e)))
        take_summary(r, &s);
    return code;
}

/* ---- the list ------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct compare_run *x = *(struct compare_run *const *)a,
                             *y = *(struct compare_run *const *)b;
    if (x->own != y->own)
        return x->own ? -1 : 1;
    int names = strcmp(x->name, y->name);
    return names ? names : strcmp(x->path, y->path);
}

static void sort(struct compare *c)
{
    if (c->n)
        qsort(c->run, (size_t)c->n, sizeof *c->run, by_name);
}

static struct compare_run *find(const struct compare *c, const char *path)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->run[i]->path, path))
            return c->run[i];
    return NULL;
}

static struct compare_run *append(struct compare *c, const char *path)
{
    c->run = xgrow(c->run, &c->cap, (size_t)c->n + 1, sizeof(struct compare_run *));
    return c->run[c->n++] = run_new(path);
}

static void drop(struct compare *c, int i)
{
    run_free(c->run[i]);
    memmove(&c->run[i], &c->run[i + 1], (size_t)(--c->n - i) * sizeof *c->run);
}

static struct compare_run *append_own(struct compare *c, const char *path)
{
    struct compare_run *r = append(c, path);
    for (int s = 0; s < SERIES_COUNT; s++)
        history_release(&r->read[s]);
    free(r->read);
    r->read = NULL;
    r->own = true;
    sort(c);
    return r;
}

/* The dashboard's run. One that another of its queue took the place of keeps its letter. */
static struct compare_run *own_run(struct compare *c, const struct uimodel *m)
{
    struct compare_run *r = c->n && c->run[0]->own ? c->run[0] : NULL;
    if (r && strcmp(r->path, m->path)) {
        read_file(r);
        if (r->slot >= 0)
            look(r);
        r = NULL;
    }
    if (!r) {
        r = append_own(c, m->path);
        compare_pin(c, r, true);
        c->scanned_at = 0;
    } else if (!r->about.optimizer[0] || !r->about.model[0]) {
        run_about_read(&r->about, r->metrics);
    }
    take_model(r, m);
    return r;
}

/* Runs of the same model on the same rows. */
static bool comparable(const struct compare_run *a, const struct compare_run *b)
{
    return !strcmp(a->about.model, b->about.model) && a->about.parameters == b->about.parameters &&
           a->about.train_rows == b->about.train_rows;
}

static bool ended_well(const struct compare_run *r)
{
    return strcmp(r->state, "diverged") && strcmp(r->state, "failed");
}

/* Until the user chooses: the dashboard's run and those that can be held against it. */
static void pin_by_itself(struct compare *c)
{
    for (int i = 0; i < c->n && !c->chosen; i++) {
        struct compare_run *r = c->run[i];
        if (r->slot < 0 && (r->own || (ended_well(r) && comparable(r, c->run[0]))))
            compare_pin(c, r, true);
    }
}

static void take_entry(struct compare *c, const struct run_entry *e)
{
    struct compare_run *r = find(c, e->path);
    if (r && r->own) {
        r->seen = true;
        return;
    }
    if (!r)
        r = append(c, e->path);
    else if (!r->about.optimizer[0])
        run_about_read(&r->about, r->metrics);
    r->seen = true;
    if (r->slot >= 0)
        look(r);
    take_summary(r, &e->s);
}

static void scan(struct compare *c, const struct uimodel *m)
{
    struct scan found = {0};
    char *dir = file_dir(m->path);
    if (*m->path)
        scan_runs(&found, dir);
    free(dir);
    for (int i = 0; i < c->n; i++)
        c->run[i]->seen = c->run[i]->own || c->run[i]->added;
    for (int i = 0; i < found.nruns; i++)
        take_entry(c, &found.run[i]);
    for (int i = c->n - 1; i >= 0; i--)
        if (!c->run[i]->seen)
            drop(c, i);
    scan_release(&found);
    sort(c);
    pin_by_itself(c);
}

/* Those of other folders. */
static void look_at_added(struct compare *c)
{
    for (int i = 0; i < c->n; i++) {
        struct compare_run *r = c->run[i];
        struct run_summary s;
        struct err ignored = ERR_INIT;
        if (!r->added || rundir_read_summary(r->path, &s, &ignored))
            continue;
        look(r);
        take_summary(r, &s);
    }
}

/* A run with more to read; NULL: none. */
static struct compare_run *unread(const struct compare *c)
{
    for (int i = 0; i < c->n; i++)
        if (c->run[i]->slot >= 0 && c->run[i]->unread)
            return c->run[i];
    return NULL;
}

static bool read_for_a_while(struct compare *c)
{
    struct err ignored = ERR_INIT;
    double until = sys_now() + READ_SECONDS;
    struct compare_run *r = unread(c);
    if (!r)
        return false;
    do {
        read_some(r, &ignored);
        r->samples = r->reader.mean_samples;
        r->tokens = r->reader.mean_tokens;
        r->seconds = r->reader.seconds;
        r->step = r->reader.step > r->step ? r->reader.step : r->step;
        best_of_series(r);
    } while (sys_now() < until && (r = unread(c)));
    return true;
}

bool compare_poll(struct compare *c, const struct uimodel *m)
{
    bool due = m->now - c->scanned_at >= SCAN_SECONDS || c->scanned_at == 0;
    own_run(c, m);
    if (due) {
        c->scanned_at = m->now;
        scan(c, m);
        look_at_added(c);
    }
    return read_for_a_while(c) || due;
}

struct compare_run *compare_add(struct compare *c, const char *path, struct err *e)
{
    struct run_summary s;
    struct compare_run *r = find(c, path);
    if (r)
        return r;
    if (rundir_read_summary(path, &s, e))
        return NULL;
    r = append(c, path);
    r->added = true;
    take_summary(r, &s);
    sort(c);
    return r;
}

bool compare_pin(struct compare *c, struct compare_run *r, bool on)
{
    int slot = 0;
    if (!on) {
        r->slot = -1;
        return true;
    }
    while (slot < COMPARE_PINS && compare_slot(c, slot))
        slot++;
    if (slot == COMPARE_PINS)
        return false;
    r->slot = slot;
    look(r);
    return true;
}

void compare_release(struct compare *c)
{
    for (int i = 0; i < c->n; i++)
        run_free(c->run[i]);
    free(c->run);
    *c = (struct compare){0};
}
