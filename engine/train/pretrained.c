/* A model directory to start from. */
#include "engine/train/pretrained.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/hf_config.h"
#include "engine/train/model_dir.h"

static int read_config(struct pretrained *p, struct err *e)
{
    char *path = file_join(p->dir, "config.json");
    struct hf_config c;
    p->bare = !file_exists(path) && file_is_dir(p->dir);
    int code = p->bare ? 0 : hf_config_read(&c, path, e);
    if (!code && !p->bare) {
        p->problem = model_dir_problem(hf_config_str(&c, "problem_type"));
        if ((code = hf_config_labels(&c, &p->labels, e)))
            err_prefix(e, "%s: ", path);
        hf_config_list(&c, "features", &p->features);
        hf_config_release(&c);
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

bool pretrained_keeps_head(const struct pretrained *p, const struct dataset *train)
{
    return p->bare || train->head_kept || (train->spec.problem == PROBLEM_REGRESSION &&
                                p->problem == PROBLEM_REGRESSION);
}

int pretrained_load(const struct pretrained *p, struct network *net, bool keep_head, struct err *e)
{
    char *path = file_join(p->dir, "model.safetensors");
    int code = model_weights_start(path, net, keep_head, e);
    free(path);
    return code;
}
