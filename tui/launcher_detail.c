/* The words of the selected entry: what it would train, on what, and whether it fits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tui/launcher.h"
#include "tui/run_words.h"

#define REST_SECONDS 0.15 /* a selection that is passed over is not read */

const struct config_entry *launcher_config(const struct launcher *l)
{
    const struct list *list = &l->list[PART_CONFIGS];
    return l->part == PART_CONFIGS && list->n
               ? &l->scan.config[l->row[PART_CONFIGS][list->selected]] : NULL;
}

const struct run_entry *launcher_run(const struct launcher *l)
{
    const struct list *list = &l->list[PART_RUNS];
    return l->part == PART_RUNS && list->n ? &l->scan.run[l->row[PART_RUNS][list->selected]] : NULL;
}

static void clear_words(struct launcher *l)
{
    l->runs = 1;
    for (int i = 0; i < 3; i++) {
        l->label[i] = NULL;
        l->line[i][0] = 0;
    }
    l->title[0] = l->status[0] = 0;
    l->status_bad = false;
}

static void forget_config(struct launcher *l)
{
    if (l->have_rc)
        run_config_release(&l->rc);
    l->have_rc = false;
}

/* ---- the three lines of a config ------------------------------------------------------------- */

static void model_line(struct launcher *l)
{
    char words[160], count[32];
    size_t size = sizeof l->line[0];
    size_t n = (size_t)snprintf(l->line[0], size, "%s", words_model(&l->rc, words, sizeof words));
    if (l->facts.have_plan && n < size)
        n += (size_t)snprintf(l->line[0] + n, size - n, ", %s parameters",
                              str_commas(count, sizeof count, l->facts.plan.parameters));
    if (l->rc.model.pretrained && n < size)
        snprintf(l->line[0] + n, size - n, ", weights %s",
                 file_is_dir(l->rc.model.pretrained) ? "found" : "missing");
}

static void data_line(struct launcher *l)
{
    char name[64], train[32], eval[32];
    words_data(&l->rc, name, sizeof name);
    if (!l->facts.have_data) {
        snprintf(l->line[1], sizeof l->line[1], "%s%s", name,
                 l->facts.reading ? ": reading data" : "");
        return;
    }
    const struct data_spec *spec = &l->facts.train.spec;
    size_t n = (size_t)snprintf(l->line[1], sizeof l->line[1], "%s: %s train rows, %s eval rows, ",
                                name, str_commas(train, sizeof train, l->facts.train.rows),
                                str_commas(eval, sizeof eval, l->facts.eval.rows));
    if (spec->problem == PROBLEM_REGRESSION)
        str_copy(l->line[1] + n, sizeof l->line[1] - n, "a number to predict");
    else
        snprintf(l->line[1] + n, sizeof l->line[1] - n, "%d labels", spec->num_labels);
}

static void train_line(struct launcher *l)
{
    struct err unread = ERR_INIT;
    if (l->runs > 1) {
        launcher_queue_words(l, l->of, l->line[2], sizeof l->line[2], &unread);
        return;
    }
    char steps[32], warmup[32], rate[32];
    const struct optim_common *common = l->rc.optim_own;
    const struct run_length *len = &l->facts.plan.length;
    fmt_rate(rate, sizeof rate, common->lr, GLYPHS_BRAILLE);
    size_t size = sizeof l->line[2];
    size_t n = (size_t)snprintf(l->line[2], size, "%s lr %s, %s, ", l->rc.optim_cls->name,
                                isnan(common->lr) ? "its own" : rate, l->rc.sched_cls->name);
    if (l->facts.have_plan && l->rc.sched_cls->uses_warmup && len->warmup > 0)
        n += (size_t)snprintf(l->line[2] + n, size - n, "warm-up %s of %s steps, ",
                              str_commas(warmup, sizeof warmup, len->warmup),
                              str_commas(steps, sizeof steps, len->max_steps));
    snprintf(l->line[2] + n, size - n, "batch %lld", (long long)l->rc.train.batch_size);
}

static void config_lines(struct launcher *l)
{
    static const char *const labels[] = {"model", "data", "train"};
    memcpy(l->label, labels, sizeof labels);
    model_line(l);
    data_line(l);
    train_line(l);
}

