/* Numbers and counts of an evaluation as JSON. */
#include "tui/report_json.h"

#include <math.h>

json_t *number_or_null(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *confusion_json(const struct eval_report *r)
{
    json_t *rows = json_array();
    for (int i = 0; i < r->n; i++) {
        json_t *row = json_array();
        for (int k = 0; k < r->n; k++)
            json_array_append_new(row, json_integer(r->confusion[i * r->n + k]));
        json_array_append_new(rows, row);
    }
    return rows;
}
