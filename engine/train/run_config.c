/* From INI text to a checked run: which tables are in force, then every entry against its row. */
#include "engine/train/run_config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/train/model_dir.h"
#include "engine/train/run_tables.h"

struct optim_name {
    char *name;
};

static const struct opt_desc optim_name_table[] = {
    {.key = "name", .help = "optimizer", .type = OPT_STR, .at = 0, .choices = "adamw",
     .flags = OPT_COMMON | OPT_MEMORY},
    {0}};

#define TOKENIZER "tokenizer" /* only where the model reads text */

/* Sections of every run, in the order of the effective config. A choice's own table follows the part
 * that names it. */
static const struct fixed_part {
    const char *section;
    const struct opt_desc *opts;
    size_t at;
} fixed_parts[] = {
    {"run", run_table, offsetof(struct run_config, run)},
    {"model", model_table, offsetof(struct run_config, model)},
    {"data", data_opts_table, offsetof(struct run_config, data)},
    {TOKENIZER, tokenizer_opts_table, offsetof(struct run_config, tokenizer)},
    {"optimizer", optim_name_table, offsetof(struct run_config, optim_name)},
    {"schedule", sched_opts_table, offsetof(struct run_config, sched)},
    {"train", train_table, offsetof(struct run_config, train)},
    {"eval", eval_table, offsetof(struct run_config, eval)},
    {"checkpoint", checkpoint_table, offsetof(struct run_config, checkpoint)},
    {"log", log_table, offsetof(struct run_config, log)},
    {"ui", ui_table, offsetof(struct run_config, ui)},
};

/* Sections whose keys are free: checked by those who read them. */
static const char *const free_sections[] = {"keys", "sweep"};

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define GROUP_PREFIX "group."

static void add_part(struct run_config *rc, const char *section, const struct opt_desc *opts,
                     void *values, const char *owner)
{
    BUG_ON(rc->nparts == CONFIG_PARTS);
    struct config_part *p = &rc->part[rc->nparts++];
    str_copy(p->section, sizeof p->section, section);
    p->opts = opts;
    p->values = values;
    p->owner = owner;
    opt_defaults(opts, values);
}

static const struct config_part *find_part(const struct run_config *rc, const char *section,
                                           const char *key, const struct opt_desc **d)
{
    for (int i = 0; i < rc->nparts; i++)
        if (!strcmp(rc->part[i].section, section) && (*d = opt_find(rc->part[i].opts, key)))
            return &rc->part[i];
    return NULL;
}

const struct opt_desc *run_config_find(const struct run_config *rc, const char *section,
                                       const char *key, void **values)
{
    const struct opt_desc *d = NULL;
    const struct config_part *p = find_part(rc, section, key, &d);
    if (!p)
        return NULL;
    *values = p->values;
    return d;
}

static int blame(const struct run_config *rc, const struct ini_entry *en, struct err *e)
{
    char where[4200], option[256];
    int n = snprintf(option, sizeof option, "%s.%s", en->section, en->key);
    if ((en->from == INI_SET || en->from == INI_SWEEP) && !strncmp(e->msg, option, (size_t)n)) /* the message names it itself */
        return err_prefix(e, "%s ", ini_origin(en));
    return err_prefix(e, "%s: ", ini_where(&rc->ini, en, where, sizeof where));
}

/* The choice that `section.key` names: the value given, or the row's default. */
static const char *chosen(const struct run_config *rc, const char *section, const char *key,
                          const char *fallback)
{
    const char *v = ini_get(&rc->ini, section, key);
    return v && *v ? v : fallback;
}

static int blame_key(const struct run_config *rc, const char *section, const char *key,
                     struct err *e)
{
    const struct ini_entry *en = ini_find(&rc->ini, section, key);
    if (en)
        return blame(rc, en, e);
    return err_prefix(e, "%s: ", rc->ini.path ? rc->ini.path : "config");
}

