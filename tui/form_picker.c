/* The picker of the form's choices: optimizers with what they keep, the others with their names. */
#include <stdio.h>
#include <string.h>

#include "tui/form.h"
#include "tui/picker.h"

static const char *pick_name(void *user, int i)
{
    const struct form_pick *p = user;
    return choice_classes[p->choice].name(p->form, i);
}

static void pick_take(void *user, int i)
{
    const struct form_pick *p = user;
    choice_take(p->form, p->choice, i);
}

static bool pick_marked(void *user, int i)
{
    const struct form_pick *p = user;
    const char *swept = choice_swept(p->form, p->choice);
    struct strlist names = STRLIST_INIT;
    if (swept)
        strlist_split(&names, swept, ',');
    bool marked = strlist_find(&names, pick_name(user, i)) >= 0;
    strlist_release(&names);
    return marked;
}

/* Each of them becomes a run. */
static void pick_take_marked(void *user, const bool *marked)
{
    const struct form_pick *p = user;
    const struct choice_class *cls = &choice_classes[p->choice];
    struct strbuf names = STRBUF_INIT;
    char option[128], why[512];
    for (int i = 0; i < cls->count(p->form); i++)
        if (marked[i])
            strbuf_addf(&names, "%s%s", names.len ? ", " : "", pick_name(user, i));
    snprintf(option, sizeof option, "%s.%s", cls->section, cls->key);
    if (!form_put(p->form, "sweep", option, names.s, why, sizeof why))
        app_say(p->form->layer.app, true, "%s", why);
    strbuf_release(&names);
}

/* ---- optimizers ----------------------------------------------------------------------------- */

static const struct plan_optim *planned(const struct form *f, const char *name)
{
    if (!f->facts.have_plan)
        return NULL;
    for (int i = 0; i < f->facts.plan.noptim; i++)
        if (!strcmp(f->facts.plan.optim[i].name, name))
            return &f->facts.plan.optim[i];
    return NULL;
}

/* Kinds of states in the order of the picker: the many of low-bit optimizers are told by their kind. */
enum { KIND_PLAIN, KIND_SCALES, KIND_STEP, KINDS };

static int state_kind(const char *name)
{
    if (str_starts(name, "absmax") || str_ends(name, "_scale"))
        return KIND_SCALES;
    return strcmp(name, "step") ? KIND_PLAIN : KIND_STEP;
}

static const char *state_name(const char *name)
{
    if (state_kind(name) == KIND_SCALES)
        return "scales";
    return str_ends(name, "_codes") ? "codes" : name;
}

/* "state1, state2 u8, scales": each name once, a type that is not f32 behind the last that has it. */
static void state_words(const struct plan_optim *o, char *dst, size_t size)
{
    struct strlist names = STRLIST_INIT;
    const char *type[PLAN_STATES];
    size_t n = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < o->nstate; i++) {
            const char *name = state_name(o->state[i].name);
            if (state_kind(o->state[i].name) != kind || strlist_find(&names, name) >= 0)
                continue;
            type[names.n] = o->state[i].type;
            strlist_add(&names, name);
        }
    str_copy(dst, size, names.n ? "" : "none");
    for (size_t i = 0; i < names.n && n < size; i++) {
        bool told = !strcmp(type[i], "f32") || (i + 1 < names.n && !strcmp(type[i + 1], type[i]));
        n += (size_t)snprintf(dst + n, size - n, "%s%s%s%s", i ? ", " : "", names.s[i],
                              told ? "" : " ", told ? "" : type[i]);
    }
    strlist_release(&names);
}

