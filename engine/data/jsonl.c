/* JSON Lines: one object a line. Features are numbers or lists of numbers under keys, texts are
 * strings, or token ids under input_ids; further keys are ignored. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/data/labels.h"
#include "engine/data/text_columns.h"
#include "engine/data/text_file.h"

struct jsonl {
    struct dataset *ds;
    const struct data_opts *o;
    const struct dataset *base;
    bool predict; /* labels are not read */
    const char *path, *label;
    bool texts;
    const char *text, *pair; /* keys; NULL: none, or not chosen yet */
    struct strlist chosen;   /* keys that the config does not name */
    int64_t line;
    size_t x_cap, line_cap, at_cap, ids_cap;
    size_t *width; /* numbers of each feature, in the order of ds->features */
    struct labels labels;
};

static int bad_value(const struct jsonl *r, const char *key, const char *found, const char *allowed,
                     struct err *e)
{
    char name[TEXT_QUOTE];
    return err_set(e, TT_EDATA, "%s:%lld: key %s holds %s (%s)", r->path, (long long)r->line,
                   text_quote(name, key), found, allowed);
}

static const char *type_name(const json_t *v)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return v ? names[json_typeof(v)] : "nothing";
}

/* -- labels and text ------------------------------------------------------------------------ */

static int add_label(struct jsonl *r, const json_t *v, bool in_list, struct err *e)
{
    if (json_is_number(v))
        labels_number(&r->labels, json_number_value(v));
    else if (json_is_boolean(v) && in_list)
        labels_number(&r->labels, json_is_true(v));
    else if (json_is_boolean(v))
        labels_bool(&r->labels, json_is_true(v));
    else if (json_is_string(v) && *json_string_value(v))
        labels_string(&r->labels, json_string_value(v));
    else
        return bad_value(r, r->label, json_is_string(v) ? "\"\"" : type_name(v),
                         in_list ? "names, or 0 and 1" : "a label, or -100 for a row without one",
                         e);
    return 0;
}

static int read_label(struct jsonl *r, const json_t *row, struct err *e)
{
    const json_t *v = json_object_get(row, r->label);
    labels_row(&r->labels, json_is_array(v));
    if (!json_is_array(v))
        return add_label(r, v, false, e);
    int rc = 0;
    for (size_t i = 0; i < json_array_size(v) && !rc; i++)
        rc = add_label(r, json_array_get(v, i), true, e);
    return rc;
}

static int read_string(const struct jsonl *r, const json_t *row, const char *key,
                       struct strlist *texts, struct err *e)
{
    const json_t *v = json_object_get(row, key);
    if (!json_is_string(v))
        return bad_value(r, key, type_name(v), "a string", e);
    strlist_add(texts, json_string_value(v));
    r->ds->text_bytes += (int64_t)json_string_length(v);
    return 0;
}

static bool holds_text(const struct jsonl *r, const json_t *row, const char *key)
{
    return json_is_string(json_object_get(row, key)) && strcmp(key, r->label);
}

/* The key of the only string that is no label; NULL: there are none, or several. */
static const char *only_string(const struct jsonl *r, json_t *row)
{
    const char *found = NULL;
    for (void *i = json_object_iter(row); i; i = json_object_iter_next(row, i)) {
        const char *key = json_object_iter_key(i);
        if (!holds_text(r, row, key))
            continue;
        if (found)
            return NULL;
        found = key;
    }
    return found;
}

/* Where data.text does not say it: the usual names, else the only string of the first row with one. */
static int choose_text(struct jsonl *r, json_t *row, struct err *e)
{
    const struct text_names *n = text_names;
    while (n->text && !(holds_text(r, row, n->text) && (!n->pair || holds_text(r, row, n->pair))))
        n++;
    r->text = n->text;
    r->pair = n->pair;
    const char *only = n->text ? NULL : only_string(r, row);
    if (only) {
        strlist_add(&r->chosen, only);
        r->text = r->chosen.s[0];
    }
    if (r->text)
        return 0;
    return err_set(e, TT_EDATA, "%s:%lld: no key for data.text (text, or input_ids, or data.text)",
                   r->path, (long long)r->line);
}