/* The class that model.type names, or config.json of model.pretrained; both must say the same. */
static int choose_model(struct run_config *rc, struct err *e)
{
    const char *type = chosen(rc, "model", "type", NULL);
    const char *dir = chosen(rc, "model", "pretrained", NULL);
    const struct model_class *theirs = NULL;
    if (dir && model_dir_class(dir, &theirs, e))
        return blame_key(rc, "model", "pretrained", e);
    if (!type && dir && !file_is_dir(dir)) {
        err_set(e, TT_ECONFIG, "no directory %s, and model.type is missing", dir);
        return blame_key(rc, "model", "pretrained", e);
    }
    if (!type && !theirs) {
        struct strbuf names = STRBUF_INIT;
        for (const struct model_class *const *m = model_classes; *m; m++)
            strbuf_addf(&names, "%s%s", names.len ? ", " : "", (*m)->name);
        err_set(e, TT_ECONFIG, "%s: model.type is missing (%s)",
                rc->ini.path ? rc->ini.path : "config", names.s);
        strbuf_release(&names);
        return TT_ECONFIG;
    }
    rc->model_cls = type ? model_by_name(type, e) : theirs;
    if (rc->model_cls && theirs && rc->model_cls != theirs)
        err_set(e, TT_ECONFIG, "model.type is %s, config.json of %s says %s (leave it out)", type,
                dir, theirs->name);
    else if (rc->model_cls)
        return 0;
    return blame_key(rc, "model", "type", e);
}

static int choose(struct run_config *rc, struct err *e)
{
    int code = choose_model(rc, e);
    if (code)
        return code;
    rc->optim_cls = optim_by_name(rc->optims, chosen(rc, "optimizer", "name", "adamw"), e);
    if (!rc->optim_cls)
        return blame_key(rc, "optimizer", "name", e);
    rc->sched_cls = sched_by_name(chosen(rc, "schedule", "name", "linear"), e);
    if (!rc->sched_cls)
        return blame_key(rc, "schedule", "name", e);
    return 0;
}

static void *add_own(struct run_config *rc, const char *section, const struct opt_desc *opts,
                     size_t size, const char *owner)
{
    if (!opts)
        return NULL;
    void *own = xcalloc(1, size);
    add_part(rc, section, opts, own, owner);
    return own;
}

static void add_groups(struct run_config *rc, struct strlist *sections)
{
    for (size_t i = 0; i < rc->ini.n; i++)
        if (str_starts(rc->ini.e[i].section, GROUP_PREFIX) &&
            strlist_find(sections, rc->ini.e[i].section) < 0)
            strlist_add(sections, rc->ini.e[i].section);
    for (size_t i = 0; i < sections->n && rc->ngroup < CONFIG_GROUPS; i++)
        add_part(rc, sections->s[i], group_table, &rc->group[rc->ngroup++], NULL);
}

static bool reads_text(const struct run_config *rc)
{
    return rc->model_cls->kind == BATCH_TEXT;
}

static int build_parts(struct run_config *rc, struct err *e)
{
    for (size_t i = 0; i < N(fixed_parts); i++) {
        const struct fixed_part *f = &fixed_parts[i];
        if (!strcmp(f->section, TOKENIZER) && !reads_text(rc))
            continue;
        add_part(rc, f->section, f->opts, (char *)rc + f->at, NULL);
        if (!strcmp(f->section, "model"))
            rc->model_own = add_own(rc, "model", rc->model_cls->opts, rc->model_cls->opts_size,
                                    rc->model_cls->name);
        if (!strcmp(f->section, "optimizer"))
            rc->optim_own = add_own(rc, "optimizer", rc->optim_cls->opts, rc->optim_cls->opts_size,
                                    rc->optim_cls->name);
        if (!strcmp(f->section, "schedule")) {
            rc->sched_own = add_own(rc, "schedule", rc->sched_cls->opts, rc->sched_cls->opts_size,
                                    rc->sched_cls->name);
            struct strlist groups = STRLIST_INIT;
            add_groups(rc, &groups);
            bool too_many = groups.n > CONFIG_GROUPS, nameless = strlist_find(&groups, GROUP_PREFIX) >= 0;
            strlist_release(&groups);
            if (nameless)
                return err_set(e, TT_ECONFIG, "%s: [group.] has no name (as [group.NAME])",
                               rc->ini.path ? rc->ini.path : "config");
            if (too_many)
                return err_set(e, TT_ECONFIG, "%s: more than %d [group.NAME] sections",
                               rc->ini.path ? rc->ini.path : "config", CONFIG_GROUPS);
        }
    }
    return 0;
}

