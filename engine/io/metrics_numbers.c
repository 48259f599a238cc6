/* The numbers of a line of metrics.jsonl, without a tree of the line: a long run has a million of
 * them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/str.h"
#include "engine/io/json_scan.h"
#include "engine/io/metrics_file.h"

int metrics_numbers(char *text, size_t len, struct metrics_value v[METRICS_VALUES])
{
    struct json_scan c = {.p = text, .start = text, .end = text + len, .path = "metrics"};
    bool first = true;
    char *key;
    int n = 0, rc = scan_take(&c, '{') ? 0 : TT_EDATA;

    while (!rc && (rc = scan_member(&c, &first, &key)) > 0) {
        scan_blanks(&c);
        const char *at = c.p;
        bool null = *at == 'n', number = *at == '-' || (*at >= '0' && *at <= '9');
        rc = scan_skip(&c, 0);
        if (rc || !(null || number) || n == METRICS_VALUES)
            continue;
        str_copy(v[n].key, sizeof v[n].key, key);
        v[n++].value = null ? NAN : strtod(at, NULL);
    }
    scan_blanks(&c);
    return rc < 0 || c.p != c.end ? TT_EDATA : n;
}