/* -- token ids ------------------------------------------------------------------------------ */

static int bad_list(const struct jsonl *r, const char *key, const json_t *v, const char *allowed,
                    struct err *e)
{
    return bad_value(r, key, json_is_array(v) && !json_array_size(v) ? "[]" : type_name(v), allowed,
                     e);
}

static int read_number(const struct jsonl *r, const char *key, const json_t *v, int64_t most,
                       int64_t *out, struct err *e)
{
    char found[32], allowed[60];
    *out = json_is_integer(v) ? (int64_t)json_integer_value(v) : -1;
    if (*out >= 0 && *out <= most)
        return 0;
    snprintf(allowed, sizeof allowed, "whole numbers from 0 to %lld", (long long)most);
    if (json_is_number(v))
        str_f64(found, sizeof found, json_number_value(v));
    else
        str_copy(found, sizeof found, type_name(v));
    return bad_value(r, key, found, allowed, e);
}

/* The row's ids; its types where it has them, else 0. */
static int read_ids(struct jsonl *r, const json_t *row, struct err *e)
{
    const json_t *ids = json_object_get(row, "input_ids");
    const json_t *types = json_object_get(row, "token_type_ids");
    struct dataset *ds = r->ds;
    size_t n = json_array_size(ids), at = (size_t)ds->at[ds->rows];
    if (!n)
        return bad_list(r, "input_ids", ids, "a list of token ids", e);
    if (types && json_array_size(types) != n)
        return bad_list(r, "token_type_ids", types, "a list as long as input_ids", e);
    size_t cap = r->ids_cap;
    ds->ids = xgrow(ds->ids, &cap, at + n, sizeof *ds->ids);
    ds->types = xgrow(ds->types, &r->ids_cap, at + n, sizeof *ds->types);
    for (size_t i = 0; i < n; i++) {
        int64_t id, type = 0;
        int rc = read_number(r, "input_ids", json_array_get(ids, i), INT32_MAX - 1, &id, e);
        if (!rc && types)
            rc = read_number(r, "token_type_ids", json_array_get(types, i), 1, &type, e);
        if (rc)
            return rc;
        ds->ids[at + i] = (int32_t)id;
        ds->types[at + i] = (uint8_t)type;
        ds->spec.pairs |= type > 0;
    }
    ds->at[ds->rows + 1] = (int64_t)(at + n);
    return 0;
}

/* A row is a text, or a text and its pair, or token ids in place of both. */
static int read_text(struct jsonl *r, json_t *row, struct err *e)
{
    struct dataset *ds = r->ds;
    bool ids = json_object_get(row, "input_ids") && !(r->text && json_object_get(row, r->text));
    int rc = r->text || ids ? 0 : choose_text(r, row, e);
    ds->at = xgrow(ds->at, &r->at_cap, (size_t)ds->rows + 2, sizeof *ds->at);
    if (ds->rows == 0)
        ds->at[0] = 0;
    ds->at[ds->rows + 1] = ds->at[ds->rows];
    if (rc)
        return rc;
    if (ids) {
        strlist_add(&ds->text, "");
        return read_ids(r, row, e);
    }
    rc = read_string(r, row, r->text, &ds->text, e);
    if (rc || !r->pair)
        return rc;
    ds->spec.pairs = true;
    while ((int64_t)ds->text_pair.n < ds->rows) /* rows of ids */
        strlist_add(&ds->text_pair, "");
    return read_string(r, row, r->pair, &ds->text_pair, e);
}

/* -- features ------------------------------------------------------------------------------- */

static bool is_list_of_numbers(const json_t *v)
{
    if (!json_is_array(v) || json_array_size(v) == 0)
        return false;
    for (size_t i = 0; i < json_array_size(v); i++)
        if (!json_is_number(json_array_get(v, i)))
            return false;
    return true;
}

/* Which keys are features: data.features, else those of the training file, else every key of the
 * first row that holds numbers. */
