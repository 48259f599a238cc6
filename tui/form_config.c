/* The text of the form and what it means: resolving, changing, saving. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "tui/form.h"

/* ---- resolving what can be resolved ---------------------------------------------------------- */

static struct broken_entry *note_broken(struct form *f, const char *section, const char *key,
                                        const char *why)
{
    struct broken_entry *b = &f->broken[f->nbroken++];
    str_copy(b->section, sizeof b->section, section);
    str_copy(b->key, sizeof b->key, key);
    str_copy(b->why, sizeof b->why, why);
    return b;
}

static void set_aside(struct form *f, struct ini *ini, const char *section, const char *key,
                      const char *why)
{
    const struct broken_entry *b = note_broken(f, section, key, why);
    ini_put(ini, b->section, b->key, NULL, INI_FORM);
}

/* The entry that a message is about: it begins with the entry's place, else names its key. */
static const struct ini_entry *blamed(const struct ini *ini, const char *message)
{
    char where[4200], name[200];
    for (size_t i = 0; i < ini->n; i++) {
        ini_where(ini, &ini->e[i], where, sizeof where);
        size_t n = strlen(where);
        if (!strncmp(message, where, n) && message[n] == ':' && message[n + 1] == ' ')
            return &ini->e[i];
    }
    for (size_t i = ini->n; i-- > 0;) {
        snprintf(name, sizeof name, "%s.%s", ini->e[i].section, ini->e[i].key);
        if (strstr(message, name))
            return &ini->e[i];
    }
    for (size_t i = ini->n; i-- > 0;) { /* a section that lacks a key */
        snprintf(name, sizeof name, "%s.", ini->e[i].section);
        if (strstr(message, name) && strcmp(ini->e[i].section, "model"))
            return &ini->e[i];
    }
    return NULL;
}

/* Take what is at fault out of the text; false: nothing can be found. */
static bool repair(struct form *f, struct ini *ini, const char *message)
{
    const struct ini_entry *e = blamed(ini, message);
    if (f->nbroken == FORM_BROKEN)
        return false;
    if (e) {
        set_aside(f, ini, e->section, e->key, message);
        return true;
    }
    if (ini_get(ini, "model", "type"))
        return false;
    set_aside(f, ini, "model", "type", message);
    ini_put(ini, "model", "type", model_classes[0]->name, INI_FORM);
    return true;
}

/* The option of [sweep] that a message is about. */
static const struct ini_entry *blamed_of_sweep(const struct ini *ini, const char *message)
{
    const struct ini_entry *e = blamed(ini, message);
    char name[200];
    if (e && !strcmp(e->section, "sweep"))
        return e;
    for (size_t i = 0; i < ini->n; i++) {
        if (strcmp(ini->e[i].section, "sweep"))
            continue;
        e = &ini->e[i];
        snprintf(name, sizeof name, "sweep %s:", e->key);
        if (strstr(message, name))
            break;
    }
    return e;
}

/* The runs that [sweep] makes; a mistake in one of them is that of a value there. */
static void resolve_sweep(struct form *f)
{
    struct run_queue q;
    struct err e = ERR_INIT;
    f->runs = f->have_rc && !f->nbroken;
    if (!f->runs)
        return;
    if (!run_queue_of(&q, &f->ini, f->layer.app->optims, &e)) {
        f->runs = q.n;
        run_queue_release(&q);
        return;
    }
    const struct ini_entry *at = blamed_of_sweep(&f->ini, e.msg);
    f->runs = 0;
    if (at)
        note_broken(f, at->section, at->key, e.msg);
    else
        f->hopeless = e;
}

static void forget_config(struct form *f)
{
    if (f->have_rc)
        run_config_release(&f->rc);
    f->have_rc = false;
    f->nbroken = 0;
    f->hopeless = (struct err)ERR_INIT;
}

void form_resolve(struct form *f)
{
    struct ini work, copy;
    ini_copy(&work, &f->ini);
    forget_config(f);
    for (;;) {
        struct err e = ERR_INIT;
        ini_copy(&copy, &work);
        f->have_rc = run_config_resolve(&f->rc, &copy, f->layer.app->optims, &e) == 0;
        if (f->have_rc)
            break;
        if (!repair(f, &work, e.msg)) {
            f->hopeless = e;
            break;
        }
    }
    ini_release(&work);
    resolve_sweep(f);
    if (f->have_rc)
        facts_set(&f->facts, &f->rc);
    else
        facts_release(&f->facts);
    form_build_rows(f);
}

