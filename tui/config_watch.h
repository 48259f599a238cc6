/* A config file of a run that goes on, looked at once a second: what somebody changed in it since the
 * run has it, and which of that the run can still take.
 *
 * A change is an option whose value in the file is another than it was; a live one is settled, and no
 * change any more, as soon as the run has that value, whoever gave it. So what the console changes is
 * never told as a change of the file, nor what the trainer writes into its run's config.ini.
 *
 * A file counts once it has stayed the same for a second: an editor may write it in pieces, or rename it
 * into its place. One that is gone, empty, no file or too large says nothing; what it said before
 * holds. */
#ifndef TT_TUI_CONFIG_WATCH_H
#define TT_TUI_CONFIG_WATCH_H

#include <sys/stat.h>

#include "engine/train/run_config.h"

struct config_change {
    char *key;       /* section.key */
    char *was, *now; /* as a file spells them; "" for unset. was: of a live one, what is in force */
    char *shown;     /* `now` as the screen spells it */
    bool live;       /* the run can take it; else `reason` */
    const char *reason;
};

struct config_watch {
    char *path; /* NULL: nothing is watched */
    char *seen; /* its text when it was last read */
    struct ini first;       /* ... and at the start */
    struct run_config base; /* what the run has of it */
    struct stat mark;       /* tells whether the file is another one than at the last look */
    bool unread;            /* it is, and was not read yet */
    double looked_at;
    struct config_change *change;
    size_t n, live;  /* changes, and those that the run can take */
    struct err err;  /* the file as it is now is no config; there are no changes then */
};

/* `path`: NULL, or one that holds no config: nothing is watched. `started`: what the run was started
 * with, where --set, a sweep or the form put something over the file; that holds for the options that
 * the file says nothing new about. NULL: the file alone. */
void config_watch_start(struct config_watch *w, const char *path, const struct run_config *started,
                        const struct optim_class *const *optims);
/* True when there is something to tell: the file has other changes than at the last look, or a mistake,
 * or its changes were taken back. `in_force`: what the run goes by now. */
bool config_watch_poll(struct config_watch *w, double now, const struct run_config *in_force);
/* "run.ini", and "NAME/config.ini" of a run's own config. */
char *config_watch_name(const struct config_watch *w, char *dst, size_t size);
/* One line of it: "run.ini changed on disk: 2 options, 1 live", or the mistake: "run.ini:6: ...". */
char *config_watch_say(const struct config_watch *w, char *dst, size_t size);
void config_watch_release(struct config_watch *w);

#endif
