/* The help lines of the form: what a row means, what is allowed, where its value comes from. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tui/form.h"

/* What to change in its place while the run goes on. */
static const struct {
    const char *key, *instead;
} live_twins[] = {{"optimizer.lr", "schedule.scale"}};

static void live_words(const struct form_row *r, char *dst, size_t size)
{
    if (r->d->flags & OPT_LIVE) {
        str_copy(dst, size, "May change while training.");
        return;
    }
    str_copy(dst, size, "Fixed once training starts.");
    for (size_t i = 0; i < sizeof live_twins / sizeof live_twins[0]; i++)
        if (!strcmp(live_twins[i].key, r->name))
            snprintf(dst, size, "While training change %s instead.", live_twins[i].instead);
}

/* A value of the file as the form would show it. */
static void show_text(const struct form_row *r, const char *text, char *dst, size_t size)
{
    double v;
    str_visible(dst, size, text);
    if (r->kind == ROW_OPTION && r->d->type == OPT_REAL && str_to_f64(text, &v) && v != 0 &&
        v > -0.001 && v < 0.001)
        fmt_rate(dst, size, v, GLYPHS_BRAILLE);
}

static void source_words(const struct form *f, const struct form_row *r, char *dst, size_t size)
{
    char shown[200];
    const struct ini_entry *now = ini_find(&f->ini, r->section, r->key);
    const struct ini_entry *filed = ini_find(&f->file, r->section, r->key);
    if (now && now->from == INI_SET) {
        show_text(r, now->value, shown, sizeof shown);
        snprintf(dst, size, "from --set: %s.", shown);
    } else if (filed) {
        show_text(r, filed->value, shown, sizeof shown);
        snprintf(dst, size, "from the file: %s, line %d.", shown, filed->line);
    } else if (now) {
        str_copy(dst, size, "from the form; not in the file.");
    } else {
        str_copy(dst, size, "not in the file: the default holds.");
    }
}

/* "0 to 1000" of "a number from 0 to 1000". */
static const char *range_alone(const char *allowed)
{
    static const char *const kinds[] = {"a number from ", "a whole number from "};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (str_starts(allowed, kinds[i]))
            return allowed + strlen(kinds[i]);
    return allowed;
}

/* What is allowed goes shorter, then to the second line, where it does not fit. */
static void option_lines(const struct form *f, const struct form_row *r, int cols, char first[512],
                         char second[512])
{
    char allowed[140], text[64], normal[64], source[260], live[80], unit[40] = "";
    opt_allowed(r->d, allowed, sizeof allowed);
    opt_format_default(r->d, text, sizeof text);
    show_text(r, *text ? text : "unset", normal, sizeof normal);
    if (r->d->unit)
        snprintf(unit, sizeof unit, " (%s)", r->d->unit);
    source_words(f, r, source, sizeof source);
    live_words(r, live, sizeof live);
    snprintf(second, 512, "%s %s", source, live);
    snprintf(first, 512, "%s%s. %c%s; default %s.", r->d->help, unit, toupper((unsigned char)*allowed),
             allowed + 1, normal);
    if (text_width(first) > cols)
        snprintf(first, 512, "%s%s. %s; default %s.", r->d->help, unit, range_alone(allowed), normal);
    if (text_width(first) <= cols)
        return;
    snprintf(first, 512, "%s%s; default %s.", r->d->help, unit, normal);
    snprintf(second, 512, "%c%s; %s %s", toupper((unsigned char)*allowed), allowed + 1, source, live);
}

static void choice_lines(const struct form *f, int choice, char first[512], char second[512])
{
    const struct choice_class *cls = &choice_classes[choice];
    int at = choice_current(f, choice);
    snprintf(first, 512, "%s", at >= 0 ? cls->summary(f, at) : "");
    snprintf(second, 512, "Enter shows all %d%s; left and right take the neighbour.", cls->count(f),
             cls->section ? ", Space marks several" : "");
}

static void start_lines(const struct form *f, char first[512], char second[512])
{
    str_copy(first, 512, f->resume ? "Goes on from the newest whole checkpoint of this run."
                                   : "Enter starts; r starts from any row.");
    const char *warning = f->have_rc && f->rc.warnings.n ? f->rc.warnings.s[0] : "";
    str_copy(second, 512, *f->facts.train.note ? f->facts.train.note
                          : *warning           ? warning
                                               : "Changes hold for this run; s writes them to the file.");
}

static void sweep_lines(const struct form *f, const struct form_row *r, char first[512],
                        char second[512])
{
    char source[260];
    source_words(f, r, source, sizeof source);
    snprintf(first, 512, "Values of %s by commas: each makes a run of the queue.", r->key);
    snprintf(second, 512, "%s Del takes it out.", source);
}

void form_help_lines(const struct form *f, int cols, char first[512], char second[512])
{
    const struct form_row *r = form_selected(f);
    first[0] = second[0] = 0;
    if (f->pane == PANE_OPTIMIZERS)
        choice_lines(f, CHOICE_OPTIMIZER, first, second);
    else if (f->pane >= PANE_CHOICES)
        choice_lines(f, f->pane - PANE_CHOICES, first, second);
    else if (*f->entry.error)
        str_copy(first, 512, f->entry.error);
    else if (r && r->kind == ROW_START)
        start_lines(f, first, second);
    else if (r && r->kind == ROW_CHOICE && f->have_rc)
        choice_lines(f, r->choice, first, second);
    else if (r && form_broken(f, r->section, r->key))
        snprintf(first, 512, "%s", form_broken(f, r->section, r->key)->why);
    else if (r && r->kind == ROW_OPTION)
        option_lines(f, r, cols, first, second);
    else if (r && r->kind == ROW_SWEEP)
        sweep_lines(f, r, first, second);
    if (r && r->kind == ROW_UNKNOWN)
        str_copy(second, 512, "Del takes it out.");
}
