/* Reads the table of `traintui score` and settles what its cells are. */
#include "tui/cmd_score_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/data/delimited.h"

static const char *const columns[] = {"truth", "prediction"};

static bool is_header(const struct delimited *d)
{
    return d->n == 2 && !strcmp(d->cell[0], columns[0]) && !strcmp(d->cell[1], columns[1]);
}

static int check_header(struct delimited *d, struct err *e)
{
    int got = delimited_next(d, e);
    if (got < 0)
        return got;
    if (got && is_header(d))
        return 0;
    char shown[TEXT_QUOTE];
    struct strbuf line = STRBUF_INIT;
    for (size_t i = 0; i < d->n; i++)
        strbuf_addf(&line, "%s%s", i ? " " : "", d->cell[i]);
    err_set(e, TT_EDATA, "%s:%lld: %s (the header truth<TAB>prediction)", d->path,
            (long long)(got ? d->start : 1), text_quote(shown, line.s ? line.s : ""));
    strbuf_release(&line);
    return TT_EDATA;
}

static int take_row(struct score_table *t, const struct delimited *d, size_t *cap, struct err *e)
{
    if (d->n != 2)
        return err_set(e, TT_EDATA, "%s:%lld: %zu cell%s (2: truth and prediction)", t->path,
                       (long long)d->start, d->n, d->n == 1 ? "" : "s");
    if (is_header(d))
        return err_set(e, TT_EDATA, "%s:%lld: the header again (a row)", t->path,
                       (long long)d->start);
    t->row = xgrow(t->row, cap, (size_t)t->rows + 1, sizeof *t->row);
    struct score_row *row = &t->row[t->rows++];
    row->line = d->start;
    labels_row(&t->labels, true);
    for (int i = 0; i < 2; i++) {
        if (!*d->cell[i])
            return err_set(e, TT_EDATA, "%s:%lld: %s is empty (a class or a number)", t->path,
                           (long long)d->start, columns[i]);
        labels_cell(&t->labels, d->cell[i]);
        if (!str_to_f64(d->cell[i], &row->value[i]))
            row->value[i] = NAN;
    }
    return 0;
}

static int read_rows(struct score_table *t, struct err *e)
{
    static const struct dialect tsv = {'\t', false};
    struct text_file f;
    size_t cap = 0;
    int code = text_file_read(&f, t->path, e);
    if (code)
        return code;
    struct delimited d = {.dialect = &tsv, .path = t->path, .p = f.text, .end = f.end, .line = 1};
    code = check_header(&d, e);
    while (!code && (code = delimited_next(&d, e)) == 1)
        code = take_row(t, &d, &cap, e);
    delimited_release(&d);
    text_file_release(&f);
    return code;
}

static int32_t key_of(const struct score_table *t, int64_t row, int item)
{
    size_t n;
    return labels_items(&t->labels, row, &n)[item];
}

/* A cell that makes the table wrong: `found (allowed)` at the first line that has it. */
static int bad_cell(const struct score_table *t, int32_t key, const char *allowed, struct err *e)
{
    char shown[TEXT_QUOTE];
    int64_t row = 0;
    while (key_of(t, row, 0) != key && key_of(t, row, 1) != key)
        row++;
    return err_set(e, TT_EDATA, "%s:%lld: %s (%s)", t->path, (long long)t->row[row].line,
                   labels_show_key(&t->labels, key, shown), allowed);
}

/* Are the cells numbers or names? A nan among numbers is neither. */
static int settle_kind(struct score_table *t, struct err *e)
{
    const struct labels *l = &t->labels;
    int32_t odd = -1;
    size_t numbers = 0, odds = 0;
    for (size_t k = 0; k < l->nkey; k++) {
        double v = l->key[k].number;
        numbers += l->key[k].kind == LABEL_NUMBER;
        t->values |= v != floor(v) && !isnan(v);
        if (l->key[k].kind != LABEL_NUMBER && str_to_f64(labels_text(l, (int32_t)k), &v)) {
            odd = (int32_t)k;
            odds++;
        }
    }
    if (odds && numbers && odds + numbers == l->nkey)
        return bad_cell(t, odd, "a finite number", e);
    t->numbers = numbers == l->nkey;
    t->values &= t->numbers;
    return 0;
}

