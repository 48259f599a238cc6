/* The columns of a table: is the first record a header, and which column holds what. */
#include <stdio.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/data/table.h"
#include "engine/data/text_columns.h"

static bool has_cell(const struct delimited *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (!strcmp(d->cell[i], name))
            return true;
    return false;
}

static bool is_number(const char *s)
{
    double v;
    return str_to_f64(s, &v);
}

static bool is_name(const char *option)
{
    int64_t v;
    return option && !str_to_i64(option, &v);
}

/* A column that the config names stands in the first record. */
static bool names_column(const struct table *t)
{
    const char *const named[] = {t->o->label, t->o->text, t->o->text_pair};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (is_name(named[i]) && has_cell(&t->d, named[i]))
            return true;
    return false;
}

/* Text has no numbers to tell a row by: the names that such files use. */
static bool looks_like_text_header(const struct table *t)
{
    static const char *const usual[] = {
        "text",      "sentence",  "sentence1", "sentence2", "premise", "hypothesis", "question",
        "question1", "question2", "review",    "content",   "label",   "labels",     "target",
        "class",     "sentiment",
    };
    if (is_name(t->o->text) || is_name(t->o->text_pair))
        return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (has_cell(&t->d, usual[i]))
            return true;
    return false;
}

static bool is_header(const struct table *t)
{
    int64_t label = -1;
    if (t->o->header != HEADER_AUTO)
        return t->o->header == HEADER_YES;
    if (names_column(t))
        return true;
    if (text_is_wanted(t->o))
        return looks_like_text_header(t);
    if (t->o->label)
        str_to_i64(t->o->label, &label);
    for (size_t i = 0; i < t->d.n; i++)
        if ((int64_t)i != label && !is_number(t->d.cell[i]))
            return true;
    return false;
}

static int take_header(struct table *t, struct err *e)
{
    for (size_t i = 0; i < t->d.n; i++) {
        if (strlist_find(&t->header, t->d.cell[i]) >= 0) {
            char name[TEXT_QUOTE];
            return err_set(e, TT_EDATA, "%s:%lld: two columns are named %s (one of each name)",
                           t->path, (long long)t->first, text_quote(name, t->d.cell[i]));
        }
        strlist_add(&t->header, t->d.cell[i]);
    }
    return 0;
}

/* By name, else by number from 0; -1: no such column. */
static int find_column(const struct table *t, const char *name)
{
    int64_t number;
    int column = strlist_find(&t->header, name);
    if (column < 0 && str_to_i64(name, &number) && number >= 0 && number < (int64_t)t->columns)
        column = (int)number;
    return column;
}

static int no_column(const struct table *t, const char *key, const char *name, struct err *e)
{
    char shown[TEXT_QUOTE], names[300], safe[400];
    const struct strlist *h = &t->header;
    if (h->n)
        str_alternatives(names, sizeof names, (const char *const *)h->s, h->n);
    else
        snprintf(names, sizeof names, "0 to %zu: there is no header", t->columns - 1);
    bool guessed = h->n && t->o->header == HEADER_AUTO && !names_column(t);
    return err_set(e, TT_EDATA, "%s:%lld: no column %s for %s (%s%s)", t->path, (long long)t->first,
                   text_quote(shown, name), key, str_visible(safe, sizeof safe, names),
                   guessed ? "; data.header = no where this line is a row" : "");
}

static int need_column(const struct table *t, const char *key, const char *name, int *column,
                       struct err *e)
{
    *column = find_column(t, name);
    return *column < 0 ? no_column(t, key, name, e) : 0;
}

/* By the usual names, else the only column that is no label. */
static int guess_text(struct table *t, struct err *e)
{
    for (const struct text_names *n = text_names; n->text && t->text < 0; n++) {
        int text = strlist_find(&t->header, n->text);
        int pair = n->pair ? strlist_find(&t->header, n->pair) : -1;
        bool half = n->pair && pair < 0;
        if (text < 0 || half || text == t->label || (pair >= 0 && pair == t->label))
            continue;
        t->text = text;
        t->text_pair = pair;
    }
    if (t->text < 0 && t->columns == 1 + (t->label >= 0))
        t->text = t->label == 0;
    return t->text < 0 ? no_column(t, "data.text", "text", e) : 0;
}

