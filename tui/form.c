/* What keys do in the form, and how a run starts from it. */
#include "tui/form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "tui/list_keys.h"
#include "tui/question.h"
#include "tui/run_words.h"

#define FIRST_ROWS 17 /* of the settings, until they are drawn */

static const struct layer_class form_class;

/* ---- starting ------------------------------------------------------------------------------- */

static void fail_start(struct form *f, const struct err *e)
{
    f->starting = 0;
    f->start_when_ready = false;
    if (f->leave_on_failure) {
        f->layer.app->err = *e;
        f->layer.app->leave = true;
    } else {
        app_say(f->layer.app, true, "%s", e->msg);
    }
}

static void begin(struct form *f)
{
    f->start_when_ready = false;
    f->starting = 1;
    f->layer.app->hurry = true;
}

static void start_anyway(struct app *a, void *user, char key)
{
    (void)a;
    (void)key;
    begin(user);
}

static void ask_too_large(struct form *f)
{
    struct question q = {.back = "back to the form", .chosen = start_anyway, .user = f};
    char need[64];
    str_copy(q.title, sizeof q.title, "start a run that does not fit?");
    snprintf(q.intro, sizeof q.intro, "needs %s free", words_need(&f->facts.plan, need, sizeof need));
    question_add(&q, 'b', "back to the form");
    struct answer *anyway = question_add(&q, 'r', "start anyway");
    str_copy(anyway->cost, sizeof anyway->cost, "may run out of memory");
    anyway->costly = true;
    app_push(f->layer.app, question_new(f->layer.app, &q));
}

static void start(struct form *f)
{
    const char *problem = form_problem(f);
    if (*problem) {
        struct err e = ERR_INIT;
        err_set(&e, f->facts.err.code ? f->facts.err.code : TT_ECONFIG, "%s", problem);
        fail_start(f, &e);
    } else if (!f->facts.have_plan) {
        f->start_when_ready = true;
        app_say(f->layer.app, false, "starts when the data is read");
    } else if (!f->facts.plan.fits) {
        f->start_when_ready = false;
        ask_too_large(f);
    } else {
        begin(f);
    }
}

static int start_queue(struct form *f, struct err *e)
{
    struct app *a = f->layer.app;
    struct queue q = {0};
    int code = run_queue_of(&q.runs, &f->ini, a->optims, e);
    return code ? code : app_start_queue(a, &q, e);
}

static void start_run(struct form *f)
{
    struct app *a = f->layer.app;
    struct err e = ERR_INIT;
    f->starting = 0;
    if (f->runs > 1 ? start_queue(f, &e) : app_start_run(a, &f->rc, f->resume, &e))
        fail_start(f, &e);
}

/* A run reads its data here: first a frame says that it is starting. */
static bool form_poll(struct layer *layer)
{
    struct form *f = (struct form *)layer;
    bool changed = f->have_rc && facts_poll(&f->facts, &f->rc);
    if (f->start_when_ready && !f->facts.reading)
        start(f);
    if (f->starting) {
        layer->app->hurry = true;
        if (++f->starting > 2)
            start_run(f);
        return true;
    }
    return changed;
}

/* ---- leaving -------------------------------------------------------------------------------- */

static void save(struct form *f)
{
    struct err e = ERR_INIT;
    if (f->resume)
        app_say(f->layer.app, true, "s: the config of a run is its record and stays");
    else if (form_save(f, &e))
        app_say(f->layer.app, true, "%s", e.msg);
    else
        app_say(f->layer.app, false, "saved %s", f->file.path);
}

static void leave(struct form *f, bool program)
{
    if (program)
        f->layer.app->leave = true;
    else
        app_pop(f->layer.app);
}

static void leave_changed(struct form *f, bool program, char key)
{
    struct err e = ERR_INIT;
    if (key == 's' && form_save(f, &e))
        app_say(f->layer.app, true, "%s", e.msg);
    else
        leave(f, program);
}

static void leave_form(struct app *a, void *user, char key)
{
    (void)a;
    leave_changed(user, false, key);
}

static void leave_program(struct app *a, void *user, char key)
{
    (void)a;
    leave_changed(user, true, key);
}

static void ask_to_leave(struct form *f, bool program)
{
    int n = form_changes(f);
    if (!n || f->resume) {
        leave(f, program);
        return;
    }
    struct question q = {.back = "back to the form", .user = f,
                         .chosen = program ? leave_program : leave_form};
    snprintf(q.title, sizeof q.title, "leave %.60s?", file_base(f->file.path));
    snprintf(q.intro, sizeof q.intro, "%d change%s not saved", n, n == 1 ? " is" : "s are");
    question_add(&q, 'b', "back to the form");
    question_add(&q, 's', "save and leave");
    struct answer *lose = question_add(&q, 'x', "leave without saving");
    snprintf(lose->cost, sizeof lose->cost, "loses %d change%s", n, n == 1 ? "" : "s");
    lose->costly = true;
    app_push(f->layer.app, question_new(f->layer.app, &q));
}

