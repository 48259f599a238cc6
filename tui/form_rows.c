/* The rows of the form: Start, the choices, then every option by section. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/form.h"

/* Sections in the order of the form; those that are not named here, [group.NAME], stand before [run]. */
static const char *const first_sections[] = {"optimizer", "schedule", "train", "eval", "checkpoint",
                                             "log", "model", "data"};
static const char *const last_sections[] = {"run", "ui"};
#define N(array) (sizeof(array) / sizeof((array)[0]))

static struct form_row *add_row(struct form *f, enum form_row_kind kind, const char *section,
                                const char *key)
{
    f->row = xgrow(f->row, &f->row_cap, (size_t)f->nrows + 1, sizeof *f->row);
    struct form_row *r = &f->row[f->nrows++];
    memset(r, 0, sizeof *r);
    r->kind = kind;
    str_copy(r->section, sizeof r->section, section);
    str_copy(r->key, sizeof r->key, key);
    snprintf(r->name, sizeof r->name, *key ? "%s.%s" : "[%s]", r->section, r->key);
    return r;
}

/* What a choice row stands for has no row of its own. */
static bool is_choice(const char *section, const char *key)
{
    return (!strcmp(section, "model") && !strcmp(key, "type")) ||
           ((!strcmp(section, "optimizer") || !strcmp(section, "schedule")) && !strcmp(key, "name"));
}

static bool is_known(const struct form *f, const char *section, const char *key)
{
    void *values;
    return run_config_find(&f->rc, section, key, &values) != NULL;
}

static void add_section(struct form *f, const char *section)
{
    int head = f->nrows;
    add_row(f, ROW_SECTION, section, "");
    for (int i = 0; i < f->rc.nparts; i++) {
        const struct config_part *p = &f->rc.part[i];
        for (const struct opt_desc *d = p->opts; !strcmp(p->section, section) && d->key; d++)
            if (!is_choice(section, d->key)) {
                struct form_row *r = add_row(f, ROW_OPTION, section, d->key);
                r->d = d;
                r->values = p->values;
            }
    }
    for (int i = 0; i < f->nbroken; i++)
        if (!strcmp(f->broken[i].section, section) && !is_known(f, section, f->broken[i].key))
            add_row(f, ROW_UNKNOWN, section, f->broken[i].key);
    if (f->nrows == head + 1)
        f->nrows = head;
}

/* What makes the form's run a queue. */
static void add_sweep(struct form *f)
{
    int head = f->nrows;
    add_row(f, ROW_SECTION, "sweep", "");
    for (size_t i = 0; i < f->ini.n; i++)
        if (!strcmp(f->ini.e[i].section, "sweep"))
            add_row(f, ROW_SWEEP, "sweep", f->ini.e[i].key);
    if (f->nrows == head + 1)
        f->nrows = head;
}

static bool is_named(const char *section)
{
    for (size_t i = 0; i < N(first_sections); i++)
        if (!strcmp(section, first_sections[i]))
            return true;
    for (size_t i = 0; i < N(last_sections); i++)
        if (!strcmp(section, last_sections[i]))
            return true;
    return false;
}

static bool has_row(const struct form *f, const char *section)
{
    for (int i = 0; i < f->nrows; i++)
        if (f->row[i].kind == ROW_SECTION && !strcmp(f->row[i].section, section))
            return true;
    return false;
}

static void add_other_sections(struct form *f)
{
    for (int i = 0; i < f->rc.nparts; i++)
        if (!is_named(f->rc.part[i].section) && !has_row(f, f->rc.part[i].section))
            add_section(f, f->rc.part[i].section);
    for (int i = 0; i < f->nbroken; i++)
        if (!is_named(f->broken[i].section) && !has_row(f, f->broken[i].section))
            add_section(f, f->broken[i].section);
}

void form_build_rows(struct form *f)
{
    f->nrows = 0;
    struct form_row *start = add_row(f, ROW_START, "", "");
    str_copy(start->name, sizeof start->name, "Start training");
    for (int i = 0; i < CHOICES; i++) {
        struct form_row *r = add_row(f, ROW_CHOICE, "", "");
        r->choice = i;
        str_copy(r->name, sizeof r->name, choice_classes[i].title);
    }
    if (f->have_rc) {
        add_sweep(f);
        for (size_t i = 0; i < N(first_sections); i++)
            add_section(f, first_sections[i]);
        add_other_sections(f);
        for (size_t i = 0; i < N(last_sections); i++)
            add_section(f, last_sections[i]);
    }
    form_filter(f);
}

/* ---- what is shown -------------------------------------------------------------------------- */

static bool passes(const struct form *f, const struct form_row *r)
{
    if (r->kind == ROW_CHOICE && f->layout.choices.h > 0) /* they have lists of their own */
        return false;
    return !*f->settings.filter || (r->kind != ROW_SECTION && list_match(&f->settings, r->name));
}

static const char *shown_name(void *user, int i)
{
    const struct form *f = user;
    return f->row[f->shown[i]].name;
}

/* A section's head is shown with the first of its rows that passes. */
void form_filter(struct form *f)
{
    int n = 0, head = -1;
    f->shown = xreallocarray(f->shown, (size_t)f->nrows + 1, sizeof *f->shown);
    for (int i = 0; i < f->nrows; i++) {
        const struct form_row *r = &f->row[i];
        if (r->kind == ROW_SECTION)
            head = i;
        if (!passes(f, r) || r->kind == ROW_SECTION)
            continue;
        if (head >= 0)
            f->shown[n++] = head;
        head = -1;
        f->shown[n++] = i;
    }
    list_update(&f->settings, n, shown_name, f, f->settings.rows);
    if (n && f->row[f->shown[f->settings.selected]].kind == ROW_SECTION)
        form_move(f, LIST_DOWN);
}

struct form_row *form_selected(const struct form *f)
{
    const struct list *l = &f->settings;
    return l->n ? &f->row[f->shown[l->selected]] : NULL;
}

static bool on_head(const struct form *f)
{
    const struct form_row *r = form_selected(f);
    return r && r->kind == ROW_SECTION;
}

/* Heads of sections are passed over; the name is that of the row where the move ends. */
void form_move(struct form *f, enum list_move m)
{
    struct list *l = &f->settings;
    enum list_move on = m == LIST_UP || m == LIST_PAGE_UP || m == LIST_LAST ? LIST_UP : LIST_DOWN;
    list_move(l, m);
    if (on_head(f))
        list_move(l, l->selected == 0 ? LIST_DOWN : on);
    if (l->n)
        str_copy(l->name, sizeof l->name, form_selected(f)->name);
}

/* ---- values --------------------------------------------------------------------------------- */

char *form_row_value(const struct form *f, const struct form_row *r, char *dst, size_t size)
{
    const char *text = ini_get(&f->ini, r->section, r->key);
    if (r->kind == ROW_OPTION && !form_broken(f, r->section, r->key))
        return opt_show(r->d, r->values, dst, size);
    return str_visible(dst, size, text ? text : "");
}

bool form_row_changed(const struct form *f, const struct form_row *r)
{
    return !r->d || form_broken(f, r->section, r->key) ||
           !opt_is_default(r->d, r->values);
}