/* What config.json of model.pretrained says of the model; the entries come after it. */
static int take_pretrained(struct run_config *rc, struct err *e)
{
    const char *dir = chosen(rc, "model", "pretrained", NULL);
    if (dir && model_dir_options(dir, rc->model_cls, rc->model_own, e))
        return blame_key(rc, "model", "pretrained", e);
    return 0;
}

/* The entries have not changed what it says. */
static int check_pretrained(struct run_config *rc, struct err *e)
{
    if (!rc->model.type)
        rc->model.type = xstrdup(rc->model_cls->name);
    if (rc->model.pretrained &&
        model_dir_agree(rc->model.pretrained, rc->model_cls, rc->model_own, e))
        return run_config_blame(rc, e);
    return 0;
}

/* The i-th class that `section` can choose: its name and table (NULL: no own keys); false past the last. */
static bool choice_at(const struct optim_class *const *optims, const char *section, int i,
                      const char **name, const struct opt_desc **opts)
{
    if (!strcmp(section, "model") && model_classes[i]) {
        *name = model_classes[i]->name;
        *opts = model_classes[i]->opts;
    } else if (!strcmp(section, "optimizer") && optims[i]) {
        *name = optims[i]->name;
        *opts = optims[i]->opts;
    } else if (!strcmp(section, "schedule") && sched_classes[i]) {
        *name = sched_classes[i]->name;
        *opts = sched_classes[i]->opts;
    } else {
        return false;
    }
    return true;
}

/* The choices of a section, but for the one in force, that `key` belongs to: "muon or sgd", or "". All
 * that read text have the keys of the tokenizer. */
static char *other_owners(const struct run_config *rc, const char *section, const char *key,
                          char *dst, size_t size)
{
    const char *name, *owners[64];
    const struct opt_desc *opts;
    size_t n = 0;
    for (int i = 0; choice_at(rc->optims, section, i, &name, &opts); i++)
        if (opts && opt_find(opts, key) && n < N(owners))
            owners[n++] = name;
    if (!strcmp(section, TOKENIZER) && opt_find(tokenizer_opts_table, key))
        owners[n++] = "models that read text";
    return str_alternatives(dst, size, owners, n);
}

static int unknown(const struct run_config *rc, const struct ini_entry *en, struct err *e)
{
    struct strlist names = STRLIST_INIT;
    char what[80];
    snprintf(what, sizeof what, "key of [%s]", en->section);
    for (int i = 0; i < rc->nparts; i++)
        if (!strcmp(rc->part[i].section, en->section))
            for (const struct opt_desc *d = rc->part[i].opts; d->key; d++)
                strlist_add(&names, d->key);
    bool section_known = names.n > 0;
    if (!section_known) {
        for (size_t i = 0; i < N(fixed_parts); i++)
            strlist_add(&names, fixed_parts[i].section);
        strlist_add(&names, "group.NAME");
        for (size_t i = 0; i < N(free_sections); i++)
            strlist_add(&names, free_sections[i]);
    }
    opt_unknown(section_known ? what : "section", section_known ? en->key : en->section,
                (const char *const *)names.s, names.n, e);
    strlist_release(&names);
    return blame(rc, en, e);
}

