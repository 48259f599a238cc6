/* The past of a run as messages: what a viewer has to know before the first new one, of a size that does
 * not grow with the run. */
#ifndef TT_TUI_SNAPSHOT_H
#define TT_TUI_SNAPSHOT_H

#include "tui/uimodel.h"
#include "tui/wire.h"

/* All of it, WIRE_FACTS to WIRE_READY. */
void snapshot_put(struct strbuf *out, const struct uimodel *m);
void snapshot_put_report(struct strbuf *out, const struct eval_report *r);

/* One message of the past into the model; TT_EDATA: it is malformed. */
int snapshot_take(struct uimodel *m, const struct wire_message *msg, struct err *e);
/* *r is made at the first one. */
int snapshot_take_report(struct eval_report **r, const struct wire_message *msg, struct err *e);

#endif
