/* Tab-separated values without quoting, as GLUE has them. */
#include "engine/data/table.h"

static int tsv_read(struct dataset *ds, const struct data_opts *o, bool eval,
                    const struct dataset *base, uint64_t seed, struct err *e)
{
    static const struct dialect tsv = {'\t', false};
    (void)seed;
    return table_read(&tsv, ds, o, eval, base, e);
}

const struct data_format data_tsv = {
    .name = "tsv",
    .summary = "tab-separated values, a quote is an ordinary character",
    .suffixes = ".tsv",
    .read = tsv_read,
};