struct found_class {
    double number; /* NaN: a name */
    const char *text;
    int32_t key;
};

static int by_order(const void *a, const void *b)
{
    const struct found_class *x = a, *y = b;
    if (isnan(x->number) || isnan(y->number))
        return strcmp(x->text, y->text);
    return (x->number > y->number) - (x->number < y->number);
}

/* The labels that occur, numbers as numbers, names by code point. */
static int classes_by_occurrence(struct score_table *t, int64_t head, struct err *e)
{
    const struct labels *l = &t->labels;
    size_t most = head ? (size_t)head : SCORE_MAX_CLASSES;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at most %zu different classes", most);
    if (l->nkey > most)
        return bad_cell(t, (int32_t)most, allowed, e);
    struct found_class *found = xcalloc(l->nkey + 1, sizeof *found);
    for (size_t k = 0; k < l->nkey; k++)
        found[k] = (struct found_class){l->key[k].number, labels_text(l, (int32_t)k), (int32_t)k};
    qsort(found, l->nkey, sizeof *found, by_order);
    for (size_t i = 0; i < l->nkey; i++) {
        strlist_add(&t->names, found[i].text);
        t->class_of[found[i].key] = (int)i;
    }
    free(found);
    return 0;
}

/* Whole numbers are places in the head. */
static int classes_by_number(struct score_table *t, int64_t head, struct err *e)
{
    char allowed[64];
    snprintf(allowed, sizeof allowed, "a whole number from 0 to %lld", (long long)head - 1);
    for (size_t k = 0; k < t->labels.nkey; k++) {
        double v = t->labels.key[k].number;
        if (v != floor(v) || v < 0 || v >= (double)head)
            return bad_cell(t, (int32_t)k, allowed, e);
        t->class_of[k] = (int)v;
    }
    return 0;
}

static int settle_classes(struct score_table *t, int64_t head, struct err *e)
{
    if (head > SCORE_MAX_CLASSES)
        return err_set(e, TT_ECONFIG, "--labels %lld (a whole number from 1 to %d)",
                       (long long)head, SCORE_MAX_CLASSES);
    if (head == 0 && t->values)
        return 0;
    for (size_t k = 0; t->numbers && head == 0 && k < t->labels.nkey; k++)
        if (t->labels.key[k].number < 0)
            return bad_cell(t, (int32_t)k, "a class from 0 up", e);
    t->values = false;
    t->class_of = xcalloc(t->labels.nkey + 1, sizeof *t->class_of);
    int code =
        head && t->numbers ? classes_by_number(t, head, e) : classes_by_occurrence(t, head, e);
    for (size_t i = t->names.n; !code && i < (size_t)head; i++) {
        char name[32];
        snprintf(name, sizeof name, t->numbers ? "%zu" : "LABEL_%zu", i);
        strlist_add(&t->names, name);
    }
    return code;
}

int score_table_read(struct score_table *t, const char *path, int64_t head, struct err *e)
{
    *t = (struct score_table){.path = path};
    int code = read_rows(t, e);
    if (!code)
        code = settle_kind(t, e);
    if (!code)
        code = settle_classes(t, head, e);
    if (code)
        score_table_release(t);
    return code;
}

void score_table_release(struct score_table *t)
{
    free(t->row);
    free(t->class_of);
    labels_release(&t->labels);
    strlist_release(&t->names);
}

int score_class(const struct score_table *t, int64_t row, int item)
{
    return t->class_of[key_of(t, row, item)];
}

double score_value(const struct score_table *t, int64_t row, int item)
{
    return t->row[row].value[item];
}
