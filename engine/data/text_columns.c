/* Names of the columns that hold texts. */
#include "engine/data/text_columns.h"

bool text_is_wanted(const struct data_opts *o)
{
    return o->text || o->want_text;
}

const struct text_names text_names[] = {
    {"text", NULL},
    {"question", "sentence"},
    {"sentence", NULL},
    {"sentence1", "sentence2"},
    {"premise", "hypothesis"},
    {"question1", "question2"},
    {"review", NULL},
    {"content", NULL},
    {NULL, NULL},
};

int text_check_pairs(const struct dataset *base, bool pairs, const char *path, struct err *e)
{
    if (!base || base->spec.pairs == pairs)
        return 0;
    return err_set(e, TT_EDATA, "%s: %s a second text (%s, as in training)", path,
                   pairs ? "has" : "has no column of", pairs ? "one text a row" : "pairs");
}