static bool is_free(const char *section)
{
    for (size_t i = 0; i < N(free_sections); i++)
        if (!strcmp(section, free_sections[i]))
            return true;
    return false;
}

static int apply_entry(struct run_config *rc, const struct ini_entry *en, struct err *e)
{
    if (is_free(en->section))
        return 0;
    const struct opt_desc *d = NULL;
    const struct config_part *p = find_part(rc, en->section, en->key, &d);
    if (p) {
        if (opt_parse(d, p->values, en->value, e)) {
            if (en->from != INI_SET) /* --set names the key itself */
                err_prefix(e, "%s.%s: ", en->section, en->key);
            return blame(rc, en, e);
        }
        bool unused = !strcmp(en->section, "schedule") && str_starts(en->key, "warmup_") &&
                      !rc->sched_cls->uses_warmup && p->values == &rc->sched;
        if (!unused)
            return 0;
    }
    char owner[640] = "schedules with a warm-up";
    if (!p && !*other_owners(rc, en->section, en->key, owner, sizeof owner))
        return unknown(rc, en, e);
    bool of_model = !strcmp(en->section, "model") || !strcmp(en->section, TOKENIZER);
    const char *now = of_model                            ? rc->model_cls->name
                      : !strcmp(en->section, "optimizer") ? rc->optim_cls->name
                                                          : rc->sched_cls->name;
    char where[4200], text[6000];
    snprintf(text, sizeof text, "%s: %s.%s belongs to %s, not to %s: not used",
             ini_where(&rc->ini, en, where, sizeof where), en->section, en->key, owner, now);
    strlist_add(&rc->warnings, text);
    return 0;
}

static int check_required(const struct run_config *rc, struct err *e)
{
    for (int i = 0; i < rc->nparts; i++)
        for (const struct opt_desc *d = rc->part[i].opts; d->key; d++) {
            const char *value = ini_get(&rc->ini, rc->part[i].section, d->key);
            if ((d->flags & OPT_REQUIRED) && !(value && *value))
                return err_set(e, TT_ECONFIG, "%s: %s.%s is missing (%s)",
                               rc->ini.path ? rc->ini.path : "config", rc->part[i].section, d->key,
                               d->help);
        }
    return 0;
}

static bool names_option(const char *text, const char *option)
{
    size_t n = strlen(option);
    for (; (text = strstr(text, option)); text += n)
        if (!isalnum((unsigned char)text[n]) && text[n] != '_')
            return true;
    return false;
}

int run_config_blame(const struct run_config *rc, struct err *e)
{
    const struct ini_entry *last = NULL;
    for (size_t i = 0; i < rc->ini.n; i++) {
        char option[256];
        snprintf(option, sizeof option, "%s.%s", rc->ini.e[i].section, rc->ini.e[i].key);
        if (names_option(e->msg, option))
            last = &rc->ini.e[i];
    }
    return last ? blame(rc, last, e)
                : err_prefix(e, "%s: ", rc->ini.path ? rc->ini.path : "config");
}

/* Options that are fine alone and not together. */
static int check_together(struct run_config *rc, struct err *e)
{
    const struct optim_common *common = rc->optim_own;
    struct sched_args sched = {.base_lr = common->lr, .opts = rc->sched_own};
    if (rc->run.precision != 0)
        err_set(e, TT_ECONFIG, "run.precision: bf16 is not built in (fp32)");
    else if (ini_get(&rc->ini, "schedule", "warmup_steps") &&
             ini_get(&rc->ini, "schedule", "warmup_ratio"))
        err_set(e, TT_ECONFIG,
                "schedule.warmup_steps and schedule.warmup_ratio are both given (one of them)");
    else if (rc->eval.best && metric_by_name(rc->eval.best, e) < 0)
        err_prefix(e, "eval.best: ");
    else if (rc->optim_cls->check && rc->optim_cls->check(rc->optim_own, NULL, e))
        ;
    else if (rc->sched_cls->check && rc->sched_cls->check(&sched, e))
        ;
    else
        return 0;
    return run_config_blame(rc, e);
}

