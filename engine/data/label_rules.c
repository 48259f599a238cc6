/* What the labels of a file mean: which problem they pose, which classes there are, which rows have
 * no label. The training file decides; the evaluation file must agree with it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/die.h"
#include "engine/base/mem.h"
#include "engine/data/labels.h"

#define MAX_CLASSES 65536

struct settling {
    struct dataset *ds;
    const struct labels *l;
    struct err *e;
};

__attribute__((format(printf, 3, 4))) static int bad_row(const struct settling *s, int64_t row,
                                                         const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const struct dataset *ds = s->ds;
    if (ds->line)
        return err_set(s->e, TT_EDATA, "%s:%lld: %s", ds->path, (long long)ds->line[row], text);
    return err_set(s->e, TT_EDATA, "%s: row %lld: %s", ds->path_labels, (long long)row, text);
}

/* Errors about all rows name the file that holds the labels. */
static const char *label_file(const struct dataset *ds)
{
    return ds->path_labels ? ds->path_labels : ds->path;
}

/* "0 to 9", "cat, dog or fox". */
static char *show_classes(const struct dataset *ds, char *dst, size_t size)
{
    const struct strlist *k = &ds->label_keys;
    int64_t first, last;
    size_t shown = k->n > 12 ? 12 : k->n;
    if (k->n > 2 && str_to_i64(k->s[0], &first) && str_to_i64(k->s[k->n - 1], &last) &&
        last - first == (int64_t)k->n - 1) {
        snprintf(dst, size, "%s to %s", k->s[0], k->s[k->n - 1]);
        return dst;
    }
    char names[256], safe[300];
    str_alternatives(names, sizeof names, (const char *const *)k->s, shown);
    str_visible(safe, sizeof safe, names);
    if (shown < k->n)
        snprintf(dst, size, "%s and %zu more", safe, k->n - shown);
    else
        str_copy(dst, size, safe);
    return dst;
}

/* -- the training file decides -------------------------------------------------------------- */

/* All labelled rows are of one kind; -1: there are none. */
static int common_kind(const struct settling *s, int *kind)
{
    int64_t first = 0;
    *kind = -1;
    for (int64_t i = 0; i < s->ds->rows; i++) {
        if (labels_row_is_none(s->l, i))
            continue;
        int k = (int)labels_row_kind(s->l, i);
        if (*kind < 0) {
            *kind = k;
            first = i;
        } else if (k != *kind) {
            char shown[TEXT_QUOTE];
            const int64_t *line = s->ds->line;
            return bad_row(s, i, "label %s (%s, as in %s %lld)", labels_show_row(s->l, i, shown),
                           labels_kind_word(*kind), line ? "line" : "row",
                           (long long)(line ? line[first] : first));
        }
    }
    return 0;
}

struct found_class {
    double number; /* NaN unless the label is one */
    const char *text;
};

static int compare_classes(const void *a, const void *b)
{
    const struct found_class *x = a, *y = b;
    if (isnan(x->number) || isnan(y->number))
        return strcmp(x->text, y->text);
    return (x->number > y->number) - (x->number < y->number);
}

/* The distinct labels that mean something, in order; caller frees. */
static struct found_class *find_classes(const struct labels *l, size_t *n)
{
    struct found_class *found = xcalloc(l->nkey + 1, sizeof *found);
    *n = 0;
    for (size_t k = 0; k < l->nkey; k++)
        if (!labels_key_is_none(l, (int32_t)k))
            found[(*n)++] = (struct found_class){l->key[k].number, labels_text(l, (int32_t)k)};
    qsort(found, *n, sizeof *found, compare_classes);
    return found;
}

/* -1 beside one other value may be a class as well as "no label". */
static int check_minus_one(const struct settling *s, const struct found_class *found, size_t n)
{
    bool minus_one = false;
    for (size_t k = 0; k < s->l->nkey; k++)
        minus_one |= !strcmp(labels_text(s->l, (int32_t)k), "-1");
    if (!minus_one || n != 1)
        return 0;
    char shown[TEXT_QUOTE];
    return err_set(s->e, TT_EDATA,
                   "%s: the labels are -1 and %s only (-1 means unlabelled: use other classes)",
                   label_file(s->ds), text_quote(shown, found[0].text));
}

