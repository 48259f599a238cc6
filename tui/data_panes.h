/* What a run learns from: its files, and how often each class occurs in them. */
#ifndef TT_TUI_DATA_PANES_H
#define TT_TUI_DATA_PANES_H

#include "tui/label_counts.h"
#include "tui/uimodel.h"
#include "tui/widgets.h"

struct data_sides { /* [0] training, [1] evaluation */
    const struct dataset *set[2];
    struct label_counts count[2];
    const struct token_counts *tokens; /* [2] */
};

void draw_files_pane(struct canvas *c, struct rect r, const struct uimodel *m,
                     const struct data_sides *d);
/* Classes from the `first`-th on, or what the numbers are. */
void draw_labels_pane(struct canvas *c, struct rect r, const struct data_sides *d, int first);

#endif
