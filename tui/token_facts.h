/* How long the texts of a run are that is looked at in its files: read by a thread of its own. UI thread
 * only. */
#ifndef TT_TUI_TOKEN_FACTS_H
#define TT_TUI_TOKEN_FACTS_H

#include "engine/train/token_counts.h"

struct token_job;

struct token_facts { /* starts as {0} */
    struct token_counts side[2]; /* training, evaluation; empty: not known, or not yet */
    struct token_job *job;       /* that reads; NULL: none does */
    bool asked;
};

/* Begin to read, once. */
void token_facts_ask(struct token_facts *f, const struct run_config *rc, const char *run_path);
bool token_facts_poll(struct token_facts *f); /* true: they have come */
void token_facts_release(struct token_facts *f);

#endif
