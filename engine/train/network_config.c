/* What a config says of tensors: head size, groups, combinations that make no sense. */
#include "engine/train/network_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/base/str.h"
#include "engine/train/text_setup.h"

int spec_of_run(const struct run_config *rc, const struct dataset *train, struct data_spec *spec,
                struct spec_names *names, struct err *e)
{
    memset(names, 0, sizeof *names);
    *spec = train->spec;
    spec->features = train->features.n ? &train->features : NULL;
    int64_t wanted = rc->model.num_labels;
    int code = 0;
    if (spec->kind == BATCH_TEXT && rc->model_cls->kind == BATCH_TEXT && !spec->vocab_size)
        code = text_facts(rc, spec, e);
    if (code)
        return code;
    if (wanted == OPT_INT_UNSET || wanted == spec->num_labels)
        return 0;
    if (wanted < spec->num_labels || spec->problem != PROBLEM_CLASSES)
        return err_set(e, TT_ECONFIG, "model.num_labels is %lld, the data needs %s%d",
                       (long long)wanted, spec->problem == PROBLEM_CLASSES ? "at least " : "",
                       spec->num_labels);
    for (int i = 0; i < wanted; i++) {
        char name[32];
        snprintf(name, sizeof name, "LABEL_%d", i);
        strlist_add(&names->own, i < spec->num_labels && spec->label ? spec->label[i] : name);
    }
    names->label = xcalloc((size_t)wanted, sizeof *names->label);
    for (int i = 0; i < wanted; i++)
        names->label[i] = names->own.s[i];
    spec->num_labels = (int)wanted;
    spec->label = names->label;
    return 0;
}

void spec_names_release(struct spec_names *names)
{
    strlist_release(&names->own);
    strlist_release(&names->features);
    free(names->label);
    memset(names, 0, sizeof *names);
}

/* Every pattern of a group has to fit a tensor, one at least a tensor that no earlier group took. */
static int add_group(struct param_set *ps, const char *name, const struct group_opts *o, struct err *e)
{
    const char *first = ps->nseg ? ps->seg[0].name : "none";
    struct strlist globs = STRLIST_INIT;
    int code = 0;
    if (o->state_bits != 0 && o->state_bits != 8 && o->state_bits != 32)
        return err_set(e, TT_ECONFIG, "%s.state_bits: %lld (0, 8 or 32)", name,
                       (long long)o->state_bits);
    strlist_split(&globs, o->match, ',');
    for (size_t i = 0; !code && i < globs.n; i++)
        if (param_matches(ps, globs.s[i]) == 0)
            code = err_set(e, TT_ECONFIG, "%s.match: \"%s\" matches no tensor (first: %s)", name,
                           globs.s[i], first);
    strlist_release(&globs);
    if (!code && !param_group_add(ps, name, o->match, o->lr_scale, o->weight_decay,
                                  (int)o->state_bits, o->freeze))
        code = err_set(e, TT_ECONFIG, "%s.match: \"%s\" matches no tensor that is left (first: %s)",
                       name, o->match, first);
    return code;
}

int network_from_config(struct network *net, struct backend *be, const struct run_config *rc,
                        const struct data_spec *spec, struct err *e)
{
    int code = network_init(net, be, rc->model_cls, rc->model_own, spec, e);
    if (code)
        return code;
    net->model.recompute = rc->train.gradient_checkpointing;
    for (int i = 0, g = 0; !code && i < rc->nparts; i++) {
        if (str_starts(rc->part[i].section, "group."))
            code = add_group(&net->ps, rc->part[i].section, &rc->group[g++], e);
    }
    if (!code && param_trainable(&net->ps) == 0)
        code = err_set(e, TT_ECONFIG, "every tensor is frozen (leave one to train)");
    if (!code && rc->optim_cls->check)
        code = rc->optim_cls->check(rc->optim_own, &net->ps, e);
    if (code)
        network_release(net);
    return code;
}
