/* Where the inspector's reports come from: the trainer, asked through the hub, while the run goes
 * on in this process; else its newest checkpoint, read by a thread so that the screen never waits
 * for a disk. One question at a time. UI thread only. */
#ifndef TT_TUI_INSPECT_FEED_H
#define TT_TUI_INSPECT_FEED_H

#include "engine/train/inspect.h"
#include "tui/uimodel.h"

#define INSPECT_STEPS 50 /* a report of a run that goes on is asked for anew after as many */

struct inspect_job;

struct inspect_feed {             /* starts as {0} */
    struct inspect_report report; /* newest; may be of what was wanted before */
    bool have;
    bool again;      /* ask even when nothing changed */
    bool asked;      /* the trainer has not answered yet */
    double asked_at; /* sys_now() */
    int64_t seen;    /* of the trainer's answers */
    struct inspect_job *job;
};

/* True: there is a new report. */
bool inspect_feed_poll(struct inspect_feed *f, const struct inspect_request *want,
                       const struct uimodel *m, struct hub *hub);
/* Is the report about this? */
bool inspect_feed_answers(const struct inspect_feed *f, const struct inspect_request *want);
void inspect_feed_release(struct inspect_feed *f);

#endif
