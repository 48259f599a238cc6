/* Reads the rows of a table: every cell is checked, every message has the line. */
#include "engine/data/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"

static int bad_cell(const struct table *t, size_t column, const char *found, const char *allowed,
                    struct err *e)
{
    char name[TEXT_QUOTE], number[24], shown[TEXT_QUOTE];
    if (t->header.n)
        text_quote(name, t->header.s[column]);
    else
        snprintf(number, sizeof number, "%zu", column);
    return err_set(e, TT_EDATA, "%s:%lld: column %s holds %s (%s)", t->path, (long long)t->d.start,
                   t->header.n ? name : number, text_quote(shown, found), allowed);
}

static int check_shape(const struct table *t, struct err *e)
{
    const struct delimited *d = &t->d;
    if (d->n != t->columns)
        return err_set(e, TT_EDATA, "%s:%lld: %zu column%s (%zu, as in line %lld)", t->path,
                       (long long)d->start, d->n, d->n == 1 ? "" : "s", t->columns,
                       (long long)t->first);
    for (size_t i = 0; i < t->header.n; i++)
        if (strcmp(d->cell[i], t->header.s[i]))
            return 0;
    if (t->header.n == 0)
        return 0;
    return err_set(e, TT_EDATA, "%s:%lld: the header again (a row)", t->path, (long long)d->start);
}

static int read_features(struct table *t, struct err *e)
{
    struct dataset *ds = t->ds;
    size_t at = (size_t)ds->rows * t->nfeature;
    ds->x = xgrow(ds->x, &t->x_cap, at + t->nfeature, sizeof *ds->x);
    for (size_t i = 0; i < t->nfeature; i++) {
        size_t column = (size_t)t->feature[i];
        const char *cell = t->d.cell[column];
        double v;
        if (!str_to_f64(cell, &v))
            return bad_cell(t, column, cell, "a number", e);
        ds->x[at + i] = (float)v;
        if (!isfinite(ds->x[at + i]) && t->o->nonfinite != NONFINITE_KEEP)
            return bad_cell(t, column, cell, "a finite number, or data.nonfinite = keep", e);
    }
    return 0;
}

static int read_label(struct table *t, struct err *e)
{
    const char *cell = t->d.cell[t->label];
    if (!*cell)
        return bad_cell(t, (size_t)t->label, cell, "a label, or -100 for a row without one", e);
    labels_row(&t->labels, false);
    labels_cell(&t->labels, cell);
    return 0;
}

static void add_text(struct dataset *ds, struct strlist *texts, const char *cell)
{
    strlist_add(texts, cell);
    ds->text_bytes += (int64_t)strlen(cell);
}

static int read_row(struct table *t, struct err *e)
{
    struct dataset *ds = t->ds;
    int rc = check_shape(t, e);
    if (!rc && !t->predict)
        rc = read_label(t, e);
    if (!rc && t->text < 0)
        rc = read_features(t, e);
    if (rc)
        return rc;
    if (t->text >= 0)
        add_text(ds, &ds->text, t->d.cell[t->text]);
    if (t->text_pair >= 0)
        add_text(ds, &ds->text_pair, t->d.cell[t->text_pair]);
    ds->line = xgrow(ds->line, &t->line_cap, (size_t)ds->rows + 1, sizeof *ds->line);
    ds->line[ds->rows++] = t->d.start;
    return 0;
}

static int read_rows(struct table *t, struct err *e)
{
    int rc = delimited_next(&t->d, e);
    if (rc == 1) {
        rc = table_columns(t, e);
        if (rc)
            return rc;
        rc = t->header.n ? delimited_next(&t->d, e) : 1;
    }
    while (rc == 1) {
        rc = read_row(t, e);
        if (!rc)
            rc = delimited_next(&t->d, e);
    }
    if (rc)
        return rc;
    if (t->ds->rows == 0)
        return err_set(e, TT_EDATA, "%s: has no rows (one at least)", t->path);
    return 0;
}

int table_read(const struct dialect *dialect, struct dataset *ds, const struct data_opts *o,
               bool eval, const struct dataset *base, struct err *e)
{
    struct text_file file;
    const char *path = eval ? o->eval : o->train;
    int rc = text_file_read(&file, path, e);
    if (rc)
        return rc;
    struct table t = {
        .ds = ds,
        .o = o,
        .base = base,
        .predict = base && !eval,
        .path = path,
        .d = {.dialect = dialect, .path = path, .p = file.text, .end = file.end, .line = 1},
    };
    ds->path = xstrdup(path);
    rc = read_rows(&t, e);
    if (!rc) {
        ds->row_len = t.nfeature;
        ds->spec.kind = t.text >= 0 ? BATCH_TEXT : BATCH_DENSE;
        ds->spec.ndim = t.text >= 0 ? 0 : 1;
        ds->spec.dim[0] = (int64_t)t.nfeature;
        ds->spec.pairs = t.text_pair >= 0;
        if (!t.predict)
            rc = labels_settle(ds, &t.labels, o, base, e);
    }
    labels_release(&t.labels);
    delimited_release(&t.d);
    strlist_release(&t.header);
    free(t.feature);
    text_file_release(&file);
    return rc;
}
