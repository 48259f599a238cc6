/* Tables below the ledger: every tensor with its states, and what other optimizers would keep. */
#ifndef TT_TUI_MEMORY_TABLES_H
#define TT_TUI_MEMORY_TABLES_H

#include "tui/uimodel.h"
#include "tui/widgets.h"

/* Tensors by the bytes of their states. `focused`: the selected row is marked. */
void draw_tensor_table(struct canvas *c, struct rect r, const struct uimodel *m, struct list *l,
                       bool focused);
/* `beside`: the pane stands right of another one. */
void draw_optim_table(struct canvas *c, struct rect r, const struct uimodel *m, struct list *l,
                      bool focused, bool beside);

#endif