static int named_text(struct table *t, struct err *e)
{
    const struct data_opts *o = t->o;
    int rc = need_column(t, "data.text", o->text, &t->text, e);
    if (!rc && o->text_pair)
        rc = need_column(t, "data.text_pair", o->text_pair, &t->text_pair, e);
    if (rc || t->label < 0 || (t->label != t->text && t->label != t->text_pair))
        return rc;
    if (!t->predict)
        return err_set(e, TT_ECONFIG, "data.label and data.text are one column (two)");
    t->label = -1; /* such a file has no labels */
    return 0;
}

static int find_text(struct table *t, struct err *e)
{
    if (t->o->features)
        return err_set(e, TT_ECONFIG, "data.features: the rows are texts (data.text names a column)");
    int rc = t->o->text ? named_text(t, e) : guess_text(t, e);
    return rc || t->predict ? rc : text_check_pairs(t->base, t->text_pair >= 0, t->path, e);
}

static int find_named_features(struct table *t, const struct strlist *names, struct err *e)
{
    const char *twice = strlist_repeated(names);
    if (twice && t->o->features)
        return err_set(e, TT_ECONFIG, "data.features names %s twice (once)", twice);
    for (size_t i = 0; i < names->n; i++) {
        int column;
        int rc = need_column(t, "data.features", names->s[i], &column, e);
        if (rc)
            return rc;
        if (column == t->label)
            return err_set(e, TT_ECONFIG,
                           "data.features names the label, column %s (other columns)", names->s[i]);
        t->feature[t->nfeature++] = column;
    }
    return 0;
}

/* data.features, else the columns of the training file, else all that is no label. */
static int find_features(struct table *t, struct err *e)
{
    struct strlist names = STRLIST_INIT;
    const struct strlist *known = &names;
    if (t->o->features)
        strlist_split(&names, t->o->features, ',');
    else if (t->base && t->header.n)
        known = &t->base->features;
    t->feature = xcalloc(t->columns + known->n, sizeof *t->feature);
    int rc = find_named_features(t, known, e);
    if (known->n == 0)
        for (size_t i = 0; i < t->columns; i++)
            if ((int)i != t->label)
                t->feature[t->nfeature++] = (int)i;
    strlist_release(&names);
    for (size_t i = 0; i < t->nfeature && t->header.n; i++)
        strlist_add(&t->ds->features, t->header.s[t->feature[i]]);
    return rc;
}

static int check_features(const struct table *t, struct err *e)
{
    if (t->nfeature == 0)
        return err_set(e, TT_EDATA, "%s:%lld: no column of features (one beside the label)",
                       t->path, (long long)t->first);
    if (t->base && t->nfeature != t->base->row_len)
        return err_set(e, TT_EDATA, "%s:%lld: %zu features (%zu, as in training)", t->path,
                       (long long)t->first, t->nfeature, t->base->row_len);
    return 0;
}

/* Rows to predict on may lack the label; by its number alone that shows in the number of columns.
 * */
static int find_label(struct table *t, struct err *e)
{
    const char *name = t->o->label ? t->o->label : "label";
    t->label = find_column(t, name);
    if (t->predict && !is_name(name) && t->columns == t->base->row_len)
        t->label = -1;
    return t->label < 0 && !t->predict ? no_column(t, "data.label", name, e) : 0;
}

int table_columns(struct table *t, struct err *e)
{
    t->columns = t->d.n;
    t->first = t->d.start;
    t->label = t->text = t->text_pair = -1;
    int rc = is_header(t) ? take_header(t, e) : 0;
    if (!rc)
        rc = find_label(t, e);
    if (rc)
        return rc;
    if (text_is_wanted(t->o))
        return find_text(t, e);
    rc = find_features(t, e);
    return rc ? rc : check_features(t, e);
}
