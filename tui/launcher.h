/* The first screen: configs and runs, what the selected one is, and whether it fits. */
#ifndef TT_TUI_LAUNCHER_H
#define TT_TUI_LAUNCHER_H

#include "tui/app.h"
#include "tui/entry.h"
#include "tui/facts.h"
#include "tui/launcher_scan.h"

enum launcher_part { PART_CONFIGS, PART_RUNS, PARTS };

struct launcher {
    struct layer layer;
    char folder[512];      /* of a queue that is looked into; "": none */
    struct scan scan;
    char queue[512];       /* folder that is asked about */
    struct strlist queue_set; /* --set for its runs */
    double configs_at, runs_at; /* sys_now() of the last scans; 0: due */
    int64_t unix_now;
    struct list list[PARTS];    /* rows that pass the filter, which is that of the configs for both */
    int *row[PARTS];            /* their numbers in the scan */
    enum launcher_part part;
    struct entry name;     /* of a new config, while it is typed */
    /* The selected entry in words. */
    char of[512];          /* its path */
    double since;          /* when it was selected; 0: its words stand */
    struct run_config rc;
    bool have_rc;
    struct facts facts;
    char title[160], line[3][240], status[512];
    const char *label[3];
    bool status_bad;
    int runs;              /* that the entry makes */
    char machine[80];      /* row 0, right */
};

struct layer *launcher_new(struct app *a);

/* The configs of that folder in the place of all; "": all again. */
void launcher_look_into(struct launcher *l, const char *folder);

/* launcher_queue.c */
/* Ask whether the configs of a folder are to be trained one after the other. */
void launcher_ask_queue(struct launcher *l, const char *path, const char *const *set, size_t nset);
/* "3 runs: adafactor, adamw, adamw8bit" of a folder or of a config; 0: e says why there is none. */
size_t launcher_queue_words(const struct launcher *l, const char *path, char *dst, size_t size,
                            struct err *e);

/* launcher_draw.c */
extern const char *(*const launcher_names[PARTS])(void *user, int i); /* of the rows that are shown */
void launcher_draw(struct layer *l, struct canvas *c);
/* "2 h ago", "yesterday", "12 Nov". */
char *launcher_when(int64_t then, int64_t now, char *dst, size_t size);

/* launcher_detail.c: the words of the selected entry; true when they changed. */
bool launcher_describe(struct launcher *l, double now);
/* The selected entry; NULL: the list of the part is empty. */
const struct config_entry *launcher_config(const struct launcher *l);
const struct run_entry *launcher_run(const struct launcher *l);

#endif
