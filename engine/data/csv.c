/* Comma-separated values, RFC 4180. */
#include "engine/data/table.h"

static int csv_read(struct dataset *ds, const struct data_opts *o, bool eval,
                    const struct dataset *base, uint64_t seed, struct err *e)
{
    static const struct dialect csv = {',', true};
    (void)seed;
    return table_read(&csv, ds, o, eval, base, e);
}

const struct data_format data_csv = {
    .name = "csv",
    .summary = "comma-separated values with quotes (RFC 4180)",
    .suffixes = ".csv",
    .read = csv_read,
};