static int choose_features(struct jsonl *r, json_t *row, struct err *e)
{
    struct strlist *names = &r->ds->features;
    if (r->o->features) {
        strlist_split(names, r->o->features, ',');
        if (strlist_repeated(names))
            return err_set(e, TT_ECONFIG, "data.features names %s twice (once)", strlist_repeated(names));
    } else if (r->base && r->base->features.n)
        for (size_t i = 0; i < r->base->features.n; i++)
            strlist_add(names, r->base->features.s[i]);
    else
        for (void *i = json_object_iter(row); i; i = json_object_iter_next(row, i)) {
            const json_t *v = json_object_iter_value(i);
            bool numbers = json_is_number(v) || is_list_of_numbers(v);
            if (numbers && strcmp(json_object_iter_key(i), r->label))
                strlist_add(names, json_object_iter_key(i));
        }
    r->width = xcalloc(names->n + 1, sizeof *r->width);
    for (size_t i = 0; i < names->n; i++) {
        const json_t *v = json_object_get(row, names->s[i]);
        r->width[i] = json_is_array(v) ? json_array_size(v) : 1;
        r->ds->row_len += r->width[i];
    }
    if (r->ds->row_len == 0)
        return err_set(e, TT_EDATA, "%s:%lld: no key with numbers (features beside the label %s)",
                       r->path, (long long)r->line, r->label);
    if (strlist_find(names, r->label) >= 0)
        return err_set(e, TT_ECONFIG, "data.features names the label, key %s (other keys)",
                       r->label);
    if (r->base && r->base->row_len != r->ds->row_len)
        return err_set(e, TT_EDATA, "%s:%lld: %zu features (%zu, as in training)", r->path,
                       (long long)r->line, r->ds->row_len, r->base->row_len);
    return 0;
}

static int put_number(const struct jsonl *r, const char *key, const json_t *v, float *x,
                      struct err *e)
{
    if (!json_is_number(v))
        return bad_value(r, key, type_name(v), "a number", e);
    *x = (float)json_number_value(v);
    if (isfinite(*x) || r->o->nonfinite == NONFINITE_KEEP)
        return 0;
    char number[32];
    return bad_value(r, key, str_f64(number, sizeof number, json_number_value(v)),
                     "a number that a float can hold, or data.nonfinite = keep", e);
}

static int bad_width(const struct jsonl *r, const char *key, size_t n, size_t width, struct err *e)
{
    char found[40], allowed[60];
    snprintf(found, sizeof found, "%zu numbers", n);
    snprintf(allowed, sizeof allowed, "%zu, as in the first row", width);
    return bad_value(r, key, found, allowed, e);
}

static int read_features(struct jsonl *r, const json_t *row, struct err *e)
{
    struct dataset *ds = r->ds;
    size_t at = (size_t)ds->rows * ds->row_len;
    ds->x = xgrow(ds->x, &r->x_cap, at + ds->row_len, sizeof *ds->x);
    float *x = ds->x + at;
    for (size_t i = 0; i < ds->features.n; i++) {
        const char *key = ds->features.s[i];
        const json_t *v = json_object_get(row, key);
        bool list = json_is_array(v);
        size_t n = list ? json_array_size(v) : 1;
        if (n != r->width[i])
            return bad_width(r, key, n, r->width[i], e);
        for (size_t j = 0; j < n; j++) {
            int rc = put_number(r, key, list ? json_array_get(v, j) : v, x++, e);
            if (rc)
                return rc;
        }
    }
    return 0;
}

/* -- rows ----------------------------------------------------------------------------------- */

static int read_row(struct jsonl *r, json_t *row, struct err *e)
{
    struct dataset *ds = r->ds;
    int rc = 0;
    if (ds->rows == 0 && !r->texts)
        rc = choose_features(r, row, e);
    if (!rc && !r->predict)
        rc = read_label(r, row, e);
    if (!rc)
        rc = r->texts ? read_text(r, row, e) : read_features(r, row, e);
    if (rc)
        return rc;
    ds->line = xgrow(ds->line, &r->line_cap, (size_t)ds->rows + 1, sizeof *ds->line);
    ds->line[ds->rows++] = r->line;
    return 0;
}

/* The code unit of an escape \uXXXX at `s`; -1 when it is none. */
static long code_unit(const char *s, const char *end)
{
    char hex[5] = "";
    if (end - s < 6 || s[0] != '\\' || s[1] != 'u')
        return -1;
    memcpy(hex, s + 2, 4);
    return strspn(hex, "0123456789abcdefABCDEF") == 4 ? strtol(hex, NULL, 16) : -1;
}

