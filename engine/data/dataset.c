/* The [data] section made into a training and an evaluation set. */
#include "engine/data/dataset.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/data/rows.h"
#include "engine/data/text_columns.h"

/* -- small facts about files ---------------------------------------------------------------- */

static bool is_made_up(const struct data_format *f)
{
    return !f->suffixes;
}

static bool has_suffix(const struct data_format *f, const char *path)
{
    struct strlist suffix = STRLIST_INIT;
    bool found = false;
    strlist_split(&suffix, f->suffixes ? f->suffixes : "", ' ');
    for (size_t i = 0; i < suffix.n; i++)
        found |= str_ends(path, suffix.s[i]);
    strlist_release(&suffix);
    return found;
}

/* By the suffix, ".gz" aside. NULL: it tells nothing. */
static const struct data_format *format_by_suffix(const char *path, struct err *e)
{
    const struct data_format *found = NULL;
    char *plain = xstrndup(path, strlen(path) - (str_ends(path, ".gz") ? 3 : 0));
    for (const struct data_format *const *f = data_formats; *f && !found; f++)
        if (has_suffix(*f, plain))
            found = *f;
    free(plain);
    if (!found)
        err_set(e, TT_ECONFIG, "data.format: the name of %s does not tell (%s)", path,
                data_format_choices);
    return found;
}

static const struct data_format *format_of(const struct data_opts *o, const char *path,
                                           struct err *e)
{
    return o->format ? data_formats[o->format - 1] : format_by_suffix(path, e);
}

/* " (Debian package dataset-mnist)" for a file that a package of data sets brings, else "". */
static char *package_of(const char *path, char *dst, size_t size)
{
    static const char folder[] = "/usr/share/datasets/";
    const char *name = path + sizeof folder - 1;
    dst[0] = '\0';
    if (str_starts(path, folder) && strchr(name, '/'))
        snprintf(dst, size, " (Debian package dataset-%.*s)", (int)strcspn(name, "/"), name);
    return dst;
}

/* " (configs/data/NAME.sh makes it)" for a file in a folder NAME that there is such a script for. */
static char *script_of(const char *path, char *dst, size_t size)
{
    char script[200], *folder = file_dir(path);
    snprintf(script, sizeof script, "configs/data/%s.sh", file_base(folder));
    dst[0] = '\0';
    if (file_exists(script))
        snprintf(dst, size, " (%s makes it)", script);
    free(folder);
    return dst;
}

static int check_file(const struct data_opts *o, const char *path, struct err *e)
{
    char package[100], script[240];
    if (str_starts(file_base(path), "._"))
        return err_set(e, TT_EDATA, "%s: names that begin with ._ are never read", path);
    if (!file_exists(path))
        return err_set(e, TT_EDATA, "%s: no such file%s%s%s", path,
                       package_of(path, package, sizeof package),
                       script_of(path, script, sizeof script),
                       o->fallback && text_is_wanted(o) ? "; data.fallback makes no text" : "");
    return 0;
}

void dataset_add_note(struct dataset *ds, const char *fmt, ...)
{
    char text[sizeof ds->note];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t used = strlen(ds->note);
    str_copy(ds->note + used, sizeof ds->note - used, used ? "; " : "data: ");
    used = strlen(ds->note);
    str_copy(ds->note + used, sizeof ds->note - used, text);
}

static void note_unlabelled(struct dataset *ds)
{
    char without[32], all[32], name[80];
    if (ds->labelled == ds->rows)
        return;
    str_copy(name, sizeof name, file_base(ds->path_labels ? ds->path_labels : ds->path));
    dataset_add_note(ds, "%s of %s rows of %s have no label",
                     str_commas(without, sizeof without, ds->rows - ds->labelled),
                     str_commas(all, sizeof all, ds->rows), name);
}

static void note_fallback(struct dataset *ds, const char *path)
{
    char shown[100], package[60];
    str_copy(shown, sizeof shown, path);
    dataset_add_note(ds, "%s is missing%s; training on made-up data instead", shown,
                     package_of(path, package, sizeof package));
}

/* -- opening -------------------------------------------------------------------------------- */

static int check_opts(const struct data_opts *o, struct err *e)
{
    if (o->eval && o->eval_fraction > 0)
        return err_set(e, TT_ECONFIG,
                       "data.eval and data.eval_fraction are both given (one of them)");
    if (o->eval_labels && !o->eval)
        return err_set(e, TT_ECONFIG, "data.eval_labels is given without data.eval (both)");
    if (o->text_pair && !o->text)
        return err_set(e, TT_ECONFIG, "data.text_pair is given without data.text (both)");
    if (!o->train && !(o->format && is_made_up(data_formats[o->format - 1])))
        return err_set(e, TT_ECONFIG,
                       "data.train is not given (a file, or data.format = synthetic)");
    return 0;
}

