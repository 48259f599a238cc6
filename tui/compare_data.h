/* Runs side by side: what their directories tell, read as it grows and a piece at a time, so that a
 * file of a million lines never holds the screen. UI thread only. */
#ifndef TT_TUI_COMPARE_DATA_H
#define TT_TUI_COMPARE_DATA_H

#include "engine/io/follow.h"
#include "engine/io/rundir.h"
#include "tui/series_reader.h"
#include "tui/uimodel.h"

#define COMPARE_PINS 6   /* in the view */
#define COMPARE_SLOTS 16 /* numbers that a slot can have */

struct compare_run {
    char path[4096], name[128], state[16];
    struct run_about about;
    struct follow file;
    char *metrics;        /* path of its metrics.jsonl */
    struct history *read; /* [SERIES_COUNT]: what its file told; NULL of the dashboard's run */
    const struct history *series; /* these, or those of the model */
    struct series_reader reader;
    bool own;    /* the run of the dashboard: its numbers come from the model */
    bool added;  /* by hand, from another folder */
    bool seen;   /* by the scan going on */
    bool unread; /* there is more in the file */
    int64_t lines;
    int slot; /* number among those pinned, from 0; -1: not pinned */
    /* As the table shows them. */
    int64_t state_bytes, step, max_steps, best_step[METRIC_COUNT];
    double best[METRIC_COUNT]; /* NaN: never */
    double samples, tokens, seconds;
};

struct compare {              /* zeroed at first */
    struct compare_run **run; /* the dashboard's first, then by name */
    int n;
    size_t cap;
    bool chosen;       /* the user has pinned: no run is pinned by itself any more */
    double scanned_at; /* sys_now() */
};

/* Look at the runs beside the model's every 2 s, read what is unread; true: something changed. */
bool compare_poll(struct compare *c, const struct uimodel *m);
/* Add a run directory. NULL: it is none, e says why. */
struct compare_run *compare_add(struct compare *c, const char *path, struct err *e);
/* Read one to its end, now. */
int compare_read(struct compare_run *r, struct err *e);
/* False: six are pinned already. */
bool compare_pin(struct compare *c, struct compare_run *r, bool on);
void compare_release(struct compare *c);

/* Run of a slot; NULL: none. */
struct compare_run *compare_slot(const struct compare *c, int slot);
int compare_pinned(const struct compare *c);

/* Two scores that say most of these runs, best known first. */
void compare_scores(const struct compare *c, enum metric out[2]);
/* The pinned run that is best by k; NULL: none was evaluated. */
const struct compare_run *compare_best(const struct compare *c, enum metric k);
/* The pinned run that keeps the fewest bytes of state. */
const struct compare_run *compare_least(const struct compare *c);
/* The largest step at which all that are pinned were evaluated; -1: none. */
int64_t compare_common_step(const struct compare *c, enum metric k);
double compare_score_at(const struct compare_run *r, enum metric k, int64_t step);
bool compare_same_seed(const struct compare *c);

#endif
