/* What the launcher lists: configs on disk and run directories, each in one line. */
#ifndef TT_TUI_LAUNCHER_SCAN_H
#define TT_TUI_LAUNCHER_SCAN_H

#include "engine/io/rundir.h"
#include "engine/train/run_config.h"

struct config_entry {
    char path[4096];
    char name[160];  /* as listed; a folder of configs ends in a slash */
    char model[32], data[32], optimizer[32], schedule[32];
    bool lacks;      /* data says what is missing */
    bool folder;
    int runs;        /* that it makes: the configs of the folder, or those of a [sweep] */
    char error[512]; /* why it can't be used; "" it can */
};

struct run_entry {
    char path[4096];
    struct run_summary s;
    bool live;
};

struct scan { /* starts as {0} */
    struct config_entry *config;
    int nconfigs;
    size_t config_cap;
    struct run_entry *run;
    int nruns;
    size_t run_cap;
};

/* Configs of ./configs with its folders, of the current folder, and of `installed` (may be NULL) unless
 * one of that name is at hand. `folder` not NULL: that folder alone. */
void scan_configs(struct scan *s, const char *folder, const char *installed,
                  const struct optim_class *const *optims);
/* Run directories below `dir`: those that are going on, then the newest first. */
void scan_runs(struct scan *s, const char *dir);
void scan_release(struct scan *s);

#endif