static int define_classes(const struct settling *s, const struct found_class *found, size_t n)
{
    if (n > MAX_CLASSES)
        return err_set(s->e, TT_EDATA, "%s: %zu different labels (%d classes at most)",
                       label_file(s->ds), n, MAX_CLASSES);
    for (size_t i = 0; i < n; i++)
        strlist_add(&s->ds->label_keys, found[i].text);
    return 0;
}

static int decide_lists(const struct settling *s)
{
    const struct labels *l = s->l;
    s->ds->spec.problem = PROBLEM_MULTI_LABEL;
    for (int64_t i = 0; i < s->ds->rows; i++) {
        size_t n;
        const int32_t *item = labels_items(l, i, &n);
        if (l->row[i].list && n && l->key[item[0]].kind == LABEL_NUMBER) {
            labels_by_place(s->ds, (int64_t)n);
            return 0;
        }
    }
    size_t n;
    struct found_class *found = find_classes(l, &n);
    int rc = n ? define_classes(s, found, n)
               : err_set(s->e, TT_EDATA, "%s: every list of labels is empty (two classes at least)",
                         label_file(s->ds));
    free(found);
    return rc;
}

/* Whole numbers of this size stand for their neighbours too: no classes can be told by them. */
static int check_sizes(const struct settling *s)
{
    const struct labels *l = s->l;
    for (int64_t i = 0; i < s->ds->rows; i++) {
        char shown[TEXT_QUOTE];
        if (fabs(l->key[l->item[l->row[i].first]].number) >= 0x1p53)
            return bad_row(s, i, "class %s (a whole number below 2^53, or a word)",
                           labels_show_row(l, i, shown));
    }
    return 0;
}

static int decide_single(const struct settling *s, enum label_kind kind)
{
    size_t n;
    struct found_class *found = find_classes(s->l, &n);
    bool whole = true;
    for (size_t i = 0; i < n && kind == LABEL_NUMBER; i++)
        whole &= found[i].number == floor(found[i].number);
    s->ds->spec.problem = whole ? PROBLEM_CLASSES : PROBLEM_REGRESSION;
    int rc = check_minus_one(s, found, n);
    if (!rc && whole && kind == LABEL_NUMBER)
        rc = check_sizes(s);
    if (!rc && whole)
        rc = define_classes(s, found, n);
    free(found);
    return rc;
}

static int none_labelled(const struct settling *s)
{
    return err_set(s->e, TT_EDATA, "%s: none of %lld rows has a label (one at least)",
                   label_file(s->ds), (long long)s->ds->rows);
}

static int decide(const struct settling *s)
{
    int kind;
    int rc = common_kind(s, &kind);
    if (rc)
        return rc;
    if (kind < 0)
        return none_labelled(s);
    return kind == LABEL_LIST ? decide_lists(s) : decide_single(s, (enum label_kind)kind);
}

/* -- answers of the rows -------------------------------------------------------------------- */

/* Class of every key, LABEL_IGNORE, or -1 for a label that is none of the classes; caller frees. */
static int32_t *class_of_keys(const struct dataset *ds, const struct labels *l)
{
    int32_t *class = xmalloc((l->nkey + 1) * sizeof *class);
    for (size_t k = 0; k < l->nkey; k++)
        class[k] = labels_key_is_none(l, (int32_t)k) ? LABEL_IGNORE : -1;
    for (size_t i = 0; i < ds->label_keys.n; i++)
        for (int kind = LABEL_NUMBER; kind <= LABEL_BOOL; kind++) {
            int32_t k = labels_find(l, (enum label_kind)kind, ds->label_keys.s[i]);
            if (k >= 0)
                class[k] = (int32_t)i;
        }
    return class;
}

static int unknown_label(const struct settling *s, int64_t row, int32_t key)
{
    char shown[TEXT_QUOTE], classes[360];
    return bad_row(s, row, "label %s (%s)", labels_show_key(s->l, key, shown),
                   show_classes(s->ds, classes, sizeof classes));
}

static int assign_class(const struct settling *s, const int32_t *class, int64_t row)
{
    char shown[TEXT_QUOTE], classes[360];
    if (s->l->row[row].list)
        return bad_row(s, row, "label %s (%s)", labels_show_row(s->l, row, shown),
                       show_classes(s->ds, classes, sizeof classes));
    int32_t key = s->l->item[s->l->row[row].first];
    if (class[key] == -1)
        return unknown_label(s, row, key);
    s->ds->label[row] = class[key];
    s->ds->labelled += class[key] != LABEL_IGNORE;
    return 0;
}