/* ---- editing -------------------------------------------------------------------------------- */

static void open_entry(struct form *f, const struct form_row *r)
{
    char text[512];
    if (!r->d || form_broken(f, r->section, r->key))
        form_row_value(f, r, text, sizeof text);
    else
        opt_format(r->d, r->values, text, sizeof text);
    entry_open(&f->entry, text);
}

static void take_entry(struct form *f)
{
    const struct form_row *r = form_selected(f);
    char section[64], key[64];
    str_copy(section, sizeof section, r->section);
    str_copy(key, sizeof key, r->key);
    if (form_put(f, section, key, f->entry.field.text, f->entry.error, sizeof f->entry.error))
        entry_close(&f->entry);
}

static void put_value(struct form *f, const struct form_row *r, const char *value)
{
    char why[256], section[64], key[64];
    str_copy(section, sizeof section, r->section);
    str_copy(key, sizeof key, r->key);
    if (!form_put(f, section, key, value, why, sizeof why))
        app_say(f->layer.app, true, "%s.%s: %s", section, key, why);
}

/* Space: the next value of those that have few. */
static void toggle(struct form *f)
{
    const struct form_row *r = form_selected(f);
    if (!r || r->kind != ROW_OPTION || (r->d->type != OPT_BOOL && r->d->type != OPT_CHOICE))
        return;
    open_entry(f, r);
    entry_step(&f->entry, r->d, 1);
    put_value(f, r, f->entry.field.text);
    entry_close(&f->entry);
}

/* Del: the default. */
static void reset(struct form *f)
{
    const struct form_row *r = form_selected(f);
    if (r && f->pane == PANE_SETTINGS && (r->d || r->kind == ROW_SWEEP || r->kind == ROW_UNKNOWN))
        put_value(f, r, "");
}

static void entry_action(struct form *f, enum action action)
{
    const struct form_row *r = form_selected(f);
    switch (action) {
    case ACTION_ENTER: take_entry(f); break;
    case ACTION_BACK: entry_close(&f->entry); break;
    case ACTION_UP: if (r->d) entry_step(&f->entry, r->d, 1); break;
    case ACTION_DOWN: if (r->d) entry_step(&f->entry, r->d, -1); break;
    default: break;
    }
}

/* ---- panes ---------------------------------------------------------------------------------- */

static int last_pane(const struct form *f)
{
    if (f->layout.choices.h > 0)
        return PANE_CHOICES + CHOICES - 1;
    return f->layout.optimizer.h > 0 ? PANE_OPTIMIZERS : PANE_SETTINGS;
}

static void next_pane(struct form *f, int by)
{
    int n = last_pane(f) + 1;
    f->pane = (f->pane + by + n) % n;
}

static struct list *pane_list(struct form *f)
{
    return f->pane == PANE_OPTIMIZERS ? &f->optimizers : &f->choices[f->pane - PANE_CHOICES];
}

static void take_optimizer(struct form *f)
{
    const struct plan_optim *o[PLAN_OPTIMS];
    int n = form_optimizers(f, o);
    char name[32], why[512];
    if (f->optimizers.selected >= n)
        return;
    str_copy(name, sizeof name, o[f->optimizers.selected]->name);
    if (!form_choose(f, "optimizer", "name", name, why, sizeof why))
        app_say(f->layer.app, true, "%s: %s", name, why);
}

static void take_choice(struct form *f, int choice)
{
    struct list *l = &f->choices[choice];
    int shown[PLAN_OPTIMS + FORM_DATA], n = form_choice_rows(f, choice, l->rows, shown);
    if (l->selected < n)
        choice_take(f, choice, shown[l->selected]);
    else
        form_pick(f, choice);
}

static void enter(struct form *f)
{
    const struct form_row *r = form_selected(f);
    if (f->pane == PANE_OPTIMIZERS)
        take_optimizer(f);
    else if (f->pane >= PANE_CHOICES)
        take_choice(f, f->pane - PANE_CHOICES);
    else if (!r)
        return;
    else if (r->kind == ROW_START)
        start(f);
    else if (r->kind == ROW_CHOICE)
        form_pick(f, r->choice);
    else
        open_entry(f, r);
}

static void move(struct form *f, enum list_move m)
{
    if (f->pane == PANE_SETTINGS)
        form_move(f, m);
    else
        list_move(pane_list(f), m);
}

