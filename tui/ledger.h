/* The ledger: what a run keeps in memory, byte by byte, as it was planned and as it was
 * allocated. */
#ifndef TT_TUI_LEDGER_H
#define TT_TUI_LEDGER_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

#define LEDGER_ROWS (PLAN_STATES + 6)

struct ledger_row {
    char name[32], type[8];
    int tensors;               /* 0: not counted in tensors */
    int64_t elements, formula; /* elements -1: not counted in them */
    int64_t allocated;         /* -1: not yet */
    bool sum, state;
};
/* States, their sum, parameters, gradients, activations, workspace, total; returns how many. */
int ledger_rows(const struct uimodel *m, struct ledger_row row[LEDGER_ROWS]);

void draw_ledger(struct canvas *c, struct rect r, const struct uimodel *m);

#endif
