/* Writing safetensors files the way the reference library does: widest types first, then by name,
 * data packed in that order, a compact header padded with blanks to a multiple of 8. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/mem.h"
#include "engine/io/json_text.h"
#include "engine/io/safetensors_header.h"

static const struct st_type *type_of(enum dtype dtype)
{
    for (const struct st_type *k = st_types; k->name; k++) {
        if (k->dtype == dtype && dtype != DT_COUNT)
            return k;
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct st_tensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static int in_file_order(const void *a, const void *b)
{
    const struct st_tensor *x = *(const struct st_tensor *const *)a;
    const struct st_tensor *y = *(const struct st_tensor *const *)b;
    ptrdiff_t narrower = type_of(x->dtype) - type_of(y->dtype);

    return narrower ? (narrower < 0 ? 1 : -1) : strcmp(x->name, y->name);
}

static bool bytes_fit_shape(const struct st_tensor *t)
{
    uint64_t dim[ST_DIMS], bytes;

    if (t->ndim < 0 || t->ndim > ST_DIMS)
        return false;
    for (int i = 0; i < t->ndim; i++)
        dim[i] = (uint64_t)t->dim[i];
    return st_shape_bytes(type_of(t->dtype), t->ndim, dim, &bytes) && bytes == t->bytes;
}

static int bad_name(const char *path, const char *name, const char *why, struct err *e)
{
    char shown[160];
    return err_set(e, TT_EFAIL, "can't write %s: \"%s\" %s", path,
                   str_visible(shown, sizeof shown, name), why);
}

static int check_tensor(const char *path, const struct st_tensor *t, struct err *e)
{
    const char *why = NULL;

    if (!str_is_valid_utf8(t->name, strlen(t->name)) || strcmp(t->name, ST_META_KEY) == 0)
        why = "is no name for a tensor";
    else if (!type_of(t->dtype))
        why = "has no type that is written";
    else if (!bytes_fit_shape(t))
        why = "has bytes that do not fit its shape";
    return why ? bad_name(path, t->name, why, e) : 0;
}

/* The tensors in the order of the file, checked; caller frees *sorted. */
static int sort_tensors(const char *path, const struct st_tensor *t, size_t n,
                        const struct st_tensor ***sorted, struct err *e)
{
    *sorted = xcalloc(n, sizeof(const struct st_tensor *));
    for (size_t i = 0; i < n; i++) {
        int rc = check_tensor(path, &t[i], e);
        if (rc)
            return rc;
        (*sorted)[i] = &t[i];
    }
    if (n == 0)
        return 0;
    qsort(*sorted, n, sizeof(const struct st_tensor *), by_name);
    for (size_t i = 1; i < n; i++) {
        if (strcmp((*sorted)[i - 1]->name, (*sorted)[i]->name) == 0)
            return bad_name(path, (*sorted)[i]->name, "is there twice", e);
    }
    qsort(*sorted, n, sizeof(const struct st_tensor *), in_file_order);
    return 0;
}

static void add_meta(struct strbuf *b, const struct strlist *meta)
{
    static char *format[] = {"format", "pt"};
    static const struct strlist by_default = {format, 2, 2};

    if (!meta)
        meta = &by_default;
    strbuf_adds(b, "\"" ST_META_KEY "\":{");
    for (size_t i = 0; i + 1 < meta->n; i += 2) {
        strbuf_adds(b, i ? "," : "");
        json_add_text(b, meta->s[i]);
        strbuf_adds(b, ":");
        json_add_text(b, meta->s[i + 1]);
    }
    strbuf_adds(b, "}");
}

static void add_entry(struct strbuf *b, const struct st_tensor *t, uint64_t at)
{
    json_add_text(b, t->name);
    strbuf_addf(b, ":{\"dtype\":\"%s\",\"shape\":[", type_of(t->dtype)->name);
    for (int i = 0; i < t->ndim; i++)
        strbuf_addf(b, "%s%" PRId64, i ? "," : "", t->dim[i]);
    strbuf_addf(b, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", at, at + t->bytes);
}

static int build_header(struct strbuf *b, const char *path, const struct st_tensor **sorted,
                        size_t n, const struct strlist *meta, struct err *e)
{
    uint64_t at = 0;

    for (size_t i = 0; meta && i < meta->n; i++) {
        if (!str_is_valid_utf8(meta->s[i], strlen(meta->s[i])))
            return bad_name(path, meta->s[i], "is no text for the metadata", e);
    }
    strbuf_adds(b, "{");
    if (!meta || meta->n)
        add_meta(b, meta);
    for (size_t i = 0; i < n; i++) {
        if (b->len > 1)
            strbuf_adds(b, ",");
        add_entry(b, sorted[i], at);
        at += sorted[i]->bytes;
    }
    strbuf_adds(b, "}");
    while (b->len % 8)
        strbuf_adds(b, " ");
    if (b->len > ST_HEADER_MAX)
        return err_set(e, TT_EFAIL, "can't write %s: header of %zu bytes (at most %u)", path,
                       b->len, ST_HEADER_MAX);
    return 0;
}

int st_write(const char *path, const struct st_tensor *t, size_t n, const struct strlist *meta,
             struct err *e)
{
    const struct st_tensor **sorted;
    struct strbuf header = STRBUF_INIT;
    struct outfile out;
    uint64_t length;

    int rc = sort_tensors(path, t, n, &sorted, e);
    if (!rc)
        rc = build_header(&header, path, sorted, n, meta, e);
    if (!rc)
        rc = file_create(&out, path, e);
    if (rc)
        goto out;
    length = header.len;
    file_write(&out, &length, sizeof length);
    file_write(&out, header.s, header.len);
    for (size_t i = 0; i < n; i++) {
        if (sorted[i]->bytes)
            file_write(&out, sorted[i]->data, sorted[i]->bytes);
    }
    rc = file_commit(&out, e);
out:
    free(sorted);
    strbuf_release(&header);
    return rc;
}