static void config_status(struct launcher *l)
{
    char steps[32], need[32], have[32], verdict[64];
    const struct memory_plan *p = &l->facts.plan;
    size_t size = sizeof l->status;
    char runs[32] = "";
    if (l->runs > 1)
        snprintf(runs, sizeof runs, "%d runs of ", l->runs);
    size_t n = (size_t)snprintf(l->status, size, "%s: ", l->rc.stem);
    if (l->facts.err.code) {
        str_copy(l->status, size, l->facts.err.msg);
        l->status_bad = true;
    } else if (!l->facts.have_plan) {
        str_copy(l->status + n, size - n, "reading data");
    } else {
        str_bytes(need, sizeof need, (double)p->total_bytes);
        snprintf(l->status + n, size - n, "%s%s steps, needs %s of %s%s free: %s", runs,
                 str_commas(steps, sizeof steps, p->length.max_steps), need,
                 words_gib((double)p->free_bytes, have, sizeof have),
                 str_ends(need, "GiB") ? "" : " GiB", words_verdict(p, verdict, sizeof verdict));
        l->status_bad = !p->fits;
    }
}

/* ---- kinds of entries ------------------------------------------------------------------------ */

static void load_config(struct launcher *l, const char *path)
{
    struct err e = ERR_INIT;
    forget_config(l);
    if (run_config_load(&l->rc, path, NULL, 0, l->layer.app->optims, &e)) {
        str_copy(l->status, sizeof l->status, e.msg);
        str_copy(l->line[0], sizeof l->line[0], e.msg);
        l->label[0] = "error";
        l->status_bad = true;
        return;
    }
    l->have_rc = true;
}

static void describe_folder(struct launcher *l, const struct config_entry *c)
{
    struct err e = ERR_INIT;
    l->label[0] = "queue";
    l->status_bad = !launcher_queue_words(l, c->path, l->line[0], sizeof l->line[0], &e);
    if (l->status_bad)
        str_copy(l->line[0], sizeof l->line[0], e.msg);
    str_copy(l->line[1], sizeof l->line[1], "one after the other; view 7 compares them");
    snprintf(l->status, sizeof l->status, "%s", l->status_bad ? e.msg : "Enter starts the queue or shows its configs");
}

static void describe_config(struct launcher *l, const struct config_entry *e)
{
    str_copy(l->title, sizeof l->title, e->name);
    if (e->folder) {
        describe_folder(l, e);
        return;
    }
    load_config(l, e->path);
    if (!l->have_rc)
        return;
    if (e->lacks)
        snprintf(l->status, sizeof l->status, "%s %s", l->rc.stem, e->data);
    else
        facts_set(&l->facts, &l->rc);
    l->runs = e->runs;
    config_lines(l);
    if (!e->lacks)
        config_status(l);
    l->status_bad |= e->lacks;
}

static void describe_run(struct launcher *l, const struct run_entry *r)
{
    char *config = file_join(r->path, "config.ini"), step[32], best[32];
    const char *next = r->live                          ? "going on elsewhere"
                       : !strcmp(r->s.state, "finished") || !strcmp(r->s.state, "early")
                           ? "Enter opens its views" : "r resumes it, Enter opens its views";
    str_copy(l->title, sizeof l->title, r->s.name);
    load_config(l, config);
    free(config);
    if (!l->have_rc)
        return;
    config_lines(l);
    size_t n = (size_t)snprintf(l->status, sizeof l->status, "%s: %s at step %s, ", r->s.name,
                                r->s.state, str_commas(step, sizeof step, r->s.step));
    if (*r->s.best_metric && !isnan(r->s.best))
        n += (size_t)snprintf(l->status + n, sizeof l->status - n, "best %s %s; ", r->s.best_metric,
                              fmt_loss(best, sizeof best, r->s.best, GLYPHS_BRAILLE));
    str_copy(l->status + n, sizeof l->status - n, next);
}

static const char *selected_path(const struct launcher *l)
{
    const struct config_entry *c = launcher_config(l);
    const struct run_entry *r = launcher_run(l);
    return c ? c->path : r ? r->path : "";
}

bool launcher_describe(struct launcher *l, double now)
{
    const struct config_entry *c = launcher_config(l);
    const struct run_entry *r = launcher_run(l);
    const char *path = selected_path(l);
    if (strcmp(path, l->of)) {
        str_copy(l->of, sizeof l->of, path);
        l->since = now;
        clear_words(l);
        facts_release(&l->facts);
        str_copy(l->title, sizeof l->title, c ? c->name : r ? r->s.name : "");
        return true;
    }
    if (l->since > 0 && now - l->since >= REST_SECONDS) {
        l->since = 0;
        clear_words(l);
        if (c)
            describe_config(l, c);
        else if (r)
            describe_run(l, r);
        return true;
    }
    if (l->have_rc && facts_poll(&l->facts, &l->rc)) {
        config_lines(l);
        config_status(l);
        return true;
    }
    return false;
}