static int assign_number(const struct settling *s, const int32_t *class, int64_t row)
{
    (void)class;
    char shown[TEXT_QUOTE];
    s->ds->target[row] = NAN;
    if (labels_row_is_none(s->l, row))
        return 0;
    float v = NAN;
    if (labels_row_kind(s->l, row) == LABEL_NUMBER)
        v = (float)s->l->key[s->l->item[s->l->row[row].first]].number;
    if (!isfinite(v))
        return bad_row(s, row, "label %s (a number)", labels_show_row(s->l, row, shown));
    s->ds->target[row] = v;
    s->ds->labelled++;
    return 0;
}

/* A list of 0 and 1 has a place for every class; a list of names sets theirs to 1. */
static int assign_list(const struct settling *s, const int32_t *class, int64_t row)
{
    const struct labels *l = s->l;
    size_t n, width = (size_t)s->ds->spec.num_labels;
    const int32_t *item = labels_items(l, row, &n);
    float *target = s->ds->target + (size_t)row * width;
    char shown[TEXT_QUOTE];
    target[0] = NAN;
    if (labels_row_is_none(l, row))
        return 0;
    if (!l->row[row].list)
        return bad_row(s, row, "label %s (a list)", labels_show_row(l, row, shown));
    bool numbers = n && l->key[item[0]].kind == LABEL_NUMBER;
    if (numbers && n != width)
        return bad_row(s, row, "a list of %zu labels (%zu)", n, width);
    memset(target, 0, width * sizeof *target);
    for (size_t i = 0; i < n; i++) {
        const struct label_key *k = &l->key[item[i]];
        if ((k->kind == LABEL_NUMBER) != numbers || (numbers && k->number != 0 && k->number != 1))
            return bad_row(s, row, "%s in a list of labels (%s)",
                           labels_show_key(l, item[i], shown),
                           numbers ? "0 or 1" : "names only, or 0 and 1 only");
        if (!numbers && class[item[i]] < 0)
            return unknown_label(s, row, item[i]);
        if (numbers)
            target[i] = (float)k->number;
        else
            target[class[item[i]]] = 1;
    }
    s->ds->labelled++;
    return 0;
}

static int assign_all(const struct settling *s)
{
    static int (*const assign[])(const struct settling *, const int32_t *, int64_t) = {
        [PROBLEM_CLASSES] = assign_class,
        [PROBLEM_REGRESSION] = assign_number,
        [PROBLEM_MULTI_LABEL] = assign_list,
    };
    struct dataset *ds = s->ds;
    size_t width = dataset_target_width(&ds->spec);
    if (width)
        ds->target = xcalloc((size_t)ds->rows * width, sizeof *ds->target);
    else
        ds->label = xcalloc((size_t)ds->rows, sizeof *ds->label);
    int32_t *class = class_of_keys(ds, s->l);
    int rc = 0;
    for (int64_t i = 0; i < ds->rows && !rc; i++)
        rc = assign[ds->spec.problem](s, class, i);
    free(class);
    return rc;
}

static int check_two_classes(const struct settling *s)
{
    const struct dataset *ds = s->ds;
    char shown[TEXT_QUOTE];
    if (ds->spec.problem != PROBLEM_CLASSES || ds->label_keys.n != 1)
        return 0;
    return err_set(s->e, TT_EDATA, "%s: every label is %s (two classes at least)", label_file(ds),
                   text_quote(shown, ds->label_keys.s[0]));
}

int labels_settle(struct dataset *ds, const struct labels *l, const struct data_opts *o,
                  const struct dataset *base, struct err *e)
{
    const struct settling s = {ds, l, e};
    int rc = 0;
    BUG_ON((int64_t)l->nrow != ds->rows);
    if (base) {
        ds->spec.problem = base->spec.problem;
        labels_take_over(ds, base);
    } else if (!(rc = decide(&s)) && !(rc = labels_name(ds, o, e))) {
        rc = check_two_classes(&s);
    }
    if (!rc)
        rc = assign_all(&s);
    return !rc && ds->labelled == 0 ? none_labelled(&s) : rc;
}
