/* What the data and the machine say about a config before it runs: rows and labels, the memory plan. The
 * data is looked at by a thread of its own, once for each [data] section, so that the screen never waits
 * for a slow file. UI thread only. */
#ifndef TT_TUI_FACTS_H
#define TT_TUI_FACTS_H

#include "engine/train/plan.h"

struct facts_job;

struct facts { /* starts as {0} */
    struct dataset train, eval; /* without features, texts whole; filled when have_data */
    struct memory_plan plan;
    struct err err;             /* of the data, else of the plan; code 0: none */
    bool have_data, have_plan, reading;
    char *key;                  /* the options that the data was looked up by */
    struct facts_job *job;
};

/* The config is this now: plans at once when the data is known, else starts looking. */
void facts_set(struct facts *f, const struct run_config *rc);
/* True when the data has come; then the plan is made for `rc`, the config last set. */
bool facts_poll(struct facts *f, const struct run_config *rc);
void facts_release(struct facts *f);

#endif
