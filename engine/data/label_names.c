/* The classes of a data set by name: as the file spells them, as data.label_names shows them, and as a
 * head that is there already has them. */
#include <stdio.h>
#include <string.h>

#include "engine/base/mem.h"
#include "engine/data/labels.h"

static void copy_list(struct strlist *dst, const struct strlist *src)
{
    for (size_t i = 0; i < src->n; i++)
        strlist_add(dst, src->s[i]);
}

void labels_by_place(struct dataset *ds, int64_t n)
{
    char name[24];
    for (int64_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%lld", (long long)i);
        strlist_add(&ds->label_keys, name);
    }
}

static int show_names(struct dataset *ds, const struct data_opts *o, struct err *e)
{
    const struct strlist *keys = &ds->label_keys;
    if (o->label_names)
        strlist_split(&ds->labels, o->label_names, ',');
    else
        copy_list(&ds->labels, keys);
    if (ds->labels.n != keys->n)
        return err_set(e, TT_ECONFIG, "data.label_names: %zu names (%zu, one for each label)",
                       ds->labels.n, keys->n);
    return 0;
}

static void point_at_names(struct dataset *ds)
{
    size_t n = ds->labels.n;
    ds->spec.num_labels = ds->spec.problem == PROBLEM_REGRESSION ? 1 : (int)n;
    if (n == 0)
        return;
    ds->label_ptr = xcalloc(n, sizeof *ds->label_ptr);
    for (size_t i = 0; i < n; i++)
        ds->label_ptr[i] = ds->labels.s[i];
    ds->spec.label = ds->label_ptr;
}

/* Lists of 0 and 1 have a place for every class, so there are as many as they have places. */
static bool fits_head(const struct dataset *ds, const struct strlist *head)
{
    bool places = ds->spec.problem == PROBLEM_MULTI_LABEL && !strcmp(ds->label_keys.s[0], "0");
    if (places && ds->labels.n != head->n)
        return false;
    for (size_t i = 0; i < ds->labels.n; i++)
        if (strlist_find(head, ds->labels.s[i]) < 0)
            return false;
    return true;
}

/* A head that knows all labels of the training file keeps its classes and their order. */
static void adopt_head(struct dataset *ds, const struct strlist *head)
{
    struct strlist keys = STRLIST_INIT, names = STRLIST_INIT;
    for (size_t i = 0; i < head->n; i++) {
        int at = strlist_find(&ds->labels, head->s[i]);
        strlist_add(&keys, at < 0 ? head->s[i] : ds->label_keys.s[at]);
        strlist_add(&names, head->s[i]);
    }
    strlist_release(&ds->label_keys);
    strlist_release(&ds->labels);
    ds->label_keys = keys;
    ds->labels = names;
    ds->head_kept = true;
}

int labels_name(struct dataset *ds, const struct data_opts *o, struct err *e)
{
    int rc = show_names(ds, o, e);
    if (rc)
        return rc;
    if (o->head && ds->labels.n && fits_head(ds, o->head))
        adopt_head(ds, o->head);
    point_at_names(ds);
    return 0;
}

void labels_take_over(struct dataset *ds, const struct dataset *base)
{
    copy_list(&ds->label_keys, &base->label_keys);
    copy_list(&ds->labels, &base->labels);
    point_at_names(ds);
}

/* Rows hold the numbers themselves: a head fits that begins with the same classes. */
int labels_numbered(struct dataset *ds, int64_t n, const struct data_opts *o, struct err *e)
{
    ds->spec.problem = PROBLEM_CLASSES;
    labels_by_place(ds, n);
    int rc = show_names(ds, o, e);
    if (rc)
        return rc;
    bool same = o->head && o->head->n >= ds->labels.n;
    for (size_t i = 0; i < ds->labels.n && same; i++)
        same = !strcmp(o->head->s[i], ds->labels.s[i]);
    if (same)
        adopt_head(ds, o->head);
    point_at_names(ds);
    return 0;
}