static void optimizer_columns(void *user, struct canvas *c, int x, int end, int y, int i)
{
    const struct form_pick *p = user;
    const struct plan_optim *o = planned(p->form, pick_name(user, i));
    char states[96], cut[96], text[64];
    if (!o || o->refused) {
        canvas_put(c, x, y, ROLE_DIM, o ? "not for this model" : "");
        return;
    }
    state_words(o, states, sizeof states);
    canvas_put(c, x, y, ROLE_DIM, text_cut_end(c->level, cut, sizeof cut, states, end - 18 - x));
    snprintf(text, sizeof text, "%.2f", (double)o->bytes / (double)p->form->facts.plan.parameters);
    canvas_right(c, end - 11, y, ROLE_TEXT, text);
    snprintf(text, sizeof text, "%.1f MiB", (double)o->bytes / 1048576);
    canvas_right(c, end, y, ROLE_TEXT, text);
}

/* Which keys given in the file the other optimizer has too, and which not. */
static void kept_keys(const struct form *f, const char *name, char *dst, size_t size)
{
    struct err ignored = ERR_INIT;
    const struct optim_class *cls = optim_by_name(f->layer.app->optims, name, &ignored);
    char kept[80] = "", lost[80] = "";
    for (size_t i = 0; i < f->ini.n && cls; i++) {
        const struct ini_entry *e = &f->ini.e[i];
        if (strcmp(e->section, "optimizer") || !strcmp(e->key, "name"))
            continue;
        char *list = opt_find(cls->opts, e->key) ? kept : lost;
        size_t n = strlen(list);
        snprintf(list + n, sizeof kept - n, "%s%s", n ? ", " : "", e->key);
    }
    snprintf(dst, size, "%s%s%s%s", *kept ? "; keeps " : "", kept, *lost ? "; leaves " : "", lost);
}

static void optimizer_describe(void *user, int i, char sentence[512], char last[128])
{
    const struct form_pick *p = user;
    const struct memory_plan *plan = &p->form->facts.plan;
    const struct plan_optim *o = planned(p->form, pick_name(user, i));
    char kept[160];
    str_copy(sentence, 512, choice_classes[p->choice].summary(p->form, i));
    if (!o || o->refused) {
        str_copy(last, 128, o ? o->states : "");
        return;
    }
    kept_keys(p->form, o->name, kept, sizeof kept);
    char now[48], then[48];
    fmt_mib(now, sizeof now, plan->total_bytes);
    fmt_mib(then, sizeof then, plan->total_bytes - plan->state_bytes + o->bytes);
    size_t unit = strlen(now) - strlen(" MiB");
    if (str_ends(now, " MiB") && str_ends(then, " MiB"))
        now[unit] = 0;
    size_t n = (size_t)snprintf(last, 128, "run %s -> %s", now, then);
    str_copy(last + n, 128 - n, kept);
}

/* ---- the others ----------------------------------------------------------------------------- */

static void summary_columns(void *user, struct canvas *c, int x, int end, int y, int i)
{
    const struct form_pick *p = user;
    char cut[256];
    canvas_put(c, x, y, ROLE_DIM, text_cut_end(c->level, cut, sizeof cut,
                                               choice_classes[p->choice].summary(p->form, i), end - x));
}

static void summary_describe(void *user, int i, char sentence[512], char last[128])
{
    const struct form_pick *p = user;
    last[0] = 0;
    str_copy(sentence, 512, choice_classes[p->choice].summary(p->form, i));
}

void form_pick(struct form *f, int choice)
{
    const struct choice_class *cls = &choice_classes[choice];
    bool optimizers = choice == CHOICE_OPTIMIZER;
    if (!f->have_rc)
        return;
    f->pick[choice] = (struct form_pick){f, choice};
    struct picker_source s = {.title = cls->title, .n = cls->count(f),
                              .current = choice_current(f, choice), .name = pick_name,
                              .columns = optimizers ? optimizer_columns : summary_columns,
                              .describe = optimizers ? optimizer_describe : summary_describe,
                              .take = pick_take, .user = &f->pick[choice]};
    if (cls->section) {
        s.marked = pick_marked;
        s.take_marked = pick_take_marked;
    }
    if (optimizers)
        s.heads = "states                   B/param      state";
    app_push(f->layer.app, picker_new(f->layer.app, &s));
}
