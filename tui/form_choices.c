/* The four choices of a run: model, data, optimizer, schedule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "tui/form.h"
#include "tui/launcher_scan.h"
#include "tui/run_words.h"

/* ---- model, optimizer, schedule: their registries -------------------------------------------- */

static int model_count(const struct form *f)
{
    int n = 0;
    (void)f;
    while (model_classes[n])
        n++;
    return n;
}

static const char *model_name(const struct form *f, int i)
{
    (void)f;
    return model_classes[i]->name;
}

static const char *model_summary(const struct form *f, int i)
{
    (void)f;
    return model_classes[i]->summary;
}

static const char *model_now(const struct form *f, char *dst, size_t size)
{
    str_copy(dst, size, f->rc.model_cls->name);
    return dst;
}

static int optimizer_count(const struct form *f)
{
    int n = 0;
    while (f->layer.app->optims[n])
        n++;
    return n;
}

static const char *optimizer_name(const struct form *f, int i)
{
    return f->layer.app->optims[i]->name;
}

static const char *optimizer_summary(const struct form *f, int i)
{
    return f->layer.app->optims[i]->summary;
}

static const char *optimizer_now(const struct form *f, char *dst, size_t size)
{
    str_copy(dst, size, f->rc.optim_cls->name);
    return dst;
}

static int schedule_count(const struct form *f)
{
    int n = 0;
    (void)f;
    while (sched_classes[n])
        n++;
    return n;
}

static const char *schedule_name(const struct form *f, int i)
{
    (void)f;
    return sched_classes[i]->name;
}

static const char *schedule_summary(const struct form *f, int i)
{
    (void)f;
    return sched_classes[i]->summary;
}

static const char *schedule_now(const struct form *f, char *dst, size_t size)
{
    str_copy(dst, size, f->rc.sched_cls->name);
    return dst;
}

/* ---- data: whole sections -------------------------------------------------------------------- */

static int data_count(const struct form *f)
{
    return f->ndata;
}

static const char *data_name(const struct form *f, int i)
{
    return f->data[i].name;
}

static const char *data_summary(const struct form *f, int i)
{
    const struct data_choice *d = &f->data[i];
    switch (d->from) {
    case DATA_OWN: return "as this config has it";
    case DATA_CONFIG: return d->config;
    case DATA_SYNTHETIC: return "made-up rows: no file is needed";
    case DATA_OTHER: return "asks for a file";
    }
    return "";
}

static const char *data_now(const struct form *f, char *dst, size_t size)
{
    return words_data(&f->rc, dst, size);
}

static void clear_section(struct ini *ini, const char *section)
{
    for (size_t i = ini->n; i-- > 0;)
        if (!strcmp(ini->e[i].section, section)) {
            char key[128];
            str_copy(key, sizeof key, ini->e[i].key);
            ini_put(ini, section, key, NULL, INI_FORM);
        }
}

static void copy_section(struct ini *dst, const struct ini *src, const char *section)
{
    for (size_t i = 0; i < src->n; i++)
        if (!strcmp(src->e[i].section, section))
            ini_put(dst, section, src->e[i].key, src->e[i].value, INI_FORM);
}

void form_take_file(struct form *f, const char *path)
{
    clear_section(&f->ini, "data");
    ini_put(&f->ini, "data", "train", path, INI_FORM);
    form_resolve(f);
}

static void take_config_data(struct form *f, const char *config)
{
    struct ini other;
    struct err e = ERR_INIT;
    if (ini_read(&other, config, &e)) {
        app_say(f->layer.app, true, "%s", e.msg);
        return;
    }
    copy_section(&f->ini, &other, "data");
    ini_release(&other);
}

static void data_take(struct form *f, int i)
{
    const struct data_choice *d = &f->data[i];
    if (d->from == DATA_OTHER) {
        entry_open(&f->path, f->rc.data.train ? f->rc.data.train : "");
        return;
    }
    clear_section(&f->ini, "data");
    if (d->from == DATA_OWN)
        copy_section(&f->ini, &f->file, "data");
    else if (d->from == DATA_CONFIG)
        take_config_data(f, d->config);
    else
        ini_put(&f->ini, "data", "format", "synthetic", INI_FORM);
    form_resolve(f);
}

static void add_data(struct form *f, enum data_from from, const char *name, const char *config)
{
    for (int i = 0; i < f->ndata; i++)
        if (!strcmp(f->data[i].name, name))
            return;
    if (f->ndata == FORM_DATA)
        return;
    struct data_choice *d = &f->data[f->ndata++];
    d->from = from;
    str_copy(d->name, sizeof d->name, name);
    str_copy(d->config, sizeof d->config, config);
}

void form_collect_data(struct form *f)
{
    struct scan scan = {0};
    char name[32];
    f->ndata = 0;
    if (f->have_rc)
        add_data(f, DATA_OWN, words_data(&f->rc, name, sizeof name), f->file.path);
    scan_configs(&scan, NULL, f->layer.app->installed, f->layer.app->optims);
    for (int i = 0; i < scan.nconfigs && f->ndata < FORM_DATA - 2; i++)
        if (!scan.config[i].lacks && !scan.config[i].folder)
            add_data(f, DATA_CONFIG, scan.config[i].data, scan.config[i].path);
    scan_release(&scan);
    add_data(f, DATA_SYNTHETIC, "synthetic", "");
    add_data(f, DATA_OTHER, "other file ...", "");
}

/* ---- all of them ---------------------------------------------------------------------------- */

const struct choice_class choice_classes[CHOICES] = {
    [CHOICE_MODEL] = {"model", "model", "type", model_count, model_name, model_summary, model_now, NULL},
    [CHOICE_DATA] = {"data", NULL, NULL, data_count, data_name, data_summary, data_now, data_take},
    [CHOICE_OPTIMIZER] = {"optimizer", "optimizer", "name", optimizer_count, optimizer_name,
                          optimizer_summary, optimizer_now, NULL},
    [CHOICE_SCHEDULE] = {"schedule", "schedule", "name", schedule_count, schedule_name,
                         schedule_summary, schedule_now, NULL},
};

void choice_take(struct form *f, int choice, int i)
{
    const struct choice_class *cls = &choice_classes[choice];
    char name[64], why[512];
    if (cls->take) {
        cls->take(f, i);
        return;
    }
    str_copy(name, sizeof name, cls->name(f, i));
    if (!form_choose(f, cls->section, cls->key, name, why, sizeof why))
        app_say(f->layer.app, true, "%s: %s", name, why);
}

const char *choice_swept(const struct form *f, int choice)
{
    const struct choice_class *cls = &choice_classes[choice];
    char option[128];
    if (!cls->section)
        return NULL;
    snprintf(option, sizeof option, "%s.%s", cls->section, cls->key);
    return ini_get(&f->ini, "sweep", option);
}

int choice_current(const struct form *f, int choice)
{
    const struct choice_class *cls = &choice_classes[choice];
    char text[32];
    if (!f->have_rc)
        return -1;
    const char *name = cls->now(f, text, sizeof text);
    for (int i = 0; i < cls->count(f); i++)
        if (!strcmp(cls->name(f, i), name))
            return i;
    return -1;
}

void choice_step(struct form *f, int choice, int by)
{
    int n = choice_classes[choice].count(f), at = choice_current(f, choice);
    if (choice == CHOICE_DATA)
        n--; /* to ask for a file is no neighbour */
    if (n > 0)
        choice_take(f, choice, at < 0 ? 0 : (at + by + n) % n);
}