const struct broken_entry *form_broken(const struct form *f, const char *section, const char *key)
{
    for (int i = 0; i < f->nbroken; i++)
        if (!strcmp(f->broken[i].section, section) && !strcmp(f->broken[i].key, key))
            return &f->broken[i];
    return NULL;
}

const char *form_problem(const struct form *f)
{
    if (f->hopeless.code)
        return f->hopeless.msg;
    if (f->nbroken)
        return f->broken[0].why;
    return f->facts.err.code ? f->facts.err.msg : "";
}

/* ---- changing ------------------------------------------------------------------------------- */

/* A message without the place and the name, which the form shows itself: `"2e-5x": a number above 0`. */
static void shorten(const char *message, const char *section, const char *key, char *dst, size_t size)
{
    char name[200];
    snprintf(name, sizeof name, "%s.%s: ", section, key);
    for (const char *at; (at = strstr(message, name));)
        message = at + strlen(name);
    str_copy(dst, size, message);
    char *allowed = dst[0] == '"' ? strstr(dst, "\" (") : NULL;
    if (!allowed || !str_ends(dst, ")"))
        return;
    dst[strlen(dst) - 1] = 0;
    allowed[1] = ':';
    allowed[2] = ' ';
}

bool form_put(struct form *f, const char *section, const char *key, const char *value,
              char *why, size_t size)
{
    struct ini before;
    int broken = f->nbroken;
    ini_copy(&before, &f->ini);
    ini_put(&f->ini, section, key, value, INI_FORM);
    form_resolve(f);
    const struct broken_entry *b = form_broken(f, section, key);
    if (!b && f->nbroken > broken)
        b = &f->broken[f->nbroken - 1];
    if (!b && !f->hopeless.code) {
        ini_release(&before);
        return true;
    }
    shorten(b ? b->why : f->hopeless.msg, section, key, why, size);
    ini_release(&f->ini);
    f->ini = before;
    form_resolve(f);
    return false;
}

bool form_choose(struct form *f, const char *section, const char *key, const char *value, char *why,
                 size_t size)
{
    char option[160];
    if (!form_put(f, section, key, value, why, size))
        return false;
    snprintf(option, sizeof option, "%s.%s", section, key);
    if (ini_get(&f->ini, "sweep", option)) {
        ini_put(&f->ini, "sweep", option, NULL, INI_FORM);
        form_resolve(f);
    }
    return true;
}

/* Was this value typed here, and is it another than the file's? */
static bool is_change(const struct form *f, const struct ini_entry *e)
{
    const char *filed = ini_get(&f->file, e->section, e->key);
    return e->from == INI_FORM && !(filed && !strcmp(filed, e->value));
}

int form_changes(const struct form *f)
{
    int n = 0;
    for (size_t i = 0; i < f->ini.n; i++)
        n += is_change(f, &f->ini.e[i]);
    for (size_t i = 0; i < f->file.n; i++)
        n += !ini_find(&f->ini, f->file.e[i].section, f->file.e[i].key);
    return n;
}

/* ---- saving --------------------------------------------------------------------------------- */

/* The file again, with --set on top where nothing else was typed. */
static int reread(struct form *f, struct err *e)
{
    struct ini file;
    int code = ini_read(&file, f->file.path, e);
    if (code)
        return code;
    ini_release(&f->file);
    ini_release(&f->ini);
    f->file = file;
    ini_copy(&f->ini, &f->file);
    for (size_t i = 0; i < f->set.n && !code; i++)
        code = ini_put_assignment(&f->ini, f->set.s[i], e);
    form_resolve(f);
    return code;
}

/* What was set on the command line is for this run alone: it is not written. */
int form_save(struct form *f, struct err *e)
{
    struct ini out;
    ini_copy(&out, &f->file);
    for (size_t i = 0; i < f->ini.n; i++)
        if (is_change(f, &f->ini.e[i]))
            ini_put(&out, f->ini.e[i].section, f->ini.e[i].key, f->ini.e[i].value, INI_FORM);
    for (size_t i = 0; i < f->file.n; i++)
        if (!ini_find(&f->ini, f->file.e[i].section, f->file.e[i].key))
            ini_put(&out, f->file.e[i].section, f->file.e[i].key, NULL, INI_FORM);
    int code = ini_save(&out, f->file.path, e);
    ini_release(&out);
    return code ? code : reread(f, e);
}
