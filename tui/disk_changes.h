/* The config files of a run that goes on, and what somebody changes in them meanwhile.
 *
 * There are two that a user may edit: the one that the run was started from, where the run is one of this
 * process, and NAME/config.ini in its run directory. A run of another process does not tell what it was
 * started from: there the second is watched alone, from the moment it is looked at. Of the two, the one
 * that was changed last speaks. */
#ifndef TT_TUI_DISK_CHANGES_H
#define TT_TUI_DISK_CHANGES_H

#include "tui/canvas.h"
#include "tui/config_watch.h"

enum { DISK_STARTED_FROM, DISK_OF_RUN, DISK_FILES };

struct disk_changes {
    struct config_watch file[DISK_FILES];
    int last; /* the one that speaks */
};

/* `started`: the config of a run of this process; NULL: it is in another one. */
void disk_changes_start(struct disk_changes *d, const struct run_config *started, const char *run_path,
                        const struct optim_class *const *optims);
/* True: there is something to tell. At most one look a second. */
bool disk_changes_poll(struct disk_changes *d, double now, const struct run_config *in_force);
void disk_changes_release(struct disk_changes *d);

/* The message: "run.ini changed on disk: 2 options, 1 live; o shows them". */
char *disk_changes_say(const struct disk_changes *d, char *dst, size_t size);
bool disk_changes_bad(const struct disk_changes *d); /* the file is no config now */
size_t disk_changes_live(const struct disk_changes *d);
/* Of a live option, "section.key"; NULL: the file says nothing new about it. */
const struct config_change *disk_changes_find(const struct disk_changes *d, const char *key);

/* Rows that draw() needs to tell all; 0: nothing differs. */
int disk_changes_rows(const struct disk_changes *d);
/* How the file differs, what is wrong with it, and what the run can't take, with the reason; "2 more"
 * where they don't fit. */
void disk_changes_draw(const struct disk_changes *d, struct canvas *c, struct rect r);

#endif