/* The optimizer's warning about its options, with the place of the last that it names. */
static void add_doubt(struct run_config *rc)
{
    char words[256] = "";
    struct err place = ERR_INIT;
    if (rc->optim_cls->doubt)
        rc->optim_cls->doubt(rc->optim_own, words, sizeof words);
    if (!*words)
        return;
    err_set(&place, TT_ECONFIG, "%s", words);
    run_config_blame(rc, &place);
    strlist_add(&rc->warnings, place.msg);
}

int run_config_resolve(struct run_config *rc, struct ini *ini,
                       const struct optim_class *const *optims, struct err *e)
{
    memset(rc, 0, sizeof *rc);
    rc->optims = optims;
    rc->ini = *ini;
    memset(ini, 0, sizeof *ini);
    rc->stem = rc->ini.path ? file_stem(rc->ini.path) : xstrdup("run");
    int code = choose(rc, e);
    if (!code)
        code = build_parts(rc, e);
    if (!code)
        code = take_pretrained(rc, e);
    rc->data.want_text = !code && reads_text(rc);
    for (size_t i = 0; !code && i < rc->ini.n; i++)
        code = apply_entry(rc, &rc->ini.e[i], e);
    if (!code)
        code = check_required(rc, e);
    if (!code)
        code = check_pretrained(rc, e);
    if (!code)
        code = check_together(rc, e);
    if (code)
        run_config_release(rc);
    else
        add_doubt(rc);
    return code;
}

int run_config_load(struct run_config *rc, const char *path, const char *const *set, size_t nset,
                    const struct optim_class *const *optims, struct err *e)
{
    struct ini ini;
    memset(rc, 0, sizeof *rc);
    int code = ini_read(&ini, path, e);
    if (code)
        return code;
    for (size_t i = 0; i < nset; i++)
        if ((code = ini_put_assignment(&ini, set[i], e))) {
            ini_release(&ini);
            return code;
        }
    return run_config_resolve(rc, &ini, optims, e);
}

int run_config_copy(struct run_config *dst, const struct run_config *src, struct err *e)
{
    struct ini ini;
    ini_copy(&ini, &src->ini);
    int code = run_config_resolve(dst, &ini, src->optims, e);
    if (!code)
        run_config_rename(dst, src->stem);
    return code;
}

void run_config_rename(struct run_config *rc, const char *stem)
{
    char *own = xstrdup(stem);
    free(rc->stem);
    rc->stem = own;
}

void run_config_release(struct run_config *rc)
{
    for (int i = 0; i < rc->nparts; i++)
        opt_release(rc->part[i].opts, rc->part[i].values);
    free(rc->model_own);
    free(rc->optim_own);
    free(rc->sched_own);
    free(rc->stem);
    ini_release(&rc->ini);
    strlist_release(&rc->warnings);
    memset(rc, 0, sizeof *rc);
}

void run_config_each_option(const struct optim_class *const *optims,
                            void (*row)(void *user, const char *section, const char *owner,
                                        const struct opt_desc *d),
                            void *user)
{
    for (size_t i = 0; i < N(fixed_parts); i++) {
        const char *section = fixed_parts[i].section;
        for (const struct opt_desc *d = fixed_parts[i].opts; d->key; d++)
            row(user, section, NULL, d);
        const char *name;
        const struct opt_desc *opts;
        for (int k = 0; choice_at(optims, section, k, &name, &opts); k++)
            for (const struct opt_desc *d = opts; d && d->key; d++)
                row(user, section, name, d);
    }
    for (const struct opt_desc *d = group_table; d->key; d++)
        row(user, "group.NAME", NULL, d);
}
