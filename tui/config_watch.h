/* The config file of a run that goes on, looked at once a second: what somebody changed in it since the
 * start, and which of that the run can still take. */
#ifndef TT_TUI_CONFIG_WATCH_H
#define TT_TUI_CONFIG_WATCH_H

#include "engine/train/run_config.h"

struct config_change {
    char *key;       /* section.key */
    char *was, *now; /* as the file spells them; "" for unset */
    bool live;       /* the run can take it; else `reason` */
    const char *reason;
};

struct config_watch {
    char *path;
    char *first, *seen; /* text of the file at the start, and when it was last looked at */
    const struct optim_class *const *optims;
    double looked_at;
    struct config_change *change;
    size_t n, live;  /* changes, and those that the run can take */
    struct err err;  /* the file as it is now is no config; there are no changes then */
};

/* `path`: the file that the run was started from; NULL, or one that can't be read: nothing is watched. */
void config_watch_start(struct config_watch *w, const char *path,
                        const struct optim_class *const *optims);
/* True when the file is another than at the last look: change, live and err are new. Changes that were
 * taken back are gone. */
bool config_watch_poll(struct config_watch *w, double now);
/* One line of it: "run.ini changed on disk: 2 options, 1 live". */
char *config_watch_say(const struct config_watch *w, char *dst, size_t size);
void config_watch_release(struct config_watch *w);

#endif