static void sideways(struct form *f, int by)
{
    const struct form_row *r = form_selected(f);
    if (f->pane == PANE_SETTINGS && r && r->kind == ROW_CHOICE && f->have_rc)
        choice_step(f, r->choice, by);
}

static void path_action(struct form *f, enum action action)
{
    if (action != ACTION_ENTER && action != ACTION_BACK)
        return;
    entry_close(&f->path);
    if (action == ACTION_ENTER && *f->path.field.text)
        form_take_file(f, f->path.field.text);
}

static void go_back(struct form *f)
{
    if (list_action(&f->settings, ACTION_BACK))
        form_filter(f);
    else
        ask_to_leave(f, false);
}

/* ---- the layer ------------------------------------------------------------------------------ */

static void form_action(struct form *f, enum action action)
{
    switch (action) {
    case ACTION_UP: move(f, LIST_UP); break;
    case ACTION_DOWN: move(f, LIST_DOWN); break;
    case ACTION_PAGE_UP: move(f, LIST_PAGE_UP); break;
    case ACTION_PAGE_DOWN: move(f, LIST_PAGE_DOWN); break;
    case ACTION_FIRST: move(f, LIST_FIRST); break;
    case ACTION_LAST: move(f, LIST_LAST); break;
    case ACTION_LEFT: sideways(f, -1); break;
    case ACTION_RIGHT: sideways(f, 1); break;
    case ACTION_NEXT_VIEW: next_pane(f, 1); break;
    case ACTION_PREV_VIEW: next_pane(f, -1); break;
    case ACTION_ENTER: enter(f); break;
    case ACTION_PAUSE: toggle(f); break; /* Space */
    case ACTION_START: start(f); break;
    case ACTION_SAVE: save(f); break;
    case ACTION_FILTER: list_action(&f->settings, action); break;
    case ACTION_BACK: go_back(f); break;
    case ACTION_QUIT: ask_to_leave(f, true); break;
    default: break;
    }
}

static void form_key(struct layer *layer, enum action action, const struct key_event *k)
{
    struct form *f = (struct form *)layer;
    if (f->starting)
        return;
    if (f->path.open)
        path_action(f, action);
    else if (f->entry.open)
        entry_action(f, action);
    else if (k->code == KEY_DELETE_KEY)
        reset(f);
    else
        form_action(f, action);
}

static bool form_text(struct layer *layer, const struct key_event *k)
{
    struct form *f = (struct form *)layer;
    const struct form_row *r = form_selected(f);
    if (list_filter_key(&f->settings, k)) {
        form_filter(f);
        return true;
    }
    if (entry_key(&f->path, k))
        return true;
    if (f->entry.open && k->code == ' ' && !k->pasted && r && r->d &&
        (r->d->type == OPT_BOOL || r->d->type == OPT_CHOICE)) {
        entry_step(&f->entry, r->d, 1);
        return true;
    }
    return entry_key(&f->entry, k);
}

static void form_free(struct layer *layer)
{
    struct form *f = (struct form *)layer;
    if (f->have_rc)
        run_config_release(&f->rc);
    ini_release(&f->file);
    ini_release(&f->ini);
    strlist_release(&f->set);
    facts_release(&f->facts);
    free(f->resume);
    free(f->row);
    free(f->shown);
    free(f);
}

static const struct layer_class form_class = {
    .name = "form",
    .draw = form_draw,
    .text = form_text,
    .key = form_key,
    .poll = form_poll,
    .free = form_free,
};

int form_open(struct app *a, const struct form_spec *s, struct err *e)
{
    struct ini file;
    int code = ini_read(&file, s->path, e);
    if (code)
        return code;
    struct form *f = xcalloc(1, sizeof *f);
    f->layer = (struct layer){&form_class, a};
    f->file = file;
    ini_copy(&f->ini, &file);
    for (size_t i = 0; i < s->nset && !code; i++) {
        strlist_add(&f->set, s->set[i]);
        code = ini_put_assignment(&f->ini, s->set[i], e);
    }
    keys_reset();
    if (code || (code = keys_configure(&f->ini, e))) {
        form_free(&f->layer);
        return code;
    }
    f->resume = xstrdup(s->resume);
    f->start_when_ready = s->start;
    f->leave_on_failure = s->leave_on_failure;
    f->settings.rows = FIRST_ROWS;
    form_resolve(f);
    form_collect_data(f);
    if (f->have_rc)
        a->ui = f->rc.ui;
    app_push(a, &f->layer);
    return 0;
}

void form_resume(struct app *a, const char *run_path, bool begin_now)
{
    struct err e = ERR_INIT;
    char *config = file_join(run_path, "config.ini");
    struct form_spec s = {.path = config, .resume = run_path, .start = begin_now};
    if (form_open(a, &s, &e))
        app_say(a, true, "%s", e.msg);
    free(config);
}
