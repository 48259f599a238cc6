/* A model directory to start from. */
#include "engine/train/pretrained.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/base/mem.h"

static int read_config(struct pretrained *p, struct err *e)
{
    if (!file_is_dir(p->dir))
        return err_set(e, TT_EDATA, "%s: no such directory (model.pretrained; \"hf download NAME "
                       "--local-dir %s\" gets a model)", p->dir, p->dir);
    char *path = file_join(p->dir, "config.json");
    p->bare = !file_exists(path);
    int code = p->bare ? 0 : hf_config_read(&p->config, path, e);
    if (!code && !p->bare) {
        if ((code = model_dir_problem(&p->config, &p->problem, e)) ||
            (code = hf_config_labels(&p->config, &p->labels, e)))
            err_prefix(e, "%s: ", path);
        hf_config_list(&p->config, "features", &p->features);
    }
    free(path);
    return code;
}

int pretrained_open(struct pretrained *p, struct run_config *rc, const char *dir, struct err *e)
{
    *p = (struct pretrained){.problem = -1};
    if (!rc->model.pretrained)
        return 0;
    p->dir = xstrdup(dir ? dir : rc->model.pretrained);
    int code = read_config(p, e);
    int64_t wanted = rc->model.num_labels;
    if (!code && p->labels.n && (wanted == OPT_INT_UNSET || wanted == (int64_t)p->labels.n))
        rc->data.head = &p->labels;
    return code;
}

void pretrained_release(struct pretrained *p)
{
    free(p->dir);
    strlist_release(&p->labels);
    strlist_release(&p->features);
    weights_report_release(&p->report);
    hf_config_release(&p->config);
    *p = (struct pretrained){.problem = -1};
}

static const char *data_path(const struct dataset *train, bool labels)
{
    return labels && train->path_labels ? train->path_labels : train->path ? train->path : "the data";
}

/* The same columns, but not in their places. */
static bool is_shuffled(const struct strlist *a, const struct strlist *b)
{
    size_t same = 0;
    if (a->n != b->n)
        return false;
    while (same < a->n && !strcmp(a->s[same], b->s[same]))
        same++;
    for (size_t i = same; i < a->n; i++)
        if (strlist_find(b, a->s[i]) < 0)
            return false;
    return same < a->n;
}

int pretrained_check(const struct pretrained *p, const struct dataset *train, struct err *e)
{
    if (!p->dir)
        return 0;
    if (p->problem >= 0 && p->problem != (int)train->spec.problem)
        return err_set(e, TT_EDATA, "%s/config.json: problem_type is %s, the labels of %s are for %s",
                       p->dir, model_dir_problem_name(p->problem), data_path(train, true),
                       model_dir_problem_name((int)train->spec.problem));
    if (is_shuffled(&p->features, &train->features))
        return err_set(e, TT_EDATA, "%s: the columns of %s in another order (data.features puts them "
                       "in the order of its config.json)", data_path(train, false), p->dir);
    return 0;
}

/* One output that no problem_type explains is a number, as Hugging Face's library takes it. */
static bool predicts_number(const struct pretrained *p)
{
    return p->problem == PROBLEM_REGRESSION || (p->problem < 0 && p->labels.n == 1);
}

bool pretrained_keeps_head(const struct pretrained *p, const struct dataset *train)
{
    return p->bare || train->head_kept ||
           (train->spec.problem == PROBLEM_REGRESSION && predicts_number(p));
}

int pretrained_fits(const struct pretrained *p, const struct run_config *rc,
                    const struct dataset *train, struct err *e)
{
    struct weights_report report = {0};
    struct spec_names names = {0};
    struct network net = {0};
    struct data_spec spec;
    struct backend null;
    if (!p->dir)
        return 0;
    int code = backend_open(&null, "null", 1, e);
    if (code)
        return code;
    if (!(code = spec_of_run(rc, train, &spec, &names, e)) &&
        !(code = network_from_config(&net, &null, rc, &spec, e)))
        code = model_weights_start(p->dir, &net, pretrained_keeps_head(p, train), 0, &report, e);
    weights_report_release(&report);
    network_release(&net);
    spec_names_release(&names);
    backend_close(&null);
    return code;
}

int pretrained_load(struct pretrained *p, struct network *net, bool keep_head, uint64_t seed,
                    struct err *e)
{
    return model_weights_start(p->dir, net, keep_head, seed, &p->report, e);
}

/* "a, b, c and 12 more". */
static char *join_names(char *dst, size_t size, const struct strlist *names)
{
    size_t at = 0, i = 0;
    dst[0] = '\0';
    for (; i < names->n && at + strlen(names->s[i]) + 24 < size; i++)
        at += (size_t)snprintf(dst + at, size - at, "%s%s", i ? ", " : "", names->s[i]);
    if (i < names->n)
        snprintf(dst + at, size - at, " and %zu more", names->n - i);
    return dst;
}

void pretrained_say(const struct pretrained *p, const struct data_spec *spec)
{
    char names[300] = "a number", safe[400];
    const struct weights_report *r = &p->report;
    if (spec->label)
        str_alternatives(names, sizeof names, spec->label, (size_t)spec->num_labels);
    log_line(LOG_INFO, "weights of %s; %s: %s", p->dir, r->fresh.n ? "a new head" : "its head stays",
             str_visible(safe, sizeof safe, names));
    if (r->fresh.n)
        log_line(LOG_INFO, "new: %s", join_names(names, sizeof names, &r->fresh));
    if (r->unused.n)
        log_line(LOG_WARN, "in %s and not used: %s", p->dir,
                 str_visible(safe, sizeof safe, join_names(names, sizeof names, &r->unused)));
}