/* One side: read or peeked at, cut to the limit. */
static int open_side(const struct data_opts *o, uint64_t seed, bool eval,
                     const struct dataset *base, bool peek, struct dataset *ds, struct err *e)
{
    const char *path = eval ? o->eval : o->train;
    const struct data_format *f = format_of(o, path, e);
    if (!f)
        return TT_ECONFIG;
    int rc = is_made_up(f) ? 0 : check_file(o, path, e);
    if (!rc)
        rc = (peek && f->peek ? f->peek : f->read)(ds, o, eval, base, seed, e);
    if (rc)
        return rc;
    ds->fmt = f;
    if (peek)
        rows_drop_features(ds);
    if (o->limit != OPT_INT_UNSET)
        rows_limit(ds, o->limit);
    note_unlabelled(ds);
    return 0;
}

/* A cut may leave none of the labelled rows. */
static int check_labelled(const struct dataset *ds, struct err *e)
{
    if (ds->rows == 0 || ds->labelled > 0)
        return 0;
    return err_set(e, TT_EDATA, "%s: none of the %lld rows taken has a label (one at least)",
                   ds->path, (long long)ds->rows);
}

static int open_both(const struct data_opts *o, uint64_t seed, bool peek, struct dataset *train,
                     struct dataset *eval, struct err *e)
{
    int rc = open_side(o, seed, false, NULL, peek, train, e);
    if (rc)
        return rc;
    if (o->eval_fraction > 0)
        return rows_split(train, eval, o->eval_fraction, seed, e);
    if (o->eval || is_made_up(train->fmt))
        return open_side(o, seed, true, train, peek, eval, e);
    rows_copy_spec(eval, train);
    return 0;
}

/* The options with made-up data in place of a missing training file. */
static struct data_opts with_fallback(const struct data_opts *o, bool *taken)
{
    struct data_opts made = *o;
    *taken = o->fallback == FALLBACK_SYNTHETIC && o->train && !file_exists(o->train) &&
             !text_is_wanted(o);
    for (int i = 0; data_formats[i] && *taken; i++)
        if (is_made_up(data_formats[i]))
            made.format = i + 1;
    return made;
}

static int open_sets(const struct data_opts *o, uint64_t seed, bool peek, struct dataset *train,
                     struct dataset *eval, struct err *e)
{
    *train = *eval = (struct dataset){0};
    bool fallback;
    struct data_opts used = with_fallback(o, &fallback);
    int rc = check_opts(o, e);
    if (!rc)
        rc = open_both(&used, seed, peek, train, eval, e);
    if (!rc)
        rc = check_labelled(train, e);
    if (!rc)
        rc = check_labelled(eval, e);
    if (!rc && fallback)
        note_fallback(train, o->train);
    if (rc) {
        dataset_release(train);
        dataset_release(eval);
    }
    return rc;
}

int dataset_open(const struct data_opts *o, uint64_t seed, struct dataset *train,
                 struct dataset *eval, struct err *e)
{
    return open_sets(o, seed, false, train, eval, e);
}

int dataset_peek(const struct data_opts *o, uint64_t seed, struct dataset *train,
                 struct dataset *eval, struct err *e)
{
    return open_sets(o, seed, true, train, eval, e);
}

int dataset_open_predict(const struct data_opts *o, const char *path, const struct data_spec *base,
                         struct dataset *ds, struct err *e)
{
    struct data_opts used = *o;
    struct dataset shape = {.spec = *base, .row_len = 1};
    used.train = (char *)path;
    if (o->format && is_made_up(data_formats[o->format - 1]))
        used.format = 0;
    used.want_text = base->kind == BATCH_TEXT;
    used.limit = OPT_INT_UNSET;
    for (int i = 0; i < base->ndim; i++)
        shape.row_len *= (size_t)base->dim[i];
    if (base->features)
        shape.features = *base->features; /* borrowed */
    *ds = (struct dataset){0};
    const struct data_format *f = format_of(&used, path, e);
    int rc = f ? check_file(o, path, e) : TT_ECONFIG;
    if (!rc)
        rc = f->read(ds, &used, false, &shape, 0, e);
    if (rc) {
        dataset_release(ds);
        return rc;
    }
    bool pairs = ds->spec.pairs;
    ds->fmt = f;
    ds->spec = *base;
    ds->spec.pairs = pairs;
    return 0;
}
