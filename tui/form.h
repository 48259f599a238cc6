/* The form of a new run: every option of the chosen parts, what the optimizers would keep, the schedule,
 * and whether it fits (screens.md 2.2). It edits the INI text of a config and resolves it after each
 * change; what can't be resolved is shown and left out, so that it can be put right. */
#ifndef TT_TUI_FORM_H
#define TT_TUI_FORM_H

#include "tui/app.h"
#include "tui/entry.h"
#include "tui/facts.h"
#include "tui/layout.h"

#define FORM_BROKEN 16
#define FORM_DATA 24

enum form_pane { PANE_SETTINGS, PANE_OPTIMIZERS, PANE_CHOICES /* the first of the choice lists */ };
enum { CHOICE_MODEL, CHOICE_DATA, CHOICE_OPTIMIZER, CHOICE_SCHEDULE, CHOICES };

/* ROW_SWEEP: an option of [sweep], whose values make the runs of a queue. */
enum form_row_kind { ROW_START, ROW_CHOICE, ROW_SECTION, ROW_OPTION, ROW_SWEEP, ROW_UNKNOWN };

struct form_row {
    enum form_row_kind kind;
    int choice;               /* ROW_CHOICE */
    char section[64], key[64];
    const struct opt_desc *d; /* ROW_OPTION */
    void *values;
    char name[136];           /* "optimizer.lr": how the list remembers it */
};

struct broken_entry { /* a line of the config that could not be resolved */
    char section[64], key[64];
    char why[512];
};

/* Data to choose from: that of the file itself, of the configs at hand, made-up rows, another file. */
enum data_from { DATA_OWN, DATA_CONFIG, DATA_SYNTHETIC, DATA_OTHER };
struct data_choice {
    enum data_from from;
    char name[32], config[512]; /* config: whose [data] it is */
};

struct form_pick { /* what a picker over the form picks */
    struct form *form;
    int choice;
};

struct form {
    struct layer layer;
    struct ini file;          /* as read: where values come from, and what `s` writes to */
    struct ini ini;           /* with --set and the changes made here */
    struct strlist set;       /* --set, to be put again after a save */
    char *resume;             /* run directory to go on with; NULL: a new run */
    size_t runs;              /* that ini makes: over 1 with a [sweep]; 0: there is a mistake in it */
    struct run_config rc;     /* of ini, without what is broken */
    bool have_rc;
    struct broken_entry broken[FORM_BROKEN];
    int nbroken;
    struct err hopeless;      /* there is nothing to show: code not 0 */
    struct facts facts;
    struct data_choice data[FORM_DATA];
    int ndata;
    struct form_row *row;     /* all of them */
    int nrows;
    size_t row_cap;
    int *shown;               /* numbers of those that pass the filter */
    struct list settings, optimizers, choices[CHOICES];
    int pane;                 /* enum form_pane; PANE_CHOICES + k: list of choice k */
    struct layout_form layout; /* of the last draw */
    struct entry entry;       /* of the selected option */
    struct form_pick pick[CHOICES];
    struct entry path;        /* of another data file */
    int starting;             /* turns since Start was chosen; 0: it was not */
    bool start_when_ready;    /* as soon as the data is known */
    bool leave_on_failure;    /* --start: a run that can't start ends the program */
};

struct form_spec {
    const char *path;
    const char *const *set;
    size_t nset;
    const char *resume; /* run directory, or NULL */
    bool start;         /* without asking, as soon as the data is known */
    bool leave_on_failure;
};

/* Push a form. TT_ECONFIG when the file can't be read as INI text. */
int form_open(struct app *a, const struct form_spec *s, struct err *e);
/* The form of a run that ended too early, from its own config; failures are said. */
void form_resume(struct app *a, const char *run_path, bool start);

/* ---- between the files of the form ---------------------------------------------------------- */

/* form_config.c: the text and what it means. */
void form_resolve(struct form *f);
/* "section.key" gets that value, "" removes it. False: the table refuses it, `why` says so. */
bool form_put(struct form *f, const char *section, const char *key, const char *value,
              char *why, size_t size);
/* The same for an option that is chosen from a list: that one value, and no [sweep] over it. */
bool form_choose(struct form *f, const char *section, const char *key, const char *value, char *why,
                 size_t size);
int form_changes(const struct form *f); /* not saved */
int form_save(struct form *f, struct err *e);
const struct broken_entry *form_broken(const struct form *f, const char *section, const char *key);
/* Why it can't start; "" when it can. */
const char *form_problem(const struct form *f);

/* form_rows.c */
void form_build_rows(struct form *f);
void form_filter(struct form *f);
struct form_row *form_selected(const struct form *f); /* of the settings; NULL: none */
void form_move(struct form *f, enum list_move m);
char *form_row_value(const struct form *f, const struct form_row *r, char *dst, size_t size);
bool form_row_changed(const struct form *f, const struct form_row *r); /* not the default */

/* form_choices.c: model, data, optimizer, schedule. */
struct choice_class {
    const char *title;
    const char *section, *key; /* the option that it sets; NULL: it is more than one */
    int (*count)(const struct form *);
    const char *(*name)(const struct form *, int i);
    const char *(*summary)(const struct form *, int i);
    const char *(*now)(const struct form *, char *dst, size_t size); /* the one in force */
    void (*take)(struct form *, int i); /* NULL: the name becomes the option's value */
};
extern const struct choice_class choice_classes[CHOICES];
void form_collect_data(struct form *f);
/* The [data] of the form is that file from now on. */
void form_take_file(struct form *f, const char *path);
int choice_current(const struct form *f, int choice); /* -1: none of the list */
void choice_take(struct form *f, int choice, int i);
/* The values that [sweep] has for it, as the config spells them; NULL: none. */
const char *choice_swept(const struct form *f, int choice);
void choice_step(struct form *f, int choice, int by);

/* form_panes.c: what the optimizers of the list would keep, by bytes. */
int form_optimizers(const struct form *f, const struct plan_optim *out[PLAN_OPTIMS]);
/* form_picker.c */
void form_pick(struct form *f, int choice);

/* form_draw.c, form_panes.c, form_help.c */
int64_t form_largest_batch(const struct form *f);
void form_draw(struct layer *l, struct canvas *c);
void form_draw_settings(struct form *f, struct canvas *c, struct rect r);
void form_draw_optimizers(struct form *f, struct canvas *c, struct rect r);
void form_draw_schedule(const struct form *f, struct canvas *c, struct rect r);
void form_draw_choices(struct form *f, struct canvas *c, struct rect r);
/* The entries that a list of `room` rows shows; the rest is behind its last row. Returns their number. */
int form_choice_rows(const struct form *f, int choice, int room, int out[]);
void form_help_lines(const struct form *f, int cols, char first[512], char second[512]);
/* The rule of a pane, in the role of the focus when it has it. */
void form_pane_rule(struct canvas *c, int x, int y, int w, const char *title, bool focus);

#endif