/* Escapes of half a surrogate pair stand for no character: make them U+FFFD, as other readers do.
 * */
static void mend_surrogates(char *s, const char *end)
{
    while ((s = memchr(s, '\\', (size_t)(end - s)))) {
        long unit = code_unit(s, end);
        if (unit < 0) {
            s += end - s > 1 ? 2 : 1;
            continue;
        }
        long next = unit >= 0xd800 && unit < 0xdc00 ? code_unit(s + 6, end) : -1;
        bool pair = next >= 0xdc00 && next < 0xe000;
        if (!pair && unit >= 0xd800 && unit < 0xe000)
            memcpy(s + 2, "fffd", 4);
        s += pair ? 12 : 6;
    }
}

static int read_line(struct jsonl *r, char *text, const char *end, struct err *e)
{
    json_error_t why;
    mend_surrogates(text, end);
    json_t *row =
        json_loadb(text, (size_t)(end - text), JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    char shown[sizeof why.text + 64];
    int rc;
    if (!row)
        rc = err_set(e, TT_EDATA, "%s:%lld: column %d: %s (a JSON object)", r->path,
                     (long long)r->line, why.column, str_visible(shown, sizeof shown, why.text));
    else if (!json_is_object(row))
        rc = err_set(e, TT_EDATA, "%s:%lld: %s (a JSON object on each line)", r->path,
                     (long long)r->line, type_name(row));
    else
        rc = read_row(r, row, e);
    json_decref(row);
    return rc;
}

static int read_lines(struct jsonl *r, const struct text_file *file, struct err *e)
{
    int rc = 0;
    for (char *p = file->text, *stop; p < file->end && !rc; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(file->end - p));
        stop = stop ? stop : file->end;
        r->line++;
        size_t blank = strspn(p, " \t\r");
        if (p + blank < stop)
            rc = read_line(r, p, stop, e);
    }
    if (!rc && r->ds->rows == 0)
        rc = err_set(e, TT_EDATA, "%s: has no rows (one at least)", r->path);
    return rc;
}

static bool names_label(const struct jsonl *r)
{
    return (r->text && !strcmp(r->text, r->label)) || (r->pair && !strcmp(r->pair, r->label));
}

static int jsonl_read(struct dataset *ds, const struct data_opts *o, bool eval,
                      const struct dataset *base, uint64_t seed, struct err *e)
{
    (void)seed;
    struct text_file file;
    struct jsonl r = {
        .ds = ds,
        .o = o,
        .base = base,
        .predict = base && !eval,
        .path = eval ? o->eval : o->train,
        .label = o->label ? o->label : "label",
        .texts = text_is_wanted(o),
        .text = o->text,
        .pair = o->text_pair,
    };
    if (r.texts && o->features)
        return err_set(e, TT_ECONFIG, "data.features: the rows are texts (data.text names a key)");
    if (r.texts && !r.predict && names_label(&r))
        return err_set(e, TT_ECONFIG, "data.label and data.text are one key (two)");
    int rc = text_file_read(&file, r.path, e);
    if (rc)
        return rc;
    ds->path = xstrdup(r.path);
    rc = read_lines(&r, &file, e);
    ds->spec.kind = r.texts ? BATCH_TEXT : BATCH_DENSE;
    ds->spec.ndim = r.texts ? 0 : 1;
    ds->spec.dim[0] = (int64_t)ds->row_len;
    if (!rc && r.texts && !r.predict)
        rc = text_check_pairs(base, ds->spec.pairs, r.path, e);
    if (!rc && !r.predict)
        rc = labels_settle(ds, &r.labels, o, base, e);
    labels_release(&r.labels);
    free(r.width);
    strlist_release(&r.chosen);
    text_file_release(&file);
    return rc;
}

const struct data_format data_jsonl = {
    .name = "jsonl",
    .summary = "one JSON object a line: features or text, and a label",
    .suffixes = ".jsonl .ndjson .json",
    .read = jsonl_read,
};
