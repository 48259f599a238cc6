/* Parts of an evaluation as JSON, for the commands that print one. */
#ifndef TT_TUI_REPORT_JSON_H
#define TT_TUI_REPORT_JSON_H

#include <jansson.h>

#include "engine/train/metrics.h"

json_t *number_or_null(double v);                          /* null: not finite */
json_t *confusion_json(const struct eval_report *r);       /* rows of counts, row = truth */

#endif
